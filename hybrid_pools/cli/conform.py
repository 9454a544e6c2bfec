"""`hybrid-pools conform`: test whether a trainer survives."""

import json
import shlex
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.vocabulary import Role
from hybrid_pools.cli.contract_source import CONTRACT, contract_from
from hybrid_pools.cli.output import Format, OutputOption, console
from hybrid_pools.training.checkpoints import CheckpointError
from hybrid_pools.training.conformance import Measured, Outcome, Report, Settings, trial
from hybrid_pools.training.conformance.start import CommandError

_BAD_USE = 2
_STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.NOT_LOOKED_AT: "dim"}

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def conform(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="Behind --: starts the trainer, as it stands in the image.")],
    grace_seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="Time from SIGTERM to the end. Left out: the shortest of the contract's spot pools, or GKE's default."),
    ] = None,
    contract: Annotated[str | None, CONTRACT] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps before the trainer is stopped, and after.")] = 3,
    patience_seconds: Annotated[
        float, typer.Option(min=1, help="How long nothing may happen: no step, no first checkpoint, no end.")
    ] = 120.0,
    compare: Annotated[
        str | None,
        typer.Option(metavar="PROGRAM", help="Compares two checkpoints, given as folders; ends with 0 if they are equal. Left out: bytes."),
    ] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Test whether a trainer survives a stop: start it on this machine, stop it, start it again, damage its checkpoint.

    Ends with 0 if all checks are passed, with 1 if one is not, with 2 if nothing could be tested. docs/conformance.md explains each check.
    """
    if grace_seconds is not None and contract is not None:
        raise typer.BadParameter("give either --grace-seconds or --contract")
    settings = Settings(
        grace_seconds=_grace_seconds(contract) if grace_seconds is None else grace_seconds,
        steps=steps,
        patience_seconds=patience_seconds,
        compare=tuple(shlex.split(compare or "")),
    )
    report = _report(command, settings)
    if output is Format.JSON:
        typer.echo(json.dumps(_data(command, report), indent=2))
    else:
        _show(report)
    if not report.passed:
        raise typer.Exit(1)


def _report(command: list[str], settings: Settings) -> Report:
    # Ended from outside, it still ends what it has started.
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        with TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as scratch:
            return trial(command, settings, Path(scratch), lambda text: typer.echo(text, err=True))
    except (CommandError, CheckpointError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(_BAD_USE) from error
    finally:
        signal.signal(signal.SIGTERM, before)


def _grace_seconds(contract: str | None) -> float:
    """The shortest time that a pod has on a spot pool."""
    default = catalogue().shutdown_grace
    google = float(default.default_seconds - default.default_critical_pods_seconds)
    if contract is None:
        return google
    try:
        pools = contract_from(contract, None).pools
    except typer.Exit as ended:
        raise typer.Exit(_BAD_USE) from ended
    return float(min((pool.usable_grace_seconds for pool in pools if pool.role is Role.SPOT), default=google))


def _data(command: list[str], report: Report) -> dict[str, Any]:
    return {
        "command": command,
        "passed": report.passed,
        "graceSeconds": report.grace_seconds,
        "stopSeconds": _rounded(report.measured.stop_seconds),
        "stepSeconds": _rounded(report.measured.step_seconds),
        "checkpointBytes": report.measured.checkpoint_bytes,
        "checks": [
            {
                "id": result.check.id,
                "title": result.check.title,
                "outcome": result.outcome.value,
                "seen": result.seen,
                "why": result.check.why,
                "fix": result.check.fix,
            }
            for result in report.results
        ],
        "output": report.output,
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _measured(measured: Measured) -> str:
    parts = (
        None if measured.step_seconds is None else f"a step took {measured.step_seconds:.2g} s",
        None if measured.checkpoint_bytes is None else f"a checkpoint has {measured.checkpoint_bytes / 2**20:,.2f} MiB",
        None if measured.stop_seconds is None else f"a stop took {measured.stop_seconds:.1f} s, with a save to this machine's disk",
    )
    return f"On this machine {', '.join(filter(None, parts))}." if any(parts) else ""


def _show(report: Report) -> None:
    terminal = console(140, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("check", "the trainer", "outcome", "what was seen"):
        table.add_column(heading, overflow="fold")
    for result in report.results:
        outcome = f"[{_STYLES[result.outcome]}]{result.outcome}[/]"
        table.add_row(result.check.id, result.check.title, outcome, escape(result.seen))
    terminal.print(table)
    for result in report.results:
        if result.outcome is Outcome.FAILED:
            terminal.print(f"{result.check.id}: {result.seen}", style="bold", markup=False)
            terminal.print(f"  why: {result.check.why}", markup=False)
            terminal.print(f"  fix: {result.check.fix}\n", markup=False)
    if report.output:
        terminal.print("The end of the trainer's output:", style="bold")
        terminal.print(report.output, markup=False)
    terminal.print(_measured(report.measured))
    terminal.print("All checks are passed." if report.passed else "Not all checks are passed.")
