"""Ports of a control plane: chosen once for each lab, so that what has been told a port can keep it."""

import json
import random
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path

# Below the range from which systems give ports to outgoing connections. In that range a client that looks for a server that was killed can
# be given the server's own port and be connected with itself, and the server never gets the port back.
_LOWEST, _HIGHEST = 20000, 32000

_HOST = "127.0.0.1"


def is_free(port: int) -> bool:
    """Whether a server can listen on a port of this machine."""
    with socket.socket() as listener:
        # As servers do: a port whose last connections are still closing is free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
        except OSError:
            return False
    return True


def read_ports(file: Path) -> dict[str, int]:
    """The ports chosen so far; none if the file is absent."""
    if not file.exists():
        return {}
    ports: dict[str, int] = json.loads(file.read_text())
    return ports


def choose_ports(names: Iterable[str], kept: Mapping[str, int]) -> dict[str, int]:
    """A port for each name: the kept one where there is one, otherwise a free one that no other name has."""
    ports = dict(kept)
    for name in names:
        while name not in ports:
            port = random.randint(_LOWEST, _HIGHEST)  # noqa: S311 - nothing secret about it
            if port not in ports.values() and is_free(port):
                ports[name] = port
    return ports


def write_ports(file: Path, ports: Mapping[str, int]) -> None:
    """Keeps the ports; readers see the old or the new ones, never half of them."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(dict(ports), indent=2) + "\n")
    part.replace(file)
