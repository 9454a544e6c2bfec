"""Waivers: exceptions with a reason, an owner and an end. What was not understood cannot be excused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from hybrid_pools.blueprint.documented import Documented
from hybrid_pools.lint.composing import Broken, documents
from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.places import place_of
from hybrid_pools.lint.rule import Law
from hybrid_pools.lint.rules import all_laws
from hybrid_pools.lint.understanding import EXCUSED, NEEDED
from hybrid_pools.lint.values import value_of

_FORM = "a mapping with the one key waivers, whose value is a list"
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class Waiver(Documented):
    """One exception."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Text
    """Id of the rule, for example LINT-601."""

    path: Text
    """File or folder, from the folder of the waiver file; `-` for standard input."""

    object: Text | None = None
    """Name of the object; left out for every object of the file."""

    reason: Text
    """Why the rule does not hold here."""

    owner: Text
    """Who answers for it."""

    expires: date
    """Last day on which it holds, as 2026-06-30."""


@dataclass(frozen=True)
class Placed:
    """A waiver and the line of the waiver file on which it stands."""

    waiver: Waiver
    line: int


def read_waivers(file: str, text: str) -> tuple[list[Placed], list[Finding]]:
    """The waivers of a file, and everything that is wrong with it: whoever is not complete excuses nothing.

    Args:
        file: Its name, for the findings.
    """
    waivers: list[Placed] = []
    wrong: list[Finding] = []
    found = list(documents(text))
    if len(found) > 1:
        return [], [_problem(EXCUSED, file, 1, "holds several documents")]
    for document in found:
        if isinstance(document, Broken):
            return [], [_problem(EXCUSED, file, document.line, document.detail)]
        content, troubles = value_of(document)
        if troubles:
            return [], [_problem(EXCUSED, file, trouble.line, trouble.detail) for trouble in troubles]
        if not isinstance(content, dict) or content.keys() != {"waivers"} or not isinstance(content["waivers"], list):
            return [], [_problem(EXCUSED, file, document.line + 1, f"is not {_FORM}")]
        for index, entry in enumerate(content["waivers"]):
            line = document.line + place_of(document.node, f"waivers[{index}]")[0]
            waiver = _waiver(entry)
            if isinstance(waiver, Waiver):
                waivers.append(Placed(waiver, line))
            else:
                wrong += [_problem(EXCUSED, file, line, said) for said in waiver]
    return waivers, wrong


def _waiver(entry: Any) -> Waiver | list[str]:
    laws = {law.id: law for law in all_laws()}
    try:
        waiver = Waiver.model_validate(entry)
    except ValidationError as error:
        return [": ".join(filter(None, (".".join(map(str, each["loc"])), each["msg"].lower()))) for each in error.errors()]
    if waiver.rule not in laws:
        return [f"rule: {waiver.rule} is no rule"]
    if not laws[waiver.rule].waivable:
        return [f"rule: {waiver.rule} cannot be waived, because what it finds is not known"]
    return waiver


def excuse(
    findings: Sequence[Finding], waivers: Sequence[Placed], today: date, places: Mapping[str, str], file: str, asked: Sequence[str]
) -> list[Finding]:
    """The findings, those with a waiver in force marked, and a finding for each waiver that has expired or excuses nothing.

    Args:
        places: Path of each file from the folder of the waiver file, by the name in the findings.
        file: Name of the waiver file.
        asked: What was linted, files and folders, from the same folder. A waiver for something else may well be needed.
    """
    in_force = [placed for placed in waivers if placed.waiver.expires >= today]
    used: set[Placed] = set()

    def excused(finding: Finding) -> Finding:
        for placed in in_force:
            if finding.law.waivable and _is_for(placed.waiver, finding, places.get(finding.file, finding.file)):
                used.add(placed)
                waiver = placed.waiver
                return replace(finding, excuse=f"{waiver.reason} ({waiver.owner}, until {waiver.expires})")
        return finding

    judged = [excused(finding) for finding in findings]
    return judged + list(_out_of_order(waivers, used, today, file, asked))


def _out_of_order(waivers: Sequence[Placed], used: set[Placed], today: date, file: str, asked: Sequence[str]) -> Iterator[Finding]:
    for placed in waivers:
        waiver = placed.waiver
        what = f"the waiver of {waiver.rule} for {waiver.path}"
        if waiver.expires < today:
            yield _problem(EXCUSED, file, placed.line, f"{what} has expired on {waiver.expires}; {waiver.owner} answers for it")
        elif placed not in used and any(_lies_in(waiver.path, each) for each in asked):
            yield _problem(NEEDED, file, placed.line, f"{what} excuses nothing")


def _is_for(waiver: Waiver, finding: Finding, path: str) -> bool:
    return waiver.rule == finding.law.id and _lies_in(path, waiver.path) and waiver.object in (None, finding.name)


def _lies_in(path: str, folder: str) -> bool:
    folder = folder.removeprefix("./").rstrip("/")
    return folder in ("", ".", path.removeprefix("./")) or path.removeprefix("./").startswith(f"{folder}/")


def _problem(law: Law, file: str, line: int, detail: str) -> Finding:
    return Finding(law, file, line, 1, "", "", "", detail)
