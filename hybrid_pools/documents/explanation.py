"""What a run may expect, in plain words."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from hybrid_pools.blueprint.vocabulary import RESUME_EXIT_CODE, Role
from hybrid_pools.documents.durations import duration
from hybrid_pools.training.launch.explanation import BufferExplained, Explanation, LostWorkExplained, PartExplained, PlaceExplained

_WIDEST = 24


def explained(told: Explanation) -> str:
    """The whole explanation, a block a question."""
    blocks = (
        [_what(told)],
        ["Where it may run, tried in this order", *_order(told.workers)],
        ["The coordinator", *_order(told.coordinator)] if told.coordinator else [],
        ["How long it may wait, and when it falls back", *_indented(_waiting(told))],
        ["What happens when a node is taken", *_indented(_taken(told))],
        ["What that costs", *_indented(_cost(told.lost_work))] if told.lost_work else [],
        ["When it ends", *_indented(_end(told))],
    )
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _what(told: Explanation) -> str:
    workers = told.workers
    each = _amount(workers)
    count = f"{workers.count} workers, all at once, each with {each}" if workers.count > 1 else f"one worker with {each}"
    return f"{told.name} of team {told.team} in {told.environment}, class {told.workload_class}: {count}."


def _amount(part: PartExplained) -> str:
    gpus = [f"{part.gpus} GPU{'s' if part.gpus > 1 else ''}"] if part.gpus else []
    cores = f"{part.cpu_millicores / 1000:g} CPU core{'' if part.cpu_millicores == 1000 else 's'}"
    return ", ".join([*gpus, cores, f"{part.memory_mib / 1024:.4g} GiB"])


def _order(part: PartExplained) -> Iterator[str]:
    width = max(_WIDEST, *(len(place.flavor) + 1 for place in part.order))
    number = 0
    for place in part.order:
        if place.fits:
            number += 1
            yield f"  {number}. {place.flavor:{width}}{', '.join(place.pools)}; {_quota(part, place)}"
    for place in part.order:
        if not place.fits:
            yield f"  -  {place.flavor:{width}}not there: {place.reason}"


def _quota(part: PartExplained, place: PlaceExplained) -> str:
    if place.own_pods >= part.count:
        return f"the team's own quota is enough for {place.own_pods}, and within it nobody sends it away"
    if place.role is Role.BUFFER:
        return "shared by all teams while queues have the buffer"
    own = f"the team owns enough for {place.own_pods} of {part.count}" if place.own_pods else "the team owns nothing of it"
    return f"{own}, so it borrows and goes when the owner needs it back"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _waiting(told: Explanation) -> Iterator[str]:
    yield f"It waits in queue {told.queue} until one of these has quota for all of it at once. Nothing bounds that wait."
    yield (
        "Quota is not machines: where it is admitted and its nodes are not there within "
        f"{duration(told.pods_ready_seconds)}, it goes back to the queue and the order is tried from the first again."
    )
    if told.spread_over_zones:
        yield "Its workers stand evenly in the zones of their nodes, so it waits while one of these zones has no stock."
    fitting = [place for place in told.workers.order if place.fits]
    if len(fitting) > 1:
        yield f"It falls back from {' to '.join(place.flavor for place in fitting)}, each time it is admitted anew, never while it runs."
    else:
        yield f"It never falls back: {fitting[0].flavor} is the only place for it."
    if told.buffer is not None:
        yield _buffer(told.buffer)
    stable = next((place for place in fitting if place.role is Role.STABLE), None)
    if stable is not None and len(fitting) > 1:
        yield f"On {stable.flavor} there is room for {stable.most_pods} of its workers at the most, by quota."


def _buffer(buffer: BufferExplained) -> str:
    if buffer.frozen:
        return "The buffer's schedule is frozen: services have it, and no queue gets it."
    if buffer.opens is None or buffer.leaves is None:
        return "The buffer does not open for queues within a year."
    return (
        f"Queues have the buffer from {_time(buffer.opens)} to {_time(buffer.leaves)} ({buffer.time_zone}); then a run that is there is "
        "asked to go, and queues again."
    )


def _time(at: datetime) -> str:
    return f"{at:%a %Y-%m-%d %H:%M}"


def _taken(told: Explanation) -> Iterator[str]:
    if not any(place.fits and place.role is Role.SPOT for place in told.workers.order):
        yield "None of its places is spot, so Google takes none of its nodes back. A drained node asks it to stop first."
    if told.lost_work is None:
        yield "It saves nothing, so it starts again from nothing."
        return
    for place in told.workers.order:
        if place.fits:
            intime = "a step and a last save fit in" if place.saves_in_time else "a last save may not fit in, and what is not saved is lost"
            yield f"On {place.flavor} it has {place.grace_seconds} s between the signal and the end: {intime}."
    together = "all workers end and start" if told.kind == "JobSet" and told.workers.count > 1 else "it ends and starts"
    yield (
        f"The trainer saves and ends with exit code {RESUME_EXIT_CODE}; {together} again from the newest checkpoint, on nodes of the same "
        "flavor. That is not counted as a failure."
    )
    if told.kind == "Job":
        yield "Kubernetes waits before each new start of a single worker: 10 s, then 20 s, and so on to 10 min."


def _cost(lost: LostWorkExplained) -> Iterator[str]:
    chosen = "chosen to waste least" if lost.interval_chosen else "as described"
    yield f"It saves every {duration(lost.interval_seconds)} ({lost.interval_seconds} s, {chosen})."
    yield (
        f"A loss without a last save costs {duration(lost.expected_seconds)} on average (half an interval and a restart) and at worst "
        f"{duration(lost.worst_seconds)}; one with a last save the restart, {duration(lost.restart_seconds)}."
    )
    yield (
        f"On spot a loss comes every {duration(lost.mean_seconds_between_losses)} on average; saves, losses and restarts together take "
        f"{lost.wasted_share:.1%} of the time there.".replace("%", " %")
    )


def _end(told: Explanation) -> Iterator[str]:
    yield "When all workers have ended with exit code 0."
    yield f"After {told.failures} failures of its own, or at once where the image has no such command."
    yield f"After {duration(told.bound_seconds)} of running in all its starts together, waiting not counted."
