"""Rules on scheduled calls: Cloud Scheduler jobs that change node pools."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping

from policies.rule import Finding, Severity, Verdict, judge_each, rule
from policies.views import SchedulerJobInputs

_API = "https://container.googleapis.com/v1/"
_WHOLE = ("enabled", "totalMinNodeCount", "totalMaxNodeCount", "locationPolicy")
_DEFAULT_ACCOUNTS = ("-compute@developer.gserviceaccount.com", "@appspot.gserviceaccount.com")
_JOBS_PAGE = "https://cloud.google.com/scheduler/docs/reference/rest/v1/projects.locations.jobs"
_AUTOSCALING_PAGE = "https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters.nodePools/setAutoscaling"


@rule(
    id="SCHEDULE-001",
    title="A scheduled call is tried again",
    severity=Severity.MANDATORY,
    why="GKE refuses a call while another operation runs on the cluster. Without retries the buffer then stays on the wrong side.",
    fix="Set retryConfig.retryCount to 1 or more, or build the jobs with BufferSchedule, which does.",
    links=(_JOBS_PAGE,),
)
def call_is_retried(job: SchedulerJobInputs) -> Iterator[Verdict]:
    if not job.at("retryConfig.retryCount").number():
        yield Finding("retryConfig.retryCount", "is not set, so a call that is refused once is lost")


@rule(
    id="SCHEDULE-002",
    title="A scheduled call uses an OAuth token of an account of its own",
    severity=Severity.MANDATORY,
    why="GKE takes no OIDC token. A default account can do almost anything, and so could whoever changes the job.",
    fix="Set httpTarget.oauthToken.serviceAccountEmail to a dedicated account, and no oidcToken.",
    links=("https://cloud.google.com/scheduler/docs/http-target-auth",),
)
def call_has_its_own_account(job: SchedulerJobInputs) -> Iterator[Verdict]:
    yield from judge_each([job], _has_no_oidc_token)
    email = job.at("httpTarget.oauthToken.serviceAccountEmail").text()
    if not email:
        yield Finding("httpTarget.oauthToken", "names no account, so the call has no rights at all")
    elif email.endswith(_DEFAULT_ACCOUNTS):
        yield Finding("httpTarget.oauthToken.serviceAccountEmail", f"is a default account: {email}")


def _has_no_oidc_token(job: SchedulerJobInputs) -> Iterator[Verdict]:
    if job.at("httpTarget.oidcToken").is_set():
        yield Finding("httpTarget.oidcToken", "is an OIDC token, which GKE does not take")


@rule(
    id="SCHEDULE-003",
    title="A schedule says its time zone",
    severity=Severity.MANDATORY,
    why="Left out, it is UTC: the switch comes hours off, and twice a year another hour off.",
    fix="Set timeZone to a name of the tz database, for example Europe/Berlin; Etc/UTC where UTC is meant.",
    links=("https://cloud.google.com/scheduler/docs/configuring/cron-job-schedules",),
)
def zone_is_said(job: SchedulerJobInputs) -> Iterator[Verdict]:
    if not job.at("timeZone").text():
        yield Finding("timeZone", "is not set")


@rule(
    id="SCHEDULE-004",
    title="A call that sets limits sends the whole autoscaling object",
    severity=Severity.MANDATORY,
    why="GKE resets what the call leaves out: a missing maximum stops the pool from growing, a missing location policy spreads it anew.",
    fix=f"Send autoscaling with {', '.join(_WHOLE)}.",
    links=(_AUTOSCALING_PAGE,),
)
def limits_are_sent_whole(job: SchedulerJobInputs) -> Iterator[Verdict]:
    body = job.at("httpTarget.body").text()
    sent = _decoded(body)
    if sent is None:
        yield Finding("httpTarget.body", "is no JSON object in base64")
    elif "autoscaling" in sent or "nodeCount" not in sent:
        autoscaling = sent.get("autoscaling")
        missing = [key for key in _WHOLE if not isinstance(autoscaling, Mapping) or key not in autoscaling]
        if missing:
            yield Finding("httpTarget.body", f"sends no {', '.join(missing)}")


def _decoded(body: str | None) -> Mapping[str, object] | None:
    try:
        content = json.loads(base64.b64decode(body or "", validate=True))
    except (binascii.Error, ValueError):
        return None
    return content if isinstance(content, Mapping) else None


@rule(
    id="SCHEDULE-005",
    title="Scheduled calls go to GKE's API and nowhere else",
    severity=Severity.MANDATORY,
    why="The call carries a token that may change every cluster of the project. Any other host that gets it may use it.",
    fix=f"Call methods below {_API} and nothing else.",
    links=(_AUTOSCALING_PAGE,),
)
def call_goes_to_gke(job: SchedulerJobInputs) -> Iterator[Verdict]:
    uri = job.at("httpTarget.uri").text()
    if not (uri or "").startswith(_API):
        yield Finding("httpTarget.uri", f"calls {uri}" if uri else "calls nothing")
