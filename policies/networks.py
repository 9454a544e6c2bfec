"""Rules on the network that nodes live in."""

from collections.abc import Iterator
from functools import partial

from policies.reading import Value, any_true
from policies.rule import Finding, Severity, Verdict, rule
from policies.views import FirewallInputs, SubnetworkInputs

WORLD = ("0.0.0.0/0", "::/0")
"""Every address there is, in both versions of the protocol."""


def is_world(range_: Value) -> bool:
    """Whether an address range is the whole internet."""
    return range_.text() in WORLD


@rule(
    id="NETWORK-001",
    title="No firewall rule lets the whole internet in",
    severity=Severity.MANDATORY,
    why="A node that answers the internet is scanned within minutes. Services are published by load balancers, nodes by nothing.",
    fix="Name the ranges, tags or service accounts that may come in, or drop the rule.",
    links=("https://cloud.google.com/firewall/docs/firewalls",),
)
def firewall_is_not_open(firewall: FirewallInputs) -> Iterator[Verdict]:
    if firewall.at("disabled").flag() or not firewall.at("allows").is_set() or (firewall.at("direction").text() or "INGRESS") != "INGRESS":
        return
    ranges = firewall.at("sourceRanges")
    if not ranges.is_set():
        if not any_true([firewall.at("sourceTags").is_set, firewall.at("sourceServiceAccounts").is_set]):
            yield Finding("sourceRanges", "names no source, which Google reads as the whole internet")
    elif any_true([partial(is_world, one) for one in ranges.items()]):
        yield Finding("sourceRanges", "holds the whole internet")


@rule(
    id="NETWORK-002",
    title="A subnetwork reaches Google's APIs privately",
    severity=Severity.MANDATORY,
    why="Private nodes have no external address. Without private Google access they can pull no image, write no log and reach no bucket.",
    fix="Set privateIpGoogleAccess to true.",
    links=("https://cloud.google.com/vpc/docs/private-google-access",),
)
def subnetwork_reaches_google(subnetwork: SubnetworkInputs) -> Iterator[Verdict]:
    if subnetwork.holds_nodes and not subnetwork.at("privateIpGoogleAccess").flag():
        yield Finding("privateIpGoogleAccess", "is not on")


@rule(
    id="NETWORK-003",
    title="A subnetwork writes flow logs",
    severity=Severity.ADVISORY,
    why="Without them nobody can say later what a node talked to. They cost money, and can be turned on at any time, so this is advice.",
    fix="Declare logConfig, or turn on flowLogs in the network's configuration.",
    links=("https://cloud.google.com/vpc/docs/using-flow-logs",),
)
def subnetwork_is_logged(subnetwork: SubnetworkInputs) -> Iterator[Verdict]:
    if subnetwork.holds_nodes and not subnetwork.at("logConfig").is_set():
        yield Finding("logConfig", "is not declared")
