"""The command `hybrid-pools`.

Each command is a module of this package, imported when it is run and not before: the list of commands must appear at once, and the model
takes a while to load.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_COMMANDS = {
    "check": "Judge stack files, without any cloud.",
    "pools": "Show the pools of a stack file or of a contract.",
    "picture": "Draw the pools of a stack file over its zones.",
    "schedule": "Show who has the buffer in a week, and when it switches.",
    "queues": "Show the classes, flavors and quotas inside the cluster of a stack file.",
    "audit": "Say which segments of a workload are safe on spot, and why.",
    "interval": "Say how often to save, from save time, gang size and loss rate.",
    "quotas": "Show the Google quotas of a stack file, and whether the project has them.",
    "conform": "Test whether a trainer survives a stop, by stopping it.",
    "render": "Make the manifest of a run from its description and a contract.",
    "submit": "Run a description on Vertex AI, to its end.",
    "explain": "Say what a run may expect: places, waiting, losses.",
    "lint": "Judge manifests by a contract, before they reach a cluster.",
}
"""Module and name of each command, and what it is for in one line."""


class _Commands(TyperGroup):
    """Lists the commands by what stands above, and loads the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, purpose in _COMMANDS.items():
            self.add_command(TyperCommand(name, help=purpose))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, typer.main.get_command(import_module(f"{__name__}.{name}").app), rest


app = typer.Typer(cls=_Commands, no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def main() -> None:
    """Hybrid GKE node pools as code: stable pools for services, spot pools for training, a buffer that changes hands by schedule."""
