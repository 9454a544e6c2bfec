"""The schedule's calendar, profiles and jobs."""

from collections.abc import Iterator, Mapping, Sequence

from hybrid_pools.blueprint.calendar import Calendar, Firing, calendar_of, firings, validity
from hybrid_pools.blueprint.configuration.schedule import Profile, ScheduleConfiguration
from hybrid_pools.blueprint.model import NodeLimits, Pool
from hybrid_pools.blueprint.model.schedule import MINUTES_A_POOL, Method, Schedule, ScheduledPool, SwitchJob


def derive_schedule(environment: str, schedule: ScheduleConfiguration, pools: Sequence[Pool]) -> Schedule:
    """Decide every call.

    Args:
        environment: Its short name.
        pools: Those of the environment. Limits of the services profile are the pool's own, so that they stand in one place.
    """
    calendar = calendar_of(schedule)
    by_name = {pool.name: pool for pool in pools}
    scheduled = tuple(
        ScheduledPool(
            name=name,
            limits={Profile.SERVICES: by_name[name].limits, Profile.TRAINING: _training_limits(schedule, name)},
            delay=index * MINUTES_A_POOL,
            all_at_once=frozenset(schedule.pools[name].all_at_once),
        )
        for index, name in enumerate(sorted(schedule.pools))
    )
    jobs = [job for pool in scheduled for job in _jobs(pool, calendar, by_name[pool.name])]
    return Schedule(
        configuration=schedule,
        calendar=calendar,
        pools=scheduled,
        jobs=tuple(sorted(jobs, key=lambda job: job.name)),
        validity=validity(calendar, max((pool.delay for pool in scheduled), default=0)),
        account_id=f"{environment}-schedule",
    )


def _training_limits(schedule: ScheduleConfiguration, pool: str) -> NodeLimits:
    """Limits of a buffer pool while training has it."""
    training = schedule.pools[pool].training
    return NodeLimits(per_zone=False, minimum=training.minimum, maximum=training.maximum)


def _jobs(pool: ScheduledPool, calendar: Calendar, described: Pool) -> Iterator[SwitchJob]:
    for firing in firings(calendar, pool.delay):
        limits = pool.limits[firing.profile]
        # All of it each time: GKE resets what the call leaves out.
        autoscaling = {
            "enabled": True,
            "totalMinNodeCount": limits.minimum,
            "totalMaxNodeCount": limits.maximum,
            "locationPolicy": described.location_policy.value,
        }
        purpose = f"Gives {pool.name} the {firing.profile} limits: {limits.minimum} to {limits.maximum} nodes."
        yield _job(pool, calendar, firing, Method.SET_AUTOSCALING, {"autoscaling": autoscaling}, purpose)
    for firing in firings(calendar, pool.delay + 1):
        if firing.profile in pool.all_at_once:
            nodes = pool.limits[firing.profile].maximum
            purpose = f"Brings all {nodes} nodes of {pool.name} at once; raised limits alone add none."
            yield _job(pool, calendar, firing, Method.SET_SIZE, {"nodeCount": nodes // len(described.zones)}, purpose)


def _job(pool: ScheduledPool, calendar: Calendar, firing: Firing, method: Method, body: Mapping[str, object], purpose: str) -> SwitchJob:
    suffix = "-size" if method is Method.SET_SIZE else ""
    month = f"-{firing.month:%Y-%m}" if firing.month else ""
    return SwitchJob(
        name=f"{pool.name}-{firing.profile}-{firing.minute // 60:02}{firing.minute % 60:02}{month}{suffix}",
        pool=pool.name,
        profile=firing.profile,
        method=method,
        body=body,
        cron=firing.cron,
        # Services' jobs go on, so that a window that is open when the schedule is frozen still ends.
        paused=calendar.frozen and firing.profile is Profile.TRAINING,
        purpose=purpose,
    )
