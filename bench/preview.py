"""What a preview of production costs beside a preview of nothing, and what the policy pack adds."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.measurement import Measurement, seconds
from lab.engine import Engine
from lab.paths import CHECKOUT, Lab
from lab.pulumi_cli import obtain_pulumi

_ROUNDS = 5
_SECONDS_A_RESOURCE = 0.015


def measure() -> Iterator[Measurement]:
    """Previews in turn, nothing, prod, prod with the pack, so that a slow moment of the machine hits all three."""
    with TemporaryDirectory() as directory:
        root = Path(directory)
        prod = Engine(Lab(root / "prod"), CHECKOUT, obtain_pulumi())
        guarded = replace(prod, lab=Lab(root / "guarded"), policy_pack=CHECKOUT / "policies")
        empty = replace(prod, lab=Lab(root / "empty"), project=_empty_project(root / "project"))
        rounds = [
            [_preview(engine, stack) for engine, stack in ((empty, "empty"), (prod, "prod"), (guarded, "prod"))] for _ in range(_ROUNDS + 1)
        ]
        resources = _resources(prod)
    counted = rounds[1:]
    allowance = _SECONDS_A_RESOURCE * resources
    yield Measurement(
        f"preview prod, less 15 ms for each of {resources} resources / preview nothing",
        median((whole - allowance) / nothing for nothing, whole, _ in counted),
        "times",
        3.0,
    )
    yield Measurement("preview prod / preview nothing", median(whole / nothing for nothing, whole, _ in counted), "times", None)
    yield Measurement("preview prod with the pack / without", median(guarded / bare for _, bare, guarded in counted), "times", 1.3)


def _preview(engine: Engine, stack: str) -> float:
    engine.select_or_init(stack)

    def preview() -> None:
        result = engine.preview(stack)
        if not result.ok:
            raise RuntimeError(f"the preview of {stack} failed:\n{result.output}")

    return seconds(preview)


def _resources(engine: Engine) -> int:
    """How many resources the preview of prod counts."""
    found = re.search(r"\+ (\d+) to create", engine.preview("prod").output)
    if found is None:
        raise RuntimeError("the preview of prod says no number of resources")
    return int(found[1])


def _empty_project(folder: Path) -> Path:
    (folder / "program").mkdir(parents=True)
    (folder / "stacks").mkdir()
    (folder / "program" / "__main__.py").write_text("")
    (folder / "stacks" / "Pulumi.empty.yaml").write_text("config: {}\n")
    (folder / "Pulumi.yaml").write_text("name: empty\nruntime: python\nmain: program\nstackConfigDir: stacks\n")
    return folder
