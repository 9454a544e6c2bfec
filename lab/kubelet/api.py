"""The API server as this kubelet uses it: plain objects, strategic merge patches, and watches that go on after any fault."""

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from kubernetes.client import ApiClient
from urllib3.exceptions import HTTPError

from lab.cluster.calling import JSON, STRATEGIC, send

_WATCH_SECONDS: Final = 60  # after which the server ends a watch, so that one that nobody needs any more ends too
_TIMEOUT: Final = 15.0  # seconds for one call
_PAUSE: Final = 0.5  # seconds before the next try after a fault

Object = dict[str, Any]


class ApiError(Exception):
    """A call did not succeed. `status` is None where no answer came; else the HTTP status."""

    def __init__(self, status: int | None, message: str) -> None:
        super().__init__(message)
        self.status = status


class Api:
    """Calls with the rights of a client; safe for use by many threads."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client

    @property
    def server(self) -> str:
        """Address of the API server."""
        return str(self._client.configuration.host)

    def get(self, path: str) -> Object | None:
        """An object, or None where there is none."""
        try:
            return self._json("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, path: str, body: Object) -> Object:
        """What was made of the object."""
        return self._json("POST", path, body)

    def patch(self, path: str, body: Object) -> Object:
        """The object after a strategic merge patch: lists with keys, such as conditions, are merged and not replaced."""
        return self._json("PATCH", path, body, content=STRATEGIC)

    def delete(self, path: str, body: Object) -> None:
        """Deletes an object; nothing happens where there is none, or where the precondition in `body` does not hold."""
        try:
            self._json("DELETE", path, body)
        except ApiError as error:
            if error.status not in (404, 409):
                raise

    def follow(self, path: str, selectors: Mapping[str, str], stop: threading.Event) -> Iterator[tuple[str, Any]]:
        """All objects of a list as `("SYNC", items)`, then every change as `(type, object)`; another SYNC where changes may be missed."""
        version = ""
        while not stop.is_set():
            try:
                if not version:
                    listed = self._json("GET", path, query=selectors)
                    version = listed["metadata"]["resourceVersion"]
                    yield "SYNC", listed["items"]
                for event in self._events(path, {**selectors, "resourceVersion": version}):
                    if event["type"] == "ERROR":
                        version = ""
                        break
                    version = event["object"]["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        yield event["type"], event["object"]
            except (ApiError, HTTPError, ValueError, OSError):
                version = ""
                stop.wait(_PAUSE)

    def _events(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        options = {"watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": str(_WATCH_SECONDS)}
        response = self._call("GET", path, query={**query, **options}, timeout=2 * _WATCH_SECONDS)
        with response.response as stream:
            rest = b""
            for chunk in stream.stream(amt=None, decode_content=False):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield json.loads(line)

    def _json(
        self, method: str, path: str, body: Object | None = None, query: Mapping[str, str] | None = None, content: str = JSON
    ) -> Object:
        try:
            response = self._call(method, path, body, query, content)
            answer: Object = json.loads(response.read() or b"{}")
        except (HTTPError, OSError) as error:
            raise ApiError(None, f"{method} {path}: {error}") from None
        return answer

    def _call(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        query: Mapping[str, str] | None = None,
        content: str = JSON,
        timeout: float = _TIMEOUT,
    ) -> Any:
        response = send(self._client, method, path, body, content, query=query, timeout=timeout)
        if not 200 <= response.status < 300:
            raise ApiError(response.status, f"{method} {path}: {response.status} {response.read().decode(errors='replace')[:500]}")
        return response


def pod_path(pod: Mapping[str, Any], subresource: str = "") -> str:
    """Path of a pod in the API."""
    metadata = pod["metadata"]
    return f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}" + (f"/{subresource}" if subresource else "")


class NamespaceSources:
    """Config maps and secrets of one namespace, read anew each time, as a kubelet does before it starts a container."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace

    def data(self, kind: str, name: str) -> Mapping[str, bytes] | None:
        """The data of a `ConfigMap` or `Secret`, or None where there is none of that name."""
        found = self._api.get(f"/api/v1/namespaces/{self._namespace}/{kind.lower()}s/{quote(name)}")
        if found is None:
            return None
        coded = {key: base64.b64decode(value) for key, value in (found.get("data" if kind == "Secret" else "binaryData") or {}).items()}
        plain = {key: value.encode() for key, value in (found.get("data") or {}).items()} if kind == "ConfigMap" else {}
        return {**coded, **plain}


class Tokens:
    """Tokens of a pod's service account, bound to the pod, kept until four fifths of their life are over (as a kubelet keeps them)."""

    def __init__(self, api: Api, pod: Mapping[str, Any]) -> None:
        self._api = api
        self._pod = pod
        self._kept: dict[tuple[str, int], tuple[str, float]] = {}

    def token(self, audience: str, seconds: int) -> str:
        """A token that is valid for some time yet."""
        value, renewal = self._kept.get((audience, seconds), ("", 0.0))
        now = datetime.now().timestamp()
        if now >= renewal:
            metadata = self._pod["metadata"]
            account = self._pod["spec"].get("serviceAccountName") or "default"
            bound = {"kind": "Pod", "apiVersion": "v1", "name": metadata["name"], "uid": metadata["uid"]}
            spec = {"audiences": [audience] if audience else [], "expirationSeconds": seconds, "boundObjectRef": bound}
            answer = self._api.create(f"/api/v1/namespaces/{metadata['namespace']}/serviceaccounts/{account}/token", {"spec": spec})
            value = answer["status"]["token"]
            expires = datetime.fromisoformat(answer["status"]["expirationTimestamp"]).timestamp()
            self._kept[audience, seconds] = value, now + 0.8 * (expires - now)
        return value
