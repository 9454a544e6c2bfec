"""Judging PromQL: does it parse, and does everything it names exist."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hybrid_pools.blueprint.monitoring.metrics import KnownMetrics

if TYPE_CHECKING:
    import promql_parser

_RESOURCE = "monitored_resource"
_VARIABLE = re.compile(r"\$\{__interval\}")
_ANY_RANGE = "5m"
_NAME = "__name__"
_RELABELLING = ("label_replace", "label_join")


def query_faults(query: str, known: KnownMetrics) -> Iterator[str]:
    """What is wrong with a query, each fault as the rest of a sentence; nothing where it is right.

    Judged are syntax and types, metric names, labels in matchers and in `by`, and that a metric of Cloud Monitoring's own says which
    monitored resource is meant: without it the answer depends on what else writes the metric.
    """
    import promql_parser  # noqa: PLC0415 - five megabytes that only those who write queries need

    try:
        expression = promql_parser.parse(_VARIABLE.sub(_ANY_RANGE, query))
    except ValueError as error:
        yield f"is not PromQL: {error}"
        return
    if isinstance(expression, promql_parser.MatrixSelector | promql_parser.StringLiteral):
        yield "gives no value at a time: a range needs a function around it, for example increase()"
    nodes = _nodes(expression)
    for node in nodes:
        if isinstance(node, promql_parser.VectorSelector):
            yield from _selector_faults(node, known)
    for node in nodes:
        if isinstance(node, promql_parser.AggregateExpr):
            yield from _grouping_faults(node, known)


def _nodes(expression: "promql_parser.Expr") -> list[Any]:
    import promql_parser  # noqa: PLC0415 - as above

    found: list[Any] = []
    promql_parser.walk(expression, found.append)
    return found


def _name_of(selector: Any) -> str:
    named = next((matcher.value for matcher in selector.matchers.matchers if matcher.name == _NAME), "")
    return str(selector.name or named)


def _selector_faults(selector: Any, known: KnownMetrics) -> Iterator[str]:
    import promql_parser  # noqa: PLC0415 - as above

    name = _name_of(selector)
    metric = known.by_name.get(name)
    if metric is None:
        close = known.closest(name)
        yield f"asks for the metric {name}, which is not known{f'; did you mean {close}?' if close else ''}"
        return
    matchers = [matcher for matcher in selector.matchers.matchers if matcher.name != _NAME]
    resources = [m.value for m in matchers if m.name == _RESOURCE and m.op == promql_parser.MatchOp.Equal]
    if not metric.is_prometheus and not resources:
        yield f'asks for {name} without {_RESOURCE}="{metric.resources[0]}"'
    for resource in resources:
        if resource not in metric.resources:
            yield f"asks for {name} of {resource}, but it is written for {', '.join(metric.resources)}"
    allowed = known.labels(name)
    for matcher in matchers:
        if matcher.name != _RESOURCE and matcher.name not in allowed:
            yield f"asks for the label {matcher.name} of {name}, which has {', '.join(sorted(allowed))}"


def _grouping_faults(aggregation: Any, known: KnownMetrics) -> Iterator[str]:
    import promql_parser  # noqa: PLC0415 - as above

    if aggregation.modifier is None or aggregation.modifier.type != promql_parser.AggModifierType.By:
        return
    inner = _nodes(aggregation.expr)
    names = [_name_of(node) for node in inner if isinstance(node, promql_parser.VectorSelector)]
    if not all(name in known.by_name for name in names):
        return
    made = {node.args[1].val for node in inner if isinstance(node, promql_parser.Call) and node.func.name in _RELABELLING}
    allowed = made.union(*(known.labels(name) for name in names))
    for label in aggregation.modifier.labels:
        if label not in allowed:
            yield f"groups by the label {label}, which is none of {', '.join(sorted(allowed))}"
