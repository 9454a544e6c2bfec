"""The Python rules and their CEL say the same, the API server itself evaluating the CEL: on ten thousand pods, and on jobs and job sets."""

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_pools.blueprint.vocabulary import JOB_CONTROLLER, KUEUE_CONTROLLER
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.rule import Verdict
from tests.cluster.admission.api import Answer, Api, at_once
from tests.workload_strategies import job_sets, jobs, pods
from tests.workloads import NO_TEAM, PERSON, TEAM, TEAM_WITHOUT_SPOT, Manifest, admission

pytestmark = pytest.mark.cluster

_PODS = 10_000
_JOBS = 1_000
_FEWER = 5
"""The oldest version is asked by so many times less: the expressions are the same, and that they can be read there is seen at once."""

_AT_ONCE = 5
_PLACES = [(TEAM, JOB_CONTROLLER), (TEAM, PERSON), (TEAM_WITHOUT_SPOT, JOB_CONTROLLER), (NO_TEAM, KUEUE_CONTROLLER)]
"""Where every pod is made, and by whom: to make up a pod costs more than to ask."""

_ADMISSION = admission()


def _by_python(manifest: Manifest, creator: str) -> set[str]:
    findings = judge(manifest, _ADMISSION, creator=creator)
    unclear = [finding.message for finding in findings if finding.verdict in (Verdict.UNKNOWN, Verdict.NOT_UNDERSTOOD)]
    assert unclear == []
    return {finding.rule.id for finding in findings if finding.rule is not None and finding.verdict is Verdict.VIOLATED}


def _by_the_server(answer: Answer) -> set[str]:
    assert answer.admitted or answer.refusal, f"refused by something else than the policies: {answer.body.get('message')}"
    return set(re.findall(r"WORK-\d{3}", answer.refusal))


def _compare(api: Api, asked: Sequence[tuple[Manifest, str]]) -> list[bool]:
    answers = at_once(lambda one: api.create(*one), asked)
    for (manifest, creator), answer in zip(asked, answers, strict=True):
        assert _by_the_server(answer) == _by_python(manifest, creator), (creator, manifest)
    return [answer.admitted for answer in answers]


def _agreement(api: Api, manifests: st.SearchStrategy[Manifest], places: Sequence[tuple[str, str]], number: int) -> list[bool]:
    admitted: list[bool] = []
    examples = max(number // len(places) // _AT_ONCE, 1)

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(manifests, min_size=_AT_ONCE, max_size=_AT_ONCE))
    def agree(made: list[Manifest]) -> None:
        admitted.extend(_compare(api, [(_moved(manifest, place), by) for manifest in made for place, by in places]))

    run: Callable[[], None] = agree
    run()
    return admitted


def _moved(manifest: Manifest, namespace: str) -> Manifest:
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}


@pytest.fixture
def share(request: pytest.FixtureRequest) -> int:
    return 1 if "newest" in request.node.callspec.id else _FEWER


class TestPythonAndTheApiServer:
    def test_agree_on_every_pod(self, api: Api, share: int):
        admitted = _agreement(api, pods(), _PLACES, _PODS // share)
        assert len(admitted) >= _PODS // share
        assert 0.05 < sum(admitted) / len(admitted) < 0.95, "the pods are too much alike for their agreement to prove anything"

    @pytest.mark.parametrize("manifests", [jobs(), job_sets()], ids=["jobs", "job sets"])
    def test_agree_on_every_job(self, api: Api, share: int, manifests: st.SearchStrategy[Manifest]):
        admitted = _agreement(api, manifests, [(TEAM, PERSON)], _JOBS // share)
        assert 0 < sum(admitted) < len(admitted)
