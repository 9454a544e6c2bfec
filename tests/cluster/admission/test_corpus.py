"""Nothing of the hostile corpus is admitted by the real API server, and every refusal names the rule that it breaks."""

import pytest

from hybrid_pools.workload.kinds import kinds
from tests.cluster.admission.api import Api, at_once
from tests.cluster.admission.corpus import Case, cases, read

pytestmark = pytest.mark.cluster


def test_the_corpus_covers_every_kind_that_makes_pods() -> None:
    shapes = {(shape["apiVersion"].rpartition("/")[0], shape["kind"]) for shape in read("kinds.yaml")}
    assert shapes | {("", "Pod")} == set(kinds())


def test_the_corpus_is_large_and_names_each_case_once() -> None:
    names = [case.name for case in cases()]
    assert len(names) >= 300
    assert len(set(names)) == len(names)


class TestTheCorpus:
    def test_is_refused_to_the_last_object_by_the_expected_rule(self, api: Api):
        def wrong(case: Case) -> str | None:
            answer = api.create(case.manifest, case.user)
            if case.rule in answer.refusal:
                return None
            return f"{case.name}: wants {case.rule}, got {answer.status} {answer.body.get('message', 'admitted')}"

        assert [problem for problem in at_once(wrong, cases()) if problem] == []
