"""The GKE cluster: a new regional one, or an existing one adopted by name.

Owns the control plane and what holds for the whole cluster. Leaves alone node pools, which are resources of their own, and everything of an
existing cluster.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.adoption import check_adopted, told_if_absent
from components.naming import physical_name
from components.network import Network
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.catalogue import GkeVersion
from hybrid_pools.blueprint.configuration import EnvironmentConfiguration, ExistingCluster, NewCluster

_METRICS = [
    "SYSTEM_COMPONENTS",
    "STORAGE",
    "POD",
    "DEPLOYMENT",
    "STATEFULSET",
    "DAEMONSET",
    "HPA",
    "CADVISOR",
    "KUBELET",
    "DCGM",
    "JOBSET",
]
"""Managed metrics. DCGM shows what a GPU does, JOBSET what a gang does."""


@dataclass(frozen=True)
class ClusterArgs:
    """What the cluster takes.

    Attributes:
        cluster: The configured part.
        version: Lowest version of the control plane that the configuration counts on.
        environment: Project, region and protection.
        resource_labels: Google Cloud labels.
        network: Where a new cluster lies; None for an existing one, which has its own.
        service_account: Account of the temporary default pool, removed as soon as the cluster is up.
        on_error: Tries again or tells the way on when Google refuses.
    """

    cluster: NewCluster | ExistingCluster
    version: GkeVersion
    environment: EnvironmentConfiguration
    resource_labels: Mapping[str, str]
    network: Network | None
    service_account: pulumi.Input[str] | None
    on_error: pulumi.ErrorHook


class Cluster(pulumi.ComponentResource):
    """A regional cluster with private nodes, reached through its DNS endpoint and IAM."""

    cluster_name: pulumi.Output[str]
    """Physical name; taken from the finished cluster, so that pools wait for it."""
    endpoint: pulumi.Output[str]
    """DNS endpoint of the control plane."""

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Cluster"), name, {}, opts)
        if isinstance(args.cluster, ExistingCluster):
            self._adopt(args.cluster, args)
        elif args.network is not None:
            self._create(name, args.cluster, args.network, args, opts)
        else:
            raise ValueError("a new cluster needs a network")
        self.register_outputs({"clusterName": self.cluster_name, "endpoint": self.endpoint})

    def _adopt(self, existing: ExistingCluster, args: ClusterArgs) -> None:
        name, environment = existing.existing.name, args.environment
        with told_if_absent("cluster.existing.name", name, f"a cluster in {environment.region} of project {environment.project}"):
            found = gcp.container.get_cluster(
                name=name, location=environment.region, project=environment.project, opts=pulumi.InvokeOptions(parent=self)
            )
        adopted = check_adopted(found, args.version)
        self.cluster_name = pulumi.Output.from_input(adopted.name)
        self.endpoint = pulumi.Output.from_input(adopted.endpoint)

    def _create(self, name: str, cluster: NewCluster, network: Network, args: ClusterArgs, opts: pulumi.ResourceOptions | None) -> None:
        gke = gcp.container.Cluster(
            f"{name}-cluster",
            name=physical_name(f"{name}-cluster", args.environment.region, args.environment.project),
            location=args.environment.region,
            network=network.network,
            subnetwork=network.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy=gcp.container.ClusterIpAllocationPolicyArgs(
                cluster_secondary_range_name=network.pods_range, services_secondary_range_name=network.services_range
            ),
            datapath_provider="ADVANCED_DATAPATH",
            private_cluster_config=gcp.container.ClusterPrivateClusterConfigArgs(
                enable_private_nodes=True,
                # Left out where the IP endpoint is off: Google then decides it, and a declared value would differ for ever.
                enable_private_endpoint=True if cluster.control_plane_networks else None,
            ),
            control_plane_endpoints_config=gcp.container.ClusterControlPlaneEndpointsConfigArgs(
                dns_endpoint_config=gcp.container.ClusterControlPlaneEndpointsConfigDnsEndpointConfigArgs(allow_external_traffic=True),
                ip_endpoints_config=gcp.container.ClusterControlPlaneEndpointsConfigIpEndpointsConfigArgs(
                    enabled=bool(cluster.control_plane_networks)
                ),
            ),
            master_authorized_networks_config=_authorized_networks(cluster),
            master_auth=gcp.container.ClusterMasterAuthArgs(
                client_certificate_config=gcp.container.ClusterMasterAuthClientCertificateConfigArgs(issue_client_certificate=False)
            ),
            authenticator_groups_config=gcp.container.ClusterAuthenticatorGroupsConfigArgs(security_group=cluster.security_group)
            if cluster.security_group
            else None,
            workload_identity_config=gcp.container.ClusterWorkloadIdentityConfigArgs(
                workload_pool=f"{args.environment.project}.svc.id.goog"
            ),
            release_channel=gcp.container.ClusterReleaseChannelArgs(channel=cluster.release_channel.value),
            min_master_version=cluster.minimum_version,
            maintenance_policy=_maintenance_policy(cluster),
            monitoring_config=gcp.container.ClusterMonitoringConfigArgs(
                enable_components=list(_METRICS),
                managed_prometheus=gcp.container.ClusterMonitoringConfigManagedPrometheusArgs(enabled=True),
            ),
            logging_config=gcp.container.ClusterLoggingConfigArgs(enable_components=["SYSTEM_COMPONENTS", "WORKLOADS"]),
            cost_management_config=gcp.container.ClusterCostManagementConfigArgs(enabled=True),
            cluster_autoscaling=gcp.container.ClusterClusterAutoscalingArgs(
                # Off means only that GKE makes no pools of its own; the pools of this stack scale all the same.
                enabled=False,
                autoscaling_profile="OPTIMIZE_UTILIZATION" if cluster.optimize_utilization else "BALANCED",
            ),
            database_encryption=gcp.container.ClusterDatabaseEncryptionArgs(state="ENCRYPTED", key_name=cluster.secrets_key)
            if cluster.secrets_key
            else None,
            addons_config=gcp.container.ClusterAddonsConfigArgs(
                gcs_fuse_csi_driver_config=gcp.container.ClusterAddonsConfigGcsFuseCsiDriverConfigArgs(enabled=True)
            ),
            enable_shielded_nodes=True,
            enable_legacy_abac=False,
            resource_labels=dict(args.resource_labels),
            deletion_protection=args.environment.protected,
            remove_default_node_pool=True,
            initial_node_count=1,
            # Small and on standard disks: the default pool lives for minutes but counts against SSD quota in three zones (CFT#1795).
            node_config=gcp.container.ClusterNodeConfigArgs(
                disk_type="pd-standard",
                disk_size_gb=30,
                service_account=args.service_account,
                oauth_scopes=["https://www.googleapis.com/auth/cloud-platform"],
                shielded_instance_config=gcp.container.ClusterNodeConfigShieldedInstanceConfigArgs(
                    enable_secure_boot=True, enable_integrity_monitoring=True
                ),
                workload_metadata_config=gcp.container.ClusterNodeConfigWorkloadMetadataConfigArgs(mode="GKE_METADATA"),
            ),
            opts=child_options(
                self,
                opts,
                protect=args.environment.protected,
                # The default pool is gone; what GKE reports in its place are the other pools (terraform-provider-google#3409).
                ignore_changes=["nodeConfig", "nodePools", "initialNodeCount"],
                hooks=pulumi.ResourceHookBinding(on_error=[args.on_error]),
            ),
        )
        self.cluster_name = gke.name
        self.endpoint = gke.control_plane_endpoints_config.apply(
            lambda config: (config.dns_endpoint_config.endpoint if config.dns_endpoint_config else None) or ""
        )


def _authorized_networks(cluster: NewCluster) -> gcp.container.ClusterMasterAuthorizedNetworksConfigArgs | None:
    if not cluster.control_plane_networks:
        return None
    return gcp.container.ClusterMasterAuthorizedNetworksConfigArgs(
        cidr_blocks=[
            gcp.container.ClusterMasterAuthorizedNetworksConfigCidrBlockArgs(cidr_block=cidr, display_name=name)
            for name, cidr in sorted(cluster.control_plane_networks.items())
        ],
        gcp_public_cidrs_access_enabled=False,
    )


def _maintenance_policy(cluster: NewCluster) -> gcp.container.ClusterMaintenancePolicyArgs:
    window = cluster.maintenance_window
    return gcp.container.ClusterMaintenancePolicyArgs(
        recurring_window=gcp.container.ClusterMaintenancePolicyRecurringWindowArgs(
            start_time=window.start, end_time=window.end, recurrence=window.recurrence
        ),
        maintenance_exclusions=[
            gcp.container.ClusterMaintenancePolicyMaintenanceExclusionArgs(
                exclusion_name=name,
                start_time=exclusion.start,
                end_time=exclusion.end,
                exclusion_options=gcp.container.ClusterMaintenancePolicyMaintenanceExclusionExclusionOptionsArgs(
                    scope=exclusion.scope.value
                ),
            )
            for name, exclusion in sorted(cluster.maintenance_exclusions.items())
        ],
    )
