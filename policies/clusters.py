"""Rules on clusters. Each is pure: it reads the inputs of one cluster and yields what is wrong."""

from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import POOL_ROLE_LABEL, REQUIRED_RESOURCE_LABELS
from policies.networks import is_world
from policies.reading import Value, any_true
from policies.rule import Finding, Severity, Verdict, judge_each, rule
from policies.views import PROTECTED_ENVIRONMENTS, ClusterInputs

_CHANNELS = ("RAPID", "REGULAR", "STABLE", "EXTENDED")
_HARDENING = "https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster"


@rule(
    id="CLUSTER-001",
    title="Nodes have no external addresses",
    severity=Severity.MANDATORY,
    why="A node with an external address can be reached from the internet by whoever finds an open port. Private or not is fixed per node.",
    fix="Set privateClusterConfig.enablePrivateNodes to true.",
    links=(_HARDENING,),
)
def nodes_are_private(cluster: ClusterInputs) -> Iterator[Verdict]:
    if not cluster.at("privateClusterConfig.enablePrivateNodes").flag():
        yield Finding("privateClusterConfig.enablePrivateNodes", "is not on")


@rule(
    id="CLUSTER-002",
    title="The cluster has a workload identity pool",
    severity=Severity.MANDATORY,
    why="Without it every pod acts as its node's account, so that all teams share one identity.",
    fix="Set workloadIdentityConfig.workloadPool to PROJECT.svc.id.goog.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity",),
)
def workloads_have_identities(cluster: ClusterInputs) -> Iterator[Verdict]:
    pool = cluster.at("workloadIdentityConfig.workloadPool").text()
    if not pool or not pool.endswith(".svc.id.goog"):
        yield Finding("workloadIdentityConfig.workloadPool", f"is {pool or 'not set'}")


@rule(
    id="CLUSTER-003",
    title="The cluster runs Dataplane V2, and the old network policy add-on is off",
    severity=Severity.MANDATORY,
    why="Dataplane V2 enforces network policies by itself. It is chosen at creation only, and Google refuses it beside the add-on.",
    fix="Set datapathProvider to ADVANCED_DATAPATH and leave out networkPolicy.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/dataplane-v2",),
)
def dataplane_is_v2(cluster: ClusterInputs) -> Iterator[Verdict]:
    yield from judge_each([cluster], _has_dataplane_v2)
    if cluster.at("networkPolicy.enabled").flag():
        yield Finding("networkPolicy.enabled", "is on")


def _has_dataplane_v2(cluster: ClusterInputs) -> Iterator[Verdict]:
    provider = cluster.at("datapathProvider").text()
    if provider != "ADVANCED_DATAPATH":
        yield Finding("datapathProvider", f"is {provider or 'not set'}")


@rule(
    id="CLUSTER-004",
    title="The cluster follows a release channel",
    severity=Severity.MANDATORY,
    why="Outside a channel GKE gives neither maintenance exclusions with a scope nor tested versions, and upgrades become a surprise.",
    fix=f"Set releaseChannel.channel to one of {', '.join(_CHANNELS)}.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/release-channels",),
)
def follows_a_channel(cluster: ClusterInputs) -> Iterator[Verdict]:
    channel = cluster.at("releaseChannel.channel").text()
    if channel not in _CHANNELS:
        yield Finding("releaseChannel.channel", f"is {channel or 'not set'}")


@rule(
    id="CLUSTER-005",
    title="The default pool is removed and no pool is written inside the cluster",
    severity=Severity.MANDATORY,
    why="A pool inside the cluster has two owners, and a change to it replaces the whole cluster (terraform-provider-google#3409, #13501).",
    fix="Set removeDefaultNodePool to true, leave out nodePools, and declare every pool as a resource of its own.",
    links=("https://github.com/hashicorp/terraform-provider-google/issues/3409",),
)
def pools_stand_alone(cluster: ClusterInputs) -> Iterator[Verdict]:
    yield from judge_each([cluster], _default_pool_is_removed)
    if cluster.at("nodePools").items():
        yield Finding("nodePools", "has pools")


def _default_pool_is_removed(cluster: ClusterInputs) -> Iterator[Verdict]:
    if not cluster.at("removeDefaultNodePool").flag():
        yield Finding("removeDefaultNodePool", "is not on")


@rule(
    id="CLUSTER-006",
    title="The cluster of a protected environment cannot be deleted",
    severity=Severity.MANDATORY,
    why="A mistaken rename or destroy would take every service with it. The two locks guard two ways: Pulumi's, and Google's API.",
    fix="Set the resource option protect, and leave deletionProtection on.",
    links=("https://www.pulumi.com/docs/iac/concepts/options/protect/",),
    settings=(PROTECTED_ENVIRONMENTS,),
)
def is_protected(cluster: ClusterInputs) -> Iterator[Verdict]:
    if not cluster.resource.options.protect and _is_guarded(cluster):
        yield Finding("", "the resource option protect is not set")
    # The provider's default is on.
    if cluster.at("deletionProtection").flag() is False and _is_guarded(cluster):
        yield Finding("deletionProtection", "is off")


