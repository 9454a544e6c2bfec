"""What is said of a workload: its segments, each with what decides where it may run."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, Model, refusal

SegmentName = Annotated[
    str,
    Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"),
    Form("A name of a segment: a lower-case letter, then at most 62 lower-case letters, digits or `-`, not ending in `-`"),
]
_LONGEST_SECONDS = 366 * 24 * 3600


class Segment(Model):
    """A part of a workload that starts, runs and ends on its own, such as one pre-training worker or one shard of data preparation."""

    purpose: str = ""
    """What it does, for readers."""

    serves_users: bool = False
    """Whether somebody's request waits for its answer."""

    interactive: bool = False
    """Whether somebody sits in front of it, as before a notebook."""

    coordinates: bool = False
    """Whether others stop or are lost when it stops: rendezvous, scheduler, tracking server, parameter server."""

    keeps_state: bool
    """Whether it holds work in memory or on its disk that a loss would throw away. False where each piece of work is done over at no more
    cost than its own time, and is written out when it is done."""

    save_seconds: Annotated[int, Field(ge=1, le=86_400)] | None = None
    """Seconds from a signal until its state is saved whole, outside the node. Left out: it cannot save."""

    longest_run_seconds: Annotated[int, Field(ge=1, le=_LONGEST_SECONDS)] | None = None
    """Longest time from start to end, of one piece where it works piece by piece. Left out: it runs until it is stopped."""

    restart_seconds: Annotated[int, Field(ge=0, le=_LONGEST_SECONDS)] = 0
    """Seconds from a loss until it is where its last save was: start, load, warm up."""

    can_wait: bool = False
    """Whether it may wait for hours until it starts, until the night say."""

    @model_validator(mode="after")
    def _has_something_to_save(self) -> "Segment":
        if self.save_seconds is not None and not self.keeps_state:
            raise refusal(
                "saves and has no state to save", "saveSeconds with keepsState: true only", "set keepsState: true, or remove saveSeconds"
            )
        return self


class Workload(Model):
    """A workload, described by its segments."""

    version: Literal[1]
    """Version of this format: 1."""

    workload: str = ""
    """What the whole is, for readers."""

    segments: Annotated[dict[SegmentName, Segment], Field(min_length=1)]
    """The segments by name."""
