"""Whether a server of the control plane answers that it is ready."""

import http.client
import ssl
from pathlib import Path

_PATIENCE = 2.0  # seconds for one answer
_OK = 200


def answers(port: int, path: str, ca: Path | None = None) -> bool:
    """Whether a GET on this machine is answered with 200; over TLS that trusts `ca` where one is given."""
    connection = (
        http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        if ca is None
        else http.client.HTTPSConnection("127.0.0.1", port, timeout=_PATIENCE, context=ssl.create_default_context(cafile=str(ca)))
    )
    try:
        connection.request("GET", path)
        return connection.getresponse().status == _OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
