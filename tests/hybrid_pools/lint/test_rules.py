"""Every rule of the lint's own: what complies, what violates, and what is absent, null or of the wrong type."""

import re
from typing import Any

import pytest

from hybrid_pools.blueprint.vocabulary import RESUME_EXIT_CODE
from hybrid_pools.lint.rules import WORKLOAD_LAWS, all_laws, all_rules
from hybrid_pools.lint.understanding import UNDERSTOOD
from hybrid_pools.workload.rules import all_rules as all_workload_rules
from tests.hybrid_pools.lint.given import (
    ADDRESS,
    ANNOTATIONS,
    BUFFER_JOB,
    CLEAN,
    INTERVAL,
    JOB,
    JOB_SET,
    PYTORCH_JOB,
    SAVE,
    URI,
    changed,
    ids,
    lint_manifest,
)
from tests.workloads import Manifest

POD = "spec.template.spec"
CONTAINERS = f"{POD}!containers"


def container(**fields: Any) -> list[Any]:
    return [{**JOB["spec"]["template"]["spec"]["containers"][0], **fields}]


def policy(*rules: Manifest) -> Manifest:
    ignores = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    return changed(JOB, "spec!podFailurePolicy", {"rules": [ignores, *rules]})


def on_codes(action: str, operator: str, *codes: Any) -> Manifest:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(codes)}}


def script(text: Any) -> Manifest:
    return changed(JOB, CONTAINERS, container(command=["bash", "-c", text]))


def environment(*variables: Any) -> Manifest:
    return changed(JOB, CONTAINERS, container(env=list(variables)))


def with_hook(hook: Any) -> Manifest:
    return changed(BUFFER_JOB, CONTAINERS, container(lifecycle={"preStop": hook}))


def of_cron_job(failure_policy: Manifest) -> Manifest:
    return changed(CLEAN["cron job"], "spec.jobTemplate.spec!podFailurePolicy", failure_policy["spec"]["podFailurePolicy"])


def of_kueue(**fields: str) -> Manifest:
    return {**CLEAN["local queue"], **fields}


def every(interval: Any) -> Manifest:
    return changed(JOB, f"{ANNOTATIONS}!{INTERVAL}", interval)


def field(annotation: str) -> Manifest:
    return {"valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{annotation}']"}}}


def of_queue(name: Any) -> Manifest:
    return changed(JOB, "metadata.labels!kueue.x-k8s.io/queue-name", name)


def selecting(selector: Any) -> Manifest:
    return changed(JOB, f"{POD}!nodeSelector", selector)


def required(*expressions: Any) -> Manifest:
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return changed(JOB, f"{POD}!affinity", {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})


def at_role(operator: Any, *values: Any) -> Manifest:
    return {"key": "hybrid-pools.io/role", "operator": operator, **({"values": list(values)} if values else {})}


