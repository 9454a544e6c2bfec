"""`docs/lint.md`: how manifests are judged before they reach a cluster, and every rule of the lint's own."""

from collections.abc import Iterator
from typing import Any

import yaml

from hybrid_pools.blueprint.contract import Contract, contract
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ENABLED,
    CHECKPOINT_LABEL,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CHECKPOINT_URI_VARIABLE,
    CLASS_LABEL,
    MAX_EXEC_LABEL,
    QUEUE_LABEL,
    RESUME_EXIT_CODE,
    BucketKind,
    WorkloadClass,
    local_queue,
    priority_class,
)
from hybrid_pools.documents.markdown import code, document, table
from hybrid_pools.lint.linting import LARGEST_BYTES, lint
from hybrid_pools.lint.rule import Law, Rule
from hybrid_pools.lint.rules import all_rules
from hybrid_pools.lint.surroundings import surroundings
from hybrid_pools.lint.understanding import LAWS

_INTRODUCTION = """\
`hybrid-pools lint` judges the manifests of a training repository before they reach a cluster: by the rules that the cluster itself decides
by ([admission](admission.md)), and by rules on what no admission can see, such as whether the last checkpoint fits before a node is gone.
It needs no cluster and no cloud, only the [contract](contract.md) of the stack:

```console
pulumi stack output contract --json --stack prod > contract.json
hybrid-pools lint manifests/ --contract contract.json
helm template chart/ | hybrid-pools lint - --contract contract.json --namespace team-vision
kustomize build overlays/prod | hybrid-pools lint - --contract contract.json
```

**Nothing passes because it was not understood.** A broken document, a template that is not rendered, a kind that nobody knows and that
looks as if it held pods: each is an error, and no waiver excuses it. One broken document does not hide what is wrong with the others."""

_READING = f"""\
- **Files** are taken whatever their names. From **folders**, with all below them, `.yaml`, `.yml` and `.json` are taken. Hidden files and
  folders, other files and links to folders are skipped; `--output json` names them. `-` is standard input.
- A file holds YAML or JSON, one object or several documents, or Lists, which are taken apart. It is UTF-8 and at most
  {LARGEST_BYTES >> 20} MiB large.
- YAML is read **as Kubernetes reads it**: `yes` is true, `010` is eight, a date is text. What two readers read differently is refused: a
  key that comes twice or is no text, a tag, `<<` after a key that it brings too, aliases that contain themselves or unfold to more than any
  manifest has.
- What breaks a rule is an error here, in whatever mode the cluster's admission is ([rolling out](admission.md#rolling-out)).
- A manifest is judged as if its controller made the pods, a Pod as if a person did. Objects that name no namespace go to that of
  `--namespace`, and to `default` without one.
- Braces in what a container runs (`command`, `args`, `env`) are the program's own. Anywhere else in an object with pods they are a template
  that nobody has rendered."""

_CODES = (
    ("0", "Nothing is wrong but warnings and what a waiver excuses"),
    ("1", "Something is wrong, or a file, the contract or the waivers cannot be read"),
    ("2", "The command is called in a wrong way"),
)

_OUTPUTS = (
    ("text", "people: by file, with reason and fix"),
    ("json", "programs: everything, with what was skipped and what is waived"),
    ("sarif", "code scanning: SARIF 2.1.0 with fingerprints that stay when lines move"),
    ("github", "pull requests: annotations beside the lines"),
)

_WAIVERS = """\
An exception is written down, with a reason, somebody who answers for it, and an end. `.hybrid-pools-lint.yaml` in the folder where the
command runs, or the file of `--waivers`:

```yaml
waivers:
  - rule: LINT-601
    path: manifests/nightly.yaml # or a folder, from the folder of this file; "-" for standard input
    object: tone-nightly # every object of the file where it is left out
    reason: The image is built by the same run and has no digest before.
    owner: group:training-leads@example.com
    expires: 2027-03-31
```

What is waived is told all the same, with the reason. A waiver that has expired, lacks something or names a rule that cannot be waived is an
error; one that excuses nothing in what was linted is a warning."""

_BUDGET = (
    ("a Spot node ends", "`usableGraceSeconds` of the flavor", "WORK-006, LINT-101"),
    ("a node is drained: scale-down, upgrade", "`usableGraceSeconds` of the flavor, off spot", "LINT-101"),
    ("Kueue evicts it, a pod of higher priority comes, somebody drains", "its own `terminationGracePeriodSeconds`", "WORK-007, LINT-102"),
    ("the schedule gives the buffer back to services", "`drainMinutes` of the schedule", "LINT-103"),
)

_HOOKS = """\
In `.pre-commit-config.yaml` of the training repository, with the tag of a release as `rev`:

```yaml
repos:
  - repo: https://git.example.com/ml-platform/hybrid-node-pools
    rev: TAG
    hooks:
      - id: hybrid-pools-lint
        files: ^manifests/
        args: [--contract, contract.json]
```

As a step of a GitHub workflow; findings appear beside the lines of the pull request:

```yaml
- uses: actions/checkout@v4
- uses: acme/hybrid-node-pools@TAG
  with:
    paths: manifests
    contract: contract.json
```

GitHub shows the first findings of each level beside the lines; the log of the step has all of them.

Both read the contract from a file of the repository. It holds no secret; a job that writes it anew every night and opens a pull request
where it changed keeps it fresh."""

