"""What the command line and the lab show in a terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from hybrid_pools.blueprint.contract import PoolContract


def pools_table(found: Sequence[PoolContract]) -> Table:
    """Node pools as a table, two lines a pool, so that it fits into a terminal of 80 characters."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, caption=_caption(found), caption_justify="left")
    for heading in ("pool", "role\nbought as", "machine\nGPUs a node", "zones", "nodes\nGPUs", "time\nto save"):
        table.add_column(heading, overflow="fold")
    for pool in found:
        gpus, limits = pool.accelerator, pool.limits
        table.add_row(
            pool.name,
            f"{pool.role}\n{pool.capacity}",
            f"{pool.machine_type}\n{f'{gpus.count} x {gpus.type}' if gpus else ''}",
            ", ".join(zone.rpartition("-")[2] for zone in pool.zones),
            f"{limits.minimum_nodes} to {limits.maximum_nodes}{' *' if pool.limits_owned_by_schedule else ''}\n{limits.maximum_gpus or ''}",
            f"{pool.usable_grace_seconds} s",
        )
    return table


def _caption(found: Sequence[PoolContract]) -> str:
    regions = sorted({zone.rpartition("-")[0] for pool in found for zone in pool.zones})
    scheduled = " * at creation; a schedule changes them afterwards" if any(pool.limits_owned_by_schedule for pool in found) else ""
    return f"Zones of {', '.join(regions)}. Nodes over all zones.{scheduled}"
