"""Labels and taints must not take keys that belong to somebody else."""

from collections.abc import Iterator

from hybrid_pools.blueprint.rules.rule import Finding, PoolView, pool_rule
from hybrid_pools.blueprint.vocabulary import DOMAIN, GOOGLE_LABEL_DOMAINS


def _owner(key: str) -> str | None:
    prefix = key.partition("/")[0] if "/" in key else ""
    if prefix == DOMAIN or prefix.endswith(f".{DOMAIN}"):
        return "this project, which sets it by role"
    owner = next((domain for domain in GOOGLE_LABEL_DOMAINS if prefix == domain or prefix.endswith(f".{domain}")), None)
    return None if owner is None else f"{owner}, whose keys Google and Kubernetes set"


@pool_rule(
    "CFG-401", "Labels and taints use keys of their own", "terraform-provider-google#7928; Node taints page of the GKE documentation"
)
def keys_are_free(view: PoolView) -> Iterator[Finding]:
    """GKE adds its own keys; a second taint of one key fails the pool, and a false role label fools every selector."""
    for kind, keys in (("labels", view.pool.labels), ("taints", view.pool.taints)):
        for key in keys:
            owner = _owner(key)
            if owner:
                yield Finding(
                    f"{kind}.{key}",
                    keys[key],
                    f"the key belongs to {owner}",
                    "keys of another domain, or without one",
                    "use a key of your own",
                )
