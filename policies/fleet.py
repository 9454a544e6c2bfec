"""Rules over all resources of a stack together. The engine runs them last, on outputs: in `up` everything is made by then."""

from collections.abc import Iterator
from functools import partial

from hybrid_pools.workload.reading import NotReadable
from policies.identities import STORAGE_ROLE_PREFIX
from policies.reading import NotKnown, Value, all_true, any_true
from policies.rule import Finding, Resource, Setting, Severity, Stack, Verdict, judge_each, names, rule
from policies.views import ClusterInputs, GrantInputs, NodePoolInputs

ADOPTED_CLUSTERS: Setting[tuple[str, ...]] = Setting(
    key="adoptedClusters",
    meaning="Names of clusters that another stack or team owns and that have a pool for services there.",
    default=(),
    schema={"type": "array", "items": {"type": "string"}},
    read=names,
)

_ACCOUNT = "gcp:serviceaccount/account:Account"


@rule(
    id="FLEET-001",
    title="A cluster with GPU pools has a stable pool without GPUs",
    severity=Severity.MANDATORY,
    why="GKE taints GPU nodes only beside a pool without GPUs. Alone, system pods fill the GPUs, or wait for a node that may never come.",
    fix="Add a stable pool without GPUs, or name the cluster in adoptedClusters if its owner has one.",
    links=("https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/703",),
    settings=(ADOPTED_CLUSTERS,),
)
def gpu_pool_has_a_sibling(stack: Stack) -> Iterator[Verdict]:
    pools = stack.views(NodePoolInputs)
    yield from judge_each(pools, lambda pool: _has_a_sibling(pool, pools))


def _has_a_sibling(pool: NodePoolInputs, pools: list[NodePoolInputs]) -> Iterator[Verdict]:
    if not pool.has_gpus or _is_adopted(pool):
        return
    if not any_true([partial(_carries_services_beside, other, pool) for other in pools]):
        yield Finding("cluster", "has GPU pools and no stable pool without GPUs", pool.resource.urn)


def _carries_services_beside(other: NodePoolInputs, pool: NodePoolInputs) -> bool:
    return all_true([lambda: not other.has_gpus, lambda: not other.is_interruptible, lambda: _share_a_cluster(other, pool)])


def _share_a_cluster(one: NodePoolInputs, other: NodePoolInputs) -> bool:
    mine, theirs = _cluster_resources(one), _cluster_resources(other)
    if mine and theirs:
        return bool(mine & theirs)
    return _cluster_name(one) == _cluster_name(other)


def _cluster_resources(pool: NodePoolInputs) -> set[str]:
    return {source.urn for source in pool.resource.sources.get("cluster", ()) if ClusterInputs.reads(source.type)}


def _cluster_name(pool: NodePoolInputs) -> str | None:
    cluster = pool.at("cluster")
    try:
        text = cluster.text()
    except NotKnown:
        # The cluster's own name may be known where the output that the pool took is not.
        text = next((name for source in pool.resource.sources.get("cluster", ()) if (name := _known_name(source))), None)
        if text is None:
            raise
    # The provider takes a bare name and projects/P/locations/L/clusters/NAME.
    return text.rsplit("/", 1)[-1] if text else None


def _known_name(resource: Resource) -> str | None:
    try:
        return resource.properties.at("name").text() if ClusterInputs.reads(resource.type) else None
    except NotReadable:
        return None


def _is_adopted(pool: NodePoolInputs) -> bool:
    adopted = pool.setting(ADOPTED_CLUSTERS)
    return bool(adopted) and not _cluster_resources(pool) and _cluster_name(pool) in adopted


@rule(
    id="FLEET-002",
    title="The accounts of nodes have no storage role",
    severity=Severity.MANDATORY,
    why="What the node may read, whoever breaks out of a container on it may read: checkpoints and data of every team on that pool.",
    fix="Grant the role to the identity of the workload instead.",
    links=("https://cloud.google.com/kubernetes-engine/docs/how-to/service-accounts",),
)
def node_accounts_have_no_storage(stack: Stack) -> Iterator[Verdict]:
    pools = stack.views(NodePoolInputs)
    yield from judge_each(stack.views(GrantInputs), lambda grant: _spares_node_accounts(grant, pools))


def _spares_node_accounts(grant: GrantInputs, pools: list[NodePoolInputs]) -> Iterator[Verdict]:
    role = grant.at("role").text()
    if role is None or not role.startswith(STORAGE_ROLE_PREFIX):
        return
    if any_true([partial(_is_node_account, member, grant, pool) for member in grant.members for pool in pools]):
        yield Finding("member", f"gives {role} to an account that nodes run as", grant.resource.urn)


def _is_node_account(member: Value, grant: GrantInputs, pool: NodePoolInputs) -> bool:
    # Accounts made by this stack are recognised by where the value comes from: e-mails are not known in the first preview.
    granted, used = _accounts(grant, "member", "members"), _accounts(pool, "nodeConfig")
    if granted and used:
        return bool(granted & used)
    account = pool.node.at("serviceAccount").text()
    return account is not None and member.text() == f"serviceAccount:{account}"


def _accounts(view: GrantInputs | NodePoolInputs, *properties: str) -> set[str]:
    return {source.urn for name in properties for source in view.resource.sources.get(name, ()) if source.type == _ACCOUNT}
