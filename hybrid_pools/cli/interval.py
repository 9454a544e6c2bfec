"""`hybrid-pools interval`: how long to train between two checkpoints."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.catalogue.loss_rates import LossRate, loss_rate
from hybrid_pools.cli.contract_source import CONTRACT, STACK
from hybrid_pools.cli.launching import described, planned
from hybrid_pools.cli.output import Format, OutputOption, fail
from hybrid_pools.documents.durations import duration
from hybrid_pools.documents.interval_picture import interval_picture
from hybrid_pools.training.description.saving import costs_of
from hybrid_pools.training.interval import Costs, Interval, IntervalError, checkpoint_interval, waste

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class _Run:
    """What is known of a run. `loss_rate` None: nobody has measured it. `described_seconds`: an interval that its description sets."""

    costs: Costs
    nodes: int
    loss_rate: float | None
    step_seconds: float | None
    total_seconds: float | None
    described_seconds: int | None = None


@app.command()
def interval(  # noqa: PLR0913, PLR0917 - what a person may know of a run
    save_seconds: Annotated[
        float | None, typer.Option("--save-seconds", help="From the start of a save until the checkpoint counts.")
    ] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Nodes of the gang; the loss of one stops all.")] = None,
    loss_rate_given: Annotated[
        float | None,
        typer.Option("--loss-rate", help="Losses per node and hour, as measured. Without it the rate of --capacity is assumed."),
    ] = None,
    capacity: Annotated[CapacityKind, typer.Option("--capacity", help="How the nodes are bought.")] = CapacityKind.SPOT,
    step_seconds: Annotated[float | None, typer.Option("--step-seconds", help="Time of a step; the interval is then whole steps.")] = None,
    stall_seconds: Annotated[
        float | None, typer.Option("--stall-seconds", help="How long training stands still for a save, where the upload goes on behind it.")
    ] = None,
    restart_seconds: Annotated[float | None, typer.Option("--restart-seconds", help="From a loss until the gang trains again.")] = None,
    total_seconds: Annotated[float | None, typer.Option("--total-seconds", help="Bound on the whole run.")] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", metavar="FILE", help="A job description instead of the numbers.")] = None,
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw waste over the interval into this SVG file.")
    ] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Say how long to train between two checkpoints, and what share of the time is lost all the same.

    Short intervals lose time to saves, long ones lose work. Give --save-seconds and --nodes, or a job description with --file; with
    --contract or --stack its workers share nodes as they do there, otherwise each has one. docs/interval.md says how the best interval is
    found and where loss rates come from.
    """
    numbers = (save_seconds, nodes, step_seconds, stall_seconds, restart_seconds, total_seconds)
    try:
        if file is not None:
            if any(number is not None for number in numbers):
                raise typer.BadParameter("--file says all but --loss-rate and --capacity: leave the other numbers out")
            run = _described(file, contract, stack, loss_rate_given)
        elif save_seconds is None or nodes is None or contract or stack:
            raise typer.BadParameter("give --save-seconds and --nodes, or --file, and --contract or --stack with --file only")
        else:
            run = _Run(Costs(save_seconds, restart_seconds or 0, stall_seconds), nodes, loss_rate_given, step_seconds, total_seconds)
        assumed = loss_rate(capacity) if run.loss_rate is None else None
        chosen = _chosen(run, assumed.per_node_hour if assumed else run.loss_rate or 0)
        bounds = [_chosen(run, rate) for rate in (assumed.lowest, assumed.highest)] if assumed else []
    except IntervalError as error:
        fail(f"{error}.")
    if picture is not None:
        _write(picture, interval_picture(run.costs, chosen))
    if output is Format.JSON:
        rate = assumed.per_node_hour if assumed else run.loss_rate
        typer.echo(json.dumps(_data(chosen) | {"nodes": run.nodes, "lossesPerNodeHour": rate, "assumed": assumed is not None}, indent=2))
        return
    typer.echo(_text(chosen, run.nodes))
    if run.described_seconds is not None:
        there = waste(run.costs, chosen.mean_seconds_between_losses, run.described_seconds).total
        typer.echo(f"The description sets {run.described_seconds} s, at which {there:.1%} of the time is lost.".replace("%", " %"))
    typer.echo(_assumption(assumed, capacity, bounds) if assumed else f"Counted with {run.loss_rate:g} losses per node and hour, as given.")
    if picture is not None:
        typer.echo(f"{picture}: written")


def _described(file: Path, contract: str | None, stack: str | None, measured: float | None) -> _Run:
    """A run as its description tells of it."""
    if contract or stack:
        plan, _ = planned(file, contract, stack)
        job, nodes = plan.job, plan.checkpoint.nodes if plan.checkpoint else 0
    else:
        job = described(file).job
        nodes = job.workers.count
    needs = job.checkpoint
    if needs is None:
        fail(f"{file} has no checkpoint section, so there is nothing to save. Add it with sizeGib, stepSeconds and saveSeconds.")
    told = needs.losses_per_node_hour if "losses_per_node_hour" in needs.model_fields_set else None
    return _Run(
        costs=costs_of(needs),
        nodes=nodes,
        loss_rate=told if measured is None else measured,
        step_seconds=needs.step_seconds,
        total_seconds=job.bound_hours * 3600,
        described_seconds=needs.interval_seconds,
    )


def _chosen(run: _Run, rate: float) -> Interval:
    return checkpoint_interval(run.costs, run.nodes, rate, step_seconds=run.step_seconds, total_seconds=run.total_seconds)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}. Name a file in a folder that exists.")


def _data(chosen: Interval) -> dict[str, Any]:
    found = chosen.waste
    return {
        "intervalSeconds": chosen.seconds,
        "intervalSteps": chosen.steps,
        "meanSecondsBetweenLosses": chosen.mean_seconds_between_losses,
        "youngSeconds": chosen.young_seconds,
        "waste": {"total": found.total, "saving": found.saving, "lost": found.lost, "restarting": found.restarting},
    }


def _text(chosen: Interval, nodes: int) -> str:
    found = chosen.waste
    steps = f", {chosen.steps} steps" if chosen.steps else ""
    gang = "the node is" if nodes == 1 else f"one of the {nodes} nodes is"
    lines = [
        f"Save after every {duration(chosen.seconds)} of training ({chosen.seconds} s{steps}).",
        "",
        "Of a long run's time",
        *(
            f"  {share:6.1%}  {words}".replace("%", " %")
            for share, words in (
                (1 - found.total, "is training that counts"),
                (found.saving, "is saving"),
                (found.lost, "is work that is lost and done again"),
                (found.restarting, "is restarting"),
            )
        ),
        "",
        f"On average {gang} lost every {duration(chosen.mean_seconds_between_losses)}. "
        f"To check by hand: Young's rule, the root of 2 x save x time between losses, says {duration(chosen.young_seconds)}.",
    ]
    if found.total > _TOO_MUCH:
        lines.append(
            "More than half of the time is lost. Save faster, or behind the training (--stall-seconds), use fewer nodes, or stable ones."
        )
    return "\n".join(lines)


_TOO_MUCH = 0.5


def _assumption(assumed: LossRate, capacity: CapacityKind, bounds: list[Interval]) -> str:
    fewest, most = bounds
    return (
        f"The rate of {capacity} nodes is assumed: {assumed.per_node_hour:g} losses per node and hour. Its sources support "
        f"{assumed.lowest:g} (then every {duration(fewest.seconds)}) to {assumed.highest:g} (then every {duration(most.seconds)}). "
        "Measure yours and give it with --loss-rate (docs/interval.md)."
    )
