"""What a preview of production costs beside a preview of nothing, and what the policy pack adds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bench.measurement import Measurement, seconds
from hybrid_pools.blueprint.vocabulary import PROJECT
from lab.engine import Engine
from lab.paths import CHECKOUT, Lab
from lab.pulumi_cli import obtain_pulumi

_ROUNDS = 7
_POOLS = ("environment", "network", "cluster", "pools")
"""The sections of a cluster with its pools and nothing around it: 38 resources of prod's."""


def measure() -> Iterator[Measurement]:
    """Previews in turn, so that a slow moment of the machine hits all alike: nothing, prod's pools, all of prod, prod with the pack."""
    with TemporaryDirectory() as directory:
        root = Path(directory)
        prod = Engine(Lab(root / "prod"), CHECKOUT, obtain_pulumi())
        guarded = replace(prod, lab=Lab(root / "guarded"), policy_pack=CHECKOUT / "policies")
        pools = replace(prod, lab=Lab(root / "pools"), project=_project(root / "pools-of-prod", CHECKOUT / "infra", _pools_of_prod()))
        nothing = replace(prod, lab=Lab(root / "nothing"), project=_project(root / "empty", _empty_program(root / "program"), {}))
        # The first round fills the stand-in's cache and is not counted.
        rounds = [[_preview(engine) for engine in (nothing, pools, prod, guarded)] for _ in range(_ROUNDS + 1)][1:]
    yield Measurement(
        "preview prod's cluster and pools / preview nothing", median(some / empty for empty, some, _, _ in rounds), "times", 3.0
    )
    yield Measurement("preview all of prod / preview nothing", median(whole / empty for empty, _, whole, _ in rounds), "times", None)
    yield Measurement("preview prod with the pack / without", median(checked / bare for _, _, bare, checked in rounds), "times", 1.3)


def _preview(engine: Engine) -> float:
    engine.select_or_init("prod")

    def preview() -> None:
        result = engine.preview("prod")
        if not result.ok:
            raise RuntimeError(f"a preview failed:\n{result.output}")

    return seconds(preview)


def _pools_of_prod() -> dict[str, Any]:
    config = yaml.safe_load((CHECKOUT / "stacks" / "Pulumi.prod.yaml").read_text())["config"]
    return {key: config[key] for key in (f"{PROJECT}:{section}" for section in _POOLS)}


def _empty_program(folder: Path) -> Path:
    folder.mkdir()
    (folder / "__main__.py").write_text("")
    return folder


def _project(folder: Path, program: Path, config: Mapping[str, Any]) -> Path:
    """A project of this program with one stack, `prod`."""
    (folder / "stacks").mkdir(parents=True)
    (folder / "stacks" / "Pulumi.prod.yaml").write_text(yaml.safe_dump({"config": config}))
    (folder / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\nmain: {program}\nstackConfigDir: stacks\n")
    return folder
