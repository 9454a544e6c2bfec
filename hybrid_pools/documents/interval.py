"""`docs/interval.md`: how often to save, why, and where loss rates come from."""

from collections.abc import Iterator

from hybrid_pools.blueprint.catalogue import CapacityKind
from hybrid_pools.blueprint.catalogue.loss_rates import LossRate, loss_rate
from hybrid_pools.documents.durations import duration
from hybrid_pools.documents.interval_picture import interval_picture
from hybrid_pools.documents.markdown import codes, document, table
from hybrid_pools.training.interval import Costs, Interval, checkpoint_interval

_COSTS = Costs(save=60, restart=300)
_NODES = 8
_HOW = """\
The nodes of a gang are lost independently of one another, and the loss of one stops all. So a gang of eight is lost eight times as often
as a node, and saves accordingly more often. Between two losses M seconds pass on average; a save stands training still for d seconds, a
restart takes R. The interval T is the training between two saves.

- **The rule of thumb** is Young's (CACM 1974): T is the root of 2 d M. It holds where saves are short and losses rare.
- **What is used** is Daly's complete model (FGCS 2006), which counts that losses also hit saves and restarts, and that work done over
  again can be lost again. Its best interval solves 1 - T/M = e^(-(T + d)/M). It is always a little shorter than Young's.
- **Restarts** do not change the interval. They cost a share of the time that only fewer losses or a quicker start bring down.
- **Uploads behind the training** (`--stall-seconds`): only the standstill counts for the interval. But a checkpoint counts once it is
  complete in the bucket, so a loss before that falls back to the one before.
- **Bounds.** The interval is never under the time of a save, never over the bound on the whole run, and a whole number of steps where the
  time of a step is known.

Losses are not quite random: they come in bursts, when Google needs a zone. And rates are seldom known well. Both matter less than it
seems, because waste is flat around its minimum: a rate that is wrong by a factor of two costs six per cent more waste, one that is wrong
by four costs a quarter more."""
_COMMANDS = """\
```console
.venv/bin/hybrid-pools interval --save-seconds 60 --nodes 8 --restart-seconds 300
.venv/bin/hybrid-pools interval --save-seconds 60 --nodes 8 --step-seconds 2.5 --picture interval.svg
.venv/bin/hybrid-pools interval --save-seconds 90 --stall-seconds 5 --nodes 16 --loss-rate 0.03 --output json
.venv/bin/hybrid-pools interval -f job.yaml --contract contract.json
```

`hybrid-pools render` asks the same function, and writes the answer into the manifest for the trainer."""
_MEASURING = """\
Measure the rate of your own pools, once they have run for some days: the sum of `kubernetes.io/node/interruption_count` of a pool over a
week, divided by its node-hours in that week. `advice.capacityHistory` of the Compute API gives the preemption rate of a machine type and
zone without a pool of your own. In the traces Spot rates differ from zone to zone by a factor of fifteen, so measure where you train."""


def render() -> str:
    """The document."""
    return document(
        "How often to save",
        "`hybrid_pools/documents/interval.py` and `hybrid_pools/blueprint/catalogue/data/loss-rates.json`",
        "Save too often, and the time goes into saves. Save too seldom, and a loss throws away hours of work. `hybrid-pools interval` "
        "finds the interval at which both together cost least, for the whole gang, and says what is lost all the same.",
        _COMMANDS,
        f"![Time lost over the interval, for {_NODES} Spot nodes that save in a minute](images/interval.svg)",
        "## How it is found",
        _HOW,
        "## What to expect",
        f"A save of {duration(_COSTS.save)} and a restart of {duration(_COSTS.restart)}, with the rate that is assumed for Spot.",
        table(["Nodes", "Lost every", "Save every", "Saving", "Lost work", "Restarting", "Together"], _examples()),
        "## Loss rates",
        "What is assumed where nobody has measured, in losses per node and hour.",
        table(["Bought as", "Assumed", "From", "To", "Why", "Source"], _rates()),
        _MEASURING,
    )


def picture() -> str:
    """`docs/images/interval.svg`."""
    return interval_picture(_COSTS, _example(_NODES))


def _example(nodes: int) -> Interval:
    return checkpoint_interval(_COSTS, nodes, loss_rate(CapacityKind.SPOT).per_node_hour)


def _examples() -> Iterator[list[str]]:
    for nodes in (1, 2, 4, 8, 16, 32):
        found = _example(nodes)
        waste = found.waste
        shares = (f"{share * 100:.1f} %" for share in (waste.saving, waste.lost, waste.restarting, waste.total))
        yield [str(nodes), duration(found.mean_seconds_between_losses), duration(found.seconds), *shares]


def _rates() -> Iterator[list[str]]:
    told: list[LossRate] = []
    for kind in CapacityKind:
        rate = loss_rate(kind)
        if rate not in told:
            told.append(rate)
            numbers = (f"{number:g}" for number in (rate.per_node_hour, rate.lowest, rate.highest))
            yield [codes(rate.capacities), *numbers, rate.basis, f"{rate.source} ({rate.as_of})"]
