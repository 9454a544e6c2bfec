"""For JAX: a tree of arrays into a checkpoint's directory and out of it, with Orbax.

Orbax is imported only when one of these is called.
"""

from pathlib import Path
from typing import Any

_FOLDER = "orbax"


def save_tree(tree: Any, directory: Path) -> None:
    """Writes a tree of arrays. Orbax finishes it before this returns, so nothing of it changes while it is copied to the bucket."""
    import orbax.checkpoint as ocp  # noqa: PLC0415

    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save((directory / _FOLDER).absolute(), tree)
        checkpointer.wait_until_finished()


def load_tree(like: Any, directory: Path) -> Any:
    """Reads a tree of the same shape as `like`, which may be abstract and name the shardings of this run's devices."""
    import orbax.checkpoint as ocp  # noqa: PLC0415

    with ocp.StandardCheckpointer() as checkpointer:
        return checkpointer.restore((directory / _FOLDER).absolute(), like)
