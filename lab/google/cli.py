"""Commands that play the world outside: what Google has, what somebody else changes there, what goes wrong."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from lab.errors import LabError
from lab.google.faults import Kind
from lab.google.store import Fault, Store, store_path

fault_app = typer.Typer(no_args_is_help=True, help="Let something go wrong at the stand-in for Google's API.")
cloud_app = typer.Typer(no_args_is_help=True, help="Look at the resources of the stand-in, or change them behind Pulumi's back.")


@fault_app.command()
def add(
    kind: Kind,
    type_: Annotated[str, typer.Option("--type", help="Pattern of resource types, such as NodePool.")] = "*",
    name: Annotated[str, typer.Option(help="Pattern of physical names, such as 'spot-*'.")] = "*",
    method: Annotated[str, typer.Option(help="create, update, delete, read or *.")] = "*",
    times: Annotated[int | None, typer.Option(min=1, help="How often; without it until `clear`.")] = None,
    seconds: Annotated[float, typer.Option(min=0, help="How late a slow answer comes.")] = 0,
    metric: Annotated[str, typer.Option(help="The quota that is used up, such as NVIDIA_L4_GPUS.")] = "",
) -> None:
    """Ask for a fault."""
    if kind is Kind.SLOW and not seconds:
        raise LabError("A slow answer needs to know how slow: add --seconds 5.")
    if kind is Kind.QUOTA and not metric:
        raise LabError("A quota fault needs the name of the quota: add --metric NVIDIA_L4_GPUS.")
    Store(store_path()).add_fault(Fault(kind, type_, name, method, times, seconds, metric))
    show()


@fault_app.command(name="list")
def show() -> None:
    """Show the faults still to be made."""
    table = Table("Fault", "Type", "Name", "Method", "Times left")
    for fault in Store(store_path()).faults():
        table.add_row(fault.kind, fault.type, fault.name, fault.method, "for ever" if fault.remaining is None else str(fault.remaining))
    Console().print(table)


@fault_app.command()
def clear() -> None:
    """Let nothing go wrong any more."""
    Store(store_path()).clear_faults()


@cloud_app.command(name="list")
def resources() -> None:
    """Show every resource."""
    table = Table("Type", "Identifier", "Status")
    for record in Store(store_path()).resources():
        table.add_row(record.type, record.id, record.status)
    Console().print(table)


@cloud_app.command()
def log() -> None:
    """Show every call, in order."""
    table = Table("Method", "Type", "Identifier", "Outcome")
    for operation in Store(store_path()).operations():
        table.add_row(operation.method, operation.type, operation.id, operation.outcome)
    Console().print(table)


@cloud_app.command()
def change(
    identifier: str,
    path: Annotated[str, typer.Argument(help="Where, such as autoscaling.totalMaxNodeCount.")],
    value: Annotated[str, typer.Argument(help="The new value as JSON; null removes the property.")],
) -> None:
    """Change one property of a resource, as somebody does in the console."""
    try:
        Store(store_path()).change(identifier, path, json.loads(value))
    except json.JSONDecodeError:
        raise LabError(f"{value!r} is not JSON; a text needs its own quotes, for example '\"ANY\"'.") from None
    except (KeyError, IndexError, ValueError, TypeError):
        raise LabError(
            f"{identifier} has no {path}, or there is no such resource; `python -m lab cloud list` shows what there is."
        ) from None


@cloud_app.command()
def delete(identifier: str) -> None:
    """Delete a resource, as somebody does in the console."""
    store = Store(store_path())
    if store.get(identifier) is None:
        raise LabError(f"There is no resource {identifier}; `python -m lab cloud list` shows what there is.")
    store.delete(identifier)
