"""Type tokens of the components. They are part of every child's URN, so changing one is a breaking change."""

from hybrid_pools.blueprint.vocabulary import PROJECT


def token(name: str) -> str:
    """The token of a component class."""
    return f"{PROJECT}:index:{name}"
