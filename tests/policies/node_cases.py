"""Cases of the rules on nodes."""

from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, more, six
from tests.policies.given import ABSENT, SPOT_POOL, STABLE_POOL, UNKNOWN

GPUS = "nodeConfig.guestAccelerators"
DRIVER = {"gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"}}
H200: dict[str, object] = {"nodeConfig.machineType": "a3-ultragpu-8g", "nodeConfig.diskType": "hyperdisk-balanced"}
PRELOADED = SPOT_POOL.but({"nodeConfig.secondaryBootDisks": [{"diskImage": "global/images/weights", "mode": "CONTAINER_IMAGE_CACHE"}]})
WINDOW = "nodeConfig.kubeletConfig.shutdownGracePeriodSeconds"

CASES: list[Case] = [
    *six("NODE-001", SPOT_POOL, "nodeConfig.shieldedInstanceConfig.enableSecureBoot", violating=False, absent=VIOLATES, wrong="true"),
    more(
        "NODE-001",
        "one off, the other not known",
        SPOT_POOL.but({"nodeConfig.shieldedInstanceConfig": {"enableSecureBoot": UNKNOWN, "enableIntegrityMonitoring": False}}),
        Expected.VIOLATES_AND_WAITS,
    ),
    more("NODE-001", "not declared", SPOT_POOL.but({"nodeConfig.shieldedInstanceConfig": ABSENT}), VIOLATES),
    *six("NODE-002", SPOT_POOL, "nodeConfig.workloadMetadataConfig.mode", violating="GCE_METADATA", absent=VIOLATES),
    *six("NODE-003", SPOT_POOL, "nodeConfig.metadata.disable-legacy-endpoints", violating="false", absent=VIOLATES, wrong=True),
    *six(
        "NODE-004",
        SPOT_POOL,
        "nodeConfig.serviceAccount",
        violating="123456789-compute@developer.gserviceaccount.com",
        absent=VIOLATES,
    ),
    more("NODE-004", "default by name", SPOT_POOL.but({"nodeConfig.serviceAccount": "default"}), VIOLATES),
    more("NODE-004", "no node configuration", SPOT_POOL.but({"nodeConfig": ABSENT}), VIOLATES),
    *six("NODE-005", SPOT_POOL, GPUS, violating=[{"type": "nvidia-l4", "count": 4}], absent=PASSES),
    more(
        "NODE-005",
        "one of two not known",
        SPOT_POOL.but({GPUS: [{"type": "nvidia-l4", "count": 4}, UNKNOWN]}),
        Expected.VIOLATES_AND_WAITS,
    ),
    more(
        "NODE-005",
        "left to GKE",
        SPOT_POOL.but({GPUS: [{"count": 4, "gpuDriverInstallationConfig": {"gpuDriverVersion": "GPU_DRIVER_VERSION_UNSPECIFIED"}}]}),
        VIOLATES,
    ),
    *six("NODE-006", SPOT_POOL, "nodeLocations", violating=[], absent=VIOLATES),
    more("NODE-006", "no GPUs", STABLE_POOL.but({"nodeLocations": ABSENT}), PASSES),
    more("NODE-006", "zones not known, no GPUs", STABLE_POOL.but({"nodeLocations": UNKNOWN}), PASSES),
    more(
        "NODE-006",
        "machine not known, GPUs declared",
        SPOT_POOL.but({"nodeConfig.machineType": UNKNOWN, "nodeLocations": ABSENT}),
        VIOLATES,
    ),
    *six("NODE-007", SPOT_POOL, GPUS, violating=[{"type": "nvidia-l4", "count": 2, **DRIVER}], absent=VIOLATES),
    more("NODE-007", "of another type", SPOT_POOL.but({GPUS: [{"type": "nvidia-tesla-t4", "count": 4, **DRIVER}]}), VIOLATES),
    more("NODE-007", "on a machine that takes none", STABLE_POOL.but({GPUS: [{"type": "nvidia-l4", "count": 1}]}), VIOLATES),
    more(
        "NODE-007",
        "attached to a machine that takes them",
        STABLE_POOL.but({"nodeConfig.machineType": "n1-standard-8", GPUS: [{"type": "nvidia-tesla-t4", "count": 1}]}),
        PASSES,
    ),
    more("NODE-007", "a machine that nobody knows", SPOT_POOL.but({"nodeConfig.machineType": "z9-standard-1"}), PASSES),
    more("NODE-007", "machine not known", SPOT_POOL.but({"nodeConfig.machineType": UNKNOWN}), WAITS),
    *six("NODE-008", SPOT_POOL, "nodeConfig.diskType", violating="pd-standard", absent=PASSES),
    more(
        "NODE-008", "nothing said on a machine that boots from Hyperdisk", SPOT_POOL.but({**H200, "nodeConfig.diskType": ABSENT}), VIOLATES
    ),
    more("NODE-008", "Hyperdisk", SPOT_POOL.but(H200), PASSES),
    more("NODE-008", "said in the other place", SPOT_POOL.but({"nodeConfig.bootDisk": {"diskType": "pd-standard"}}), VIOLATES),
    more("NODE-008", "no machine type", SPOT_POOL.but({"nodeConfig.machineType": ABSENT}), PASSES),
    *six(
        "NODE-009",
        SPOT_POOL.but(H200 | {"nodeConfig.ephemeralStorageLocalSsdConfig.localSsdCount": 32}),
        "nodeConfig.ephemeralStorageLocalSsdConfig",
        violating={"localSsdCount": 8},
        absent=VIOLATES,
    ),
    more("NODE-009", "none where there is a choice", SPOT_POOL.but({"nodeConfig.ephemeralStorageLocalSsdConfig": ABSENT}), PASSES),
    more("NODE-009", "a number that is not sold", SPOT_POOL.but({"nodeConfig.ephemeralStorageLocalSsdConfig.localSsdCount": 3}), VIOLATES),
    more("NODE-009", "two uses", SPOT_POOL.but({"nodeConfig.localNvmeSsdBlockConfig": {"localSsdCount": 4}}), VIOLATES),
    more("NODE-009", "a machine that nobody knows", SPOT_POOL.but({"nodeConfig.machineType": "z9-standard-1"}), PASSES),
    *six("NODE-010", SPOT_POOL, WINDOW, violating=600, absent=VIOLATES, wrong="2m"),
    more("NODE-010", "no window at all", SPOT_POOL.but({"nodeConfig.kubeletConfig": ABSENT}), PASSES),
    more("NODE-010", "on a stable pool", STABLE_POOL.but({WINDOW: 120}), VIOLATES),
    more("NODE-010", "a share longer than the window", SPOT_POOL.but({WINDOW: 0}), VIOLATES),
    more(
        "NODE-010", "a wrong window, spot not known", SPOT_POOL.but({WINDOW: 600, "nodeConfig.spot": UNKNOWN}), Expected.VIOLATES_AND_WAITS
    ),
    *six("NODE-011", PRELOADED, "nodeConfig.gcfsConfig.enabled", violating=False, absent=VIOLATES, wrong="on"),
    more("NODE-011", "nothing preloaded", SPOT_POOL.but({"nodeConfig.gcfsConfig": ABSENT}), PASSES),
    *six("NODE-012", SPOT_POOL, "networkConfig.enablePrivateNodes", violating=False, absent=PASSES, wrong="no"),
]
