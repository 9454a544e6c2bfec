"""Hands the rules to Pulumi's engine: one policy a rule, so that every id has its own level and settings.

Levels: a violation has the level of its rule. What is not known yet is always advisory, and never hides a violation of the same rule.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import grpc
import pulumi_policy.policy as sdk
from google.protobuf import json_format
from pulumi.runtime import proto
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    PolicyResource,
    PolicyResourceOptions,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UnknownValueError

from policies.configuration import configuration_problems
from policies.reading import Value
from policies.rule import NotKnownYet, Options, Resource, Rule, Severity, Stack, Subject, View
from policies.rules import all_rules

PACK_NAME = "hybrid-node-pools"
_POLICIES = "_PolicyAnalyzerServicer__policies"
"""Where the SDK's server keeps its policies."""

_SEVERITIES = {Severity.MANDATORY: sdk.Severity.HIGH, Severity.ADVISORY: sdk.Severity.LOW}


class Waiting(UnknownValueError):  # noqa: N818 — waiting is no error
    """What the SDK turns into an advisory message whatever the level of the rule."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(UNKNOWN_OBJECT_VALUE, list(paths))
        self.message = f"not known yet: {', '.join(paths)}"


class RulePolicy(ResourceValidationPolicy):
    """A rule on one resource as a policy that can be asked which types it looks at."""

    def __init__(self, rule: Rule, **description: Any) -> None:
        super().__init__(validate=lambda args, report: _judge_resource(rule, args, report), **description)
        assert issubclass(rule.subject, View)  # noqa: S101 — the other kind of subject is another policy
        self.reads = rule.subject.reads


class Analyzer(sdk._PolicyAnalyzerServicer):
    """The SDK's own server, which also refuses a configuration that nobody would read, and asks each resource's own rules only.

    The SDK offers no public place for it: `PolicyPack` starts its server and never returns.
    """

    def Analyze(self, request: proto.AnalyzeRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802
        """Judge one resource.

        The SDK reads all properties anew for each policy, which for a hundred rules is a tenth of a second a resource. Most rules look at
        one type.
        """
        own = copy(self)
        served = vars(self)[_POLICIES]
        vars(own)[_POLICIES] = [one for one in served if not isinstance(one, RulePolicy) or one.reads(request.type)]
        return super(Analyzer, own).Analyze(request, context)  # type: ignore[no-untyped-call]

    def Configure(self, request: proto.ConfigureAnalyzerRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802
        """Take the configuration, or end the operation before any resource is looked at."""
        given = {rule_id: json_format.MessageToDict(config.properties) for rule_id, config in request.policyConfig.items()}
        problems = configuration_problems(given, all_rules())
        if problems:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "\n".join(["the configuration of the policy pack is wrong", *problems]))
        return super().Configure(request, context)  # type: ignore[no-untyped-call]


def serve() -> None:
    """Serve the pack to the engine that started this process. Does not return."""
    sdk._PolicyAnalyzerServicer = Analyzer  # type: ignore[misc]
    PolicyPack(name=PACK_NAME, policies=policies(), enforcement_level=EnforcementLevel.MANDATORY)


def policies(rules: Sequence[Rule] | None = None) -> list[Policy]:
    """The rules as policies of Pulumi; all of the pack by default."""
    return [_policy(rule) for rule in (all_rules() if rules is None else rules)]


def _policy(rule: Rule) -> Policy:
    description: dict[str, Any] = {
        "name": rule.id,
        "description": rule.title,
        "enforcement_level": EnforcementLevel(rule.severity.value),
        "config_schema": _schema(rule),
        "severity": _SEVERITIES[rule.severity],
        "remediation_steps": rule.fix,
        "url": rule.links[0] if rule.links else None,
    }
    if issubclass(rule.subject, Stack):
        return StackValidationPolicy(validate=lambda args, report: _judge_stack(rule, args, report), **description)
    return RulePolicy(rule, **description)


def _schema(rule: Rule) -> PolicyConfigSchema | None:
    if not rule.settings:
        return None
    return PolicyConfigSchema(
        {
            setting.key: {
                **setting.schema,
                "description": setting.meaning,
                "default": list(setting.default) if isinstance(setting.default, tuple) else setting.default,
            }
            for setting in rule.settings
        }
    )


def _judge_resource(rule: Rule, args: ResourceValidationArgs, report: ReportViolation) -> None:
    assert issubclass(rule.subject, View)  # noqa: S101 — the other kind of subject has its own path
    if rule.subject.reads(args.resource_type):
        resource = Resource(args.resource_type, args.name, args.urn, Value(args.props), _options(args.opts))
        _judge(rule, rule.subject(_configuration(args.get_config()), resource), report)


def _judge_stack(rule: Rule, args: StackValidationArgs, report: ReportViolation) -> None:
    _judge(rule, Stack(_configuration(args.get_config()), _resources(args.resources)), report)


def _configuration(given: Mapping[str, Any]) -> Value:
    return Value(given, "configuration")


def _options(options: PolicyResourceOptions) -> Options:
    return Options(options.protect, tuple(options.ignore_changes))


def _resources(given: Sequence[PolicyResource]) -> list[Resource]:
    plain = {one.urn: Resource(one.resource_type, one.name, one.urn, Value(one.props), _options(one.opts)) for one in given}
    return [
        Resource(
            one.resource_type,
            one.name,
            one.urn,
            Value(one.props),
            _options(one.opts),
            {name: [plain[source.urn] for source in sources] for name, sources in one.property_dependencies.items()},
        )
        for one in given
    ]


def _judge(rule: Rule, subject: Subject, report: ReportViolation) -> None:
    waiting: list[str] = []
    # Anything that escapes a policy ends the operation without saying where (pulumi/pulumi#16741).
    try:
        for verdict in rule.judge(subject):
            if isinstance(verdict, NotKnownYet):
                waiting.append(_place(verdict) if isinstance(subject, Stack) else verdict.path)
            else:
                report(f"{verdict}\nFix: {rule.fix}", verdict.resource)
    except Exception as fault:
        report(f"the rule failed ({fault!r}), so nothing is known. Report it; until it is mended, disable {rule.id}.", None)
    if waiting:
        raise Waiting(list(dict.fromkeys(waiting)))


def _place(verdict: NotKnownYet) -> str:
    return f"{verdict.path} of {verdict.resource.rsplit('::', 1)[-1]}" if verdict.resource else verdict.path
