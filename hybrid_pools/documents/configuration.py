"""`docs/configuration.md`: every key of a stack file and every rule."""

from collections.abc import Iterable, Mapping

from hybrid_pools.blueprint.configuration import (
    SECTIONS,
    BufferPoolConfiguration,
    EnvironmentConfiguration,
    ExistingCluster,
    ExistingNetwork,
    NewCluster,
    NewNetwork,
    NodeIdentityConfiguration,
    SpotPoolConfiguration,
    StablePoolConfiguration,
    StackConfiguration,
)
from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.buckets import BucketsConfiguration
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.configuration.monitoring import MonitoringConfiguration
from hybrid_pools.blueprint.configuration.pools import BasePool
from hybrid_pools.blueprint.configuration.queues import QueuesConfiguration
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration
from hybrid_pools.blueprint.configuration.teams import TeamConfiguration
from hybrid_pools.blueprint.documented import descriptions
from hybrid_pools.blueprint.problems import READING_RULES
from hybrid_pools.blueprint.rules import POOL_RULES, SECTION_RULES
from hybrid_pools.blueprint.vocabulary import PROJECT
from hybrid_pools.documents.keys import Key, keys, keys_table
from hybrid_pools.documents.markdown import code, document, table

MODELS: Mapping[str, Mapping[str, type[Model]]] = {
    "environment": {"": EnvironmentConfiguration},
    "network": {"A new network": NewNetwork, "An existing network": ExistingNetwork},
    "cluster": {"A new cluster": NewCluster, "An existing cluster": ExistingCluster},
    "nodeIdentity": {"": NodeIdentityConfiguration},
    "buckets": {"": BucketsConfiguration},
    "teams": {"Each team, under its name": TeamConfiguration},
    "access": {"": AccessConfiguration},
    "monitoring": {"": MonitoringConfiguration},
    "schedule": {"": ScheduleConfiguration},
    "kubernetes": {"": KubernetesConfiguration},
    "queues": {"": QueuesConfiguration},
}
POOLS: Mapping[str, type[Model]] = {"stable": StablePoolConfiguration, "spot": SpotPoolConfiguration, "buffer": BufferPoolConfiguration}


def render() -> str:
    """The document."""
    return document(
        "Configuration",
        "`hybrid_pools/blueprint/configuration` and `hybrid_pools/blueprint/rules`",
        f"An environment is one file, `stacks/Pulumi.NAME.yaml`. Under `config:` it has the sections below, each as `{PROJECT}:SECTION`. "
        "The first line of each stack file names the [schema](schema/stack.schema.json), so that an editor completes keys and marks wrong "
        "ones. `hybrid-pools check FILE` judges a file without any cloud, and every preview does the same first: all problems at once, and "
        "nothing is registered while there is one.",
        "In paths, `<name>` and `<key>` stand for a name or key of yours and `[]` for each entry of a list.",
        *(part for section in SECTIONS for part in (_pools() if section == "pools" else _section(section))),
        *_rules(),
    )


def model_keys(model: type[Model]) -> list[Key]:
    """The keys of one model."""
    schema = model.model_json_schema(by_alias=True)
    return list(keys(schema, schema.get("$defs", {})))


def _section(section: str) -> Iterable[str]:
    yield f"## `{PROJECT}:{section}`"
    yield "Required." if SECTIONS[section].is_required() else "May be left out."
    for title, model in MODELS[section].items():
        if title:
            yield f"### {title}"
        yield _summary(model)
        yield keys_table(iter(model_keys(model)))


def _pools() -> Iterable[str]:
    yield f"## `{PROJECT}:pools`"
    yield "Required. " + " ".join(descriptions(StackConfiguration)["pools"].split())
    yield "### Every pool"
    shared = {field.alias for field in BasePool.model_fields.values()}
    yield keys_table(iter(model_keys(BasePool)))
    for role, model in POOLS.items():
        yield f"### Role `{role}`"
        yield _summary(model) + " Beside the keys of every pool:"
        yield keys_table(key for key in model_keys(model) if key.path.split(".")[0] not in shared)


def _rules() -> Iterable[str]:
    yield "## Rules"
    yield ("A message names the rule that was broken. Ids are stable. The first ones are checked while the file is read.")
    yield table(["Id", "Law"], ([code(rule), law] for rule, law in READING_RULES.items()))
    yield "The others look at several keys together, or at what is known about Google's cloud ([catalogue](catalogue.md))."
    yield table(
        ["Id", "Law", "Why", "Source"],
        (
            [code(info.id), info.title, (check.__doc__ or "").strip(), info.source]
            for info, check in sorted([*POOL_RULES.values(), *SECTION_RULES.values()], key=lambda entry: entry[0].id)
        ),
    )


def _summary(model: type[Model]) -> str:
    return " ".join((model.__doc__ or "").split())
