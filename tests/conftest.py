"""What tests of every room share: the real engine, each time in a lab of its own."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from lab.engine import Engine
from lab.paths import CHECKOUT, Lab
from lab.pulumi_cli import PulumiCli, obtain_pulumi

# The same cases in every run, so that a red test is red for its change; `make check` looks at a few of them, `make sweep` looks further.
# The explain phase is left out: on large examples it takes minutes and says less than the example.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
settings.register_profile("steady", derandomize=True, max_examples=40, deadline=None, phases=_PHASES)
settings.register_profile("quick", derandomize=True, max_examples=10, deadline=None, phases=_PHASES)
settings.register_profile("sweep", max_examples=2000, deadline=None, phases=_PHASES)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

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
