"""A description of a workload from disk, with every problem of it at once."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from hybrid_pools.blueprint.configuration.explaining import explain
from hybrid_pools.blueprint.configuration.plain_yaml import WHOLE_FILE, FileKind, PlainFile, line_of, read_plain
from hybrid_pools.blueprint.problems import Problem, report
from hybrid_pools.training.audit.segments import Workload

EXAMPLE = Path(__file__).with_name("example.yaml")
"""A whole description, as docs/audit.md shows it."""

_START = "start from the example in docs/audit.md"
_KIND = FileKind(
    "description of a workload",
    "segments.yaml",
    f"name a file that is there, or {_START}",
    Problem("CFG-013", WHOLE_FILE, "", "is empty, so there is nothing to judge", "a description of a workload", _START),
)


class AuditError(Exception):
    """All problems of one description at once. Nothing was judged."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__(report(file, self.problems, "nothing was judged"))


def read_workload(path: Path) -> Workload:
    """Raises `AuditError`."""
    plain = read_plain(path, _KIND)
    if not isinstance(plain, PlainFile):
        raise AuditError(str(path), plain)
    problems = [*plain.problems]
    try:
        workload = Workload.model_validate_json(json.dumps(plain.content), by_alias=True, by_name=False)
    except ValidationError as error:
        problems += [_placed(problem, plain) for problem in explain(Workload, error.errors(), "")]
    if problems:
        raise AuditError(str(path), problems)
    return workload


def _placed(problem: Problem, plain: PlainFile) -> Problem:
    path = problem.path.lstrip(".")
    return replace(problem, path=path or WHOLE_FILE, line=line_of(path, plain.lines))
