"""Cases of the rules on clusters, identities, networks and the whole stack."""

from dataclasses import replace

from hybrid_pools.blueprint.vocabulary import TEAM_LABEL
from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, Kind, more, six
from tests.policies.given import (
    ABSENT,
    ACCOUNT,
    BUCKET_GRANT,
    CLUSTER,
    FIREWALL,
    FLEX_POOL,
    KEY,
    PROJECT_GRANT,
    SPOT_POOL,
    STABLE_POOL,
    SUBNETWORK,
    UNKNOWN,
    Given,
)

ENDPOINT = "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled"
NETWORKS = "masterAuthorizedNetworksConfig"
OPEN = CLUSTER.but({ENDPOINT: True, NETWORKS: {"cidrBlocks": [{"cidrBlock": "10.0.0.0/8"}]}})
UNPROTECTED = replace(CLUSTER, protect=False)
BINDING = Given("gcp:projects/iAMBinding:IAMBinding", {"role": "roles/logging.logWriter", "members": ["group:ops@acme.example"]}, "binding")

CLUSTER_CASES: list[Case] = [
    *six("CLUSTER-001", CLUSTER, "privateClusterConfig.enablePrivateNodes", violating=False, absent=VIOLATES, wrong="yes"),
    *six("CLUSTER-002", CLUSTER, "workloadIdentityConfig.workloadPool", violating="acme", absent=VIOLATES),
    *six("CLUSTER-003", CLUSTER, "datapathProvider", violating="LEGACY_DATAPATH", absent=VIOLATES),
    more("CLUSTER-003", "the add-on beside it", CLUSTER.but({"networkPolicy": {"enabled": True}}), VIOLATES),
    more(
        "CLUSTER-003",
        "the add-on, dataplane not known",
        CLUSTER.but({"networkPolicy": {"enabled": True}, "datapathProvider": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("CLUSTER-004", CLUSTER, "releaseChannel.channel", violating="UNSPECIFIED", absent=VIOLATES),
    *six("CLUSTER-005", CLUSTER, "removeDefaultNodePool", violating=False, absent=VIOLATES, wrong="yes"),
    more("CLUSTER-005", "a pool inside", CLUSTER.but({"nodePools": [{"name": "inside"}]}), VIOLATES),
    *six("CLUSTER-006", CLUSTER, "deletionProtection", violating=False, absent=PASSES, wrong="on"),
    more("CLUSTER-006", "without the option protect", UNPROTECTED, VIOLATES),
    more("CLUSTER-006", "another environment", UNPROTECTED, PASSES, protectedEnvironments=["live"]),
    more("CLUSTER-006", "no environment protected", UNPROTECTED, PASSES, protectedEnvironments=[]),
    more("CLUSTER-006", "environment not known", UNPROTECTED.but({"resourceLabels": UNKNOWN}), WAITS),
    *six("CLUSTER-007", CLUSTER, "enableShieldedNodes", violating=False, absent=PASSES, wrong="on"),
    *six("CLUSTER-008", CLUSTER.but({"enableLegacyAbac": False}), "enableLegacyAbac", violating=True, absent=PASSES, wrong="off"),
    *six(
        "CLUSTER-009",
        CLUSTER.but({"masterAuth": {"clientCertificateConfig": {"issueClientCertificate": False}}}),
        "masterAuth.clientCertificateConfig.issueClientCertificate",
        violating=True,
        absent=PASSES,
        wrong="no",
    ),
    more("CLUSTER-009", "a password", CLUSTER.but({"masterAuth": {"username": "admin", "password": UNKNOWN}}), Expected.VIOLATES_AND_WAITS),
    *six("CLUSTER-010", CLUSTER, "maintenancePolicy", violating={}, absent=VIOLATES),
    more("CLUSTER-010", "daily", CLUSTER.but({"maintenancePolicy": {"dailyMaintenanceWindow": {"startTime": "02:00"}}}), PASSES),
    more(
        "CLUSTER-010",
        "one of two not known",
        CLUSTER.but({"maintenancePolicy": {"recurringWindow": UNKNOWN, "dailyMaintenanceWindow": {"startTime": "02:00"}}}),
        PASSES,
    ),
    *six("CLUSTER-011", OPEN, NETWORKS, violating={"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}, absent=VIOLATES),
    more("CLUSTER-011", "endpoint off", CLUSTER, PASSES),
    more("CLUSTER-011", "endpoint off, networks not known", CLUSTER.but({NETWORKS: UNKNOWN}), PASSES),
    more("CLUSTER-011", "private endpoint", CLUSTER.but({ENDPOINT: ABSENT, "privateClusterConfig.enablePrivateEndpoint": True}), PASSES),
    more("CLUSTER-011", "every customer of Google's", OPEN.but({f"{NETWORKS}.gcpPublicCidrsAccessEnabled": True}), VIOLATES),
    more(
        "CLUSTER-011",
        "the internet, one range not known",
        OPEN.but({f"{NETWORKS}.cidrBlocks": [{"cidrBlock": UNKNOWN}, {"cidrBlock": "::/0"}]}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("CLUSTER-012", CLUSTER, f"resourceLabels.{TEAM_LABEL}", violating="", absent=VIOLATES),
]

IDENTITY_CASES: list[Case] = [
    *six("IDENTITY-001", PROJECT_GRANT, "role", violating="roles/editor", absent=PASSES),
    more("IDENTITY-001", "to several", BINDING.but({"role": "roles/owner"}), VIOLATES),
    more("IDENTITY-001", "member not known", PROJECT_GRANT.but({"role": "roles/viewer", "member": UNKNOWN}), VIOLATES),
    *six("IDENTITY-002", PROJECT_GRANT, "role", violating="roles/storage.objectViewer", absent=PASSES),
    more("IDENTITY-002", "on a bucket", BUCKET_GRANT, PASSES),
    *six("IDENTITY-003", PROJECT_GRANT, "member", violating="allUsers", absent=PASSES),
    more("IDENTITY-003", "among several", BINDING.but({"members": [UNKNOWN, "allAuthenticatedUsers"]}), Expected.VIOLATES_AND_WAITS),
    more("IDENTITY-003", "on a bucket", BUCKET_GRANT.but({"member": "allUsers"}), VIOLATES),
    Case("IDENTITY-004", Kind.COMPLIANT, (ACCOUNT,), PASSES),
    Case("IDENTITY-004", Kind.VIOLATING, (KEY,), VIOLATES),
    Case("IDENTITY-004", Kind.ABSENT, (KEY.but({"serviceAccountId": ABSENT}),), VIOLATES),
    Case("IDENTITY-004", Kind.NULL, (KEY.but({"serviceAccountId": None}),), VIOLATES),
    Case("IDENTITY-004", Kind.UNKNOWN, (KEY.but({"serviceAccountId": UNKNOWN}),), VIOLATES),
    Case("IDENTITY-004", Kind.WRONG_TYPE, (KEY.but({"serviceAccountId": 7}),), VIOLATES),
]

NETWORK_CASES: list[Case] = [
    *six("NETWORK-001", FIREWALL, "sourceRanges", violating=["10.0.0.0/8", "0.0.0.0/0"], absent=VIOLATES),
    more("NETWORK-001", "the internet, one range not known", FIREWALL.but({"sourceRanges": [UNKNOWN, "::/0"]}), VIOLATES),
    more("NETWORK-001", "one range not known", FIREWALL.but({"sourceRanges": ["10.0.0.0/8", UNKNOWN]}), WAITS),
    more("NETWORK-001", "by tag", FIREWALL.but({"sourceRanges": ABSENT, "sourceTags": ["proxy"]}), PASSES),
    more("NETWORK-001", "out of the network", FIREWALL.but({"direction": "EGRESS", "sourceRanges": ABSENT}), PASSES),
    more(
        "NETWORK-001", "a refusal", FIREWALL.but({"allows": ABSENT, "denies": [{"protocol": "all"}], "sourceRanges": ["0.0.0.0/0"]}), PASSES
    ),
    more("NETWORK-001", "switched off", FIREWALL.but({"disabled": True, "sourceRanges": ["0.0.0.0/0"]}), PASSES),
    *six("NETWORK-002", SUBNETWORK, "privateIpGoogleAccess", violating=False, absent=VIOLATES, wrong="on"),
    more("NETWORK-002", "of a proxy", SUBNETWORK.but({"purpose": "REGIONAL_MANAGED_PROXY", "privateIpGoogleAccess": ABSENT}), PASSES),
    Case("NETWORK-003", Kind.COMPLIANT, (SUBNETWORK,), PASSES),
    Case("NETWORK-003", Kind.VIOLATING, (SUBNETWORK.but({"logConfig": ABSENT, "purpose": "PRIVATE"}),), VIOLATES),
    Case("NETWORK-003", Kind.ABSENT, (SUBNETWORK.but({"logConfig": ABSENT}),), VIOLATES),
    Case("NETWORK-003", Kind.NULL, (SUBNETWORK.but({"logConfig": None}),), VIOLATES),
    Case("NETWORK-003", Kind.UNKNOWN, (SUBNETWORK.but({"logConfig": UNKNOWN}),), WAITS),
    Case("NETWORK-003", Kind.WRONG_TYPE, (SUBNETWORK.but({"purpose": 7}),), Expected.NOT_UNDERSTOOD),
]

FIRST_PREVIEW = {"cluster": UNKNOWN}
OF_CLUSTER = {"cluster": (CLUSTER.urn,)}
OF_ACCOUNT = {"nodeConfig": (ACCOUNT.urn,)}
TO_ACCOUNT = {"member": (ACCOUNT.urn,)}
UNMADE = replace(SPOT_POOL.but({"nodeConfig.serviceAccount": UNKNOWN}), sources=OF_ACCOUNT)
GRANT = BUCKET_GRANT.but({"role": "roles/storage.objectViewer"})

FLEET_CASES: list[Case] = [
    *six("FLEET-001", SPOT_POOL, "cluster", violating="other", absent=VIOLATES, beside=[STABLE_POOL]),
    more("FLEET-001", "alone", SPOT_POOL, VIOLATES),
    more(
        "FLEET-001",
        "beside an interruptible pool",
        [SPOT_POOL, FLEX_POOL.but({"nodeConfig.machineType": "e2-standard-8", "nodeConfig.guestAccelerators": []})],
        VIOLATES,
    ),
    more("FLEET-001", "in an adopted cluster", SPOT_POOL, PASSES, adoptedClusters=["prod"]),
    more(
        "FLEET-001",
        "in an adopted cluster, named in full",
        SPOT_POOL.but({"cluster": "projects/p/locations/l/clusters/prod"}),
        PASSES,
        adoptedClusters=["prod"],
    ),
    more(
        "FLEET-001",
        "in a cluster of this stack that is called adopted",
        [replace(SPOT_POOL, sources=OF_CLUSTER), CLUSTER],
        VIOLATES,
        adoptedClusters=["prod"],
    ),
    more("FLEET-001", "in another adopted cluster", SPOT_POOL, VIOLATES, adoptedClusters=["other"]),
    more(
        "FLEET-001",
        "in the first preview",
        [replace(p.but(FIRST_PREVIEW), sources=OF_CLUSTER) for p in (SPOT_POOL, STABLE_POOL)] + [CLUSTER],
        PASSES,
    ),
    more("FLEET-001", "alone in the first preview", [replace(SPOT_POOL.but(FIRST_PREVIEW), sources=OF_CLUSTER), CLUSTER], VIOLATES),
    more(
        "FLEET-001",
        "named here, an output there",
        [SPOT_POOL, replace(STABLE_POOL.but(FIRST_PREVIEW), sources=OF_CLUSTER), CLUSTER],
        PASSES,
    ),
    more(
        "FLEET-001",
        "named here, an output of an unnamed cluster there",
        [SPOT_POOL, replace(STABLE_POOL.but(FIRST_PREVIEW), sources=OF_CLUSTER), CLUSTER.but({"name": UNKNOWN})],
        WAITS,
    ),
    more(
        "FLEET-001",
        "an unreadable pool, which might have GPUs",
        [SPOT_POOL, STABLE_POOL.but({"nodeConfig": 7}), replace(STABLE_POOL, name="two")],
        Expected.NOT_UNDERSTOOD,
    ),
    more("FLEET-001", "no GPUs at all", STABLE_POOL, PASSES),
    more(
        "FLEET-001",
        "GPUs not known on machines that say enough",
        [pool.but({"nodeConfig.guestAccelerators": UNKNOWN}) for pool in (SPOT_POOL, STABLE_POOL)],
        PASSES,
    ),
    more(
        "FLEET-001",
        "GPUs not known on a machine that takes some",
        STABLE_POOL.but({"nodeConfig.machineType": "n1-standard-8", "nodeConfig.guestAccelerators": UNKNOWN}),
        WAITS,
    ),
    *six(
        "FLEET-002",
        GRANT,
        "member",
        violating="serviceAccount:prod-spot-nodes@acme.iam.gserviceaccount.com",
        absent=PASSES,
        beside=[SPOT_POOL],
    ),
    more("FLEET-002", "in the first preview", [replace(GRANT.but({"member": UNKNOWN}), sources=TO_ACCOUNT), UNMADE, ACCOUNT], VIOLATES),
    more(
        "FLEET-002",
        "to another account in the first preview",
        [
            replace(GRANT.but({"member": UNKNOWN}), sources={"member": (replace(ACCOUNT, name="other").urn,)}),
            UNMADE,
            ACCOUNT,
            replace(ACCOUNT, name="other"),
        ],
        PASSES,
    ),
    more("FLEET-002", "another role", [PROJECT_GRANT, SPOT_POOL], PASSES),
]
