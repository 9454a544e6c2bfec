"""A proxy before the stand-in for Cloud Storage that fails on purpose: 429, 503, requests that get lost, and answers that get lost."""

import http.client
import random
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class Faults:
    """What happens to how large a part of all requests; may be changed while the proxy runs."""

    refused: float = 0.0
    """Answered with 429 or 503, and not done."""

    lost_request: float = 0.0
    """Not done, and the connection broken."""

    lost_answer: float = 0.0
    """Done, and the connection broken."""

    always: int | None = None
    """Every request is answered with this status, and not done."""

    address: str = ""
    """Where the proxy listens."""

    chance: random.Random = field(default_factory=lambda: random.Random(0))
    seen: Counter[str] = field(default_factory=Counter)

    requests: int = 0
    lines: list[str] = field(default_factory=list)
    """Method and path of the requests that were passed on."""

    def draw(self) -> str:
        """What happens to the next request."""
        self.requests += 1
        where = self.chance.random()
        for fate in ("refused", "lost_request", "lost_answer"):
            if where < (share := getattr(self, fate)):
                self.seen[fate] += 1
                return fate
            where -= share
        return "done"


@contextmanager
def faulty(upstream: str, faults: Faults) -> Iterator[str]:
    """Runs the proxy and gives its address."""
    address = urlsplit(upstream)
    finished: dict[str, tuple[int, dict[str, str], bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self.upstream = http.client.HTTPConnection(str(address.hostname), address.port)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            fate = faults.draw()
            if faults.always or fate == "refused":
                self._answer(faults.always or faults.chance.choice([429, 503]), {}, b'{"error": {"message": "on purpose"}}')
                return
            if fate == "lost_request":
                self._break()
                return
            faults.lines.append(f"{self.command} {self.path}")
            # Google answers the last request of an upload again in the same way; the stand-in has forgotten the upload.
            if self.path in finished and self.command == "PUT":
                self._answer(*finished[self.path])
                return
            self.upstream.request(self.command, self.path, body, dict(self.headers))
            answer = self.upstream.getresponse()
            data = answer.read()
            headers = {
                key: value for key, value in answer.getheaders() if key.lower() not in ("transfer-encoding", "content-length", "connection")
            }
            if location := headers.get("Location"):
                headers["Location"] = location.replace(upstream, here)
            if "upload_id=" in self.path and answer.status == http.client.OK:
                finished[self.path] = (answer.status, headers, data)
            if fate == "lost_answer":
                self._break()
                return
            self._answer(answer.status, headers, data)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = pass_on  # noqa: N815

        def _answer(self, status: int, headers: dict[str, str], data: bytes) -> None:
            try:
                self.send_response_only(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                if status not in (204, 304):
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client was killed

        def _break(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that was killed in the middle

    with Server(("127.0.0.1", 0), Handler) as server:
        here = faults.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield here
        finally:
            server.shutdown()
            thread.join()
