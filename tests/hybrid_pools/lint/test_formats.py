"""However a manifest is written, the lint sees what the cluster sees: nothing that judging refuses passes because of its spelling."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hybrid_pools.lint.linting import lint
from hybrid_pools.lint.places import place_of
from hybrid_pools.lint.rules import WORKLOAD_LAWS
from hybrid_pools.lint.surroundings import surroundings
from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.rule import Verdict
from tests.cluster.admission.corpus import cases, patched
from tests.environments import blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of
from tests.hybrid_pools.lint.given import BUFFER_JOB, CLEAN, CONTRACT, JOB, JOB_SET, PROD, PYTORCH_JOB, ids, lint_text
from tests.workload_strategies import jobs, pods
from tests.workloads import Manifest


def block(manifest: Manifest) -> str:
    return yaml.safe_dump(manifest, sort_keys=False)


def _with_anchors(manifest: Manifest) -> str:
    """Everything below the root by reference to another document's place: an annotation nobody reads."""
    body = {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind")}
    kept = yaml.safe_dump(body, default_flow_style=True, width=10**6).strip()
    head = f"apiVersion: {json.dumps(manifest.get('apiVersion'))}\nkind: {json.dumps(manifest.get('kind'))}\n"
    return f"{head}aside: &body {kept}\n<<: *body\n"


FORMATS: dict[str, Callable[[Manifest], str]] = {
    "block": block,
    "flow": lambda manifest: yaml.safe_dump(manifest, default_flow_style=True, width=40),
    "quoted": lambda manifest: yaml.safe_dump(manifest, default_style='"', width=60) if _is_text(manifest) else block(manifest),
    "JSON": json.dumps,
    "indented JSON": lambda manifest: json.dumps(manifest, indent=4),
    "JSON with tabs": lambda manifest: json.dumps(manifest, indent="\t"),
    "a list": lambda manifest: block({"apiVersion": "v1", "kind": "List", "items": [JOB, manifest]}),
    "a list in JSON": lambda manifest: json.dumps({"apiVersion": "v1", "kind": "List", "items": [manifest]}),
    "the last of several documents": lambda manifest: f"{block(JOB)}---\n# Source: chart/templates/a.yaml\n---\n{block(manifest)}",
    "the first of several documents": lambda manifest: f"---\n{block(manifest)}...\n---\n{block(JOB)}",
    "after a broken one": lambda manifest: f"a: [\n---\n{block(manifest)}",
    "lines that end as on Windows": lambda manifest: block(manifest).replace("\n", "\r\n"),
    "anchors": _with_anchors,
}


def _is_text(value: Any) -> bool:
    """Whether quotes change nothing: PyYAML writes tags where they would."""
    if isinstance(value, dict):
        return all(map(_is_text, value.values()))
    return all(map(_is_text, value)) if isinstance(value, list) else isinstance(value, str)


def refused(manifest: Manifest) -> set[str]:
    found = judge(manifest, PROD.admission)
    return {finding.rule.id for finding in found if finding.verdict is Verdict.VIOLATED and finding.rule is not None}


class TestEveryFormat:
    @pytest.mark.parametrize("form", FORMATS)
    @settings(max_examples=20)
    @given(manifest=st.one_of(pods(), jobs()))
    def test_shows_all_that_judging_refuses_and_no_workload_rule_more(self, form: str, manifest: Manifest):
        found = ids(lint_text(FORMATS[form](manifest)))
        assert found & WORKLOAD_LAWS.keys() == refused(manifest)

    @pytest.mark.parametrize("form", FORMATS)
    def test_of_the_hostile_is_never_passed(self, form: str):
        # The others are the same objects with another reason to be refused.
        for case in cases()[list(FORMATS).index(form) :: len(FORMATS)]:
            if refused(case.manifest):
                assert refused(case.manifest) <= ids(lint_text(FORMATS[form](case.manifest))), case.name

    @pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("after a broken one", "anchors")])
    @pytest.mark.parametrize("name", CLEAN)
    def test_of_the_clean_has_no_finding(self, form: str, name: str):
        assert ids(lint_text(FORMATS[form](CLEAN[name]))) == set()

    @given(st.text(max_size=200) | st.binary(max_size=200))
    def test_of_anything_is_read_without_failing_and_never_passed(self, anything: str | bytes):
        content = anything if isinstance(anything, bytes) else anything.encode("utf-8", "surrogatepass")
        assert lint("job.yaml", content, PROD)

    @given(st.data())
    def test_cut_short_or_with_a_letter_changed_never_fails(self, data: st.DataObject):
        text = FORMATS[data.draw(st.sampled_from(sorted(FORMATS)))](JOB)
        at = data.draw(st.integers(0, len(text) - 1))
        lint_text(text[:at])
        lint_text(text[:at] + data.draw(st.characters(codec="utf-8")) + text[at + 1 :])


