"""Vertex AI itself, through Google's client. Imported only by who submits: the client is an extra, `hybrid-node-pools[vertex]`."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import google.auth
import httplib2
import requests
from google.auth.credentials import Credentials
from google.auth.exceptions import DefaultCredentialsError, RefreshError, TransportError
from google.auth.transport.requests import AuthorizedSession
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from hybrid_pools.blueprint.vocabulary import TEAM_LABEL, VERTEX_ATTEMPT_LABEL, VERTEX_DESCRIPTION_LABEL, VERTEX_RUN_LABEL
from hybrid_pools.training.vertex.attempts import Attempt, State, utc
from hybrid_pools.training.vertex.request import Request
from hybrid_pools.training.vertex.submitting import RefusedError, UnreachableError

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_ASK_AGAIN = (408, 429, 500, 502, 503, 504)
_LOST = (OSError, TransportError)
_SECONDS_FOR_AN_ANSWER = 60


def credentials() -> Credentials:
    """Those of this machine. Raises `RefusedError` where there are none."""
    try:
        found, _ = google.auth.default(scopes=[_SCOPE])
    except DefaultCredentialsError as error:
        raise RefusedError(f"there are no Google credentials here: {error}. Run: gcloud auth application-default login") from error
    return found


class VertexJobs:
    """The custom jobs of one project and region."""

    def __init__(self, parent: str, identity: Credentials, endpoint: str | None = None) -> None:
        """Nothing is asked before the first call: the client knows the API from the document that it brings.

        Args:
            parent: As `projects/PROJECT/locations/REGION`.
            endpoint: Address of the service; the region's where left out.
        """
        self._parent = parent
        region = parent.rpartition("/")[2]
        service = build(
            "aiplatform",
            "v1",
            http=_Transport(identity),
            static_discovery=True,
            cache_discovery=False,
            client_options={"api_endpoint": endpoint or f"https://{region}-aiplatform.googleapis.com"},
        )
        self._jobs = service.projects().locations().customJobs()

    def of_run(self, request: Request) -> list[Attempt]:
        """All attempts of a run."""
        wanted = {VERTEX_RUN_LABEL: request.run, TEAM_LABEL: request.team}
        conditions = " AND ".join(f'labels.{key}="{value}"' for key, value in wanted.items())
        asked = self._jobs.list(parent=self._parent, filter=conditions)
        found: list[Attempt] = []
        while asked is not None:
            page = _answer(asked.execute)
            found += [_attempt(job) for job in page.get("customJobs", ()) if wanted.items() <= job.get("labels", {}).items()]
            asked = self._jobs.list_next(asked, page)
        return found

    def get(self, name: str) -> Attempt:
        """One job; refused where it is gone."""
        return _attempt(_answer(self._jobs.get(name=name).execute))

    def create(self, request: Request, body: dict[str, Any]) -> Attempt:
        """Submit a job."""
        return _attempt(_answer(self._jobs.create(parent=request.parent, body=body).execute))

    def cancel(self, attempt: Attempt) -> None:
        """Ask a job to end."""
        _answer(self._jobs.cancel(name=attempt.name, body={}).execute)


class _Transport:
    """What the client sends its requests with. Its own transport, httplib2, sends every request again whose answer is lost, submissions
    too, and each makes a job. This one leaves that to who knows better."""

    def __init__(self, identity: Credentials) -> None:
        self._session: requests.Session = AuthorizedSession(identity)  # type: ignore[no-untyped-call]

    def request(
        self, uri: str, method: str = "GET", body: str | None = None, headers: dict[str, str] | None = None, **_: Any
    ) -> tuple[httplib2.Response, bytes]:
        """Send a request once, in the form in which the client asks for it."""
        answer = self._session.request(method, uri, data=body, headers=headers, timeout=_SECONDS_FOR_AN_ANSWER)
        return httplib2.Response({**answer.headers, "status": str(answer.status_code)}), answer.content


class SystemClock:
    """The time of this machine."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    def sleep(self, duration: timedelta) -> None:
        """Wait."""
        time.sleep(max(0.0, duration.total_seconds()))


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except HttpError as error:
        if error.status_code in _ASK_AGAIN:
            raise UnreachableError(f"HTTP {error.status_code}: {error.reason}") from error
        raise RefusedError(_refusal(error)) from error
    except RefreshError as error:
        raise RefusedError(f"the Google credentials are refused: {error}. Run: gcloud auth application-default login") from error
    except _LOST as error:
        raise UnreachableError(str(error) or type(error).__name__) from error


def _refusal(error: HttpError) -> str:
    message = f"Vertex AI refuses (HTTP {error.status_code}): {error.reason}"
    if error.status_code in (401, 403):
        return f"{message} Who submits needs roles/aiplatform.user on the project, and roles/iam.serviceAccountUser on the service account."
    return message


def _attempt(job: dict[str, Any]) -> Attempt:
    labels, error = job.get("labels", {}), job.get("error", {})
    number = labels.get(VERTEX_ATTEMPT_LABEL, "")
    known = {state.value: state for state in State}
    return Attempt(
        name=job["name"],
        number=int(number) if number.isdecimal() else 1,
        digest=labels.get(VERTEX_DESCRIPTION_LABEL, ""),
        state=known.get(job.get("state", ""), State.UNSPECIFIED),
        created=utc(job["createTime"]),
        started=utc(job["startTime"]) if "startTime" in job else None,
        ended=utc(job["endTime"]) if "endTime" in job else None,
        code=int(error.get("code", 0)),
        message=str(error.get("message", "")),
    )
