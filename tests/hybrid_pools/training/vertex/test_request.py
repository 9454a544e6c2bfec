"""Requests for Vertex AI follow the API's own schema, say what the description says, and are refused where Vertex AI could not do it."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import CapacityKind, catalogue
from hybrid_pools.blueprint.catalogue.vertex import vertex_facts
from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.pools import AcceleratorContract
from hybrid_pools.training.vertex import Machine, VertexError, vertex_request
from hybrid_pools.training.vertex.machines import machine_for
from tests.hybrid_pools.training.vertex.discovery import document, faults
from tests.hybrid_pools.training.vertex.jobs import ACCOUNT, DESCRIBED, EXECUTOR, IMAGE, contract_of, job

LOCAL = contract_of("local")
PROD = contract_of("prod")
PACKAGE = {"module": "trainer", "uris": ["gs://acme-packages/trainer.tar.gz"]}
ONE = {"count": 1, "gpus": 1, "cpu": 4, "memoryGib": 16}

workers = st.fixed_dictionaries(
    {
        "count": st.integers(1, 40),
        "gpus": st.integers(0, 9),
        "cpu": st.floats(0.5, 200),
        "memoryGib": st.floats(1, 2000),
    },
    optional={"accelerator": st.sampled_from(["nvidia-l4", "nvidia-tesla-a100", "nvidia-h100-80gb", "nvidia-none"])},
)
descriptions = st.builds(
    lambda wanted, package, variables, hours: job(
        workers={key: value for key, value in wanted.items() if key != "accelerator" or wanted["gpus"]},
        package=PACKAGE if package else None,
        image=EXECUTOR if package else IMAGE,
        variables=variables,
        boundHours=hours,
    ),
    workers,
    st.booleans(),
    st.dictionaries(st.from_regex(r"\A[A-Z]{3,8}\Z"), st.text(max_size=20), max_size=5),
    st.floats(0.1, 8000),
)


class TestEveryRequest:
    @given(descriptions, st.sampled_from([LOCAL, PROD]), st.integers(1, 100))
    def test_is_one_that_the_api_describes_and_asks_for_spot_and_all_workers(self, described, told, attempt):
        try:
            request = vertex_request(described, told, ACCOUNT)
        except VertexError as error:
            assert error.problems
            assert all(problem.fix and problem.allowed and problem.message for problem in error.problems)
            return
        body = request.body(attempt)
        assert list(faults(body, "CustomJob")) == []
        specification = body["jobSpec"]
        assert specification["scheduling"]["strategy"] == "SPOT"
        assert specification["scheduling"]["restartJobOnWorkerRestart"] is (described.workers.count > 1)
        pools = specification["workerPoolSpecs"]
        # The first pool is the primary replica, and Vertex AI takes no more than one there.
        assert pools[0]["replicaCount"] == "1"
        assert sum(int(pool["replicaCount"]) for pool in pools) == described.workers.count
        assert all(("containerSpec" in pool) is (described.package is None) for pool in pools)
        assert len(body["displayName"]) <= 128

    @given(descriptions, st.sampled_from([LOCAL, PROD]))
    def test_gives_each_worker_a_machine_that_holds_it_with_no_gpu_to_spare(self, described, told):
        found = machine_for(described.workers, described.workload_class, told)
        if isinstance(found, Machine):
            machine = catalogue().machine_type(found.machine_type)
            assert machine.vcpus >= described.workers.cpu
            assert machine.memory_gib >= described.workers.memory_gib
            assert (machine.accelerator.count if machine.accelerator else 0) == described.workers.gpus == found.gpus
            assert machine.offers(CapacityKind.SPOT) is not False

    @given(descriptions, descriptions)
    def test_has_a_digest_of_its_own(self, one, other):
        try:
            first, second = (vertex_request(each, LOCAL, ACCOUNT) for each in (one, other))
        except VertexError:
            return
        same = (first.specification, first.bound_seconds) == (second.specification, second.bound_seconds)
        assert (first.digest == second.digest) is same


def test_a_container_in_two_worker_pools(snapshot):
    assert json.dumps(vertex_request(job(), LOCAL, ACCOUNT).body(), indent=2) == snapshot


def test_a_package_in_one_worker_pool(snapshot):
    described = job(package=PACKAGE, image=EXECUTOR, workers=ONE)
    assert json.dumps(vertex_request(described, PROD, ACCOUNT).body(2, 3600), indent=2) == snapshot


def test_checkpoints_lie_where_the_run_has_them_on_gke_so_that_it_can_change_sides():
    (environment,) = [
        pool["containerSpec"]["env"] for pool in vertex_request(job(workers=ONE), LOCAL, ACCOUNT).specification["workerPoolSpecs"]
    ]
    assert environment[0] == {"name": "HYBRID_POOLS_CHECKPOINT_URI", "value": "gs://acme-checkpoints/runs/vision/resnet-7"}


def test_every_accelerator_of_the_catalogue_of_facts_is_one_of_the_api():
    known = document()["schemas"]["GoogleCloudAiplatformV1MachineSpec"]["properties"]["acceleratorType"]["enum"]
    assert set(vertex_facts().accelerators.values()) <= set(known)
    assert set(vertex_facts().accelerators) <= set(catalogue().accelerators)


def prod_with(**changes: Any) -> Contract:
    """Prod, with its pool train-l4 changed."""
    pools = tuple(pool.model_copy(update=changes) if pool.name == "train-l4" else pool for pool in PROD.pools)
    return PROD.model_copy(update={"pools": pools})


L4 = next(pool for pool in PROD.pools if pool.name == "train-l4")
GPUS = cast("AcceleratorContract", L4.accelerator)
ASKED = ONE | {"accelerator": "nvidia-l4"}
BAD = {
    "another environment": (job(environment="dev"), PROD, "environment", "is not the environment of the contract, which is prod"),
    "no such team": (job(team="nobody"), PROD, "team", "is no team of prod"),
    "interactive work": (job(**{"class": "interactive"}), PROD, "class", "is nothing for Spot VMs"),
    "a coordinator": (job(coordinator={"command": ["meet"]}), PROD, "coordinator", "be counted as worker 0"),
    "workers spread over zones": (
        job(workers=ONE | {"count": 2, "spreadOverZones": True}),
        PROD,
        "workers.spreadOverZones",
        "which chooses the zone of a job's machines itself",
    ),
    "a package in an image of one's own": (job(package=PACKAGE), PROD, "image", "only Google's training images"),
    "too many variables": (job(variables={f"V{n}": "" for n in range(99)}), PROD, "variables", "are more than a container gets"),
    "a variable that is set": (job(variables={"MASTER_ADDR": "x"}), PROD, "variables", "are set by Vertex AI itself"),
    "GPUs that no machine has": (job(workers=ONE | {"gpus": 3}), PROD, "workers", "is of a series without a machine of 3 GPUs"),
    "more cores than any machine has": (job(workers=ONE | {"cpu": 900}), PROD, "workers", "900 CPU cores"),
    "no GPUs": (job(workers=ONE | {"gpus": 0}), PROD, "workers", "no GPUs are asked for"),
    "a GPU that no pool has": (job(workers=ONE | {"accelerator": "nvidia-b200"}), PROD, "workers", "nvidia-b200 is asked for"),
    "a flavor that is not Spot": (job(workers=ONE | {"flavor": "buffer-l4"}), PROD, "workers", "is not of flavor buffer-l4"),
    "a flex-start pool": (
        job(workers=ONE | {"gpus": 8, "accelerator": "nvidia-h100-80gb"}),
        contract_of("staging"),
        "workers",
        "is bought as flex-start",
    ),
    "shared GPUs": (
        job(workers=ASKED),
        prod_with(accelerator=GPUS.model_copy(update={"partition": "1g.5gb"})),
        "workers",
        "divides its GPUs",
    ),
    "a GPU that Vertex AI does not have": (
        job(workers=ONE | {"accelerator": "nvidia-gb300"}),
        prod_with(accelerator=GPUS.model_copy(update={"type": "nvidia-gb300"})),
        "workers",
        "which Vertex AI does not have",
    ),
    "no bucket": (
        job(),
        PROD.model_copy(update={"teams": tuple(team.model_copy(update={"prefixes": {}}) for team in PROD.teams)}),
        "checkpoint",
        "has no bucket for checkpoints",
    ),
    "a save longer than the run": (job(boundHours=0.005), PROD, "checkpoint", "leave no interval in a run of at most 18 seconds"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_vertex_ai_cannot_do_is_refused_with_the_reason(name):
    described, told, path, message = BAD[name]
    with pytest.raises(VertexError) as refused:
        vertex_request(described, told, ACCOUNT)
    (problem,) = [problem for problem in refused.value.problems if message in problem.message]
    assert problem.path == path
    assert problem.allowed
    assert problem.fix


@pytest.mark.parametrize("account", ["", "trainer", "someone@example.com", "serviceAccount:a@b.iam.gserviceaccount.com"])
def test_an_account_that_is_none_of_googles_is_refused(account):
    with pytest.raises(VertexError, match="is no Google service account"):
        vertex_request(job(), PROD, account)


def test_a_machine_that_vertex_ai_is_not_known_to_take_is_asked_for_all_the_same():
    told = prod_with(accelerator=None, machine_type="c4-standard-8", vcpus=8, memory_gib=30.0)
    request = vertex_request(job(workers=ONE | {"gpus": 0, "cpu": 4}), told, ACCOUNT)
    assert request.machine.machine_type == "c4-standard-8"
    assert not request.machine.is_known
    assert vertex_request(job(workers=ONE), PROD, ACCOUNT).machine.is_known


def test_all_problems_are_told_at_once():
    described = job(
        team="nobody", coordinator={"command": ["meet"]}, workers=ONE | {"gpus": 3}, variables={"RANKED": "1", "TF_CONFIG": "{}"}
    )
    with pytest.raises(VertexError) as refused:
        vertex_request(described, PROD, "me")
    assert {problem.path for problem in refused.value.problems} == {"team", "coordinator", "workers", "variables", "(service account)"}


def test_the_arguments_of_a_package_are_those_of_the_command():
    specification = vertex_request(job(package=PACKAGE, image=EXECUTOR), LOCAL, ACCOUNT).specification
    assert specification["workerPoolSpecs"][0]["pythonPackageSpec"]["args"] == DESCRIBED["command"][3:]
