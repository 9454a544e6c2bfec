"""The report for pull requests: GitHub's workflow commands, which become annotations beside the lines."""

from collections.abc import Iterator

from hybrid_pools.lint.finding import Finding
from hybrid_pools.lint.reports.result import Result


def github(result: Result) -> str:
    """The report: one command a finding, a notice for what is waived."""
    return "\n".join(_commands(result))


def _commands(result: Result) -> Iterator[str]:
    for finding in result.findings:
        law = finding.law
        level = law.severity.value if finding.excuse is None else "notice"
        place = f"file={_property(finding.file)},line={finding.line},col={finding.column},title={_property(f'{law.id}: {law.title}')}"
        yield f"::{level} {place}::{_data(_message(finding))}"


def _message(finding: Finding) -> str:
    if finding.excuse is not None:
        return f"{finding.said}. Waived: {finding.excuse}"
    return f"{finding.said}. {finding.law.why} Fix: {finding.law.fix}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
