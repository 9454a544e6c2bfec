"""Cloud Scheduler jobs: what the service is known to refuse.

Sources: Cron job format and time zone page of the Cloud Scheduler documentation; pulumi_gcp 10.2.0, descriptions of a job's properties.
"""

import base64
import binascii
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from lab.google.computed import SCHEDULER_JOB
from lab.google.refusal import Refusal, bad_request, not_found
from lab.google.refusals.write import Write

_SHORTEST_DEADLINE, _LONGEST_DEADLINE = 15, 1800
_WITH_A_BODY = ("POST", "PUT", "PATCH")
_OWN_ACCOUNT = ".iam.gserviceaccount.com"


def _time(write: Write) -> Iterator[Refusal]:
    schedule = write.document["schedule"]
    try:
        CronSim(schedule, datetime.now(UTC))
    except CronSimError as error:
        yield bad_request(f"Schedule or time zone is invalid: {schedule!r}: {error}")
    zone = write.document.get("timeZone", "Etc/UTC")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield bad_request(f"Schedule or time zone is invalid: {zone!r} is no zone of the tz database")


def _deadline(write: Write) -> Iterator[Refusal]:
    seconds = float(write.document.get("attemptDeadline", "180s").removesuffix("s"))
    if write.get("httpTarget") and not _SHORTEST_DEADLINE <= seconds <= _LONGEST_DEADLINE:
        yield bad_request(f"The attempt deadline {seconds:g}s is not within {_SHORTEST_DEADLINE}s and {_LONGEST_DEADLINE}s")


def _body(write: Write) -> Iterator[Refusal]:
    body = write.get("httpTarget.body")
    if not body:
        return
    if write.get("httpTarget.httpMethod", "POST") not in _WITH_A_BODY:
        yield bad_request(f"A body is allowed only with {', '.join(_WITH_A_BODY)}")
    try:
        base64.b64decode(body, validate=True)
    except binascii.Error:
        yield bad_request("Invalid value at 'job.http_target.body' (TYPE_BYTES), Base64 decoding failed")


def _account(write: Write) -> Iterator[Refusal]:
    project = write.document["project"]
    for token in ("oauthToken", "oidcToken"):
        email = write.get(f"httpTarget.{token}.serviceAccountEmail")
        if not email or not email.endswith(_OWN_ACCOUNT):
            continue
        owner = email.removesuffix(_OWN_ACCOUNT).partition("@")[2]
        if owner != project:
            yield bad_request(f"Service account {email} must be within the same project as the job, {project}")
        elif not write.store.get(f"projects/{owner}/serviceAccounts/{email}"):
            yield not_found(f"service account {email}")


WRITES: dict[str, tuple[Callable[[Write], Iterator[Refusal]], ...]] = {SCHEDULER_JOB: (_time, _deadline, _body, _account)}
