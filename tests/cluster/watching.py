"""Everything that there ever was of a kind, as the API server tells it."""

import json
import ssl
import threading
from http import HTTPStatus
from http.client import HTTPException, HTTPSConnection
from types import TracebackType
from typing import Any, Self

from lab.cluster.calling import call
from lab.cluster.control_plane import ControlPlane


class Watch:
    """All objects of a collection between the beginning and the end, also those that are gone.

    Attributes:
        seen: By uid, as they were seen last.
    """

    def __init__(self, control_plane: ControlPlane, path: str) -> None:
        self.seen: dict[str, dict[str, Any]] = {}
        self._path = path
        self._ended = False
        self._lost: str | None = None
        context = ssl.create_default_context(cafile=str(control_plane.ca))
        host, _, port = control_plane.url.removeprefix("https://").partition(":")
        self._connection = HTTPSConnection(host, int(port), context=context)
        self._token = control_plane.files.tokens.read_text().partition(",")[0]
        self._thread = threading.Thread(target=self._follow, daemon=True)
        there = call(control_plane.client(), "GET", path)
        self._version = there["metadata"]["resourceVersion"]
        for one in there["items"]:
            self._see(one)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended = True
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._thread.join(10)
        assert kind is not None or self._lost is None, f"the watch broke, so something may have been missed: {self._lost}"

    def _follow(self) -> None:
        try:
            while not self._ended:
                # The server ends a watch whose reader is slow. It goes on after what was seen last, or says that this is too long ago.
                self._follow_once()
        except (OSError, HTTPException, ValueError, AssertionError) as error:
            if not self._ended:
                self._lost = str(error)

    def _follow_once(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        self._connection.request("GET", f"{self._path}?watch=true&resourceVersion={self._version}", headers=headers)
        with self._connection.getresponse() as response:
            assert response.status == HTTPStatus.OK, response.read()
            while line := response.readline():
                event = json.loads(line)
                assert event["type"] != "ERROR", event
                self._version = event["object"]["metadata"]["resourceVersion"]
                self._see(event["object"])

    def _see(self, one: dict[str, Any]) -> None:
        self.seen[one["metadata"]["uid"]] = one
