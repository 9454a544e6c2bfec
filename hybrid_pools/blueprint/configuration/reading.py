"""From the raw sections of a stack file to models, with every problem of the file at once."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from hybrid_pools.blueprint.configuration.access import AccessConfiguration
from hybrid_pools.blueprint.configuration.buckets import BucketsConfiguration
from hybrid_pools.blueprint.configuration.cluster import ClusterConfiguration, ExistingCluster, NewCluster
from hybrid_pools.blueprint.configuration.environment import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.explaining import explain, shown
from hybrid_pools.blueprint.configuration.identity import NodeIdentityConfiguration
from hybrid_pools.blueprint.configuration.kubernetes import KubernetesConfiguration
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.configuration.monitoring import MonitoringConfiguration
from hybrid_pools.blueprint.configuration.network import ExistingNetwork, NetworkConfiguration, NewNetwork
from hybrid_pools.blueprint.configuration.pools import (
    BufferPoolConfiguration,
    PoolConfiguration,
    SpotPoolConfiguration,
    StablePoolConfiguration,
)
from hybrid_pools.blueprint.configuration.queues import QueuesConfiguration
from hybrid_pools.blueprint.configuration.schedule import ScheduleConfiguration
from hybrid_pools.blueprint.configuration.stack import SECTIONS, PoolName, StackConfiguration
from hybrid_pools.blueprint.configuration.teams import TeamConfiguration, TeamName
from hybrid_pools.blueprint.documented import descriptions
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import PROJECT, Role

_POOL_MODELS: dict[str, type[Model]] = {
    Role.STABLE: StablePoolConfiguration,
    Role.SPOT: SpotPoolConfiguration,
    Role.BUFFER: BufferPoolConfiguration,
}
_T = TypeVar("_T")


@dataclass(frozen=True)
class _Names:
    """What names of one kind look like, and what is said of others."""

    form: TypeAdapter[str]
    message: str
    allowed: str
    fix: str


_POOL_NAMES = _Names(
    TypeAdapter(PoolName),
    "is no valid pool name: GKE would refuse the node pool made from it",
    "a lower-case letter, then at most 26 lower-case letters, digits or `-`, not ending in `-`",
    "shorten or respell the name; the rest of GKE's 40 characters is taken by the suffix",
)
_TEAM_NAMES = _Names(
    TypeAdapter(TeamName),
    "is no valid team name: folders, accounts and namespaces are made from it",
    "a lower-case letter, then at most 29 lower-case letters, digits or `-`, not ending in `-`",
    "shorten or respell the name",
)


@dataclass(frozen=True)
class Reading:
    """What could be read. A section that could not is None, so that the rules judge the rest all the same."""

    now: datetime
    """The time in UTC at which the configuration is judged: what ends must end after it."""
    environment: EnvironmentConfiguration | None = None
    network: NetworkConfiguration | None = None
    cluster: ClusterConfiguration | None = None
    node_identity: NodeIdentityConfiguration | None = None
    pools: Mapping[str, PoolConfiguration] = field(default_factory=dict)
    teams: Mapping[str, TeamConfiguration] = field(default_factory=dict)
    buckets: BucketsConfiguration | None = None
    monitoring: MonitoringConfiguration | None = None
    access: AccessConfiguration | None = None
    schedule: ScheduleConfiguration | None = None
    kubernetes: KubernetesConfiguration | None = None
    queues: QueuesConfiguration | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether rules over all sections together can be trusted."""
        return not self.problems

    def whole(self) -> StackConfiguration:
        """The configuration, where nothing was wrong with any section.

        Raises:
            ValueError: A section could not be read.
        """
        if self.environment is None or self.cluster is None or self.node_identity is None:
            raise ValueError("a section could not be read")
        # Every part was validated on its own; validating the whole again would double the time of large files.
        return StackConfiguration.model_construct(
            environment=self.environment,
            network=self.network,
            cluster=self.cluster,
            node_identity=self.node_identity,
            pools=dict(self.pools),
            teams=dict(self.teams),
            buckets=self.buckets,
            monitoring=self.monitoring,
            access=self.access,
            schedule=self.schedule,
            kubernetes=self.kubernetes,
            queues=self.queues,
        )


def read(sections: Mapping[str, object], secrets: Collection[str], now: datetime) -> Reading:
    """Validate the raw sections of a stack file.

    Args:
        sections: By configuration key without namespace, as parsed from YAML or JSON.
        secrets: Paths of encrypted values, or the keys above them. None may be: everything here ends up in the state and in outputs.
        now: The time in UTC at which the configuration is judged.
    """
    secret_sections = {re.split(r"[.\[]", path, maxsplit=1)[0] for path in secrets}
    problems = [*_unknown_sections(sections, secret_sections), *_secrets(secrets)]
    readable = {name: value for name, value in sections.items() if name not in secret_sections}

    def section(name: str, model: type[Model]) -> Any:
        if name not in readable:
            return None
        return _validated(model, readable[name], f"{PROJECT}:{name}", problems)

    meant = {_meant(name) for name in sections if name not in SECTIONS}
    required = {name for name, info in SECTIONS.items() if info.is_required()}
    if not _has_existing(readable.get("cluster")):
        required.add("network")
    problems += [_missing(name) for name in SECTIONS if name in required and name not in sections and name not in meant]
    pools = _pools(readable, problems) if "pools" in readable else {}
    environment = section("environment", EnvironmentConfiguration)
    network = section("network", ExistingNetwork if _has_existing(readable.get("network")) else NewNetwork)
    cluster = section("cluster", ExistingCluster if _has_existing(readable.get("cluster")) else NewCluster)
    identity = section("nodeIdentity", NodeIdentityConfiguration) if "nodeIdentity" in sections else NodeIdentityConfiguration()
    teams = _teams(readable["teams"], problems) if "teams" in readable else {}
    return Reading(
        now=now,
        environment=environment,
        network=network,
        cluster=cluster,
        node_identity=identity,
        pools=pools,
        teams=teams,
        buckets=section("buckets", BucketsConfiguration),
        monitoring=section("monitoring", MonitoringConfiguration),
        access=section("access", AccessConfiguration),
        schedule=section("schedule", ScheduleConfiguration),
        kubernetes=section("kubernetes", KubernetesConfiguration),
        queues=section("queues", QueuesConfiguration),
        problems=tuple(problems),
    )


