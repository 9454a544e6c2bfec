"""Kubernetes objects as Pulumi resources, each with its manifest as inputs.

The typed SDK has a class for every kind of every version and none for Kueue's; a manifest needs neither, and Pulumi's provider takes it as
it stands. Names are fixed, because the contract and the admission policies name them.
"""

from collections.abc import Collection, Iterable

import pulumi

from components.options import child_options
from hybrid_pools.manifests.manifest import Manifest

_IMMUTABLE = {
    "LocalQueue": ["spec.clusterQueue"],
    "PriorityClass": ["preemptionPolicy", "value"],
    "Topology": ["spec.levels"],
}
"""Fields that an API server refuses to change and Pulumi's provider does not know of, by kind. Source: types of Kubernetes and Kueue."""

_IMMUTABLE_WITH_TOPOLOGY = ["spec.nodeLabels", "spec.tolerations", "spec.topologyName"]


class KubernetesObject(pulumi.CustomResource):
    """One object. The server it goes to is the provider of its parent."""

    def __init__(self, name: str, manifest: Manifest, opts: pulumi.ResourceOptions) -> None:
        super().__init__(type_token(manifest), name, _unawaited(manifest), opts)


def _unawaited(manifest: Manifest) -> Manifest:
    """The manifest, told not to be waited for where that may take for ever.

    Of a quota, the provider waits for every limit to show in its status. One on a kind that is not installed never does, and one on a kind
    that was installed a moment ago shows after minutes.
    """
    if manifest["kind"] != "ResourceQuota":
        return manifest
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": {"pulumi.com/skipAwait": "true"}}}


def type_token(manifest: Manifest) -> str:
    """Pulumi's type of an object, for example `kubernetes:core/v1:Namespace`."""
    group, _, version = manifest["apiVersion"].rpartition("/")
    return f"kubernetes:{group or 'core'}/{version}:{manifest['kind']}"


def declare(
    name: str,
    manifests: Iterable[Manifest],
    parent: pulumi.Resource,
    opts: pulumi.ResourceOptions | None,
    *,
    protected: bool = False,
    owned_by_others: Collection[tuple[str, str, str]] = (),
    on_error: pulumi.ErrorHook | None = None,
) -> list[KubernetesObject]:
    """Declare objects as children of a component.

    Each kind waits for the kinds before it, in the order in which kinds come first in the list, and goes before them: what is in a
    namespace after the namespace, a cluster queue after its flavors, a policy after its parameters.

    Args:
        name: Of the component; the children's names begin with it.
        parent: The component.
        opts: Its options.
        protected: Whether Pulumi refuses to delete namespaces, and with them all that is in them.
        owned_by_others: Fields that somebody else sets after creation: kind, name and path.
        on_error: Told when the cluster refuses one.
    """
    kinds: dict[str, list[Manifest]] = {}
    for manifest in manifests:
        kinds.setdefault(manifest["kind"], []).append(manifest)
    declared: list[KubernetesObject] = []
    before: list[KubernetesObject] = []
    for kind, objects in kinds.items():
        made = []
        for manifest in objects:
            object_name = manifest["metadata"]["name"]
            own = child_options(
                parent,
                opts,
                # Two objects of one name cannot be there at once.
                delete_before_replace=True,
                replace_on_changes=_immutable(manifest),
                ignore_changes=[path for *one, path in owned_by_others if one == [kind, object_name]],
                protect=(protected and kind == "Namespace") or None,
                hooks=pulumi.ResourceHookBinding(on_error=[on_error]) if on_error else None,
            )
            waits = pulumi.ResourceOptions.merge(own, pulumi.ResourceOptions(depends_on=before))
            made.append(KubernetesObject(f"{name}-{kind.lower()}-{_distinct(manifest)}", manifest, waits))
        declared += made
        before = made
    return declared


def _distinct(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return "-".join(metadata[key] for key in ("namespace", "name") if key in metadata)


def _immutable(manifest: Manifest) -> list[str]:
    if "topologyName" in manifest.get("spec", {}):
        return _IMMUTABLE_WITH_TOPOLOGY
    return _IMMUTABLE.get(manifest["kind"], [])
