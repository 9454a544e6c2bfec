"""`docs/quotas.md`: the Google quotas that every environment needs."""

from collections.abc import Iterable, Sequence

from hybrid_pools.blueprint.model import Blueprint, QuotaNeed
from hybrid_pools.documents.markdown import code, codes, document, table

_RULES = """\
Amounts are what the pools count when each is at its maximum, with what a schedule may add. Not counted: pools on a named reservation,
whose capacity was granted with it; nodes that an upgrade adds for a while; the default pool that lives for minutes while a cluster is
made. Nodes are private, so external addresses are not needed. Spot VMs, flex-start and queued provisioning draw on the preemptible
quotas. While the limit of `PREEMPTIBLE_CPUS` is 0, Google counts Spot vCPUs against the regular quotas; the check below does the same. A
new project often has 0 for GPUs, and asking takes days.

Quotas without a name are limits by family that `gcloud` does not list. Look for the words in the console under *IAM & Admin, Quotas*."""

_CHECK = """\
```console
gcloud compute regions describe REGION --project PROJECT --format=json > region.json
gcloud compute project-info describe --project PROJECT --format=json > project.json
hybrid-pools quotas --stack-file stacks/Pulumi.prod.yaml --usage region.json --usage project.json
```

Each line ends in a verdict. The exit code is 1 if a quota is too small, so a pipeline can stop there; `--output json` is for programs.

- **enough**: what is free covers it.
- **in use**: the limit covers it, but not beside what is in use now. Fine if this environment uses it.
- **short by N**: the limit is too small. Ask for more, or lower the limits of the pools.
- **not in the export**: give the other export as well, or look it up.
- **look it up**: the quota has no name in the export."""


def render(blueprints: Sequence[Blueprint]) -> str:
    """The document, one chapter an environment."""
    return document(
        "Quotas",
        "the stack files and `hybrid_pools/blueprint/derivation/quotas.py`",
        _RULES,
        "## Check before you start",
        _CHECK,
        *(part for blueprint in blueprints for part in _environment(blueprint)),
    )


def _environment(blueprint: Blueprint) -> Iterable[str]:
    yield f"## {blueprint.environment.name}"
    yield f"Project {code(blueprint.environment.project)}."
    yield table(["Quota", "What", "Where", "Needed", "For"], (_row(need) for need in blueprint.quotas))


def _row(need: QuotaNeed) -> list[str]:
    return [code(need.name or "") or "look it up", need.what, code(need.location), f"{need.amount} {need.unit}", codes(need.pools)]