URI_VARIABLE = {"name": "HYBRID_POOLS_CHECKPOINT_URI"}
COMPLIES: dict[str, list[Manifest]] = {
    "LINT-101": [
        BUFFER_JOB,
        changed(changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", "595"), f"{POD}!terminationGracePeriodSeconds", 600),
        with_hook({"exec": {"command": ["rm", "-f", "/ready"]}}),
    ],
    "LINT-102": [BUFFER_JOB, changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", "25"), with_hook({"sleep": {"seconds": 15}})],
    "LINT-103": [BUFFER_JOB, changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", 1200)],
    "LINT-201": [
        JOB,
        policy(on_codes("FailJob", "In", 1, 2)),
        policy(on_codes("FailJob", "NotIn", 0, RESUME_EXIT_CODE)),
        policy(on_codes("Ignore", "In", RESUME_EXIT_CODE), on_codes("FailJob", "NotIn", 0)),
        policy(on_codes("Count", "In", RESUME_EXIT_CODE)),
        JOB_SET,
        changed(
            JOB_SET,
            "spec!replicatedJobs",
            [
                {
                    "name": "workers",
                    "template": {"spec": {"podFailurePolicy": {"rules": [on_codes("FailJob", "In", RESUME_EXIT_CODE)]}, "template": {}}},
                }
            ],
        ),
    ],
    "LINT-202": [JOB, changed(PYTORCH_JOB, "spec.pytorchReplicaSpecs.Worker!restartPolicy", "Never")],
    "LINT-203": [
        JOB,
        script("exec python train.py"),
        script("cd /work && exec python train.py"),
        script("set -euo pipefail\nexec python train.py | tee log"),
        script("set -e\npython train.py\necho done"),
        script("python fetch.py || exit 1\nexec python train.py"),
        script("# || true\nexec python train.py"),
        script("if [ -f done ]; then exit 0; fi; exec python train.py"),
        script("if [ -f done ]; then\n  exit 0\nfi\npython train.py"),
        script("rm -f lock || true\npython train.py"),
        script("python fetch.py || true\nexec python train.py"),
        script("yes | python train.py"),
        script("python train.py || { echo failed; exit 1; }"),
        script("if ! mkdir /scratch/a; then ls /scratch; fi\npython train.py"),
        script("python train.py \\\n  --note 'a; exit 0'"),
        script("trap 'kill $P; wait $P; exit 42' TERM\npython train.py & P=$!\nwait $P"),
        changed(JOB, CONTAINERS, container(command=["python", "train.py", "|| true"])),
    ],
    "LINT-204": [
        JOB,
        script("python train.py"),
        script("cd /work; exec python train.py"),
        script("python a & P=$!; trap 'kill $P' TERM; wait $P"),
    ],
    "LINT-301": [JOB, BUFFER_JOB, changed(JOB, "spec.template.metadata!labels", None)],
    "LINT-302": [
        JOB,
        environment({**URI_VARIABLE, "value": URI}),
        environment({**URI_VARIABLE, **field(ADDRESS)}),
        environment({"name": "HOME", "value": "/work"}),
    ],
    "LINT-303": [JOB, every("600")],
    "LINT-401": [JOB, of_queue("deferred"), changed(JOB, "metadata!labels", None)],
    "LINT-402": [
        JOB,
        JOB_SET,
        selecting({"hybrid-pools.io/role": "stable"}),
        selecting({"cloud.google.com/gke-nodepool": "train-l4-pool-0123456"}),
        selecting({"example.com/rack": "7"}),
        required(at_role("In", "spot", "buffer")),
        required(at_role("NotIn", "spot")),
        required(at_role("Exists")),
        required({"key": "example.com/rack", "operator": "Gt", "values": ["7"]}),
    ],
    "LINT-501": [
        CLEAN["local queue"],
        changed(CLEAN["local queue"], "!apiVersion", "example.com/v1beta1"),
        changed(CLEAN["local queue"], "!kind", "New"),
    ],
    "LINT-601": [JOB, changed(JOB, f"{POD}!initContainers", None)],
}
VIOLATES: dict[str, list[Manifest]] = {
    "LINT-101": [
        changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", "596"),
        changed(selecting({"hybrid-pools.io/role": "stable"}), f"{ANNOTATIONS}!{SAVE}", "900"),
        changed(JOB, CONTAINERS, container(lifecycle={"preStop": {"sleep": {"seconds": 100}}})),
    ],
    "LINT-102": [
        changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", "26"),
        changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", 10),
        changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", 0),
        with_hook({"exec": {"command": ["sh", "-c", "sleep 16; true"]}}),
    ],
    "LINT-103": [changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", 1201)],
    "LINT-201": [
        policy(on_codes("FailJob", "In", RESUME_EXIT_CODE)),
        policy(on_codes("FailIndex", "In", 1, RESUME_EXIT_CODE)),
        policy(on_codes("FailJob", "NotIn", 0, 1)),
        policy(
            {**on_codes("FailJob", "In", RESUME_EXIT_CODE), "onExitCodes": {"containerName": "trainer", "operator": "In", "values": [42.0]}}
        ),
        changed(
            CLEAN["cron job"], "spec.jobTemplate.spec!podFailurePolicy", policy(on_codes("FailJob", "In", 42))["spec"]["podFailurePolicy"]
        ),
    ],
    "LINT-202": [PYTORCH_JOB],
    "LINT-203": [
        script("python train.py || true"),
        script("python train.py || :"),
        script("python train.py || echo failed"),
        script("python train.py; exit 0"),
        script("python train.py\nexit 0"),
        script("python train.py; true"),
        script("! python train.py"),
        script("trap 'exit 0' TERM; python train.py"),
        script('trap "kill $P; exit" SIGTERM\npython train.py'),
        script("trap '' TERM\nexec python train.py"),
        script("python train.py 2>&1 | tee log"),
        script("python train.py\ngsutil cp log gs://a"),
        script("python train.py || true\npython upload.py"),
        script("(python train.py; exit 0)"),
        script("python train.py &\nwait $!\nexit 0"),
        script("exec python train.py | tee log"),
        script("python train.py |& grep loss"),
        changed(JOB, CONTAINERS, container(command=["/bin/sh"], args=["-e", "-c", "python train.py || true"])),
        changed(JOB, CONTAINERS, container(command=["/usr/bin/env", "bash", "-lc", "python train.py || true"])),
    ],
    "LINT-204": [script("cd /work && python train.py"), script("pip install a\npython train.py")],
    "LINT-301": [changed(BUFFER_JOB, "spec.template.metadata!annotations", None)],
    "LINT-302": [
        environment({**URI_VARIABLE, "value": f"{URI}/"}),
        environment(URI_VARIABLE),
        environment({**URI_VARIABLE, "value": ""}),
        environment({**URI_VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}),
        environment({**URI_VARIABLE, "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}),
        environment(
            {
                "name": "HYBRID_POOLS_CHECKPOINT_INTERVAL_SECONDS",
                "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{INTERVAL}']"}},
            }
        ),
    ],
    "LINT-303": [
        changed(JOB, f"{ANNOTATIONS}!{INTERVAL}", "10"),
        changed(JOB, f"{ANNOTATIONS}!{INTERVAL}", "0"),
        changed(JOB, f"{ANNOTATIONS}!{INTERVAL}", "-5"),
    ],
    "LINT-401": [of_queue("mine"), changed(of_queue("training"), "metadata!namespace", "default")],
    "LINT-402": [
        changed(of_queue("deferred"), f"{POD}!nodeSelector", {"hybrid-pools.io/role": "stable"}),
        selecting({"hybrid-pools.io/flavor": "spot-t4"}),
        selecting({"hybrid-pools.io/role": "stable", "cloud.google.com/gke-spot": "true"}),
        selecting({"cloud.google.com/gke-nodepool": "elsewhere"}),
        required(at_role("In", "other")),
        required(at_role("DoesNotExist")),
        required(at_role("NotIn", "spot", "buffer", "stable")),
    ],
    "LINT-501": [of_kueue(apiVersion=f"kueue.x-k8s.io/{version}") for version in ("v1beta1", "v1alpha1")],
    "LINT-601": [
        changed(JOB, CONTAINERS, container(image="a")),
        changed(JOB, CONTAINERS, container(image="a:latest")),
        changed(JOB, f"{POD}!initContainers", [{"name": "fetch", "image": "a:1"}]),
    ],
}
WRONG_TYPE: dict[str, list[Manifest]] = {
    "LINT-101": [changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", 8), with_hook("sleep")],
    "LINT-102": [changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", "30")],
    "LINT-103": [changed(BUFFER_JOB, f"{POD}!terminationGracePeriodSeconds", [30])],
    "LINT-201": [policy(on_codes("FailJob", "In", "42")), changed(JOB, "spec!podFailurePolicy", "none")],
    "LINT-202": [changed(PYTORCH_JOB, "spec.pytorchReplicaSpecs.Worker!restartPolicy", 1)],
    "LINT-203": [changed(JOB, CONTAINERS, container(command="python train.py || true")), script(7)],
    "LINT-204": [changed(JOB, CONTAINERS, container(args="train"))],
    "LINT-301": [changed(BUFFER_JOB, f"{ANNOTATIONS}!{ADDRESS}", ["a"])],
    "LINT-302": [environment({**URI_VARIABLE, "value": 7}), environment("HYBRID_POOLS_CHECKPOINT_URI")],
    "LINT-303": [every(600)],
    "LINT-401": [of_queue(7)],
    "LINT-402": [selecting("stable"), selecting({"hybrid-pools.io/role": 7}), required(at_role("Gt", "7")), required(at_role(None))],
    "LINT-601": [changed(JOB, CONTAINERS, container(image=7)), changed(JOB, CONTAINERS, "a")],
}
ABSENT: dict[str, list[str]] = {
    "LINT-101": [f"{POD}!nodeSelector"],
    "LINT-102": [f"{POD}!terminationGracePeriodSeconds"],
    "LINT-103": [f"{POD}!terminationGracePeriodSeconds"],
    "LINT-201": ["spec!podFailurePolicy"],
    "LINT-202": ["spec.pytorchReplicaSpecs.Worker!restartPolicy", "spec!pytorchReplicaSpecs"],
    "LINT-203": [CONTAINERS],
    "LINT-204": [CONTAINERS],
    "LINT-301": ["spec.template.metadata!labels"],
    "LINT-302": [CONTAINERS, "spec.template.metadata!annotations"],
    "LINT-303": ["spec.template.metadata!annotations"],
    "LINT-401": ["metadata!labels"],
    "LINT-402": [f"{POD}!nodeSelector", f"{POD}!affinity"],
    "LINT-601": [CONTAINERS],
}


def cases(given: dict[str, list[Any]]) -> list[Any]:
    return [pytest.param(rule, case, id=f"{rule}-{number}") for rule, several in given.items() for number, case in enumerate(several)]


def as_null(manifest: Manifest, at: str) -> Manifest:
    """The manifest with null written in a place."""
    path, _, key = at.partition("!")
    result = changed(manifest, at, "")
    place = result
    for step in path.split("."):
        place = place[step]
    place[key] = None
    return result


class TestEveryRule:
    @pytest.mark.parametrize(("rule", "manifest"), cases(COMPLIES))
    def test_is_silent_about_what_complies(self, rule: str, manifest: Manifest):
        assert rule not in ids(lint_manifest(manifest)), [finding.said for finding in lint_manifest(manifest)]

    @pytest.mark.parametrize(("rule", "manifest"), cases(VIOLATES))
    def test_finds_what_violates(self, rule: str, manifest: Manifest):
        assert rule in ids(lint_manifest(manifest))

    @pytest.mark.parametrize(("rule", "at"), cases(ABSENT))
    def test_takes_null_for_what_is_left_out(self, rule: str, at: str):
        manifest = PYTORCH_JOB if "pytorch" in at else BUFFER_JOB
        without, null = lint_manifest(changed(manifest, at, None)), lint_manifest(as_null(manifest, at))
        assert rule not in ids(without)
        assert [finding.said for finding in null] == [finding.said for finding in without]

    @pytest.mark.parametrize(("rule", "manifest"), cases(WRONG_TYPE))
    def test_does_not_understand_what_is_of_the_wrong_type(self, rule: str, manifest: Manifest):
        found = ids(lint_manifest(manifest))
        assert UNDERSTOOD.id in found
        assert rule not in found

    def test_has_cases(self):
        own = {each.law.id for each in all_rules()}
        assert own == COMPLIES.keys() == VIOLATES.keys()
        # An API version is text, or the document is no object.
        assert WRONG_TYPE.keys() == ABSENT.keys() == own - {"LINT-501"}


class TestTheLaws:
    def test_have_ids_of_their_own_and_say_everything(self):
        laws = all_laws()
        assert len({law.id for law in laws}) == len(laws)
        for law in laws:
            assert re.fullmatch(r"(LINT|WORK)-[0-9]{3}", law.id)
            assert law.why.endswith(".")
            assert law.fix.endswith(".")
            assert not law.title.endswith(".")

    def test_are_those_of_the_cluster_too(self):
        assert [law.id for law in WORKLOAD_LAWS.values()] == [rule.id for rule in all_workload_rules()]


class TestTheTimeToSave:
    def test_is_told_with_its_parts_and_its_cause(self):
        [finding] = lint_manifest(changed(changed(BUFFER_JOB, f"{ANNOTATIONS}!{SAVE}", "700"), f"{POD}!terminationGracePeriodSeconds", 800))
        assert finding.detail == "needs 705 s (700 s saving, 5 s margin), and the drain of a node of buffer-l4 leaves 600 s"
        assert finding.path == f"{ANNOTATIONS}.{SAVE}"

    def test_is_told_once_for_spot_by_the_rule_that_the_cluster_asks_too(self):
        long = changed(changed(JOB, f"{ANNOTATIONS}!{SAVE}", "200"), f"{POD}!terminationGracePeriodSeconds", 300)
        assert ids(lint_manifest(long)) == {"WORK-006"}
