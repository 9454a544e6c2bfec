"""Cases of the rules on scheduled calls."""

import base64
import json
from typing import Any

from tests.policies.cases import VIOLATES, WAITS, Case, Expected, more, six
from tests.policies.given import ABSENT, UNKNOWN, Given


def body(content: Any) -> str:
    return base64.b64encode(json.dumps(content).encode()).decode()


AUTOSCALING = {"enabled": True, "totalMinNodeCount": 0, "totalMaxNodeCount": 12, "locationPolicy": "ANY"}
JOB = Given(
    "gcp:cloudscheduler/job:Job",
    {
        "schedule": "0 21 * * 1,2,3,4",
        "timeZone": "America/Chicago",
        "retryConfig": {"retryCount": 5},
        "httpTarget": {
            "uri": "https://container.googleapis.com/v1/projects/p/locations/l/clusters/c/nodePools/n:setAutoscaling",
            "body": body({"autoscaling": AUTOSCALING}),
            "oauthToken": {"serviceAccountEmail": "prod-schedule@acme.iam.gserviceaccount.com"},
        },
    },
    name="job",
)
RESIZE = JOB.but({"httpTarget.body": body({"nodeCount": 2})})
COMPLIANT = (JOB,)

EMAIL = "httpTarget.oauthToken.serviceAccountEmail"

CASES: list[Case] = [
    *six("SCHEDULE-001", JOB, "retryConfig.retryCount", violating=0, absent=VIOLATES, wrong="5"),
    more("SCHEDULE-001", "no retries at all", JOB.but({"retryConfig": ABSENT}), VIOLATES),
    *six("SCHEDULE-002", JOB, EMAIL, violating="1-compute@developer.gserviceaccount.com", absent=VIOLATES),
    more("SCHEDULE-002", "the account of App Engine", JOB.but({EMAIL: "acme@appspot.gserviceaccount.com"}), VIOLATES),
    more("SCHEDULE-002", "an OIDC token", JOB.but({"httpTarget.oauthToken": ABSENT, "httpTarget.oidcToken": {"audience": "a"}}), VIOLATES),
    more(
        "SCHEDULE-002",
        "an OIDC token that is not known beside no account",
        JOB.but({"httpTarget.oauthToken": ABSENT, "httpTarget.oidcToken": UNKNOWN}),
        Expected.VIOLATES_AND_WAITS,
    ),
    *six("SCHEDULE-003", JOB, "timeZone", violating="", absent=VIOLATES),
    *six("SCHEDULE-004", JOB, "httpTarget.body", violating=body({"autoscaling": {"totalMaxNodeCount": 12}}), absent=VIOLATES),
    more("SCHEDULE-004", "a size alone", RESIZE, Expected.PASSES),
    more("SCHEDULE-004", "no JSON", JOB.but({"httpTarget.body": "e30"}), VIOLATES),
    more("SCHEDULE-004", "an empty object", JOB.but({"httpTarget.body": body({})}), VIOLATES),
    more("SCHEDULE-004", "a list", JOB.but({"httpTarget.body": body([1])}), VIOLATES),
    more("SCHEDULE-004", "autoscaling that is no object", JOB.but({"httpTarget.body": body({"autoscaling": True})}), VIOLATES),
    *six("SCHEDULE-005", JOB, "httpTarget.uri", violating="https://container.googleapis.com.evil.example/v1/", absent=VIOLATES),
    more("SCHEDULE-005", "without encryption", JOB.but({"httpTarget.uri": "http://container.googleapis.com/v1/"}), VIOLATES),
    more(
        "SCHEDULE-005",
        "a host before the real one",
        JOB.but({"httpTarget.uri": "https://container.googleapis.com@evil.example/"}),
        VIOLATES,
    ),
    more("SCHEDULE-005", "target not known", JOB.but({"httpTarget": UNKNOWN}), WAITS),
]
