"""How long it takes to read, judge and derive."""

import copy
import timeit
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import yaml

from bench.measurement import Measurement, median_seconds
from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.derivation import derive
from hybrid_pools.blueprint.vocabulary import PROJECT

_RUNS = 9
_MANY = 500


def measure(stacks: Path) -> Iterator[Measurement]:
    """Reading a stack file, judging it and deriving the blueprint, all from the file."""
    prod = stacks / "Pulumi.prod.yaml"
    yield Measurement("derive the prod blueprint", 1000 * _derive(prod), "ms", 20)
    with TemporaryDirectory() as directory:
        files = {pools: _with_pools(prod, pools, Path(directory)) for pools in (_MANY, 2 * _MANY)}
        yield Measurement(f"derive a {_MANY}-pool blueprint", _derive(files[_MANY]), "s", 0.5)
        # Linear growth doubles the time; a quadratic part would bring it near four times.
        yield Measurement("derive twice the pools", _least(files[2 * _MANY]) / _least(files[_MANY]), "times", 2.5)


def _derive(file: Path) -> float:
    return median_seconds(lambda: derive(check_stack_file(file)), _RUNS)


def _least(file: Path) -> float:
    """The processor's time for the quickest of several runs: the work itself, whatever else the machine and the garbage collector do."""
    return min(timeit.repeat(lambda: derive(check_stack_file(file)), timer=process_time, number=1, repeat=_RUNS))


def _with_pools(prod: Path, pools: int, directory: Path) -> Path:
    """Prod's pools over and over under new names, in one file."""
    content: dict[str, Any] = yaml.safe_load(prod.read_text())
    config = content["config"]
    originals = config[f"{PROJECT}:pools"]
    names = list(originals)
    copies = {f"{names[index % len(names)]}-{index}": names[index % len(names)] for index in range(pools)}
    config[f"{PROJECT}:pools"] = {name: _small(originals[original]) for name, original in copies.items()}
    # So many buffers cannot change hands one after the other before a morning, and so no queue may count on them.
    del config[f"{PROJECT}:schedule"]
    for queued in config[f"{PROJECT}:queues"]["classes"].values():
        queued["order"] = [flavor for flavor in queued.get("order", ["stable"]) if flavor != "buffer"]
    config[f"{PROJECT}:environment"]["maxGpus"] = 10_000
    config[f"{PROJECT}:network"]["operationsRanges"] = []
    config[f"{PROJECT}:network"]["ranges"] = {"nodes": "10.0.0.0/14", "pods": "10.128.0.0/9", "services": "10.8.0.0/20"}
    file = directory / f"Pulumi.many-{pools}.yaml"
    file.write_text(yaml.safe_dump(content))
    return file


def _small(pool: dict[str, Any]) -> dict[str, Any]:
    """The pool with one node a limit, so that hundreds of them stay under the ceiling of GPUs."""
    (kind,) = pool["limits"]
    return copy.deepcopy(pool) | {"limits": {kind: {"maximum": 1}}}