_LIMITS = f"""\
- **A script is not run.** Known ways in which a shell loses an exit code or a signal are found (LINT-203, LINT-204); a script that finds a
  new one, or one that is in the image, is not. That a trainer ends with {RESUME_EXIT_CODE} is seen by running it
  ([conformance](conformance.md)).
- **Text inside of text** is not read: a manifest in a ConfigMap, a pod in an annotation.
- **Sleep in a preStop hook** counts as long as it says so by itself (`sleep 20`); what else a hook does takes time that nobody knows.
- **The contract is as old as its file.** The cluster decides by the newest."""


def render(example: Blueprint) -> str:
    """The document, with examples of one environment.

    Raises:
        ValueError: The environment declares nothing inside its cluster, or no team of it may use spot.
    """
    promised = contract(
        example,
        f"{example.environment.name}-cluster",
        "gke.example",
        {pool.name: pool.name for pool in example.pools},
        buckets={bucket.kind: bucket.kind for bucket in example.buckets},
    )
    return document(
        "Lint",
        "`hybrid_pools/lint/` and the stack file of prod",
        _INTRODUCTION,
        "## What is read",
        _READING,
        "## Accepted and refused",
        *_examples(promised),
        "## Exit codes",
        table(["Code", "Meaning"], _CODES),
        "## Output",
        table(["`--output`", "For"], ((code(name), purpose) for name, purpose in _OUTPUTS)),
        "## Waivers",
        _WAIVERS,
        "## In pull requests",
        _HOOKS,
        "## The time to save, by what stops a pod",
        "A run saves when it is told to stop. How long it has depends on who stops it, and the shortest counts. What is compared is the "
        f"annotation `{CHECKPOINT_SAVE_ANNOTATION}` plus the margin of the contract, `admission.saveMarginSeconds`, plus what a preStop "
        "hook sleeps.",
        table(["What stops the pod", "Time that it has", "Asked by"], _BUDGET),
        "## Rules of understanding",
        "None of these can be waived.",
        _laws(LAWS),
        "## Rules of the lint",
        "Beside them all [rules on workloads](admission.md#rules-on-workloads), each an error.",
        table(["Id", "Rule", "Level", "On", "Why", "Fix", "Source"], map(_row, all_rules())),
        "## What it does not do",
        _LIMITS,
    )


def _row(rule: Rule) -> list[str]:
    law = rule.law
    return [law.id, law.title, law.severity.value, rule.scope.value, law.why, law.fix, _link(law.source)]


def _link(source: str) -> str:
    if source.startswith("https://"):
        return f"<{source}>"
    name = source.removeprefix("docs/")
    return f"[{name}]({name})"


def _laws(laws: tuple[Law, ...]) -> str:
    return table(["Id", "Rule", "Level", "Why", "Fix"], ([law.id, law.title, law.severity.value, law.why, law.fix] for law in laws))


def _examples(promised: Contract) -> Iterator[str]:
    judged_by = surroundings(promised)
    team = next((team for team in promised.teams if team.spot), None)
    if team is None:
        raise ValueError(f"no team of {promised.environment} may use spot")
    address = f"{team.prefixes[BucketKind.CHECKPOINTS]}tone-7"
    accepted = _text(_job(team.namespace, team.service_account, address))
    script = 'command: [sh, -c, "python -m trainer || true"]'
    refused = accepted.replace("command: [python, -m, trainer]", script).replace("value: gs://", "value: gs://elsewhere-")
    for manifest in (accepted, refused):
        if (manifest is accepted) == bool(lint("job.yaml", manifest.encode(), judged_by)):
            raise ValueError("the examples of docs/lint.md are not what they are said to be")
    yield "Nothing is wrong with this job. Its queue alone brings it to spot, buffer or stable nodes:"
    yield f"```yaml\n{accepted}```"
    yield "The same job with a shell around the trainer and another address in its environment:"
    yield "\n".join(["```text", *_told(refused, promised), "```"])


def _told(manifest: str, promised: Contract) -> Iterator[str]:
    for finding in lint("job.yaml", manifest.encode(), surroundings(promised)):
        yield f"{finding.line}:{finding.column}  {finding.law.severity}  {finding.law.id}  {finding.said}"
        yield f"    {finding.law.title}. {finding.law.why}"
        yield f"    fix: {finding.law.fix}"


def _text(job: dict[str, Any]) -> str:
    text: str = yaml.safe_dump(job, sort_keys=False, allow_unicode=True, width=120)
    return text.replace("command:\n        - python\n        - -m\n        - trainer\n", "command: [python, -m, trainer]\n")


def _job(namespace: str, account: str, address: str) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "tone-7",
            "namespace": namespace,
            "labels": {QUEUE_LABEL: local_queue(WorkloadClass.TRAINING), MAX_EXEC_LABEL: "172800"},
        },
        "spec": {
            "podFailurePolicy": {
                "rules": [
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                    {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [RESUME_EXIT_CODE]}},
                    {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}},
                ]
            },
            "template": {
                "metadata": {
                    "labels": {CHECKPOINT_LABEL: CHECKPOINT_ENABLED, CLASS_LABEL: WorkloadClass.TRAINING.value},
                    "annotations": {CHECKPOINT_URI_ANNOTATION: address, CHECKPOINT_SAVE_ANNOTATION: "40"},
                },
                "spec": {
                    "serviceAccountName": account,
                    "priorityClassName": priority_class(WorkloadClass.TRAINING),
                    "restartPolicy": "Never",
                    "terminationGracePeriodSeconds": 60,
                    "containers": [
                        {
                            "name": "trainer",
                            "image": f"us-docker.pkg.dev/acme-ml-prod/training/tone@sha256:{'0f' * 32}",
                            "command": ["python", "-m", "trainer"],
                            "env": [{"name": CHECKPOINT_URI_VARIABLE, "value": address}],
                        }
                    ],
                },
            },
        },
    }
