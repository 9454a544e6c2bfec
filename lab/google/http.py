"""A small HTTP face of GKE's API: the calls by which a schedule changes a node pool, on this machine only.

Google's rules that matter to a caller are kept: a token of an account with the permission, the whole autoscaling object each time, one
operation at a time on a cluster. Operations end by the clock of whoever advances it, not by the machine's.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lab.google import faults, refusals
from lab.google.catalogue import Catalogue
from lab.google.computed import NODE_POOL
from lab.google.faults import Call, Kind
from lab.google.refusal import LostAnswer, Refusal, bad_request, not_found
from lab.google.store import Record, Store
from lab.google.values import Document

OPERATION = timedelta(seconds=45)
"""How long a change of limits or size keeps a cluster busy."""

_PATH = re.compile(r"/v1/(?P<pool>(?P<cluster>projects/[^/]+/locations/[^/]+/clusters/[^/]+)/nodePools/[^/:]+):(?P<method>[A-Za-z]+)")
_TOKEN = re.compile(r"Bearer lab-token (?P<email>\S+)")
_PERMISSION = "container.clusters.update"
_CUSTOM_ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
_PROJECT_GRANT = "gcp:projects/iAMMember:IAMMember"
_PER_ZONE, _TOTAL = ("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount")
_AUTOSCALING = {*_PER_ZONE, *_TOTAL, "enabled", "locationPolicy", "autoprovisioned"}


@dataclass
class Clock:
    """The time that the lab plays, in UTC."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))


def token_of(store: Store, email: str) -> str:
    """What Google's token service gives for an account, as the value of the header `Authorization`.

    Raises:
        Refusal: There is no such account.
    """
    project = email.partition("@")[2].removesuffix(".iam.gserviceaccount.com")
    if not store.get(f"projects/{project}/serviceAccounts/{email}"):
        raise Refusal(404, f"Not found; Gaia id not found for email {email}", "notFound")
    return f"Bearer lab-token {email}"


@dataclass
class ContainerApi:
    """The calls.

    Attributes:
        catalogue: The types and their facts.
        store: The resources.
        clock: By which operations end.
    """

    catalogue: Catalogue
    store: Store
    clock: Clock
    _busy_until: dict[str, datetime] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def post(self, path: str, authorization: str, body: bytes) -> Document:
        """Does one call and answers with the operation that it began.

        Raises:
            Refusal: Nothing was done.
            LostAnswer: The call never arrived, or its answer is lost on the way.
        """
        match = _PATH.fullmatch(path)
        if match is None or match["method"] not in _METHODS:
            raise Refusal(404, f"The requested URL {path} was not found on this server", "notFound")
        call = Call(match["method"], NODE_POOL, match["pool"].rpartition("/")[2])
        if faults.meets(self.store, call, Kind.LOST_CALL):
            raise LostAnswer(f"{path}: the call never arrived")
        with self._lock, self._logged(call, match["pool"]):
            self._authorize(authorization, match["pool"].split("/")[1])
            faults.refuse(self.store, call)
            self._begin(call, match["cluster"])
            with self.store.transaction():
                record = self.store.get(match["pool"], NODE_POOL)
                if record is None:
                    raise not_found(match["pool"])
                changed = _METHODS[call.method](record.document, _json(body))
                write = refusals.Write(NODE_POOL, record.id, changed, record.document, self.store, self.catalogue)
                for refusal in refusals.of_write(write):
                    raise refusal
                self.store.put(Record(record.type, record.id, changed, record.status, record.message, record.urn, record.created))
            self._busy_until[match["cluster"]] = self.clock.now + OPERATION
        if faults.meets(self.store, call, Kind.LOST_ANSWER):
            raise LostAnswer(f"{path}: the answer was lost")
        return {"name": f"operation-{int(self.clock.now.timestamp())}", "status": "RUNNING", "targetLink": match["pool"]}

    def _authorize(self, authorization: str, project: str) -> None:
        match = _TOKEN.fullmatch(authorization)
        if match is None:
            raise Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token", "unauthenticated")
        member = f"serviceAccount:{match['email']}"
        for grant in self.store.resources(_PROJECT_GRANT):
            role = self.store.get(grant.document["role"], _CUSTOM_ROLE)
            mine = grant.document["member"] == member and grant.document["project"] == project
            if mine and role and _PERMISSION in role.document["permissions"]:
                return
        raise Refusal(403, f'Required "{_PERMISSION}" permission(s) for {project}: {match["email"]} has no role with it', "forbidden")

    def _begin(self, call: Call, cluster: str) -> None:
        busy = self.clock.now < self._busy_until.get(cluster, self.clock.now)
        if busy or faults.meets(self.store, call, Kind.BUSY):
            name = cluster.rpartition("/")[2]
            raise Refusal(400, f"Cluster {name} is running incompatible operation, please wait and try again", "failedPrecondition")

    @contextmanager
    def _logged(self, call: Call, id_: str) -> Iterator[None]:
        try:
            yield
        except Refusal as refusal:
            self.store.log(call.method, call.type, id_, "", str(refusal))
            raise
        self.store.log(call.method, call.type, id_, "")


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise bad_request("Invalid JSON payload received: an object is expected")
    return content


def _known(content: Mapping[str, Any], names: set[str]) -> None:
    for name in content:
        if name not in names:
            raise bad_request(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field')


def _set_autoscaling(document: Document, content: Mapping[str, Any]) -> Document:
    """The object replaces the old one as a whole: what the call leaves out is reset."""
    _known(content, {"autoscaling"})
    given = content.get("autoscaling")
    if not isinstance(given, dict):
        raise bad_request("autoscaling is required")
    _known(given, _AUTOSCALING)
    without = {key: value for key, value in document.items() if key != "autoscaling"}
    if not given.get("enabled"):
        return without
    limits = {name: given.get(name, 0) for pair in (_PER_ZONE, _TOTAL) if any(given.get(name) for name in pair) for name in pair}
    return {**without, "autoscaling": {**limits, "locationPolicy": given.get("locationPolicy", "BALANCED")}}


def _set_size(document: Document, content: Mapping[str, Any]) -> Document:
    _known(content, {"nodeCount"})
    count = content.get("nodeCount")
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise bad_request("nodeCount must be a number of nodes in each zone, 0 or more")
    return {**document, "nodeCount": count}


_METHODS = {"setAutoscaling": _set_autoscaling, "setSize": _set_size}


class _Handler(BaseHTTPRequestHandler):
    api: ContainerApi

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self._answer(200, self.api.post(self.path, self.headers.get("Authorization", ""), body))
        except Refusal as refusal:
            self._answer(refusal.status, {"error": {"code": refusal.status, "message": refusal.message, "status": refusal.reason}})
        except LostAnswer:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's word
        """Keeps quiet: the store has a log of calls."""

    def _answer(self, status: int, content: Document) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving(api: ContainerApi) -> Iterator[tuple[str, int]]:
    """Serves on a free port of 127.0.0.1 and says which; ends with the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"api": api}))
    thread = threading.Thread(target=server.serve_forever, daemon=True, name="container-api")
    thread.start()
    try:
        yield "127.0.0.1", server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
