"""The parameters are what a ConfigMap can hold, and say what the model says."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.model.queues import TeamAdmission
from hybrid_pools.workload.parameters import lies_below, parameters
from tests.workloads import admission


def test_every_key_is_one_that_a_config_map_takes() -> None:
    assert [key for key in parameters(admission()) if not re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key)] == []


def test_are_the_same_each_time(snapshot) -> None:
    assert parameters(admission()) == snapshot


_NAMED = TeamAdmission("audio", "team-audio", "training", "gs://acme.ckpt-1/runs/audio/", spot=True)
_ANYWHERE = TeamAdmission("audio", "team-audio", "training", "gs://*/runs/audio/", spot=True)


class TestACheckpointAddress:
    @pytest.mark.parametrize("address", ["gs://acme.ckpt-1/runs/audio/tone-7", "gs://acme.ckpt-1/runs/audio/2027/tone_7.b/"])
    @pytest.mark.parametrize("team", [_NAMED, _ANYWHERE], ids=["bucket", "any bucket"])
    def test_lies_below_the_prefix_in_a_folder_of_its_own(self, team: TeamAdmission, address: str):
        assert lies_below(address, team)

    @pytest.mark.parametrize(
        "address",
        ["gs://acmeXckpt-1/runs/audio/x", "gs://acme.ckpt-1/runs/audio", "gs://acme.ckpt-1/runs/audio/", "gs://other/runs/audio/x"],
    )
    def test_is_compared_with_the_prefix_to_the_letter(self, address: str):
        assert not lies_below(address, _NAMED)

    @given(st.sampled_from([_NAMED, _ANYWHERE]), st.text(max_size=12), st.text("./%ab", max_size=12))
    def test_never_leads_out_of_the_prefix(self, team: TeamAdmission, middle: str, end: str):
        address = f"gs://acme.ckpt-1/runs/audio/{middle}/{end}"
        if lies_below(address, team):
            assert not {".", "..", ""} & set(address.removeprefix("gs://").removesuffix("/").split("/"))
            assert "%" not in address