_FULL = patched(
    JOB_SET,
    {
        "spec": {
            "replicatedJobs": [
                {
                    "name": "workers",
                    "template": {
                        "spec": {
                            "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]},
                            "template": patched(
                                JOB["spec"]["template"],
                                {
                                    "spec": {
                                        "nodeSelector": {"hybrid-pools.io/role": "spot"},
                                        "affinity": {
                                            "nodeAffinity": {
                                                "requiredDuringSchedulingIgnoredDuringExecution": {
                                                    "nodeSelectorTerms": [
                                                        {"matchExpressions": [{"key": "hybrid-pools.io/role", "operator": "Exists"}]}
                                                    ]
                                                }
                                            }
                                        },
                                        "containers": [
                                            {
                                                "name": "trainer",
                                                "image": "a",
                                                "command": ["sh", "-c", "train || true"],
                                                "env": [{"name": "HYBRID_POOLS_CHECKPOINT_URI", "value": "gs://a"}],
                                                "lifecycle": {"preStop": {"exec": {"command": ["sleep", "9"]}}},
                                            }
                                        ],
                                    }
                                },
                            ),
                        }
                    },
                }
            ]
        }
    },
)
"""A manifest in which every rule of the lint has something to read."""

_PLAIN_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-5, 200), st.floats(allow_nan=False, allow_infinity=False), st.text("ab:/-$ ", max_size=4)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("ab.", min_size=1, max_size=3), inner, max_size=3)),
    max_leaves=5,
)


def _places(value: Any) -> list[Any]:
    """Every mapping and list inside of it that holds something."""
    inner = [*(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())]
    return ([value] if inner else []) + [place for each in inner for place in _places(each)]


class TestAnyManifest:
    @settings(max_examples=150)
    @given(st.data())
    def test_is_judged_without_failing_whatever_stands_in_it(self, data: st.DataObject):
        manifest = copy.deepcopy(data.draw(st.sampled_from([_FULL, PYTORCH_JOB, BUFFER_JOB, CLEAN["cron job"], CLEAN["Ray job"]])))
        place = data.draw(st.sampled_from(_places(manifest)))
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        place[key] = data.draw(_PLAIN_VALUES)
        lint_text(json.dumps(manifest))


class TestAnyContract:
    @pytest.mark.parametrize("environment", ["local", "dev", "staging"])
    def test_with_admission_judges_without_failing(self, environment: str):
        promised = contract_of(blueprint_of(environment))
        if promised.admission is not None:
            for manifest in CLEAN.values():
                lint("job.yaml", block(manifest).encode(), surroundings(promised))

    def test_of_the_same_environment_judges_alike_after_json(self):
        again = type(CONTRACT).model_validate_json(CONTRACT.model_dump_json(exclude_none=True))
        assert surroundings(again) == PROD


class TestPlaces:
    TEXT = """\
items:
- metadata:
    labels:
      kueue.x-k8s.io/queue-name: a
      kueue: b
    annotations: {hybrid-pools.io/checkpoint-uri: c}
- &second {spec: {tolerations: [{key: a}, {key: b}]}}
- *second
"""

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ("", (1, 1)),
            ("items", (1, 1)),
            ("items[0]", (2, 3)),
            ("items[0].metadata.labels.kueue.x-k8s.io/queue-name", (4, 7)),
            ("items[0].metadata.labels.kueue", (5, 7)),
            ("items[0].metadata.annotations.hybrid-pools.io/checkpoint-uri", (6, 19)),
            ("items[0].metadata.annotations.hybrid-pools.io/absent", (6, 5)),
            ("items[1].spec.tolerations[1].key", (7, 44)),
            ("items[2].spec", (7, 12)),
            ("items[9].spec", (1, 1)),
        ],
    )
    def test_are_those_of_the_key_or_of_the_nearest_thing_above_it(self, path: str, place: tuple[int, int]):
        root = yaml.compose(self.TEXT)
        assert root is not None
        assert place_of(root, path) == place
