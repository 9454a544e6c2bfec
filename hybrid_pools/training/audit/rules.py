"""The table: what a segment is like, and where it belongs. The first row that fits decides, and one always does."""

from collections.abc import Callable
from dataclasses import dataclass

from hybrid_pools.blueprint.vocabulary import Role, WorkloadClass
from hybrid_pools.training.audit.places import Places
from hybrid_pools.training.audit.segments import Segment

CHEAP_SECONDS = 3600
"""What may be done over at every loss. With a loss in ten hours, as is assumed for spot, it costs a tenth of the time."""


@dataclass(frozen=True)
class Rule:
    """A row of the table.

    Attributes:
        id: Stable id.
        like: What a segment is like that the row is for, in words.
        holds: Whether a segment is.
        role: Pools it belongs on. For services the buffer is extra room by day, which they get without asking.
        workload_class: Its class; where the class may also go elsewhere, a selector for the role keeps it there.
        why: Why there.
        source: Where that was read.
        to_spot: What would make it safe on spot; empty where it is or never can be.
    """

    id: str
    like: str
    holds: Callable[[Segment, Places], bool]
    role: Role
    workload_class: WorkloadClass
    why: str
    source: str
    to_spot: str = ""


@dataclass(frozen=True)
class Verdict:
    """Where a segment belongs, and by which row."""

    segment: str
    rule: Rule
    to_spot: str


def _is_short(segment: Segment, seconds: int | None) -> bool:
    """Whether it is known to end within a time; None is no limit."""
    return seconds is None or (segment.longest_run_seconds is not None and segment.longest_run_seconds <= seconds)


def _is_done_over(segment: Segment, places: Places) -> bool:
    return (
        not segment.keeps_state
        and _is_short(segment, CHEAP_SECONDS)
        and segment.restart_seconds <= CHEAP_SECONDS
        and places.save_on_spot > 0
    )


def _saves_on_spot(segment: Segment, places: Places) -> bool:
    return segment.save_seconds is not None and segment.save_seconds <= places.save_on_spot


def _saves_on_buffer(segment: Segment, places: Places) -> bool:
    return segment.save_seconds is not None and segment.save_seconds <= places.save_on_buffer


_FAULT_TOLERANT = 'GKE documentation, "Spot VMs": for stateless, batch or fault-tolerant workloads'
_SAVE = "Let it save within {save} s of a signal, outside the node."

RULES: tuple[Rule, ...] = (
    Rule(
        "AUD-01",
        "serves users",
        lambda segment, _: segment.serves_users,
        Role.STABLE,
        WorkloadClass.SERVICE,
        "A spot node takes the requests that it is answering with it, and its replacement may not come for an hour.",
        "google/skills, gke-compute-class-prioritization: inference is never spot-first",
    ),
    Rule(
        "AUD-02",
        "coordinates others",
        lambda segment, _: segment.coordinates,
        Role.STABLE,
        WorkloadClass.TRAINING,
        "Whoever meets there stops with it: one lost node would cost the work of all. It is small, so it costs little on stable nodes.",
        "PyTorch, torch/distributed/run.py: the rendezvous lives with the node of its endpoint",
    ),
    Rule(
        "AUD-03",
        "somebody sits in front of it, and it ends within the longest interactive run",
        lambda segment, places: segment.interactive and _is_short(segment, places.interactive_run),
        Role.STABLE,
        WorkloadClass.INTERACTIVE,
        "People lose more than the machine's time when it goes. The class starts soon, and ends what was forgotten.",
        "docs/queues.md, classes of work",
    ),
    Rule(
        "AUD-04",
        "somebody sits in front of it, for longer or with no end",
        lambda segment, _: segment.interactive,
        Role.STABLE,
        WorkloadClass.SERVICE,
        "What stays open is a service, whoever uses it. The interactive class would end it.",
        "docs/queues.md, classes of work",
    ),
    Rule(
        "AUD-05",
        "holds no state, a piece and a start take an hour at most, and it can wait",
        lambda segment, places: segment.can_wait and _is_done_over(segment, places),
        Role.SPOT,
        WorkloadClass.DEFERRED,
        "A lost piece is done over, for an hour at most. As it can wait, it takes what nobody else wants.",
        _FAULT_TOLERANT,
    ),
    Rule(
        "AUD-06",
        "holds no state, and a piece and a start take an hour at most",
        _is_done_over,
        Role.SPOT,
        WorkloadClass.TRAINING,
        "A lost piece is done over, for an hour at most.",
        _FAULT_TOLERANT,
    ),
    Rule(
        "AUD-07",
        "holds no state, and a piece or a start takes longer, or has no end",
        lambda segment, _: not segment.keeps_state,
        Role.STABLE,
        WorkloadClass.TRAINING,
        "Each loss starts the piece again from nothing. With more than an hour at stake that costs more than spot saves.",
        "docs/interval.md, loss rates",
        "Cut it into pieces of an hour at most, each written out when it is done.",
    ),
    Rule(
        "AUD-08",
        "holds state and cannot save it",
        lambda segment, _: segment.save_seconds is None,
        Role.STABLE,
        WorkloadClass.TRAINING,
        "A loss would throw away all that it has done. Services may also push it off the buffer at any time.",
        "docs/admission.md, WORK-002: only checkpoint-capable work reaches spot",
        _SAVE,
    ),
    Rule(
        "AUD-09",
        "takes longer than an hour to be where its last save was",
        lambda segment, _: segment.restart_seconds > CHEAP_SECONDS,
        Role.STABLE,
        WorkloadClass.TRAINING,
        "Checkpoints do not help where every loss costs more than an hour of starting.",
        "docs/interval.md: restarting costs its time at every loss, whatever the interval",
        "Start within an hour, and save within {save} s.",
    ),
    Rule(
        "AUD-10",
        "saves in the time that spot leaves, and can wait",
        lambda segment, places: segment.can_wait and _saves_on_spot(segment, places),
        Role.SPOT,
        WorkloadClass.DEFERRED,
        "It goes on from its last checkpoint. As it can wait, it takes what nobody else wants.",
        'GKE documentation, "Spot VMs": the time between the notice and the end; docs/admission.md, WORK-006',
    ),
    Rule(
        "AUD-11",
        "saves in the time that spot leaves",
        _saves_on_spot,
        Role.SPOT,
        WorkloadClass.TRAINING,
        "It goes on from its last checkpoint, and falls back to the buffer and to stable nodes where spot is out of stock.",
        'GKE documentation, "Spot VMs": the time between the notice and the end; docs/admission.md, WORK-006',
    ),
    Rule(
        "AUD-12",
        "saves in the time that the buffer leaves, and can wait",
        lambda segment, places: segment.can_wait and _saves_on_buffer(segment, places),
        Role.BUFFER,
        WorkloadClass.TRAINING,
        "It saves too slowly for spot. The buffer is known to go when its window ends, and leaves minutes to save.",
        "docs/calendar.md",
        _SAVE,
    ),
    Rule(
        "AUD-13",
        "anything else",
        lambda *_: True,
        Role.STABLE,
        WorkloadClass.TRAINING,
        "It saves more slowly than the nodes that may be taken away leave it time, or cannot wait until the buffer is free.",
        "docs/admission.md, WORK-006: the last checkpoint fits into the time that a spot node leaves",
        _SAVE,
    ),
)


def judge(name: str, segment: Segment, places: Places) -> Verdict:
    """Where a segment belongs."""
    rule = next(rule for rule in RULES if rule.holds(segment, places))
    spot = places.save_on_spot > 0
    return Verdict(name, rule, rule.to_spot.format(save=places.save_on_spot) if spot else "")
