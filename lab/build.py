"""Builds a program from a tool module, once, into the user's cache folder.

A build of Pulumi takes minutes. So a finished binary is kept under a key of everything that shapes it, is put in place by a rename (a
half-written one is never found), only one build of it runs at a time, and an interrupted build goes on where it stopped because Go keeps
every compiled package in its own cache.
"""

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.progress import Progress

_TAIL = 15  # lines of Go's output shown after a failure

_CAUSES = (
    (
        r"no space left on device",
        "The disk is full. Free some space (the Go caches of this build take about 5 GB) and run the same command again.",
    ),
    (
        r"dial tcp|no such host|i/o timeout|connection refused|TLS handshake|proxyconnect|unexpected EOF|: 50[0-9] ",
        "The Go module proxy was not reached. Check the network and GOPROXY (`go env GOPROXY`), then run the same command again.",
    ),
    (
        r"signal: killed|cannot allocate memory|out of memory",
        "The machine ran out of memory. Close other programs or add swap, then run the same command again.",
    ),
)


@dataclass(frozen=True)
class Tool:
    """A program that the lab builds from Go modules.

    Attributes:
        name: Name of the binary.
        module: Folder with the `go.mod` and `go.sum` that pin it and everything it is made of.
        package: Import path of its main package.
        flags: Arguments of `go build` besides the output.
        duration: How long a first build takes, in words, so that people know what they wait for.
    """

    name: str
    module: Path
    package: str
    flags: tuple[str, ...]
    duration: str


def required_version(tool: Tool, module: str) -> str:
    """The version of `module` that the tool's `go.mod` pins, such as `v3.274.1`.

    Raises:
        LabError: `go.mod` does not name the module.
    """
    found = re.search(rf"^\s*(?:require\s+)?{re.escape(module)}\s+(v\S+)", (tool.module / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        raise LabError(f"{tool.module / 'go.mod'} does not require {module}. Add it: `go get -tool {tool.package}@latest` in that folder.")
    return found[1]


def cache_key(tool: Tool) -> str:
    """Name of the tool's folder in the cache: it changes with whatever changes the binary, and with nothing else."""
    digest = hashlib.sha256()
    for part in (
        (tool.module / "go.mod").read_bytes(),
        (tool.module / "go.sum").read_bytes(),
        *(source.read_bytes() for source in sorted(tool.module.glob("*.go"))),
        "\0".join((tool.package, *tool.flags)).encode(),
    ):
        digest.update(hashlib.sha256(part).digest())
    digest.update(f"{platform.system()}/{platform.machine()}".encode())
    return f"{tool.name}-{digest.hexdigest()[:16]}"


def build(tool: Tool, cache: Path, progress: Progress) -> Path:
    """The tool's binary, built if the cache does not have it yet.

    Raises:
        LabError: Go is missing or too old, or the build failed; the message names the cause and the fix.
    """
    binary = cache / cache_key(tool) / tool.name
    if binary.exists():
        return binary
    go = _go(tool)
    binary.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(binary.parent / "build.lock", waiting=lambda: progress.say(f"Another process builds {tool.name}. Waiting for it.")):
        if binary.exists():
            return binary
        unfinished = binary.with_suffix(".part")
        progress.say(
            f"Building {tool.name} from {tool.package}, once for this machine: {tool.duration}. "
            "An interrupted build goes on where it stopped."
        )
        _compile(go, tool, unfinished, progress)
        unfinished.replace(binary)
    return binary


def _go(tool: Tool) -> str:
    wanted = re.search(r"^go\s+(\S+)", (tool.module / "go.mod").read_text(), re.MULTILINE)
    minimum = wanted[1] if wanted else "1.21"
    go = shutil.which("go")
    if go is None:
        raise LabError(
            f"Go is not on PATH, and without it {tool.name} cannot be built. Install Go {minimum} or newer (package `golang` or `go`), "
            f"or put an official {tool.name} on PATH, then run the same command again."
        )
    asked = subprocess.run(
        [go, "env", "GOVERSION", "GOTOOLCHAIN"], capture_output=True, text=True, check=False, cwd=tool.module, env=_environment("local")
    )
    installed, _, toolchain = asked.stdout.strip().partition("\n")
    fetches_newer = toolchain_may_change(os.environ.get("GOTOOLCHAIN", toolchain)) and go_version(installed) >= (1, 21)
    if go_version(installed) < go_version(minimum) and not fetches_newer:
        raise LabError(
            f"{go} is {installed or 'of an unknown version'}, and {tool.name} needs Go {minimum} or newer. "
            "Install a newer Go, or allow it to fetch one itself with GOTOOLCHAIN=auto, then run the same command again."
        )
    return go


def toolchain_may_change(setting: str) -> bool:
    """Whether Go fetches a newer toolchain by itself under this GOTOOLCHAIN."""
    return setting == "auto" or setting.endswith("+auto")


def go_version(text: str) -> tuple[int, ...]:
    """The numbers of a Go version such as `go1.26.8` or `1.21rc2`; empty if there are none."""
    found = re.match(r"(?:go)?(\d+)(?:\.(\d+))?(?:\.(\d+))?", text)
    return tuple(int(number) for number in found.groups() if number is not None) if found else ()


def _environment(toolchain: str | None = None) -> dict[str, str]:
    # A workspace or vendoring flag of the user would change what is built from the same go.mod.
    environment = {**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"}
    return environment | ({"GOTOOLCHAIN": toolchain} if toolchain else {})


def _compile(go: str, tool: Tool, output: Path, progress: Progress) -> None:
    command = [go, "build", "-v", "-o", str(output), *tool.flags, tool.package]
    with subprocess.Popen(
        command, cwd=tool.module, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            lines = _follow(process, tool, progress)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise LabError(failure(tool, lines))


def _follow(process: "subprocess.Popen[str]", tool: Tool, progress: Progress) -> list[str]:
    assert process.stderr is not None  # noqa: S101 - a pipe was asked for
    lines: list[str] = []
    fetched = compiled = 0
    with progress.task(tool.name) as update:
        for line in process.stderr:
            lines.append(line.rstrip())
            if line.startswith("go: downloading"):
                fetched += 1
            elif not line.startswith(("go:", "#", "\t", " ")):
                compiled += 1
            update(f"{fetched} modules fetched, {compiled} packages compiled")
    return lines


def failure(tool: Tool, lines: list[str]) -> str:
    """The message after a failed build: the cause if it is a known one, and the end of what Go said."""
    # A line without a colon or a space is the path of a package that went well.
    said = [line for line in lines if re.search(r"[:\s]", line) and not line.startswith("go: downloading")]
    text = "\n".join(said)
    advice = next((advice for pattern, advice in _CAUSES if re.search(pattern, text)), f"The tool module is {tool.module}.")
    tail = "\n".join(f"  {line}" for line in said[-_TAIL:])
    return f"{tool.name} was not built. {advice}\nGo said:\n{tail}"


@contextmanager
def _only_one(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
