"""Runs the pack as the engine does, without the process and the socket: protocol messages in, diagnostics out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi.runtime import proto
from pulumi_policy import EnforcementLevel

from policies.adapter import PACK_NAME, Analyzer, policies
from policies.rule import Rule
from tests.policies.given import Given

_LEVELS = {proto.ADVISORY: "advisory", proto.MANDATORY: "mandatory", proto.DISABLED: "disabled"}


@dataclass(frozen=True)
class Diagnostic:
    rule: str
    level: str
    message: str
    urn: str


class Refused(Exception):  # noqa: N818 — the answer, no failure of the test
    """What a call is answered with when the pack aborts it."""


class Call:
    """The part of a gRPC context that the pack uses."""

    def abort(self, code: object, details: str) -> None:
        raise Refused(details)


def analyzer(configuration: Mapping[str, Mapping[str, Any]] | None = None, rules: Sequence[Rule] | None = None) -> Any:
    """The pack's server, untyped as the SDK leaves it, configured as the engine does it: with the defaults of what is left out."""
    served = policies(rules)
    server: Any = Analyzer(PACK_NAME, "0.1.0", served, EnforcementLevel.MANDATORY)
    request = proto.ConfigureAnalyzerRequest()
    for policy in served:
        level = policy.enforcement_level or EnforcementLevel.MANDATORY
        request.policyConfig[policy.name].enforcementLevel = proto.EnforcementLevel.Value(level.value.upper())
        for key, schema in (policy.config_schema.properties if policy.config_schema else {}).items():
            request.policyConfig[policy.name].properties.update({key: schema["default"]})
    for name, settings in (configuration or {}).items():
        request.policyConfig[name].properties.update(settings)
    server.Configure(request, Call())
    return server


def analyze(
    given: Given, configuration: Mapping[str, Mapping[str, Any]] | None = None, rules: Sequence[Rule] | None = None
) -> list[Diagnostic]:
    """Judge one resource."""
    return analyze_each([given], configuration, rules)


def analyze_each(
    given: Iterable[Given], configuration: Mapping[str, Mapping[str, Any]] | None = None, rules: Sequence[Rule] | None = None
) -> list[Diagnostic]:
    """Judge resources one after the other."""
    server, found = analyzer(configuration, rules), []
    for one in given:
        request = proto.AnalyzeRequest(type=one.type, name=one.name, urn=one.urn, options=_options(one))
        request.properties.update(one.inputs)
        found += _diagnostics(server.Analyze(request, Call()))
    return found


def analyze_stack(
    given: Iterable[Given], configuration: Mapping[str, Mapping[str, Any]] | None = None, rules: Sequence[Rule] | None = None
) -> list[Diagnostic]:
    """Judge a whole stack."""
    request = proto.AnalyzeStackRequest()
    for one in given:
        resource = request.resources.add(type=one.type, name=one.name, urn=one.urn, options=_options(one))
        resource.properties.update(one.inputs)
        for key, urns in one.sources.items():
            resource.propertyDependencies[key].urns.extend(urns)
    return _diagnostics(analyzer(configuration, rules).AnalyzeStack(request, Call()))


def _options(given: Given) -> proto.AnalyzerResourceOptions:
    return proto.AnalyzerResourceOptions(protect=given.protect, ignoreChanges=given.ignore_changes)


def _diagnostics(response: proto.AnalyzeResponse) -> list[Diagnostic]:
    return [Diagnostic(one.policyName, _LEVELS[one.enforcementLevel], one.message, one.urn) for one in response.diagnostics]
