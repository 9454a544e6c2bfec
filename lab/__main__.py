"""The lab's commands: `python -m lab --help`."""

import os
import sys
from typing import Annotated

import typer
from rich.console import Console

from lab.begun import pending_creates
from lab.build import build as build_tool
from lab.clock import clock
from lab.cluster import cli as cluster
from lab.cluster.programs import control_plane, kubectl, kubernetes_provider
from lab.cluster.stacks import release, serve, serve_if_up
from lab.engine import Engine, Result
from lab.errors import LabError
from lab.google.cli import cloud_app, fault_app
from lab.kubelet.logs import pod_logs
from lab.nodes.cli import nodes_app
from lab.paths import CHECKOUT, cache_folder, default_lab
from lab.progress import Progress
from lab.pulumi_cli import obtain_pulumi
from lab.recovery import recover
from lab.report import show_up
from lab.stacks import known_stacks

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="The real Pulumi engine and a real Kubernetes control plane on this machine, with a stand-in for Google's API.",
)

app.command()(clock)
for command in (cluster.start, cluster.status, cluster.stop, cluster.logs):
    app.command()(command)

app.command()(pod_logs)

app.add_typer(fault_app, name="fault")
app.add_typer(cloud_app, name="cloud")
app.add_typer(nodes_app, name="nodes")

Stack = Annotated[str, typer.Argument(help="Name of a stack: the NAME of stacks/Pulumi.NAME.yaml.")]

_LOCKED = "the stack is currently locked"


@app.command()
def up(stack: Stack) -> None:
    """Bring a stack up to what its file says, and show its pools."""
    engine = _engine()
    serve(engine, stack)
    engine.select_or_init(stack)
    begun = [resource["urn"].rsplit("::", 1)[-1] for resource in pending_creates(engine.state(stack))]
    if begun:
        raise LabError(
            f"An engine was killed while it made {', '.join(begun)} of stack {stack}. Going on now could make them twice. "
            f"Put the stack in order first: make recover STACK={stack}"
        )
    _check(stack, engine.up(stack, "--suppress-outputs"))
    show_up(Console(), stack, engine.outputs(stack))


@app.command()
def down(stack: Stack) -> None:
    """Remove everything a stack has made, and stop the control plane if no other stack needs it."""
    engine = _engine()
    serve_if_up(engine, stack)
    _check(stack, engine.destroy(stack))
    release(engine)


@app.command()
def preview(stack: Stack) -> None:
    """Show what `up` would change, with the policy pack's verdict."""
    engine = _engine()
    serve_if_up(engine, stack)
    _check(stack, engine.preview(stack))


@app.command(name="recover")
def recover_stack(stack: Stack) -> None:
    """Put a stack in order after its engine was killed; then `up` goes on."""
    engine = _engine()
    serve_if_up(engine, stack)
    done = recover(engine, stack)
    for heading, urns in (("Adopted, it had been made", done.adopted), ("Forgotten, it had not been made", done.dropped)):
        for urn in urns:
            typer.echo(f"{heading}: {urn.rsplit('::', 1)[-1]}")
    typer.echo(f"Stack {stack} is in order. Go on with: make up STACK={stack}")


@app.command()
def build() -> None:
    """Build what the lab runs: the engine, if this machine has no Pulumi that will do, its Kubernetes provider and the control plane."""
    pulumi = obtain_pulumi()
    typer.echo(f"{pulumi.path} ({'installed' if pulumi.official else 'built for the lab'})")
    for tool in (*control_plane().values(), kubectl(), kubernetes_provider()):
        typer.echo(build_tool(tool, cache_folder(), Progress()))


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}, add_help_option=False)
def pulumi(context: typer.Context) -> None:
    """Run any command of Pulumi in the lab, with its own state, plugins and copies of the stack files."""
    engine = _engine()
    engine.prepare()
    for stack in known_stacks(engine.project):
        engine.prepare(stack)
    os.chdir(engine.lab.workspace)
    os.execve(engine.pulumi.path, [str(engine.pulumi.path), *context.args], engine.environment())  # noqa: S606


@app.command()
def env() -> None:
    """Print shell lines after which plain `pulumi` works in the lab: eval "$(python -m lab env)"."""
    engine = _engine()
    engine.prepare()
    typer.echo(f'export PATH="{engine.lab.bin}:$PATH"')


def _engine() -> Engine:
    return Engine(default_lab(), CHECKOUT, obtain_pulumi(), policy_pack=CHECKOUT / "policies", echo=_show)


def _show(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _check(stack: str, result: Result) -> None:
    if _LOCKED in result.output:
        raise LabError(
            f"Another engine works on stack {stack}, so nothing was done. Wait until it has ended. "
            f"If it was killed, put the stack in order: make recover STACK={stack}"
        )
    if not result.ok:
        raise typer.Exit(1)


def main() -> None:
    """Runs a command; what people can put right themselves is told in one message, without a traceback."""
    try:
        app()
    except LabError as error:
        Console(stderr=True).print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
