"""What tests of every room share: the real engine, each time in a lab of its own."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lab.engine import Engine
from lab.paths import CHECKOUT, Lab
from lab.pulumi_cli import PulumiCli, obtain_pulumi

MakeEngine = Callable[..., Engine]


@pytest.fixture(scope="session")
def engine_binary() -> PulumiCli:
    """The Pulumi command line of this machine; built on first use."""
    return obtain_pulumi()


@pytest.fixture
def lab_engine(tmp_path: Path, engine_binary: PulumiCli) -> MakeEngine:
    """Makes engines that share one empty lab: for this project, or for another given by its folder."""

    def make(project: Path = CHECKOUT, *, policy_pack: Path | None = None, variables: Mapping[str, str] | None = None) -> Engine:
        return Engine(Lab(tmp_path / "lab"), project, engine_binary, policy_pack, variables)

    return make
