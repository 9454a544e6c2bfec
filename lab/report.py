"""What people see after a command of the lab: the pools as a table, and how to go on."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.documents.terminal import pools_table


def show_up(console: Console, stack: str, outputs: Mapping[str, Any]) -> None:
    """Prints the pools and the commands that people need next.

    Args:
        console: Where to print.
        stack: Name of the stack.
        outputs: The stack's outputs; `contract` is read.
    """
    contract = Contract.model_validate(outputs["contract"])
    console.print(f"Node pools of {contract.cluster.name}", highlight=False)
    console.print(pools_table(contract.pools))
    inside = "  look into the cluster              .lab/bin/kubectl get nodes,clusterqueues; make status\n" if contract.classes else ""
    console.print(
        f"Stack {stack} is up, in the lab: nothing of it runs at Google.\n"
        f"  what training teams are told       .lab/bin/pulumi stack output contract --json --stack {stack}\n"
        f"{inside}"
        f"  see a change before it is made     edit stacks/Pulumi.{stack}.yaml, then make preview STACK={stack}\n"
        f"  make it                            make up STACK={stack}\n"
        f"  remove everything                  make down STACK={stack}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
