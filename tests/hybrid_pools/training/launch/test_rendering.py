"""What manifests look like, and what they say of each other's ends."""

import re
from datetime import UTC, datetime

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    JOB_ID_LABEL,
    RANK_VARIABLE,
    RESUME_EXIT_CODE,
    ROLE_LABEL,
    TERMINATED_EXIT_CODE,
)
from hybrid_pools.documents.explanation import explained
from hybrid_pools.training.launch import Plan, manifest, plan, text
from hybrid_pools.training.launch.explanation import explanation
from lab.kubelet.environment import expand
from tests.hybrid_pools.training.launch.test_refusals import DEFERRED, INTERACTIVE, LOCAL, MEET, PROD, job

MONDAY_NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
ALONE = {"workers": {"count": 1}}
RUNS = {
    "one worker": (job(**ALONE), LOCAL),
    "a gang": (job(variables={"SEED": "7"}), PROD),
    "a gang over zones": (job(workers={"spreadOverZones": True}), PROD),
    "a gang with a coordinator": (job(**MEET), LOCAL),
    "what may wait": (job(**DEFERRED, workers={"gpus": 1, "cpu": 6, "memoryGib": 20}), LOCAL),
    "a sitting": (job(**INTERACTIVE, checkpoint=None, boundHours=2), LOCAL),
}


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> tuple[Plan, Contract]:
    described, contract = RUNS[request.param]
    return plan(described, contract), contract


def test_a_manifest_reads_as_people_will_read_it(run: tuple[Plan, Contract], snapshot: SnapshotAssertion):
    assert text(manifest(run[0])) == snapshot


def test_an_explanation_reads_as_people_will_read_it(run: tuple[Plan, Contract], snapshot: SnapshotAssertion):
    assert explained(explanation(*run, MONDAY_NOON)) == snapshot


class TestASingleWorker:
    made = manifest(plan(job(**ALONE), LOCAL))

    def test_keeps_disruptions_resumes_and_hopeless_ends_apart(self):
        rules = self.made["spec"]["podFailurePolicy"]["rules"]
        assert [(rule["action"], rule.get("onExitCodes", {}).get("values")) for rule in rules] == [
            ("Ignore", None),
            ("Ignore", [RESUME_EXIT_CODE, TERMINATED_EXIT_CODE]),
            ("FailJob", [126, 127]),
        ]
        assert self.made["spec"]["backoffLimit"] > 0


class TestAGang:
    made = manifest(plan(job(**MEET), LOCAL))

    def test_starts_again_as_a_whole_and_counts_only_failures_of_its_own(self):
        spec = self.made["spec"]
        assert {part["template"]["spec"]["backoffLimit"] for part in spec["replicatedJobs"]} == {0}
        hopeless, disrupted = spec["failurePolicy"]["rules"]
        assert (hopeless["action"], disrupted["action"]) == ("FailJobSet", "RestartJobSetAndIgnoreMaxRestarts")
        # What the job controller says (pkg/controller/job of Kubernetes): both ends have the same reason.
        message = "Container trainer for pod team-vision/resnet-7-workers-0-1 failed with exit code {} matching FailJob rule at index 2"
        (pattern,) = hopeless["onJobFailureMessagePatterns"]
        assert [code for code in (1, 42, 126, 127, 1270, 143) if re.search(pattern, message.format(code))] == [126, 127]

    def test_has_its_coordinator_on_stable_nodes_and_says_so_to_the_rules(self):
        coordinator, workers = (part["template"]["spec"]["template"] for part in self.made["spec"]["replicatedJobs"])
        assert coordinator["spec"]["nodeSelector"] == {ROLE_LABEL: "stable"}
        assert ROLE_LABEL not in workers["spec"].get("nodeSelector", {})

    def test_tells_each_worker_its_number_and_the_id_of_the_start(self):
        (container,) = self.made["spec"]["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]["containers"]
        variables = {one["name"]: one for one in container["env"]}
        assert variables[CHECKPOINT_ATTEMPT_VARIABLE]["valueFrom"]["fieldRef"]["fieldPath"] == f"metadata.labels['{JOB_ID_LABEL}']"
        assert "valueFrom" in variables[RANK_VARIABLE]


class TestText:
    @pytest.mark.parametrize("word", ["y", "no", "1e3", "0o7", "2026-01-01", "a: b", "#", "", " ", "- x", "x\ny", "=", "<<", "1:30", "~"])
    def test_has_quotes_around_what_a_reader_may_take_for_something_else(self, word: str):
        made = manifest(plan(job(**ALONE, variables={"WORD": word}), LOCAL))
        assert yaml.safe_load(text(made)) == made
        assert re.search(r"name: WORD\n +value: ['\"]", text(made))

    def test_lets_kubernetes_fill_in_commands_and_keeps_variables_as_they_are(self):
        values = {"A": "$(PWD)", "B": "$$", "C": "$HOME costs 5$", "D": "$$(X)$"}
        made = manifest(plan(job(**ALONE, command=["run", "--rank=$(RANK)"], variables=values), LOCAL))
        (container,) = made["spec"]["template"]["spec"]["containers"]
        assert container["command"] == ["run", "--rank=$(RANK)"]
        given = {one["name"]: expand(one["value"], {}) for one in container["env"] if one["name"] in values}
        assert given == values
