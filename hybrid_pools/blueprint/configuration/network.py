"""The network: a new one with its ranges, or an existing one by name."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import Cidr, Model, ResourceName


class NetworkRanges(Model):
    """IPv4 ranges of the new network. They must not overlap each other or what the network is peered with."""

    nodes: Cidr
    """Primary range of the subnetwork: one address a node."""

    pods: Cidr
    """Secondary range for pods: GKE cuts a /24 out of it for each node at 110 pods a node."""

    services: Cidr
    """Secondary range for cluster services."""


class NewNetwork(Model):
    """A network made by this stack: regional subnetwork, router, NAT, firewall."""

    ranges: NetworkRanges
    operations_ranges: tuple[Cidr, ...] = ()
    """Ranges of people and operational systems. The firewall lets nothing of them to training nodes; they use the cluster's API instead."""

    flow_logs: bool = True
    """Log a sample of connections, needed to show that training traffic stays apart."""

    nat_ports_per_vm: Annotated[int, Field(ge=64, le=65536)] = 256
    """Outgoing connections through NAT that one node may hold at least. Too few stall image pulls from outside Google."""


class ExistingNetworkReference(Model):
    """Names of a network that somebody else owns."""

    network: ResourceName
    """Name of the VPC network."""

    subnetwork: ResourceName
    """Name of the subnetwork in the environment's region."""

    pods_range: ResourceName
    """Name of the secondary range for pods."""

    services_range: ResourceName
    """Name of the secondary range for services."""

    host_project: str | None = None
    """Project of a shared VPC, where it is another one."""


class ExistingNetwork(Model):
    """An existing network is read by name; nothing of it is changed."""

    existing: ExistingNetworkReference


NetworkConfiguration = NewNetwork | ExistingNetwork
