"""A stand-in for Google's API, served as Pulumi's provider `gcp`.

Two layers, kept apart as in reality:

- **the provider** (`provider.py`, `check.py`, `diff.py`): what Google's real provider knows before it calls anybody. Names, types and
  required properties come from the installed `pulumi_gcp` classes (`schema.py`); what else it knows of a type is one data file in `facts/`.
- **the cloud** (`cloud.py`, `refusals/`, `computed.py`): what Google's API does when it is called. Resources live in one SQLite file
  (`store.py`) and faults are made on demand (`faults.py`).
"""
