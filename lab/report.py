"""What people see after a command of the lab: the pools as a table, and how to go on."""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from hybrid_pools.blueprint.contract import Contract, PoolContract


def pools_table(contract: Contract) -> Table:
    """The pools of a contract, one a row."""
    title = f"Node pools of {contract.cluster.name} in {contract.cluster.location}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("pool", "role", "capacity", "machine", "GPUs", "nodes", "zones"):
        table.add_column(heading, no_wrap=heading in ("pool", "machine"))
    for pool in contract.pools:
        table.add_row(pool.name, pool.role, pool.capacity, pool.machine_type, _gpus(pool), _nodes(pool), _zones(pool))
    return table


def show_up(console: Console, stack: str, outputs: Mapping[str, Any]) -> None:
    """Prints the pools and the commands that people need next.

    Args:
        console: Where to print.
        stack: Name of the stack.
        outputs: The stack's outputs; `contract` is read.
    """
    console.print(pools_table(Contract.model_validate(outputs["contract"])))
    console.print(
        f"Stack {stack} is up, in the lab: nothing of it runs at Google.\n"
        f"  what training teams are told       .lab/bin/pulumi stack output contract --json --stack {stack}\n"
        f"  see a change before it is made     edit stacks/Pulumi.{stack}.yaml, then make preview STACK={stack}\n"
        f"  make it                            make up STACK={stack}\n"
        f"  remove everything                  make down STACK={stack}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )


def _gpus(pool: PoolContract) -> str:
    return f"{pool.accelerator.count} {pool.accelerator.type}" if pool.accelerator else "none"


def _nodes(pool: PoolContract) -> str:
    limits = f"{pool.limits.minimum_nodes}-{pool.limits.maximum_nodes}"
    return f"{limits} by schedule" if pool.limits_owned_by_schedule else limits


def _zones(pool: PoolContract) -> str:
    """The zones without their region, which is the same for all of a cluster."""
    return ", ".join(zone.rpartition("-")[2] for zone in pool.zones)
