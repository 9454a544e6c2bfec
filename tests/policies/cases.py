"""The shape of the tables: for every rule six cases at least, and how one is judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from policies.rule import RULES, Stack
from tests.policies.analysis import Diagnostic, analyze, analyze_stack
from tests.policies.given import ABSENT, UNKNOWN, Given, Path


class Kind(StrEnum):
    """Every rule has a case of each of the first six kinds."""

    COMPLIANT = "compliant"
    VIOLATING = "violating"
    ABSENT = "absent"
    NULL = "null"
    UNKNOWN = "unknown"
    WRONG_TYPE = "wrong type"
    MORE = "more"


SIX = frozenset(Kind) - {Kind.MORE}


class Expected(StrEnum):
    PASSES = "passes"
    VIOLATES = "violates"
    WAITS = "is not known yet"
    VIOLATES_AND_WAITS = "violates, and is not known in another part"
    NOT_UNDERSTOOD = "is not understood"


@dataclass(frozen=True)
class Case:
    rule: str
    kind: Kind
    given: tuple[Given, ...]
    expected: Expected
    label: str = ""
    configuration: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.rule} {self.kind} {self.label}".rstrip().replace(" ", "-")


PASSES, VIOLATES, WAITS = Expected.PASSES, Expected.VIOLATES, Expected.WAITS


def six(
    rule: str,
    given: Given,
    at: str | Path,
    *,
    violating: Any,
    absent: Expected,
    wrong: Any = 7,
    beside: Sequence[Given] = (),
    null: Expected | None = None,
    unknown: Expected = WAITS,
    wrong_type: Expected = Expected.NOT_UNDERSTOOD,
) -> list[Case]:
    """The six cases that spoil one property of a compliant resource; null is judged as absent unless said otherwise."""
    return [
        Case(rule, Kind.COMPLIANT, (given, *beside), PASSES),
        Case(rule, Kind.VIOLATING, (given.but({at: violating}), *beside), VIOLATES),
        Case(rule, Kind.ABSENT, (given.but({at: ABSENT}), *beside), absent),
        Case(rule, Kind.NULL, (given.but({at: None}), *beside), null or absent),
        Case(rule, Kind.UNKNOWN, (given.but({at: UNKNOWN}), *beside), unknown),
        Case(rule, Kind.WRONG_TYPE, (given.but({at: wrong}), *beside), wrong_type),
    ]


def more(rule: str, label: str, given: Given | Sequence[Given], expected: Expected, **configuration: Any) -> Case:
    """One more case, beside the six."""
    resources = (given,) if isinstance(given, Given) else tuple(given)
    return Case(rule, Kind.MORE, resources, expected, label, configuration)


def diagnostics(case: Case) -> list[Diagnostic]:
    """What the rule of a case says to its resources."""
    rule = RULES[case.rule]
    configuration = {case.rule: case.configuration}
    if issubclass(rule.subject, Stack):
        return analyze_stack(case.given, configuration, [rule])
    (given,) = case.given
    return analyze(given, configuration, [rule])


def check(case: Case) -> None:
    """Compare the verdict, its level and its words with what the case expects."""
    rule, said = RULES[case.rule], diagnostics(case)
    waits = [one for one in said if "not known yet" in one.message]
    violations = [one for one in said if one not in waits]
    assert {one.rule for one in said} <= {case.rule}
    assert all(one.level == "advisory" for one in waits)
    assert all(one.level == rule.severity for one in violations)
    assert all(rule.fix in one.message for one in violations), "a violation says how to mend it"
    assert bool(violations) is (case.expected in (VIOLATES, Expected.VIOLATES_AND_WAITS, Expected.NOT_UNDERSTOOD)), said
    assert bool(waits) is (case.expected in (WAITS, Expected.VIOLATES_AND_WAITS)), said
    understood = all("not understood" not in one.message for one in violations)
    assert understood is (case.expected is not Expected.NOT_UNDERSTOOD), said
