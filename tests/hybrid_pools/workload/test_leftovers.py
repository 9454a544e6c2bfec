"""What looks like a pod is found in objects of any kind, and is never passed."""

import pytest

from hybrid_pools.workload.judging import judge
from hybrid_pools.workload.reading import UNKNOWN
from hybrid_pools.workload.rule import Verdict
from tests.workloads import Manifest, admission, honest_job, named

_UNKNOWN_KINDS: dict[str, Manifest] = {
    "spec.worker.tolerations": {"worker": {"tolerations": [{"operator": "Exists"}]}},
    "spec.groups[1].pod.containers": {"groups": [{}, {"pod": {"containers": [{"name": "one"}]}}]},
    "spec.nodeName": {"nodeName": "one"},
    "spec.step.podSpecPatch": {"step": {"podSpecPatch": "tolerations: []"}},
    "spec.worker.containers": {"worker": {"containers": UNKNOWN}},
}


@pytest.mark.parametrize("path", _UNKNOWN_KINDS)
def test_an_unknown_kind_with_something_like_a_pod_is_not_understood(path: str) -> None:
    [finding] = judge(named("example.com/v1", "Trainer", _UNKNOWN_KINDS[path]), admission())
    assert (finding.verdict, finding.rule, finding.path) == (Verdict.NOT_UNDERSTOOD, None, path)


def test_a_known_kind_is_searched_outside_its_known_places() -> None:
    job = honest_job()
    job["spec"]["sidecarTemplate"] = {"tolerations": [{"operator": "Exists"}]}
    not_understood = [finding.path for finding in judge(job, admission()) if finding.verdict is Verdict.NOT_UNDERSTOOD]
    assert not_understood == ["spec.sidecarTemplate.tolerations"]


@pytest.mark.parametrize(
    "manifest",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"pod.yaml": "tolerations: [{operator: Exists}]"}},
        {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "spec": {"tolerations": [{"operator": "Exists"}]}},
        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "endpoints": [{"nodeName": "one"}]},
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"properties": {"tolerations": {}}}},
    ],
    ids=lambda manifest: manifest["kind"],
)
def test_what_makes_no_pods_is_nothing_to_judge(manifest: Manifest) -> None:
    assert judge(manifest, admission()) == ()
