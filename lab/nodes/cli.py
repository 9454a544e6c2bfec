"""`python -m lab nodes`: see the lab's nodes, stop their machines, choose how they are played."""

import time
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from hybrid_pools.blueprint.vocabulary import NODE_POOL_LABEL, SPOT_KEY
from lab.cluster.files import ClusterFiles
from lab.errors import LabError
from lab.google.store import Store, store_path
from lab.kubelet.marks import HARD, PREEMPT, STOP_ANNOTATION
from lab.nodes.api import Api
from lab.nodes.objects import STOPPED_ANNOTATION, LabNode, Pod, lab_node, pod
from lab.nodes.pools import read_pools
from lab.nodes.settings import read_settings, write_settings
from lab.paths import default_lab

nodes_app = typer.Typer(no_args_is_help=True, help="Look at the lab's nodes, or take their machines away.")

Name = Annotated[str, typer.Argument(metavar="NODE", help="Name of the node, as `python -m lab nodes list` shows it.")]


@nodes_app.command(name="list")
def show() -> None:
    """Show every node with its pool and its pods."""
    api = _api()
    nodes, pods = _nodes(api), [pod(found) for found in api.pods()]
    table = Table("Node", "Pool", "Zone", "Pods are", "State", "Pods", box=box.SIMPLE_HEAD)
    for node in sorted(nodes, key=lambda node: (node.pool, node.zone, node.name)):
        running = str(sum(_runs_on(one, node) for one in pods))
        played = "processes" if node.process else "simulated"
        table.add_row(node.name, node.labels.get(NODE_POOL_LABEL, ""), node.zone, played, _state(node), running)
    Console().print(table)


@nodes_app.command()
def preempt(name: Name) -> None:
    """Let Google take a Spot VM back: its pods have the shutdown window, then the node is gone and made anew."""
    api = _api()
    node = _node(api, name)
    if node.labels.get(SPOT_KEY) != "true":
        raise LabError(f"{name} is no Spot VM, so Google does not take it back. `python -m lab nodes stop {name}` ends its machine.")
    _stop(api, node, PREEMPT)
    typer.echo(
        f"{name} is being preempted. What becomes of its pods: kubectl get pods --all-namespaces --field-selector spec.nodeName={name}"
    )


@nodes_app.command()
def stop(name: Name) -> None:
    """End the machine of a node at once: the node says nothing any more, and is made anew later."""
    api = _api()
    _stop(api, _node(api, name), HARD)
    typer.echo(f"{name} is stopped. Kubernetes notices when its lease runs out.")


@nodes_app.command()
def process(
    pools: Annotated[
        list[str] | None, typer.Argument(metavar="[POOL]...", help="Roles, or patterns of pool names; without any: show what is set.")
    ] = None,
) -> None:
    """Choose the pools whose nodes run pods as processes; the nodes of all others are simulated. Counts for new nodes."""
    lab = default_lab()
    settings = read_settings(lab.nodes)
    if pools:
        settings = settings.model_copy(update={"process": tuple(pools)})
        write_settings(lab.nodes, settings)
    for pool in read_pools(Store(store_path())).pools:
        typer.echo(f"{pool.name}: {'processes' if settings.runs_processes(pool) else 'simulated'}")


def _api() -> Api:
    return Api(ClusterFiles(default_lab().directory).kubeconfig)


def _nodes(api: Api) -> list[LabNode]:
    return [node for node in map(lab_node, api.nodes()) if node is not None]


def _node(api: Api, name: str) -> LabNode:
    node = next((node for node in _nodes(api) if node.name == name), None)
    if node is None:
        raise LabError(f"There is no node {name} of a pool. `python -m lab nodes list` shows those there are.")
    return node


def _stop(api: Api, node: LabNode, how: str) -> None:
    if node.stop:
        raise LabError(f"{node.name} is stopped already. It comes again by itself.")
    api.annotate(node, {STOP_ANNOTATION: how, STOPPED_ANNOTATION: f"{time.time():.3f}"})


def _runs_on(one: Pod, node: LabNode) -> bool:
    return one.node == node.name and one.active


def _state(node: LabNode) -> str:
    if node.stop:
        return "being preempted" if node.stop == PREEMPT else "stopped"
    if node.draining_since is not None:
        return "being removed"
    return "ready" if node.ready else "not ready"
