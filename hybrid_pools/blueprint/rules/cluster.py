"""When GKE may change the cluster."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import NewCluster
from hybrid_pools.blueprint.configuration.cluster import ExclusionScope
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.rules.rule import Finding, section_rule

_SOURCE = "Maintenance windows and exclusions page of the GKE documentation"
_HOURS_IN_32_DAYS = 48
_LONGEST_EXCLUSION_DAYS = 90


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _windows_in_32_days(recurrence: str) -> int:
    """How often the window comes in 32 days, at the least."""
    parts = dict(part.split("=", 1) for part in recurrence.split(";"))
    interval = int(parts.get("INTERVAL", "1"))
    if parts["FREQ"] == "DAILY":
        return 32 // interval
    return 4 // interval * len(set(parts.get("BYDAY", "").split(",")))


@section_rule("CFG-601", "The maintenance window is one that GKE accepts", _SOURCE)
def window_is_long_enough(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """GKE refuses windows that leave it less than 48 hours in 32 days, and single windows under 4 hours."""
    if not isinstance(reading.cluster, NewCluster):
        return
    window = reading.cluster.maintenance_window
    start, end = _time(window.start), _time(window.end)
    for key, text, parsed in (("start", window.start, start), ("end", window.end, end)):
        if parsed is None:
            yield Finding(
                f"cluster.maintenanceWindow.{key}", text, "is no time that exists", "a real UTC time", "correct the date or the hour"
            )
    if start is None or end is None:
        return
    hours = (end - start).total_seconds() / 3600
    if hours < 4:
        yield Finding(
            "cluster.maintenanceWindow.end", window.end, "leaves less than 4 hours", "4 hours after start or more", "move the end"
        )
        return
    total = hours * _windows_in_32_days(window.recurrence)
    if total < _HOURS_IN_32_DAYS:
        yield Finding(
            "cluster.maintenanceWindow.recurrence",
            window.recurrence,
            f"gives GKE {total:.0f} hours in 32 days and it would refuse the cluster",
            f"at least {_HOURS_IN_32_DAYS} hours in 32 days",
            "add days or lengthen the window",
        )


@section_rule("CFG-602", "Maintenance exclusions end, and within what GKE allows", _SOURCE)
def exclusions_are_bounded(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """An exclusion without end leaves a cluster without security fixes, so GKE bounds it."""
    if not isinstance(reading.cluster, NewCluster):
        return
    for name, exclusion in reading.cluster.maintenance_exclusions.items():
        at = f"cluster.maintenanceExclusions.{name}"
        start, end = _time(exclusion.start), _time(exclusion.end)
        if start is None or end is None or end <= start:
            yield Finding(
                f"{at}.end",
                exclusion.end,
                f"is no time after the start, {exclusion.start}",
                "a real UTC time after start",
                "correct one of the two",
            )
        elif exclusion.scope is ExclusionScope.NO_UPGRADES and end - start > timedelta(days=_LONGEST_EXCLUSION_DAYS):
            yield Finding(
                f"{at}.end",
                exclusion.end,
                f"is {(end - start).days} days after the start, longer than GKE allows for NO_UPGRADES",
                f"at most {_LONGEST_EXCLUSION_DAYS} days",
                "shorten it, or use NO_MINOR_OR_NODE_UPGRADES",
            )
