"""`docs/launch.md`: from a short description to a run that survives."""

import json
from datetime import UTC, datetime

import yaml

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import PODS_READY_MINUTES
from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_ATTEMPT_VARIABLE,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_LOCAL_VARIABLE,
    CHECKPOINT_URI_VARIABLE,
    MEETING_ADDRESS_VARIABLE,
    MEETING_PORT_VARIABLE,
    RANK_VARIABLE,
    RESUME_EXIT_CODE,
    TERMINATED_EXIT_CODE,
    WORKERS_VARIABLE,
)
from hybrid_pools.documents.contract import shown_contract
from hybrid_pools.documents.explanation import explained
from hybrid_pools.documents.keys import keys, keys_table
from hybrid_pools.documents.markdown import code, document, table
from hybrid_pools.documents.schemas import job_schema
from hybrid_pools.training.description import Job
from hybrid_pools.training.launch import manifest, plan, text
from hybrid_pools.training.launch.explanation import explanation
from hybrid_pools.training.launch.problems import RULES

EXAMPLE = """\
# yaml-language-server: $schema=../docs/schema/job.v1.schema.json
version: 1
name: resnet-7
team: vision
class: training
image: us-docker.pkg.dev/acme/train/resnet@sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
command: [python, -m, trainer]
workers: {count: 2, gpus: 2, cpu: 20, memoryGib: 80}
coordinator: {command: [python, -m, rendezvous]}
checkpoint: {sizeGib: 4, stepSeconds: 2, saveSeconds: 30}
boundHours: 72
"""

_MONDAY_NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)

_STEPS = """\
1. **Get the contract.** It tells what this environment has. Where Pulumi's state is at hand, `--stack NAME` asks for it, and without any
   option the current stack is taken. Elsewhere keep it as a file, and give `--contract FILE`, or `--contract -` for a pipe; the output of
   `pulumi stack output --json` with all outputs will do as well.

   ```console
   pulumi stack output contract --json --stack prod > contract.json
   ```

   In the lab, `eval "$(.venv/bin/python -m lab env)"` puts the lab's own `pulumi` on PATH; after `make up` it knows stack `local`.
2. **Describe the run** in a file, as below. Numbers under `checkpoint` are measured, not guessed: `hybrid-pools conform` measures
   ([conformance](conformance.md)).
3. **Ask what to expect**, then **render and apply**:

   ```console
   hybrid-pools explain -f job.yaml --contract contract.json
   hybrid-pools render -f job.yaml --contract contract.json | kubectl apply -f -
   ```

Wrong descriptions are refused with every problem at once: line, value, what is allowed, how to mend it. What the environment has no place
for is refused too, because the queue would not: it would let the run wait for ever. Exit code 1 says that nothing was made; an image that
is named by a tag is warned about. `--output json` of both commands is for programs. `render --target vertex` makes a request for
[Vertex AI](vertex.md) of the same description."""

