"""Each need gets one clear verdict, and a wrong file says what it should have been."""

import json
from typing import Any

import pytest

from hybrid_pools.blueprint.model import QuotaNeed
from hybrid_pools.blueprint.quota_check import BadExport, Outcome, Quota, check_quotas, read_export

REGION = "us-central1"
L4 = QuotaNeed("NVIDIA_L4_GPUS", "nvidia-l4 GPUs", "GPUs", REGION, 32, ("buffer-l4",))
CPUS = QuotaNeed("CPUS", "vCPUs that count against CPUS", "vCPUs", REGION, 100, ("services",))
SPOT = QuotaNeed("PREEMPTIBLE_CPUS", "preemptible vCPUs", "vCPUs", REGION, 80, ("train", "more"), (("CPUS", 50), (None, 30)))
H100 = QuotaNeed(None, "preemptible nvidia-h100-80gb GPUs", "GPUs", REGION, 8, ("train",))


def verdicts(*needs: QuotaNeed, **quotas: tuple[float, float]) -> list[tuple[str | None, Outcome, int, int]]:
    exports = {REGION: {name: Quota(*numbers) for name, numbers in quotas.items()}}
    return [(one.need.name, one.outcome, one.need.amount, one.short_by) for one in check_quotas(needs, exports)]


@pytest.mark.parametrize(
    ("limit", "usage", "outcome", "short_by"),
    [
        (32, 0, Outcome.ENOUGH, 0),
        (64, 32, Outcome.ENOUGH, 0),
        (32, 1, Outcome.IN_USE, 0),
        (31, 0, Outcome.SHORT, 1),
        (0, 0, Outcome.SHORT, 32),
        (31.5, 0, Outcome.SHORT, 1),
    ],
)
def test_a_limit_is_enough_enough_without_others_or_too_small(limit: float, usage: float, outcome: Outcome, short_by: int) -> None:
    assert verdicts(L4, NVIDIA_L4_GPUS=(limit, usage)) == [("NVIDIA_L4_GPUS", outcome, 32, short_by)]


def test_what_the_export_does_not_have_is_said_and_never_passes() -> None:
    assert verdicts(L4, H100) == [("NVIDIA_L4_GPUS", Outcome.MISSING, 32, 0), (None, Outcome.LOOK_UP, 8, 0)]


def test_a_location_without_an_export_names_the_export_to_add() -> None:
    everywhere = QuotaNeed("GPUS_ALL_REGIONS", "GPUs of the project", "GPUs", "global", 32, ("buffer-l4",))
    (verdict,) = check_quotas([everywhere], {REGION: {}})
    assert (verdict.outcome, verdict.note) == (Outcome.MISSING, "add the export of the project")


class TestSpotCpus:
    def test_count_against_their_own_quota_where_there_is_one(self) -> None:
        assert verdicts(CPUS, SPOT, CPUS=(100, 0), PREEMPTIBLE_CPUS=(80, 0)) == [
            ("CPUS", Outcome.ENOUGH, 100, 0),
            ("PREEMPTIBLE_CPUS", Outcome.ENOUGH, 80, 0),
        ]

    def test_count_against_the_regular_quotas_of_their_families_where_their_own_is_zero(self) -> None:
        assert verdicts(CPUS, SPOT, CPUS=(140, 0), PREEMPTIBLE_CPUS=(0, 0)) == [
            ("CPUS", Outcome.SHORT, 150, 10),
            (None, Outcome.LOOK_UP, 30, 0),
        ]


def export(**changes: Any) -> str:
    return json.dumps({"kind": "compute#region", "name": REGION, "quotas": [{"metric": "CPUS", "limit": 8.0, "usage": 1}]} | changes)


class TestReading:
    def test_takes_a_region_and_a_project(self) -> None:
        assert read_export(export(), "f") == (REGION, {"CPUS": Quota(8.0, 1.0)})
        assert read_export(export(kind="compute#project", name="acme"), "f")[0] == "global"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "no JSON",
            "[]",
            "7",
            export(kind="compute#zone"),
            export(quotas=None),
            export(quotas=["x"]),
            export(quotas=[{"metric": "CPUS"}]),
            export(quotas=[{"metric": "CPUS", "limit": "8", "usage": 0}]),
            export(quotas=[{"metric": "CPUS", "limit": True, "usage": 0}]),
            export(quotas=[{"metric": 7, "limit": 8, "usage": 0}]),
        ],
    )
    def test_refuses_anything_else_and_says_how_to_write_it(self, text: str) -> None:
        with pytest.raises(BadExport, match=r"usage\.json(.|\n)*gcloud compute"):
            read_export(text, "usage.json")
