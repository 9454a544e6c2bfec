"""Rules on what a pod says of its checkpoints: once, completely, and the same to the platform and to the trainer (docs/checkpoints.md)."""

import re
from collections.abc import Iterator

from hybrid_pools.blueprint.vocabulary import (
    CHECKPOINT_INTERVAL_ANNOTATION,
    CHECKPOINT_INTERVAL_VARIABLE,
    CHECKPOINT_SAVE_ANNOTATION,
    CHECKPOINT_URI_ANNOTATION,
    CHECKPOINT_URI_VARIABLE,
)
from hybrid_pools.lint.rule import Fault, Scope, Subject, rule
from hybrid_pools.workload.parameters import lies_below
from hybrid_pools.workload.pod_rules import SECONDS
from hybrid_pools.workload.reading import Value

_ANNOTATIONS = {CHECKPOINT_URI_VARIABLE: CHECKPOINT_URI_ANNOTATION, CHECKPOINT_INTERVAL_VARIABLE: CHECKPOINT_INTERVAL_ANNOTATION}
"""The annotation that says the same to the platform, by variable."""


@rule(
    id="LINT-301",
    title="What saves checkpoints says where and how long it takes",
    scope=Scope.SAVING_POD,
    why="Without the address nobody finds them, and without the time nobody can tell whether the last one fits before the end.",
    fix=f"Set the annotations {CHECKPOINT_URI_ANNOTATION}, below the team's prefix, and {CHECKPOINT_SAVE_ANNOTATION}, measured, of the pod "
    "template.",
    source="docs/checkpoints.md",
)
def says_where_and_how_long(subject: Subject) -> Iterator[Fault]:
    if subject.asks_for_spot:
        return  # WORK-004 and WORK-006 ask
    address, saving = subject.annotation(CHECKPOINT_URI_ANNOTATION), subject.annotation(CHECKPOINT_SAVE_ANNOTATION)
    team = subject.surroundings.admission.team_of(subject.namespace)
    if not address or (team is not None and not lies_below(address, team)):
        said = f"is {address}, which is not below the team's prefix" if address else "is missing"
        yield Fault(subject.annotations.of(CHECKPOINT_URI_ANNOTATION).path, said)
    if not re.fullmatch(SECONDS, saving):
        said = f"is {saving}, which is no number of seconds" if saving else "is missing"
        yield Fault(subject.annotations.of(CHECKPOINT_SAVE_ANNOTATION).path, said)


@rule(
    id="LINT-302",
    title="The trainer is told what the platform is told",
    scope=Scope.SAVING_POD,
    why="The platform checks and prunes where the annotation says; a trainer that saves elsewhere is judged by what it does not do.",
    fix="Fill the variable from the annotation: valueFrom.fieldRef.fieldPath metadata.annotations['KEY'], or write the same value.",
    source="docs/checkpoints.md",
)
def variables_agree(subject: Subject) -> Iterator[Fault]:
    for container in subject.containers:
        for variable in container.of("env").items():
            name = variable.of("name").text() or ""
            if name in _ANNOTATIONS:
                yield from _agrees(subject, variable, name, _ANNOTATIONS[name])


def _agrees(subject: Subject, variable: Value, name: str, annotation: str) -> Iterator[Fault]:
    said = subject.annotation(annotation)
    source = variable.of("valueFrom")
    if source.is_set():
        if source.at("fieldRef.fieldPath").text() != f"metadata.annotations['{annotation}']":
            yield Fault(source.path, f"{name} comes from somewhere else than the annotation {annotation}")
        elif not said:
            yield Fault(source.path, f"{name} comes from the annotation {annotation}, which is missing")
        return
    value = variable.of("value")
    if (value.text() or "") != said:
        yield Fault(value.path, f"{name} is {value.text() or 'empty'}, and the annotation {annotation} is {said or 'missing'}")


@rule(
    id="LINT-303",
    title="Checkpoints are further apart than a save takes",
    scope=Scope.SAVING_POD,
    why="A trainer that saves more often than it can does nothing else.",
    fix=f"Set the annotation {CHECKPOINT_INTERVAL_ANNOTATION} to a number of seconds above {CHECKPOINT_SAVE_ANNOTATION}.",
    source="docs/checkpoints.md",
)
def interval_is_longer_than_a_save(subject: Subject) -> Iterator[Fault]:
    interval, saving = subject.annotation(CHECKPOINT_INTERVAL_ANNOTATION), subject.annotation(CHECKPOINT_SAVE_ANNOTATION)
    path = subject.annotations.of(CHECKPOINT_INTERVAL_ANNOTATION).path
    if interval and not re.fullmatch(SECONDS, interval):
        yield Fault(path, f"saves every {interval}, which is no number of seconds")
    elif interval and re.fullmatch(SECONDS, saving) and int(interval) <= int(saving):
        yield Fault(path, f"saves every {interval} s and takes {saving} s")
