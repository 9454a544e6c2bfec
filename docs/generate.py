"""Writes the documents that are made from what the code knows: `python docs/generate.py`, or `make docs`.

It stands beside the documents and not in the library, because it also reads the policy pack, of which the library knows nothing.
"""

from pathlib import Path

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.derivation import derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.documents import (
    access,
    admission,
    audit,
    calendar,
    catalogue,
    configuration,
    contract,
    interval,
    launch,
    lint,
    monitoring,
    pools,
    queues,
    quotas,
    storage,
)
from hybrid_pools.documents.dashboard_picture import dashboard_picture
from hybrid_pools.documents.picture import picture
from hybrid_pools.documents.schemas import audit_schema, checkpoint_schema, contract_schema, job_schema, schema_text, stack_schema
from policies import document as policies

DOCS = Path(__file__).parent
_STACKS = DOCS.parent / "stacks"
_ORDER = ("local", "dev", "staging", "prod")


def documents() -> dict[str, str]:
    """Every generated document: its text by its path below `docs/`."""
    blueprints = [_blueprint(name) for name in _ORDER]
    prod = blueprints[-1]
    return {
        "access.md": access.render(blueprints),
        "admission.md": admission.render(prod),
        "audit.md": audit.render(),
        "calendar.md": calendar.render(blueprints),
        "catalogue.md": catalogue.render(),
        "configuration.md": configuration.render(),
        "contract.md": contract.render(prod),
        "images/dashboard.svg": dashboard_picture(prod.monitoring.dashboard) if prod.monitoring else "",
        "images/interval.svg": interval.picture(),
        "images/prod.svg": picture(prod),
        "images/prod-week.svg": calendar.picture(prod),
        "interval.md": interval.render(),
        "lint.md": lint.render(prod),
        "launch.md": launch.render(prod),
        "monitoring.md": monitoring.render(blueprints),
        "policies.md": policies.render(),
        "pools.md": pools.render(blueprints),
        "queues.md": queues.render(blueprints),
        "quotas.md": quotas.render(blueprints),
        "schema/audit.v1.schema.json": schema_text(audit_schema()),
        "schema/checkpoint.v1.schema.json": schema_text(checkpoint_schema()),
        "schema/contract.v1.schema.json": schema_text(contract_schema()),
        "schema/job.v1.schema.json": schema_text(job_schema()),
        "schema/stack.schema.json": schema_text(stack_schema()),
        "storage.md": storage.render(blueprints),
    }


def main() -> None:
    """Write what has changed, and say so."""
    for path, text in documents().items():
        file = DOCS / path
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            print(f"docs/{path}: written")  # noqa: T201 - this is a command


def _blueprint(name: str) -> Blueprint:
    return derive(check_stack_file(_STACKS / f"Pulumi.{name}.yaml"))


if __name__ == "__main__":
    main()
