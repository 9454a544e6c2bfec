"""`docs/pools.md`: the pools of every environment, and what still runs when a part of them is lost."""

from collections.abc import Iterable, Sequence

from hybrid_pools.blueprint.model import Blueprint, Pool
from hybrid_pools.blueprint.resilience import SPOT_LOSS, STAGES, Loss, Outcome, Remainder, Verdict, losses, outcomes, remainder, zones
from hybrid_pools.blueprint.vocabulary import Role
from hybrid_pools.documents.markdown import code, codes, document, table


def render(blueprints: Iterable[Blueprint]) -> str:
    """The document, one chapter an environment."""
    return document(
        "Pools",
        "the stack files and `hybrid_pools/blueprint/resilience.py`",
        "The pools that each stack file describes, and what survives when a zone or every interruptible node is lost. Limits say how far "
        "a pool may grow, not what Google has in stock. Whatever ran on lost nodes starts again elsewhere: a service at once, a training "
        "run from its last checkpoint.",
        "## Which work runs where",
        table(
            ["Stage", "Runs on", "When none of these is left"],
            ([stage.name, _roles(stage.carriers), _roles(stage.fallbacks) or "stops until they are back"] for stage in STAGES),
        ),
        "Work for one GPU model moves only to pools of the same model, so that a run meets the same hardware again. Training uses the "
        "buffer in its window and stable pools within a cap.",
        *(part for blueprint in blueprints for part in _environment(blueprint)),
    )


def _roles(roles: Sequence[Role]) -> str:
    return ", then ".join(f"{role} pools" for role in roles)


def _environment(blueprint: Blueprint) -> Iterable[str]:
    environment = blueprint.environment
    yield f"## {environment.name}"
    yield f"Region {code(environment.region)}, project {code(environment.project)}, GKE {blueprint.cluster_version} or newer."
    yield table(
        ["Pool", "Role", "Bought as", "Machine", "GPUs a node", "Zones", "Nodes", "GPUs at most", "Taints", "Time to save"],
        (_pool(pool) for pool in blueprint.pools),
    )
    yield "### What is left of each pool"
    each = losses(blueprint)
    yield table(
        ["Pool", *(f"without {_loss(loss)}" for loss in each)],
        ([code(pool.name), *(_remainder(remainder(pool, loss)) for loss in each)] for pool in blueprint.pools),
    )
    yield "### What survives"
    yield table(["Stage", *(f"without {_loss(loss)}" for loss in each)], _stages(blueprint, each))
    single = [pool.name for pool in blueprint.pools if len(pool.zones) == 1]
    if single and len(zones(blueprint)) > 1:
        yield f"In one zone only, and gone with it: {codes(single)}."


def _pool(pool: Pool) -> list[str]:
    gpus = pool.accelerators
    limits = pool.limits
    per = "in each zone" if limits.per_zone else "over all zones"
    parts = [f"{gpus.count} x {gpus.type}"] if gpus else []
    parts += [f"cut into {gpus.partition}"] if gpus and gpus.partition else []
    parts += [f"shared by {gpus.sharing.clients_per_gpu} ({gpus.sharing.strategy})"] if gpus and gpus.sharing else []
    return [
        code(pool.name),
        pool.role.value,
        pool.capacity.value,
        code(pool.machine.name),
        ", ".join(parts),
        codes(pool.zones),
        f"{limits.minimum} to {limits.maximum} {per}" + (", then by schedule" if pool.schedule_owned else ""),
        str(pool.max_gpus or ""),
        "<br>".join(code(taint) for taint in pool.node_taints),
        f"{pool.usable_grace_seconds} s",
    ]


def _loss(loss: Loss) -> str:
    return "all spot pools" if loss == SPOT_LOSS else code(loss.zone)


def _remainder(left: Remainder | None) -> str:
    if left is None:
        return "nothing"
    return f"{codes(left.zones)}: {_amount(left)}"


def _amount(left: Remainder) -> str:
    nodes = f"{left.max_nodes} node{'' if left.max_nodes == 1 else 's'}"
    return f"{nodes}, {left.max_gpus} GPUs" if left.max_gpus else nodes


def _stages(blueprint: Blueprint, each: Sequence[Loss]) -> Iterable[list[str]]:
    found = list(outcomes(blueprint))
    for start in range(0, len(found), len(each)):
        row = found[start : start + len(each)]
        model = f" on {code(row[0].accelerator)}" if row[0].accelerator else ""
        yield [row[0].stage.name + model, *(_outcome(outcome) for outcome in row)]


def _outcome(outcome: Outcome) -> str:
    match outcome.verdict:
        case Verdict.KEPT:
            return "kept"
        case Verdict.REDUCED:
            return f"reduced to {outcome.nodes_left} of {outcome.nodes_before} nodes"
        case Verdict.MOVED:
            return "moves to " + ", then ".join(f"{code(left.pool)} ({_amount(left)})" for left in outcome.fallbacks)
        case Verdict.STOPPED:
            return "**stops**"
