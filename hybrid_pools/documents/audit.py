"""`docs/audit.md`: how to describe a workload's segments, and the table by which they are judged."""

from hybrid_pools.blueprint.documented import descriptions
from hybrid_pools.blueprint.vocabulary import ROLE_LABEL
from hybrid_pools.documents.markdown import code, document, table
from hybrid_pools.training.audit import EXAMPLE, RULES, Segment, judge, places_of, read_workload

_COMMANDS = """\
```console
.venv/bin/hybrid-pools audit segments.yaml
.venv/bin/hybrid-pools audit segments.yaml --contract contract.json
.venv/bin/hybrid-pools audit segments.yaml --output json
```

With a contract the segments are judged by the pools of that environment: by the tightest of each role, and by its limit for interactive
work. Without one, by pools that set nothing."""
_AFTERWARDS = f"""\
- **On spot** a pod carries the labels and annotations of [admission](admission.md); `hybrid-pools render` writes them. A segment without
  state carries them too: what a piece writes out is its checkpoint.
- **A role** is kept by the selector `{ROLE_LABEL}` where the class may also go elsewhere: a coordinator of class training stays on
  stable nodes that way, and a run that saves slowly on the buffer.
- **GPUs on stable nodes** are dear, and many environments have none. A segment that the table sends there, and that needs one, has no place
  before it is made safe for spot or the buffer.
- **Services** stay on stable nodes, and get the buffer as further room by day without asking for it."""


def render() -> str:
    """The document."""
    places, workload = places_of(None), read_workload(EXAMPLE)
    verdicts = [judge(name, segment, places) for name, segment in workload.segments.items()]
    return document(
        "Which work is safe on spot",
        "`hybrid_pools/training/audit/`",
        "A workload has segments: data preparation, training, a coordinator, evaluation, serving. Some lose nothing when their node goes, "
        "others everything. Describe each in a few lines, and `hybrid-pools audit` says where it belongs and why.",
        _COMMANDS,
        "## The rules",
        "From top to bottom; the first row that fits decides. Nothing that serves users, and nothing that cannot save in the time that a "
        "node leaves, ever gets to spot.",
        table(
            ["Rule", "A segment that …", "Role", "Class", "Why", "What would make it safe on spot", "Source"],
            (
                [rule.id, rule.like, code(rule.role), code(rule.workload_class), rule.why, _to_spot(rule.to_spot), rule.source]
                for rule in RULES
            ),
        ),
        "N is the time that spot pools leave, less a margin: without a contract, "
        f"{places.save_on_spot} s; the buffer then leaves {places.save_on_buffer} s.",
        "## Afterwards",
        _AFTERWARDS,
        "## What is said of a segment",
        "Every key but `keepsState` may be left out. The file begins with `version: 1`, and has the segments by name under `segments`. "
        "Editors complete keys with [the schema](schema/audit.v1.schema.json).",
        table(["Key", "What it says"], ([code(key), text] for key, text in descriptions(Segment).items())),
        "## An example",
        f"```yaml\n{EXAMPLE.read_text(encoding='utf-8')}```",
        table(
            ["Segment", "Role", "Class", "Rule"],
            ([code(found.segment), code(found.rule.role), code(found.rule.workload_class), found.rule.id] for found in verdicts),
        ),
    )


def _to_spot(advice: str) -> str:
    return advice.format(save="N")
