"""`hybrid-pools lint`: judge manifests before they reach a cluster."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hybrid_pools.cli.contract_source import CONTRACT, STACK, contract_from
from hybrid_pools.cli.output import fail
from hybrid_pools.lint.files import STANDARD_INPUT, SUFFIXES, Empty, Skipped, Taken, content_of, walk
from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.linting import LARGEST_BYTES, lint, unreadable
from hybrid_pools.lint.reports.github import github
from hybrid_pools.lint.reports.json import json_report
from hybrid_pools.lint.reports.result import Result
from hybrid_pools.lint.reports.sarif import sarif
from hybrid_pools.lint.reports.text import text
from hybrid_pools.lint.surroundings import NothingToJudgeBy, Surroundings, surroundings
from hybrid_pools.lint.waivers import excuse, read_waivers

_WAIVERS = ".hybrid-pools-lint.yaml"
_STDIN_NAME = "stdin"


class _Format(StrEnum):
    """What the command prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(name="lint")
def lint_command(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files and folders; - reads standard input.")],
    contract: Annotated[str | None, CONTRACT] = None,
    stack: Annotated[str | None, STACK] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", help="Where objects go that do not say so themselves, as for kubectl apply.")
    ] = None,
    waivers: Annotated[
        Path | None, typer.Option("--waivers", metavar="FILE", help=f"Waivers; {_WAIVERS} of this folder where it is left out.")
    ] = None,
    output: Annotated[
        _Format, typer.Option("--output", "-o", help="For people, programs, code scanning, or annotations of a pull request.")
    ] = _Format.TEXT,
) -> None:
    """Judge manifests by the rules that a cluster decides by, before they reach it.

    Ends with 0 if nothing is wrong but what is waived or only a warning, with 1 if something is or cannot be read, with 2 if it is called
    in a wrong way. docs/lint.md explains every rule.
    """
    if contract == STANDARD_INPUT and STANDARD_INPUT in paths:
        raise typer.BadParameter("standard input is either the contract or a manifest")
    try:
        judged_by = surroundings(contract_from(contract, stack), namespace)
    except NothingToJudgeBy as error:
        fail(str(error))
    result = _linted(paths, judged_by, waivers)
    match output:
        case _Format.TEXT:
            typer.echo(text(result))
        case _Format.JSON:
            typer.echo(json_report(result))
        case _Format.SARIF:
            typer.echo(sarif(result, _version()))
        case _Format.GITHUB:
            typer.echo(github(result))
    if result.fails:
        raise typer.Exit(1)


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, and only this report needs it

    return version("hybrid-node-pools")


def _linted(paths: Sequence[str], judged_by: Surroundings, waivers: Path | None) -> Result:
    found: list[Finding] = []
    skipped: list[str] = []
    files: list[str] = []
    for each in walk(paths):
        name = _STDIN_NAME if each.path == STANDARD_INPUT else _shown(each.path)
        match each:
            case Skipped():
                skipped.append(name)
            case Empty():
                found.append(unreadable(name, f"has no file that is linted: none ends in {', '.join(SUFFIXES)}"))
            case Taken():
                files.append(name)
                found += _findings(each.path, name, judged_by)
    return Result(tuple(_excused(found, files, paths, waivers)), len(files), tuple(skipped))


def _shown(path: str) -> str:
    """A path as it can be told everywhere: a name that is no text is spelled in bytes."""
    return path.replace(os.sep, "/").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _findings(path: str, name: str, judged_by: Surroundings) -> list[Finding]:
    try:
        content = sys.stdin.buffer.read(LARGEST_BYTES + 1) if path == STANDARD_INPUT else content_of(path)
    except OSError as error:
        return [unreadable(name, f"cannot be read: {(error.strerror or str(error)).lower()}")]
    return lint(name, content, judged_by)


def _excused(found: list[Finding], files: Sequence[str], paths: Sequence[str], chosen: Path | None) -> list[Finding]:
    file = chosen or Path(_WAIVERS)
    if chosen is None and not file.exists():
        return found
    try:
        content = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"the waivers in {file} cannot be read: {getattr(error, 'strerror', None) or error}")
    waivers, wrong = read_waivers(file.as_posix(), content)
    places = {name: _from(file.parent, name) for name in files}
    asked = [_from(file.parent, _STDIN_NAME if path == STANDARD_INPUT else path) for path in paths]
    return excuse(found, waivers, datetime.now(UTC).date(), places, file.as_posix(), asked) + wrong


def _from(folder: Path, name: str) -> str:
    """The path of a file from a folder, as waivers write it."""
    return STANDARD_INPUT if name == _STDIN_NAME else Path(os.path.relpath(name, folder)).as_posix()