def _has_existing(value: object) -> bool:
    return isinstance(value, Mapping) and "existing" in value


def _missing(section: str) -> Problem:
    return Problem(
        "CFG-001",
        f"{PROJECT}:{section}",
        "",
        "the section is missing, so nothing can be derived",
        descriptions(StackConfiguration).get(section, "a mapping"),
        f"add {PROJECT}:{section} under config: (docs/configuration.md shows every key)",
    )


def _unknown_sections(sections: Mapping[str, object], secret: Collection[str]) -> Iterator[Problem]:
    for name, value in sections.items():
        if name not in SECTIONS:
            close = _meant(name)
            yield Problem(
                "CFG-002",
                f"{PROJECT}:{name}",
                "[secret]" if name in secret else shown(value),
                "the section is not known and would be ignored",
                ", ".join(SECTIONS),
                f"did you mean {close}? Rename it" if close else "remove it",
            )


def _meant(name: str) -> str | None:
    """The section that an unknown one is probably meant to be."""
    return next(iter(get_close_matches(name, SECTIONS, n=1)), None)


def _secrets(secrets: Collection[str]) -> Iterator[Problem]:
    for path in sorted(secrets):
        yield Problem(
            "CFG-006",
            f"{PROJECT}:{path}",
            "[secret]",
            "holds an encrypted value, but everything here is written in plain into the state and the outputs",
            "plain values only",
            "remove the secure: entry; name a Secret Manager secret or a Cloud KMS key instead of a value",
        )


def _pools(readable: Mapping[str, object], problems: list[Problem]) -> dict[str, PoolConfiguration]:
    raw = readable["pools"]
    path = f"{PROJECT}:pools"
    if not isinstance(raw, Mapping) or not raw:
        problems.append(
            Problem(
                "CFG-003" if raw else "CFG-004",
                path,
                shown(raw),
                "is not a mapping of pools by name" if raw else "names no pool, so nothing could run",
                "a mapping from a pool's name to its settings, at least one",
                "write each pool under its name, for example services:",
            )
        )
        return {}
    return _named(raw, path, _POOL_NAMES, lambda value, at: _pool(value, at, problems), problems)


def _pool(value: object, path: str, problems: list[Problem]) -> PoolConfiguration | None:
    if not isinstance(value, Mapping):
        problems.append(
            Problem(
                "CFG-003", path, shown(value), "is not a mapping", "a mapping with role, machineType and limits", "write the pool's keys"
            )
        )
        return None
    role = value.get("role")
    model = _POOL_MODELS.get(role) if isinstance(role, str) else None
    if model is None:
        problems.append(
            Problem(
                "CFG-004" if "role" in value else "CFG-001",
                f"{path}.role",
                shown(role) if "role" in value else "",
                "is not a role, so the pool's other keys cannot be judged" if "role" in value else "is missing",
                ", ".join(Role),
                "say what the pool is for: stable for services, spot for training, buffer for both by schedule",
            )
        )
        return None
    pool: PoolConfiguration | None = _validated(model, value, path, problems)
    return pool


def _teams(raw: object, problems: list[Problem]) -> dict[str, TeamConfiguration]:
    path = f"{PROJECT}:teams"
    if not isinstance(raw, Mapping):
        problems.append(
            Problem("CFG-003", path, shown(raw), "is not a mapping of teams by name", "a mapping from team names to settings", "nest it")
        )
        return {}
    return _named(raw, path, _TEAM_NAMES, lambda value, at: _validated(TeamConfiguration, value, at, problems), problems)


def _named(
    raw: Mapping[Any, object], path: str, names: _Names, read_one: Callable[[object, str], _T | None], problems: list[Problem]
) -> dict[str, _T]:
    """The entries of a mapping by name that could be read, name and all."""
    entries: dict[str, _T] = {}
    for name, value in raw.items():
        before = len(problems)
        try:
            names.form.validate_python(name)
        except ValidationError:
            problems.append(Problem("CFG-004", f"{path}.{name}", str(name), names.message, names.allowed, names.fix))
        entry = read_one(value, f"{path}.{name}")
        if entry is not None and len(problems) == before:
            entries[str(name)] = entry
    return entries


def _validated(model: type[BaseModel], value: object, path: str, problems: list[Problem]) -> Any:
    try:
        # JSON mode, because in strict mode only JSON input may spell enums as strings and tuples as lists.
        # By alias only: the documented spelling is the only one, also for the field names that happen to be Python's.
        return model.model_validate_json(json.dumps(value, default=str), by_alias=True, by_name=False)
    except ValidationError as error:
        problems.extend(explain(model, error.errors(), path))
        return None