_WRITTEN = (
    ("Queue, priority and bound", "From the contract, by class. The bound is Kueue's: it adds up the time of all starts."),
    ("Account, namespace, folder of checkpoints", "The team's. The run's name is the folder's, so a run of the same name goes on."),
    (
        "A selector, only where one is needed",
        "Kueue gives a run the first flavor with quota, and knows nothing of nodes. Flavors whose nodes are too small, or leave too little "
        "time to save, are kept away. So is spot, where a run cannot be there. The coordinator is kept on stable nodes.",
    ),
    (
        "No toleration of spot or GPUs, no selector of one flavor",
        "Kueue writes them when it admits the run. Written before, they would bind it.",
    ),
    ("Time to end", "What the tightest of its places leaves, on the buffer what the schedule leaves."),
    ("Short toleration of dead nodes", "A node that nobody hears of is given up after half a minute, not after five."),
    ("Disk and shared memory", "Two checkpoints of fast tier on the node's disk, and /dev/shm as large as the worker's memory."),
    ("Workers evenly in zones", "Where `spreadOverZones` asks for it. A gang is quicker in one zone, and a lost worker stops it anyway."),
    ("Nodes close together", "Where `flavor` names a compactly placed one."),
)
_ENDS = (
    ("The node is taken, drained or lost", "`DisruptionTarget`", "starts again, not counted"),
    (
        "The trainer was asked to stop",
        f"exit code {RESUME_EXIT_CODE}, or {TERMINATED_EXIT_CODE} where it does not listen",
        "starts again, not counted",
    ),
    ("There is no such command in the image", "exit code 126 or 127", "ends at once"),
    ("Anything else", "any other exit code", "starts again: 3 times a single worker, 10 times a gang"),
    ("The run has had its time", "Kueue ends it", "ends; started again it goes on from its checkpoint"),
)
_VARIABLES = (
    (CHECKPOINT_URI_VARIABLE, "Where checkpoints lie"),
    (
        CHECKPOINT_INTERVAL_VARIABLE,
        "Seconds between two saves, chosen as [docs/interval.md](interval.md) says where the description gives none",
    ),
    (CHECKPOINT_LOCAL_VARIABLE, "Folder of the fast tier"),
    (CHECKPOINT_ATTEMPT_VARIABLE, "With several workers: an id of this start"),
    (RANK_VARIABLE, "With several workers: number of this one"),
    (WORKERS_VARIABLE, "With several workers: how many"),
    (f"{MEETING_ADDRESS_VARIABLE}, {MEETING_PORT_VARIABLE}", "With several workers: where they meet, the coordinator or worker 0"),
)
_GANGS = f"""\
A single worker is a Job. Several workers, or a coordinator, are a JobSet, because a gang that loses one worker stands still: all of it
starts again together, from the newest checkpoint, and old pods are gone before new ones come. A gang gets ten retries because a node that
dies without a word makes the other workers fail by themselves first.

Kubernetes replaces `$(NAME)` in a command by the variable, so no shell is needed, which would stand between the trainer and the signal to
stop. `torchrun` sets `{RANK_VARIABLE}` and `{WORKERS_VARIABLE}` anew for its own processes:

```yaml
command: [torchrun, --nnodes=$({WORKERS_VARIABLE}), --node-rank=$({RANK_VARIABLE}), --nproc-per-node=2,
  --master-addr=$({MEETING_ADDRESS_VARIABLE}), --master-port=$({MEETING_PORT_VARIABLE}), train.py]
```

An admitted run whose pods are not all there within {PODS_READY_MINUTES} minutes goes back to its queue. While it runs it stays on its
flavor; only a new admission may choose another one."""


def render(example: Blueprint) -> str:
    """The document.

    Args:
        example: Environment in which the example runs.
    """
    schema, contract = job_schema(), shown_contract(example)
    planned = plan(Job.model_validate_json(json.dumps(yaml.safe_load(EXAMPLE))), contract)
    return document(
        "Launch a run",
        "`hybrid_pools/documents/launch.py` and `hybrid_pools/training/launch`",
        "From a description of some ten lines and the [contract](contract.md) of an environment, `hybrid-pools render` makes a manifest "
        "that is right there: it passes every [admission rule](admission.md) and the [lint](lint.md), and comes back after every loss. "
        "`hybrid-pools explain` says in plain words what to expect of it.",
        _STEPS,
        "## A description",
        f"```yaml\n{EXAMPLE}```",
        f"## What to expect: the example in {example.environment.name}",
        f"```text\n{explained(explanation(planned, contract, _MONDAY_NOON))}\n```",
        "## What is written into the manifest",
        table(["What", "Why"], _WRITTEN),
        _GANGS,
        "## How a run ends",
        table(["What happened", "How it shows", "What follows"], _ENDS),
        "A gang starts again at once. Before each new start of a single worker Kubernetes waits: 10 s, then 20 s, and so on to 10 "
        "minutes. With a coordinator it is a JobSet, which does not wait.",
        "## What the trainer is told",
        table(["Variable", "Meaning"], ([code(name), meaning] for name, meaning in _VARIABLES)),
        "The [checkpoint library](checkpoints.md) reads all of them.",
        "## Every key",
        "Editors with YAML support complete keys with [the schema](schema/job.v1.schema.json).",
        keys_table(keys(schema, schema["$defs"])),
        "## What is checked",
        "That a description can be read is checked by the rules of files ([CFG-001 to CFG-015](configuration.md#rules)). Between "
        "description and contract:",
        table(["Rule", "What holds"], ([code(rule), title] for rule, title in RULES.items())),
        "## The manifest of the example",
        f"```yaml\n{text(manifest(planned))}```",
    )