def _is_guarded(cluster: ClusterInputs) -> bool:
    return cluster.environment in cluster.setting(PROTECTED_ENVIRONMENTS)


@rule(
    id="CLUSTER-007",
    title="Nodes are shielded",
    severity=Severity.MANDATORY,
    why="Without Shielded GKE Nodes somebody who takes a pod can pose as a node of the cluster.",
    fix="Leave enableShieldedNodes on, which is the default.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/shielded-gke-nodes",),
)
def nodes_are_shielded(cluster: ClusterInputs) -> Iterator[Verdict]:
    if cluster.at("enableShieldedNodes").flag() is False:
        yield Finding("enableShieldedNodes", "is off")


@rule(
    id="CLUSTER-008",
    title="Rights in the cluster come from RBAC alone",
    severity=Severity.MANDATORY,
    why="Legacy ABAC gives every service account of the cluster wide static rights that RBAC cannot take back.",
    fix="Leave out enableLegacyAbac.",
    links=(_HARDENING,),
)
def has_no_legacy_abac(cluster: ClusterInputs) -> Iterator[Verdict]:
    if cluster.at("enableLegacyAbac").flag():
        yield Finding("enableLegacyAbac", "is on")


@rule(
    id="CLUSTER-009",
    title="Nobody signs in with a client certificate or a password",
    severity=Severity.MANDATORY,
    why="Both are long-lived, cannot be withdrawn and pass by Google's identities and their audit trail.",
    fix="Leave masterAuth out, or set clientCertificateConfig.issueClientCertificate to false.",
    links=(_HARDENING,),
)
def has_no_static_credentials(cluster: ClusterInputs) -> Iterator[Verdict]:
    yield from judge_each([cluster.at("masterAuth.username"), cluster.at("masterAuth.password")], _is_not_declared)
    if cluster.at("masterAuth.clientCertificateConfig.issueClientCertificate").flag():
        yield Finding("masterAuth.clientCertificateConfig.issueClientCertificate", "is on")


def _is_not_declared(credential: Value) -> Iterator[Verdict]:
    if credential.text():
        yield Finding(credential.path, "is set")


@rule(
    id="CLUSTER-010",
    title="Maintenance has a window",
    severity=Severity.ADVISORY,
    why="Without one GKE upgrades nodes at any hour, in the middle of the day too. It can be set at any time, so this is advice.",
    fix="Declare maintenancePolicy.recurringWindow; its times must be UTC with Z.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/maintenance-windows-and-exclusions",),
)
def maintenance_has_a_window(cluster: ClusterInputs) -> Iterator[Verdict]:
    windows = ("recurringWindow", "dailyMaintenanceWindow", "recurringMaintenanceWindow")
    policy = cluster.at("maintenancePolicy")
    if not any_true([policy.at(window).is_set for window in windows]):
        yield Finding("maintenancePolicy", f"has none of {', '.join(windows)}")


@rule(
    id="CLUSTER-011",
    title="The control plane's IP endpoint is not open to the internet",
    severity=Severity.MANDATORY,
    why="An endpoint that everybody reaches turns every flaw of the API server, and every leaked token, into an open door.",
    fix="Turn the IP endpoints off and use the DNS endpoint, or name the ranges in masterAuthorizedNetworksConfig.cidrBlocks.",
    links=("https://cloud.google.com/kubernetes-engine/docs/concepts/network-isolation",),
)
def endpoint_is_not_open(cluster: ClusterInputs) -> Iterator[Verdict]:
    if any_true(
        [
            lambda: cluster.at("controlPlaneEndpointsConfig.ipEndpointsConfig.enabled").flag() is False,
            cluster.at("privateClusterConfig.enablePrivateEndpoint").flag,
        ]
    ):
        return
    networks = cluster.at("masterAuthorizedNetworksConfig")
    if not networks.is_set():
        yield Finding("masterAuthorizedNetworksConfig", "is not set, so every address may connect")
        return
    yield from judge_each([networks.at("gcpPublicCidrsAccessEnabled")], _excludes_google_customers)
    yield from judge_each(networks.at("cidrBlocks").items(), _is_a_part_of_the_world)


def _excludes_google_customers(access: Value) -> Iterator[Verdict]:
    if access.flag():
        yield Finding(access.path, "lets every virtual machine of every Google Cloud customer in")


def _is_a_part_of_the_world(block: Value) -> Iterator[Verdict]:
    if is_world(block.at("cidrBlock")):
        yield Finding(f"{block.path}.cidrBlock", "is the whole internet")


@rule(
    id="CLUSTER-012",
    title="The cluster says who owns it and who pays",
    severity=Severity.MANDATORY,
    why="What carries no owner is nobody's, and the bill cannot be split.",
    fix="Set the labels in resourceLabels; the environment's configuration has a field for each.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/creating-managing-labels",),
)
def is_labelled(cluster: ClusterInputs) -> Iterator[Verdict]:
    labels = cluster.at("resourceLabels")
    yield from judge_each((labels.of(key) for key in REQUIRED_RESOURCE_LABELS if key != POOL_ROLE_LABEL), is_filled)


def is_filled(label: Value) -> Iterator[Verdict]:
    """Judge one required label."""
    if not label.text():
        yield Finding(label.path, "is missing")
