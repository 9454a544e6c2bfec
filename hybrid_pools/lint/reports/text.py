"""The report for people: by file, with what happens otherwise and how to mend it."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from typer import style

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.reports.result import Result
from hybrid_pools.lint.rule import Severity

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


def text(result: Result) -> str:
    """The report. Colours are in it; what prints it takes them out where there is no terminal."""
    blocks = ["\n".join(_file(file, list(findings))) for file, findings in groupby(result.findings, key=attrgetter("file"))]
    return "\n\n".join([*blocks, _summary(result)])


def _file(file: str, findings: list[Finding]) -> Iterator[str]:
    yield style(_printable(file), bold=True)
    for finding in findings:
        law = finding.law
        level = style("waived", fg="cyan") if finding.excuse is not None else style(law.severity, fg=_COLOURS[law.severity])
        yield f"  {finding.line}:{finding.column}  {level}  {style(law.id, bold=True)}  {_printable(finding.said)}"
        if finding.excuse is not None:
            yield f"      waived: {_printable(finding.excuse)}"
        else:
            yield f"      {law.title}. {law.why}"
            yield f"      fix: {law.fix}"


def _summary(result: Result) -> str:
    counts = (
        _counted(result.count(Severity.ERROR), "error"),
        _counted(result.count(Severity.WARNING), "warning"),
        f"{result.waived} waived" if result.waived else "",
    )
    skipped = f" {len(result.skipped)} skipped: hidden, or not .yaml, .yml or .json." if result.skipped else ""
    return f"{_counted(result.files, 'file') or '0 files'}: {', '.join(filter(None, counts)) or 'no problems'}.{skipped}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}" if number else ""


def _printable(said: str) -> str:
    """Without what would steer a terminal."""
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in said)
