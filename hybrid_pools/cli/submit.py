"""`hybrid-pools submit`: a run on Vertex AI, to its end."""

import json
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hybrid_pools.cli.contract_source import CONTRACT, STACK
from hybrid_pools.cli.launching import DESCRIPTION
from hybrid_pools.cli.output import Format, OutputOption, fail
from hybrid_pools.cli.requesting import SERVICE_ACCOUNT, requested
from hybrid_pools.training.vertex import Attempt, Clock, Jobs, RefusedError, Request, RunError
from hybrid_pools.training.vertex import submit as brought_to_its_end

_INTERRUPTED = 130

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
def submit(
    file: Annotated[Path, DESCRIPTION],
    service_account: Annotated[str, SERVICE_ACCOUNT],
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    output: OutputOption = Format.TEXT,
) -> None:
    """Run a job description on Vertex AI's Spot VMs, and wait for its end.

    A job there is started again six times and then fails. This command submits the next one, which resumes from the last checkpoint, until
    the run is done or has reached its bound. It may be interrupted and started again: it finds what is under way and does not submit it
    twice. Ends with 0 when the run has succeeded. docs/vertex.md tells the limits.
    """
    request = requested(file, contract, stack, service_account)
    progress = _Progress(request)
    try:
        jobs, clock = _service(request)
        with progress.console.status(f"{request.team}/{request.run}"):
            last = brought_to_its_end(request, jobs, clock, progress.tell)
    except (RunError, RefusedError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo(progress.interrupted(), err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if output is Format.JSON:
        typer.echo(
            json.dumps(
                {"run": request.run, "team": request.team, "job": last.name, "attempt": last.number, "state": last.state.value}, indent=2
            )
        )
    else:
        typer.echo(f"{request.team}/{request.run} has succeeded, with attempt {last.number}.")


def _service(request: Request) -> tuple[Jobs, Clock]:
    # The client tells at every import when the support of this Python will end, years ahead.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"google\.api_core")
    try:
        from hybrid_pools.training.vertex.service import SystemClock, VertexJobs, credentials  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        fail(f"{error.name} is not installed, and without it Vertex AI cannot be asked. Run: pip install 'hybrid-node-pools[vertex]'")
    return VertexJobs(request.parent, credentials()), SystemClock()


class _Progress:
    """Tells what happens, on standard error, and remembers what to say when it is interrupted."""

    def __init__(self, request: Request) -> None:
        self.console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._request = request
        self._last: Attempt | None = None

    def tell(self, attempt: Attempt | None, what: str) -> None:
        if attempt is None:
            self.console.print(what)
            return
        if self._last is None or self._last.name != attempt.name:
            self.console.print(f"attempt {attempt.number} is {attempt.name}")
            self.console.print(f"  {self._page(attempt)}")
        self._last = attempt
        self.console.print(f"attempt {attempt.number} {what}")

    def interrupted(self) -> str:
        if self._last is None:
            return "interrupted. No job of the run is known; run the same command again to look for one and go on."
        return (
            f"interrupted. Attempt {self._last.number} goes on at Google as {self._last.name}, but nothing follows it.\n"
            "To go on: run the same command again. To end it: "
            f"gcloud ai custom-jobs cancel {self._last.name}"
        )

    def _page(self, attempt: Attempt) -> str:
        _, project, _, region = self._request.parent.split("/")
        number = attempt.name.rpartition("/")[2]
        return f"https://console.cloud.google.com/ai/platform/locations/{region}/training/{number}?project={project}"
