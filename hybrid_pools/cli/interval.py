"""`hybrid-pools interval`: how long to train between two checkpoints."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.catalogue.loss_rates import LossRate, loss_rate
from hybrid_pools.cli.output import Format, OutputOption, fail
from hybrid_pools.documents.durations import duration
from hybrid_pools.documents.interval_picture import interval_picture
from hybrid_pools.training.interval import Costs, Interval, IntervalError, checkpoint_interval

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def interval(  # noqa: PLR0913, PLR0917 - what a person may know of a run
    save_seconds: Annotated[float, typer.Option("--save-seconds", help="From the start of a save until the checkpoint counts.")],
    nodes: Annotated[int, typer.Option("--nodes", help="Nodes of the gang; the loss of one stops all.")],
    loss_rate_given: Annotated[
        float | None,
        typer.Option("--loss-rate", help="Losses per node and hour, as measured. Without it the rate of --capacity is assumed."),
    ] = None,
    capacity: Annotated[CapacityKind, typer.Option("--capacity", help="How the nodes are bought.")] = CapacityKind.SPOT,
    step_seconds: Annotated[float | None, typer.Option("--step-seconds", help="Time of a step; the interval is then whole steps.")] = None,
    stall_seconds: Annotated[
        float | None, typer.Option("--stall-seconds", help="How long training stands still for a save, where the upload goes on behind it.")
    ] = None,
    restart_seconds: Annotated[float, typer.Option("--restart-seconds", help="From a loss until the gang trains again.")] = 0,
    total_seconds: Annotated[float | None, typer.Option("--total-seconds", help="Bound on the whole run.")] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE", help="Draw waste over the interval into this SVG file.")
    ] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Say how long to train between two checkpoints, and what share of the time is lost all the same.

    Short intervals lose time to saves, long ones lose work. docs/interval.md says how the best is found and where loss rates come from.
    """
    assumed = loss_rate(capacity) if loss_rate_given is None else None
    try:
        costs = Costs(save_seconds, restart_seconds, stall_seconds)

        def at(rate: float) -> Interval:
            return checkpoint_interval(costs, nodes, rate, step_seconds=step_seconds, total_seconds=total_seconds)

        chosen = at(assumed.per_node_hour if assumed else loss_rate_given or 0)
        bounds = [at(rate) for rate in (assumed.lowest, assumed.highest)] if assumed else []
    except IntervalError as error:
        fail(f"{error}.")
    if picture is not None:
        _write(picture, interval_picture(costs, chosen))
    if output is Format.JSON:
        rate = assumed.per_node_hour if assumed else loss_rate_given
        typer.echo(json.dumps(_data(chosen) | {"lossesPerNodeHour": rate, "assumed": assumed is not None}, indent=2))
        return
    typer.echo(_text(chosen, nodes))
    typer.echo(
        _assumption(assumed, capacity, bounds) if assumed else f"Counted with {loss_rate_given:g} losses per node and hour, as given."
    )
    if picture is not None:
        typer.echo(f"{picture}: written")


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
