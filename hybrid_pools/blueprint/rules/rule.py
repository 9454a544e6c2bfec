"""What a configuration rule is, and what it sees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hybrid_pools.blueprint.catalogue import Catalogue, GkeVersion, MachineType, Region, UnknownMachineType, UnknownRegion
from hybrid_pools.blueprint.configuration import ClusterConfiguration, ExistingCluster, PoolConfiguration
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.problems import Problem
from hybrid_pools.blueprint.vocabulary import PROJECT


@dataclass(frozen=True)
class Finding:
    """What one rule found at one place: where below the judged part, what stands there, what may, how to mend it."""

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
        """Whether nodes of the pool have GPUs, bundled or attached."""
        return self.machine is not None and (self.machine.accelerator is not None or bool(self.pool.accelerator))

    def zones(self) -> tuple[str, ...]:
        """The zones written out, otherwise those of the region."""
        return self.pool.zones or (self.region.zones if self.region else ())


@dataclass(frozen=True)
class RuleInfo:
    """Identity of a rule, for messages and documents."""

    id: str
    title: str
    source: str


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


def section_rule(rule_id: str, title: str, source: str) -> Callable[[FleetRule], FleetRule]:
    """Register a rule over sections or over all pools together; findings are placed below the project's namespace."""

    def register(check: FleetRule) -> FleetRule:
        SECTION_RULES[rule_id] = (RuleInfo(rule_id, title, source), check)
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
    """Run every rule over what could be read.

    Rules over all pools together run only on a whole reading: a pool that could not be read might be the one that satisfies them.
    """
    for name, pool in reading.pools.items():
        seen = view(name, pool, reading, catalogue)
        for info, check in POOL_RULES.values():
            for finding in check(seen):
                yield _problem(info, f"{PROJECT}:pools.{name}", finding)
    if reading.is_whole:
        for info, judge_sections in SECTION_RULES.values():
            for finding in judge_sections(reading, catalogue):
                yield _problem(info, PROJECT, finding)


def _problem(info: RuleInfo, path: str, finding: Finding) -> Problem:
    at = f"{path}{'.' if path != PROJECT else ':'}{finding.at}" if finding.at else path
    value = "" if finding.value is None else str(finding.value)
    return Problem(info.id, at, value, finding.message, finding.allowed, finding.fix)
