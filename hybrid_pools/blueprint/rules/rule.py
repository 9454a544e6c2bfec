"""What a configuration rule is, and what it sees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from hybrid_pools.blueprint.catalogue import Catalogue, GkeVersion, MachineType, Region, UnknownMachineType, UnknownRegion
from hybrid_pools.blueprint.configuration import ClusterConfiguration, ExistingCluster, PoolConfiguration
from hybrid_pools.blueprint.configuration.explaining import shown
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import PROJECT


@dataclass(frozen=True)
class Finding:
    """What one rule found at one place: where below the judged part, what stands there (None: nothing), what may, how to mend it."""

    at: str
    value: object
    message: str
    allowed: str
    fix: str


@dataclass(frozen=True)
class PoolView:
    """One pool with what the catalogue and the other sections know about it. What is None could not be read and is not judged."""

    name: str
    pool: PoolConfiguration
    catalogue: Catalogue
    machine: MachineType | None
    region: Region | None
    version: GkeVersion | None

    @property
    def has_gpus(self) -> bool:
        """Whether nodes of the pool have GPUs, bundled or attached. A machine that takes none has none, whatever is asked of it."""
        machine = self.machine
        if machine is None:
            return False
        return machine.accelerator is not None or (bool(machine.attachable_accelerators) and self.pool.accelerator is not None)

    def zones(self) -> tuple[str, ...]:
        """The zones written out, otherwise those of the region."""
        return self.pool.zones or (self.region.zones if self.region else ())


@dataclass(frozen=True)
class RuleInfo:
    """Identity of a rule, for messages and documents.

    Attributes:
        needs_all: Whether the rule speaks about everything together: it is then left out while a part could not be read, which might be
            the one that satisfies it.
    """

    id: str
    title: str
    source: str
    needs_all: bool = False


PoolRule = Callable[[PoolView], Iterator[Finding]]
FleetRule = Callable[[Reading, Catalogue], Iterator[Finding]]

POOL_RULES: dict[str, tuple[RuleInfo, PoolRule]] = {}
SECTION_RULES: dict[str, tuple[RuleInfo, FleetRule]] = {}


def pool_rule(rule_id: str, title: str, source: str) -> Callable[[PoolRule], PoolRule]:
    """Register a rule over one pool; findings are placed below the pool."""

    def register(check: PoolRule) -> PoolRule:
        POOL_RULES[rule_id] = (RuleInfo(rule_id, title, source), check)
        return check

    return register


def section_rule(rule_id: str, title: str, source: str, *, needs_all: bool = False) -> Callable[[FleetRule], FleetRule]:
    """Register a rule over sections or over all pools together; findings are placed below the project's namespace."""

    def register(check: FleetRule) -> FleetRule:
        SECTION_RULES[rule_id] = (RuleInfo(rule_id, title, source, needs_all), check)
        return check

    return register


def view(name: str, pool: PoolConfiguration, reading: Reading, catalogue: Catalogue) -> PoolView:
    """Gather what the rules need to know about a pool."""
    try:
        machine: MachineType | None = catalogue.machine_type(pool.machine_type)
    except UnknownMachineType:
        machine = None
    return PoolView(name, pool, catalogue, machine, region_of(reading, catalogue), version_of(reading))


def region_of(reading: Reading, catalogue: Catalogue) -> Region | None:
    """The environment's region, where it could be read and is known."""
    if reading.environment is None:
        return None
    try:
        return catalogue.region(reading.environment.region)
    except UnknownRegion:
        return None


def version_of(reading: Reading) -> GkeVersion | None:
    """The lowest version of the control plane, where the section could be read."""
    return None if reading.cluster is None else minimum_version(reading.cluster)


def minimum_version(cluster: ClusterConfiguration) -> GkeVersion:
    """The lowest version that the control plane of a new or an existing cluster may have."""
    return GkeVersion(cluster.existing.minimum_version if isinstance(cluster, ExistingCluster) else cluster.minimum_version)


def judge(reading: Reading, catalogue: Catalogue) -> Iterator[Problem]:
    """Run every rule over what could be read."""
    for name, pool in reading.pools.items():
        seen = view(name, pool, reading, catalogue)
        for info, check in POOL_RULES.values():
            for finding in check(seen):
                yield _problem(info, f"{PROJECT}:pools.{name}", finding)
    for info, judge_sections in SECTION_RULES.values():
        if reading.is_whole or not info.needs_all:
            for finding in judge_sections(reading, catalogue):
                yield _problem(info, PROJECT, finding)


def _problem(info: RuleInfo, path: str, finding: Finding) -> Problem:
    at = f"{path}{'.' if path != PROJECT else ':'}{finding.at}" if finding.at else path
    given = finding.value
    if isinstance(given, BaseModel):
        given = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return Problem(info.id, at, "" if given is None else shown(given), finding.message, finding.allowed, finding.fix)
