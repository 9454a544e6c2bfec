"""How a lab's nodes are made and how patient its autoscaler is: `nodes.json` of the lab, read again and again by the running part."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hybrid_pools.blueprint.vocabulary import ROLE_LABEL, Role
from lab.errors import LabError
from lab.nodes.pools import NodePool


class NodeSettings(BaseModel):
    """The settings of one lab. Times in seconds.

    Attributes:
        process: Pools whose nodes run pods as processes: roles, or patterns of pool names; `*` is every pool. The nodes of all others are
            simulated. Counts for nodes that are made from then on.
        idle_seconds: How long a node may be idle before it is removed. GKE waits about ten minutes.
        repair_seconds: How long a machine that is gone stays gone. GKE's auto-repair waits about ten minutes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    process: tuple[str, ...] = (Role.STABLE.value,)
    idle_seconds: Annotated[float, Field(ge=0)] = 30
    repair_seconds: Annotated[float, Field(ge=0)] = 120

    def runs_processes(self, pool: NodePool) -> bool:
        """Whether the nodes of a pool run pods as processes."""
        role = pool.labels.get(ROLE_LABEL)
        return any(role == pattern or fnmatchcase(pool.name, pattern) for pattern in self.process)


def read_settings(file: Path) -> NodeSettings:
    """The settings in a file, or the usual ones where there is none.

    Raises:
        LabError: The file is wrong.
    """
    try:
        return NodeSettings.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return NodeSettings()
    except ValidationError as error:
        what = "; ".join(f"{'.'.join(map(str, problem['loc'])) or 'the file'}: {problem['msg']}" for problem in error.errors())
        raise LabError(f"{file} is wrong: {what}. Put it right, or remove it to have the usual settings.") from None


def write_settings(file: Path, settings: NodeSettings) -> None:
    """Writes them in one step, because the running part may read at any moment."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(settings.model_dump_json(indent=2) + "\n")
    part.replace(file)
