"""Cases of the rules on what a pool is for."""

from dataclasses import replace

from hybrid_pools.blueprint.vocabulary import BUFFER_TAINT, POOL_ROLE_LABEL, ROLE_LABEL, SPOT_TAINT, TEAM_LABEL
from policies.views import PREEMPTIBLE_TAINT
from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, Kind, more, six
from tests.policies.given import ABSENT, BUFFER_POOL, FLEX_POOL, SPOT_POOL, STABLE_POOL, UNKNOWN, taint

ROLE = ("nodeConfig", "labels", ROLE_LABEL)
TAINTS = "nodeConfig.taints"
BARE = {"initialNodeCount": 0}
UNIGNORED = replace(SPOT_POOL, ignore_changes=())
UNPROTECTED = replace(STABLE_POOL, protect=False)

CASES: list[Case] = [
    *six("POOL-001", SPOT_POOL, TAINTS, violating=[taint(BUFFER_TAINT)], absent=VIOLATES),
    more("POOL-001", "preemptible without its taint", SPOT_POOL.but({"nodeConfig.spot": False, "nodeConfig.preemptible": True}), VIOLATES),
    more(
        "POOL-001",
        "preemptible with its taint",
        SPOT_POOL.but({"nodeConfig.spot": ABSENT, "nodeConfig.preemptible": True, TAINTS: [taint(PREEMPTIBLE_TAINT)]}),
        PASSES,
    ),
    more("POOL-001", "another effect", SPOT_POOL.but({TAINTS: [{**taint(SPOT_TAINT), "effect": "PREFER_NO_SCHEDULE"}]}), VIOLATES),
    more("POOL-001", "an unknown taint beside it", SPOT_POOL.but({TAINTS: [UNKNOWN, taint(SPOT_TAINT)]}), PASSES),
    more("POOL-001", "an unknown taint alone", SPOT_POOL.but({TAINTS: [UNKNOWN]}), WAITS),
    more("POOL-001", "a taint of another key and unknown value", SPOT_POOL.but({TAINTS: [{"key": "a", "value": UNKNOWN}]}), VIOLATES),
    more("POOL-001", "spot not known", SPOT_POOL.but({"nodeConfig.spot": UNKNOWN}), WAITS),
    more("POOL-001", "all of the node not known", SPOT_POOL.but({"nodeConfig": UNKNOWN}), WAITS),
    more("POOL-001", "a node of the wrong type", SPOT_POOL.but({"nodeConfig": ["spot"]}), Expected.NOT_UNDERSTOOD),
    *six("POOL-002", FLEX_POOL, TAINTS, violating=[taint(SPOT_TAINT)], absent=VIOLATES),
    more(
        "POOL-002", "queued", FLEX_POOL.but({"nodeConfig.flexStart": ABSENT, "queuedProvisioning": {"enabled": True}, TAINTS: []}), VIOLATES
    ),
    more("POOL-002", "on demand", STABLE_POOL, PASSES),
    *six("POOL-003", SPOT_POOL, ROLE, violating="gold", absent=VIOLATES),
    *six("POOL-004", STABLE_POOL, "nodeConfig.spot", violating=True, absent=PASSES, wrong="yes"),
    more("POOL-004", "flex-start", STABLE_POOL.but({"nodeConfig.flexStart": True}), VIOLATES),
    more("POOL-004", "the taint of a buffer", STABLE_POOL.but({TAINTS: [taint(BUFFER_TAINT)]}), VIOLATES),
    more(
        "POOL-004",
        "tainted, spot not known",
        STABLE_POOL.but({TAINTS: [taint(BUFFER_TAINT)], "nodeConfig.spot": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    more("POOL-004", "another role", SPOT_POOL, PASSES),
    *six("POOL-005", BUFFER_POOL, TAINTS, violating=[taint(SPOT_TAINT)], absent=VIOLATES),
    more("POOL-005", "role not known", BUFFER_POOL.but({ROLE: UNKNOWN}), WAITS),
    *six("POOL-006", SPOT_POOL, "nodeConfig.spot", violating=False, absent=VIOLATES, wrong="true"),
    more("POOL-006", "flex-start", FLEX_POOL, PASSES),
    *six(
        "POOL-007",
        SPOT_POOL,
        "autoscaling",
        violating={"maxNodeCount": 2, "totalMaxNodeCount": 8},
        absent=VIOLATES,
        wrong=[8],
    ),
    more("POOL-007", "minimum above maximum", SPOT_POOL.but({"autoscaling.totalMinNodeCount": 9}), VIOLATES),
    more("POOL-007", "minimum above maximum per zone", STABLE_POOL.but({"autoscaling.minNodeCount": 7}), VIOLATES),
    more("POOL-007", "no maximum", SPOT_POOL.but({"autoscaling": {}}), VIOLATES),
    more("POOL-007", "a count beside limits", SPOT_POOL.but({"nodeCount": 2}), VIOLATES),
    more("POOL-007", "a fixed count", SPOT_POOL.but({"autoscaling": ABSENT, "nodeCount": 2}), PASSES),
    more("POOL-007", "half a node", SPOT_POOL.but({"autoscaling.totalMaxNodeCount": 8.5}), Expected.NOT_UNDERSTOOD),
    more(
        "POOL-007",
        "minimum above maximum, the other maximum not known",
        STABLE_POOL.but({"autoscaling.minNodeCount": 7, "autoscaling.totalMaxNodeCount": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("POOL-008", SPOT_POOL, "autoscaling.totalMaxNodeCount", violating=101, absent=PASSES, wrong="many"),
    more("POOL-008", "per zone over named zones", STABLE_POOL.but({"autoscaling.maxNodeCount": 51}), VIOLATES),
    more(
        "POOL-008",
        "per zone over the cluster's zones",
        STABLE_POOL.but({"autoscaling.maxNodeCount": 34, "nodeLocations": ABSENT}),
        VIOLATES,
    ),
    more(
        "POOL-008",
        "per zone in a zonal cluster",
        STABLE_POOL.but({"autoscaling.maxNodeCount": 34, "nodeLocations": ABSENT, "location": "us-central1-a"}),
        PASSES,
    ),
    more("POOL-008", "a fixed count", STABLE_POOL.but({"autoscaling": ABSENT, "nodeCount": 51}), VIOLATES),
    more("POOL-008", "GPUs", SPOT_POOL.but({"autoscaling.totalMaxNodeCount": 65}), VIOLATES),
    more("POOL-008", "a lower ceiling", SPOT_POOL, VIOLATES, maxNodes=7),
    more("POOL-008", "a lower ceiling of GPUs", SPOT_POOL, VIOLATES, maxGpus=31),
    more("POOL-008", "a ceiling of zero", SPOT_POOL, VIOLATES, maxNodes=0),
    more("POOL-008", "a higher ceiling", SPOT_POOL.but({"autoscaling.totalMaxNodeCount": 101}), PASSES, maxNodes=500, maxGpus=500),
    more(
        "POOL-008",
        "too many in total, per zone not known",
        SPOT_POOL.but({"autoscaling.totalMaxNodeCount": 101, "autoscaling.maxNodeCount": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("POOL-009", SPOT_POOL, "autoscaling.locationPolicy", violating="BALANCED", absent=VIOLATES),
    more("POOL-009", "stable on ANY", STABLE_POOL.but({"autoscaling.locationPolicy": "ANY"}), VIOLATES),
    more("POOL-009", "a fixed count", SPOT_POOL.but({"autoscaling": ABSENT}), PASSES),
    *six("POOL-010", SPOT_POOL, f"nodeConfig.resourceLabels.{TEAM_LABEL}", violating="", absent=VIOLATES),
    more("POOL-010", "no labels", SPOT_POOL.but({"nodeConfig.resourceLabels": ABSENT}), VIOLATES),
    more("POOL-010", "another role on the bill", SPOT_POOL.but({f"nodeConfig.resourceLabels.{POOL_ROLE_LABEL}": "stable"}), VIOLATES),
    more(
        "POOL-010",
        "one missing, one not known",
        SPOT_POOL.but({f"nodeConfig.resourceLabels.{TEAM_LABEL}": ABSENT, "nodeConfig.resourceLabels.cost-center": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("POOL-011", STABLE_POOL, "deletionPolicy", violating="DELETE", absent=VIOLATES),
    more("POOL-011", "without the option protect", UNPROTECTED, VIOLATES),
    more("POOL-011", "another environment", UNPROTECTED, PASSES, protectedEnvironments=["live"]),
    more("POOL-011", "another role", SPOT_POOL, PASSES),
    more("POOL-011", "environment not known", UNPROTECTED.but({"nodeConfig.resourceLabels": UNKNOWN}), WAITS),
    more("POOL-011", "protected, environment not known", STABLE_POOL.but({"nodeConfig.resourceLabels": UNKNOWN}), PASSES),
    Case("POOL-012", Kind.COMPLIANT, (SPOT_POOL,), PASSES),
    Case("POOL-012", Kind.VIOLATING, (UNIGNORED,), VIOLATES),
    Case("POOL-012", Kind.ABSENT, (UNIGNORED.but({"autoscaling": ABSENT}),), PASSES),
    Case("POOL-012", Kind.NULL, (UNIGNORED.but({"autoscaling": None}),), PASSES),
    Case("POOL-012", Kind.UNKNOWN, (UNIGNORED.but({"autoscaling": UNKNOWN}),), WAITS),
    Case("POOL-012", Kind.WRONG_TYPE, (SPOT_POOL.but({ROLE: 7}),), Expected.NOT_UNDERSTOOD),
    more("POOL-012", "a buffer that its schedule owns", BUFFER_POOL, PASSES),
    more("POOL-012", "a buffer like any pool", replace(BUFFER_POOL, ignore_changes=("initialNodeCount", "nodeCount")), VIOLATES),
    more("POOL-012", "everything ignored", replace(BUFFER_POOL, ignore_changes=("*",)), PASSES),
    more("POOL-012", "nothing ignored, role not known", UNIGNORED.but({ROLE: UNKNOWN}), Expected.VIOLATES_AND_WAITS),
    *six("POOL-013", SPOT_POOL.but(BARE), "initialNodeCount", violating=1, absent=PASSES, wrong="one"),
    more("POOL-013", "no GPUs", STABLE_POOL.but({"initialNodeCount": 1}), PASSES),
    more("POOL-013", "count not known, no GPUs", STABLE_POOL.but({"initialNodeCount": UNKNOWN}), PASSES),
    *six("POOL-014", SPOT_POOL, "management.autoRepair", violating=False, absent=PASSES, wrong="off"),
    more("POOL-014", "flex-start", FLEX_POOL, PASSES),
    more("POOL-014", "repair not known, flex-start", FLEX_POOL.but({"management": UNKNOWN}), PASSES),
]
