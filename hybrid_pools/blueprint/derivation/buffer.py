"""The buffer's quota, and when training has it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hybrid_pools.blueprint.calendar import Calendar, firings
from hybrid_pools.blueprint.configuration.schedule import Profile
from hybrid_pools.blueprint.model.queues import BufferQuota, BufferSwitch, Flavor, FlavorQuota
from hybrid_pools.blueprint.model.schedule import MINUTES_A_POOL, Schedule
from hybrid_pools.blueprint.vocabulary import BUFFER_COHORT, Role


def derive_buffer(flavors: Sequence[Flavor], schedule: Schedule | None, image: str | None) -> BufferQuota | None:
    """The buffer's quota; None where no schedule gives the buffer to training, or no class tries it.

    Args:
        flavors: Those that a class tries.
        image: Container image with kubectl. A rule has seen to it that there is one with a schedule.
    """
    buffers = [flavor for flavor in flavors if flavor.role is Role.BUFFER]
    if schedule is None or image is None or not buffers:
        return None
    drain = schedule.configuration.drain_minutes
    return BufferQuota(
        cohort=BUFFER_COHORT,
        quotas=tuple(FlavorQuota(flavor.name, flavor.capacity, None, None) for flavor in buffers),
        switches=tuple(buffer_switches(schedule.calendar, drain, len(schedule.pools))),
        drain_seconds=drain * 60,
        image=image,
    )


def buffer_switches(calendar: Calendar, drain: int, pools: int) -> Iterator[BufferSwitch]:
    """Training gets the quota once every pool has its limits, and loses it so long before services' limits come back as it takes to save
    and go: the same GPU is never promised twice.

    Args:
        drain: Minutes.
        pools: Number of pools in the schedule, which switch one after the other.
    """
    drained, late = replace(calendar, lead=calendar.lead + drain), pools * MINUTES_A_POOL - 1
    for profile, delay in ((Profile.TRAINING, late), (Profile.SERVICES, 0)):
        opens = profile is Profile.TRAINING
        for firing in firings(drained, delay):
            if firing.profile is profile:
                month = f"-{firing.month:%Y-%m}" if firing.month else ""
                yield BufferSwitch(
                    name=f"buffer-{'opens' if opens else 'closes'}-{firing.minute // 60:02}{firing.minute % 60:02}{month}",
                    opens=opens,
                    cron=firing.cron,
                    time_zone=calendar.zone,
                    # Closing goes on, so that a window that is open when the schedule is frozen still ends.
                    suspended=calendar.frozen and opens,
                )
