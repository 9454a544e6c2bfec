"""The network of an environment.

Owns a VPC network, one regional subnetwork with ranges for pods and services, router and NAT, and the firewall between people and
training nodes. Leaves alone the rules that GKE makes for its own clusters, and peerings. An existing network is read by name and nothing
of it is changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.adoption import absent, told_if_absent
from components.naming import physical_name
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.configuration import ExistingNetwork, NewNetwork
from hybrid_pools.blueprint.vocabulary import Role

_PODS, _SERVICES = "pods", "services"
_TRAINING_ROLES = (Role.SPOT, Role.BUFFER)
# Below the 1000 of GKE's own rules, so that these win.
_DENY_PRIORITY = 900


@dataclass(frozen=True)
class NetworkArgs:
    """What the network takes.

    Attributes:
        network: The configured part.
        project: Project id of the environment.
        region: Region of the subnetwork.
        node_accounts: E-mail of the node account by role, for firewall rules that follow the account and not a forgeable tag.
    """

    network: NewNetwork | ExistingNetwork
    project: str
    region: str
    node_accounts: Mapping[Role, pulumi.Input[str]]


class Network(pulumi.ComponentResource):
    """A network for private nodes: they reach Google's APIs without external addresses and the rest through NAT."""

    network: pulumi.Output[str]
    """Self link of the VPC network."""
    subnetwork: pulumi.Output[str]
    """Self link of the subnetwork."""
    pods_range: pulumi.Output[str]
    """Name of the secondary range for pods."""
    services_range: pulumi.Output[str]
    """Name of the secondary range for services."""

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Network"), name, {}, opts)
        if isinstance(args.network, ExistingNetwork):
            self._read(args.network, args)
        else:
            self._create(name, args.network, args, child_options(self, opts))
        self.register_outputs({"network": self.network, "subnetwork": self.subnetwork})

    def _read(self, existing: ExistingNetwork, args: NetworkArgs) -> None:
        reference = existing.existing
        invoke = pulumi.InvokeOptions(parent=self)
        project = reference.host_project or args.project
        with told_if_absent("network.existing.network", reference.network, f"a VPC network of project {project}"):
            network = gcp.compute.get_network(name=reference.network, project=project, opts=invoke)
        with told_if_absent("network.existing.subnetwork", reference.subnetwork, f"a subnetwork in {args.region} of project {project}"):
            subnetwork = gcp.compute.get_subnetwork(name=reference.subnetwork, region=args.region, project=project, opts=invoke)
        ranges = {secondary.range_name for secondary in subnetwork.secondary_ip_ranges}
        for key, wanted in (("podsRange", reference.pods_range), ("servicesRange", reference.services_range)):
            if wanted not in ranges:
                raise absent(f"network.existing.{key}", wanted, f"a secondary range of {reference.subnetwork}: {', '.join(sorted(ranges))}")
        self.network = pulumi.Output.from_input(network.self_link)
        self.subnetwork = pulumi.Output.from_input(subnetwork.self_link)
        self.pods_range = pulumi.Output.from_input(reference.pods_range)
        self.services_range = pulumi.Output.from_input(reference.services_range)

    def _create(self, name: str, network: NewNetwork, args: NetworkArgs, child: pulumi.ResourceOptions) -> None:
        vpc_name = physical_name(f"{name}-vpc")
        vpc = gcp.compute.Network(f"{name}-vpc", name=vpc_name, auto_create_subnetworks=False, routing_mode="REGIONAL", opts=child)
        subnetwork = gcp.compute.Subnetwork(
            f"{name}-nodes",
            name=physical_name(f"{name}-nodes", vpc_name, args.region),
            network=vpc.id,
            region=args.region,
            ip_cidr_range=network.ranges.nodes,
            # Nodes have no external address; this is how they reach Google's APIs, images and buckets.
            private_ip_google_access=True,
            secondary_ip_ranges=[
                gcp.compute.SubnetworkSecondaryIpRangeArgs(range_name=_PODS, ip_cidr_range=network.ranges.pods),
                gcp.compute.SubnetworkSecondaryIpRangeArgs(range_name=_SERVICES, ip_cidr_range=network.ranges.services),
            ],
            log_config=gcp.compute.SubnetworkLogConfigArgs(
                aggregation_interval="INTERVAL_5_MIN", flow_sampling=0.5, metadata="INCLUDE_ALL_METADATA"
            )
            if network.flow_logs
            else None,
            opts=child,
        )
        router_name = physical_name(f"{name}-router", vpc_name, args.region)
        router = gcp.compute.Router(f"{name}-router", name=router_name, network=vpc.id, region=args.region, opts=child)
        gcp.compute.RouterNat(
            f"{name}-nat",
            name=physical_name(f"{name}-nat", router_name),
            router=router.name,
            region=args.region,
            nat_ip_allocate_option="AUTO_ONLY",
            source_subnetwork_ip_ranges_to_nat="LIST_OF_SUBNETWORKS",
            subnetworks=[gcp.compute.RouterNatSubnetworkArgs(name=subnetwork.id, source_ip_ranges_to_nats=["ALL_IP_RANGES"])],
            min_ports_per_vm=network.nat_ports_per_vm,
            log_config=gcp.compute.RouterNatLogConfigArgs(enable=True, filter="ERRORS_ONLY"),
            opts=child,
        )
        training = [account for role, account in args.node_accounts.items() if role in _TRAINING_ROLES]
        if network.operations_ranges and training:
            gcp.compute.Firewall(
                f"{name}-deny-operations",
                name=physical_name(f"{name}-deny-operations", vpc_name),
                network=vpc.id,
                description="People and operational systems reach training through the cluster's API, never its nodes.",
                direction="INGRESS",
                priority=_DENY_PRIORITY,
                denies=[gcp.compute.FirewallDenyArgs(protocol="all")],
                source_ranges=list(network.operations_ranges),
                target_service_accounts=training,
                log_config=gcp.compute.FirewallLogConfigArgs(metadata="INCLUDE_ALL_METADATA"),
                opts=child,
            )
        self.network, self.subnetwork = vpc.self_link, subnetwork.self_link
        self.pods_range = pulumi.Output.from_input(_PODS)
        self.services_range = pulumi.Output.from_input(_SERVICES)
