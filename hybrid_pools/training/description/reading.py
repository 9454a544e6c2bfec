"""A job description from disk, with every problem of it at once."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from hybrid_pools.blueprint.configuration.explaining import explain, shown
from hybrid_pools.blueprint.configuration.plain_yaml import WHOLE_FILE, FileKind, PlainFile, line_of, read_plain
from hybrid_pools.blueprint.problems import Problem, report
from hybrid_pools.training.description.model import VERSION, Job

_START = "start from the example in docs/launch.md"
_KIND = FileKind(
    "job description",
    "job.yaml",
    f"name a file that is there, or {_START}",
    Problem("CFG-013", WHOLE_FILE, "", "is empty, so it describes no run", "a job description", _START),
)


class DescriptionError(Exception):
    """All problems of one job description at once. Nothing was made of it."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        self.problems = tuple(problems)
        super().__init__(report(file, self.problems, "nothing was made of it"))


@dataclass(frozen=True)
class DescriptionFile:
    """A description, and where each part of it stands.

    Attributes:
        path: As it was named.
        lines: Line of each path, from 1.
    """

    path: str
    job: Job
    lines: Mapping[str, int]

    def refused(self, problems: Iterable[Problem]) -> DescriptionError:
        """What is said where a description is right by itself, and not for the environment that it is used in."""
        return DescriptionError(self.path, (replace(problem, line=line_of(problem.path, self.lines)) for problem in problems))


def read_description(path: Path) -> Job:
    """Raises `DescriptionError`."""
    return read_description_file(path).job


def read_description_file(path: Path) -> DescriptionFile:
    """The same, with lines for problems that are found later. Raises `DescriptionError`."""
    plain = read_plain(path, _KIND)
    if not isinstance(plain, PlainFile):
        raise DescriptionError(str(path), plain)
    problems = [*plain.problems]
    version = plain.content.get("version")
    # The keys of another version mean other things, so nothing is said of them.
    if _is_kubernetes(plain.content) or (version is not None and version != VERSION):
        raise DescriptionError(str(path), [*problems, _other_format(plain)])
    try:
        job = Job.model_validate_json(json.dumps(plain.content), by_alias=True, by_name=False)
    except ValidationError as error:
        problems += [_placed(problem, plain) for problem in explain(Job, error.errors(), "")]
    if problems:
        raise DescriptionError(str(path), problems)
    return DescriptionFile(str(path), job, plain.lines)


def _placed(problem: Problem, plain: PlainFile) -> Problem:
    path = problem.path.lstrip(".")
    return replace(problem, path=path or WHOLE_FILE, line=line_of(path, plain.lines))


def _is_kubernetes(content: dict[str, object]) -> bool:
    return "apiVersion" in content and "kind" in content


def _other_format(plain: PlainFile) -> Problem:
    if _is_kubernetes(plain.content):
        message = "is a Kubernetes object, which is what is made of a job description"
        return Problem("CFG-013", WHOLE_FILE, shown(plain.content["kind"]), message, "a job description", _START)
    message = "is a version that this release does not read"
    fix = f"write version: {VERSION}, or use the release of hybrid-node-pools that the file was written for"
    return Problem("CFG-004", "version", shown(plain.content["version"]), message, str(VERSION), fix, plain.lines["version"])
