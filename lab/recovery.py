"""Puts a stack in order after its engine was killed in the middle of a deployment.

Such an engine leaves three things: its lock, creates that it had begun and not recorded as done, and resources whose state may lag behind
the cloud. What was made and is not in the state would be made a second time, or would be refused as already there.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.begun import identifiable, planned_creates
from lab.engine import Engine
from lab.errors import LabError
from lab.google.facts import read_facts


@dataclass(frozen=True)
class Recovery:
    """What a recovery did, by URN.

    Attributes:
        adopted: Begun creates that the cloud knows; they are in the state now.
        dropped: Begun creates that the cloud does not know; the next `up` makes them.
    """

    adopted: tuple[str, ...]
    dropped: tuple[str, ...]


def locks(state_folder: Path, project: str, stack: str) -> Iterator[dict[str, Any]]:
    """The locks on a stack: who holds them (`pid`, `hostname`) and since when (`timestamp`)."""
    for file in sorted((state_folder / ".pulumi" / "locks" / "organization" / project / stack).glob("*.json")):
        yield json.loads(file.read_text())


def held_by_living(lock: Mapping[str, Any]) -> bool:
    """Whether the process that made the lock still runs. One on another machine cannot be asked, so it counts as running."""
    if lock["hostname"] != socket.gethostname():
        return True
    try:
        os.kill(lock["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _preview(engine: Engine, stack: str) -> dict[str, Any]:
    """What an `up` would do. The pack is left out: what exists already is not made better by refusing to see it."""
    result = replace(engine, policy_pack=None, echo=None).preview(stack, "--json")
    if not result.ok:
        raise LabError(f"What stack {stack} would still make is not known, because its preview fails:\n{result.output.strip()}")
    planned: dict[str, Any] = json.loads(result.stdout)
    return planned


def recover(engine: Engine, stack: str) -> Recovery:
    """Removes the dead engine's lock, adopts what it had made, and brings the state up to what the cloud says.

    Safe to run again, and on a stack that needs nothing. Works on whatever provider the stack has.

    Raises:
        LabError: An engine still works on the stack, a resource cannot be identified, or the cloud could not be read.
    """
    engine.select_or_init(stack)
    for lock in locks(engine.lab.state, engine.project_name, stack):
        if held_by_living(lock):
            raise LabError(
                f"An engine works on stack {stack} (process {lock['pid']} on {lock['hostname']}, since {lock['timestamp']}). "
                "Wait until it has ended."
            )
    cancelled = engine.cancel(stack)
    if not cancelled.ok:
        raise LabError(f"The lock on stack {stack} was not removed:\n{cancelled.output.strip()}")
    begun = {resource["urn"] for resource in engine.settle(stack)}
    forgotten = identifiable(engine.state(stack), planned_creates(_preview(engine, stack)), read_facts())
    if forgotten:
        begun |= {resource["urn"] for resource in engine.settle(stack, forgotten)}
    known = {entry["urn"] for entry in engine.state(stack)["deployment"].get("resources") or () if not entry.get("delete")}
    return Recovery(tuple(sorted(begun & known)), tuple(sorted(begun - known)))
