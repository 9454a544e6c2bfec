"""One call of the API server with plain objects.

Without the official client's models, whose checks cost seconds for a thousand objects; its connections, certificates and credentials stay.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from kubernetes.client import ApiClient
from kubernetes.client.exceptions import ApiException

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
"""Lists with keys, such as conditions, are merged and not replaced."""

APPLY = "application/apply-patch+yaml"


def send(
    client: ApiClient,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    content: str = JSON,
    *,
    query: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Any:
    """The answer as it comes, whatever its status; not read yet, so that a watch can be followed.

    Args:
        client: Who asks.
        method: `GET`, `POST`, `PATCH` or `DELETE`.
        path: With the namespace, without the query.
        body: An object, or a patch.
        content: What the body is: one of the constants above.
        query: Parameters.
        timeout: Seconds for the call; without limit where left out.
    """
    headers = {"Accept": JSON, **({"Content-Type": content} if body is not None else {})}
    # Of content types that are no JSON by name the client takes text only, and JSON is YAML.
    sent = json.dumps(body) if content == APPLY else body
    request = client.param_serialize(
        method, path, query_params=list((query or {}).items()), header_params=headers, body=sent, auth_settings=["BearerToken"]
    )
    return client.call_api(*request, _request_timeout=timeout)


def call(
    client: ApiClient,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    content: str = JSON,
    *,
    query: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> dict[str, Any]:
    """The object that the API server answers with; arguments as of `send`.

    Raises:
        ApiException: The API server says no; with the status, and in `body` what it said.
    """
    answer = send(client, method, path, body, content, query=query, timeout=timeout)
    data = answer.read()
    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
        raise ApiException.from_response(http_resp=answer, body=data.decode(errors="replace"), data=None)
    found: dict[str, Any] = json.loads(data or b"{}")
    return found
