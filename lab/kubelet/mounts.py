"""Puts volumes where a pod expects them: in a mount namespace of its own, where the machine allows that.

The pod's root is a small file system in memory that shows the machine's own directories and, in their places, the volumes. Directories on
the way to a volume are shown entry by entry, so nothing on the machine is made or changed for a mount point.

Where namespaces are not allowed (macOS, hardened kernels, most containers), `rewritten` puts the volumes' real paths into command,
arguments and variables instead; a path that a program knows by itself is then not found.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_NEW_NAMESPACE, _NEW_USER = 0x00020000, 0x10000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 32, 4096, 16384, 1 << 18
_KEPT_FLAGS = 2 | 4 | 8 | 1024 | 2048  # nosuid, nodev, noexec, noatime, nodiratime: what a remount in a user namespace may not drop


@dataclass(frozen=True)
class Mount:
    """A file or directory of this machine and where the pod sees it."""

    source: str
    target: str
    read_only: bool = False


def supported() -> bool:
    """Whether this machine lets this user have a mount namespace; tried in a process of its own."""
    if sys.platform != "linux":
        return False
    with tempfile.TemporaryDirectory() as there:
        return subprocess.run([sys.executable, "-m", __name__, there], capture_output=True, check=False).returncode == 0


def rewritten(text: str, mounts: Iterable[Mount]) -> str:
    """A text with every mounted path replaced by the real one. A path counts where it stands by itself, not within a longer one."""
    deepest = sorted(mounts, key=lambda mount: len(mount.target), reverse=True)
    pattern = "|".join(re.escape(mount.target.rstrip("/")) for mount in deepest)
    sources = {mount.target.rstrip("/"): mount.source for mount in deepest}
    return re.sub(rf"(?<![\w./-])(?:{pattern})(?![\w.-])", lambda match: sources[match[0]], text) if sources else text


def new_root(directory: Path, mounts: Sequence[Mount]) -> None:
    """Moves this process into a mount namespace of its own and builds the pod's root at `directory`; the process itself stays outside it.

    Raises:
        OSError: The machine does not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _unshare(_NEW_NAMESPACE)
    else:
        _unshare(_NEW_NAMESPACE | _NEW_USER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _mount("none", "/", _RECURSIVE | _PRIVATE)
    directory.mkdir(parents=True, exist_ok=True)
    _mount("tmpfs", str(directory), 0, "tmpfs")
    # Links such as /var/run are followed now: the pod's root has the same ones.
    resolved = [Mount(mount.source, os.path.realpath(mount.target), mount.read_only) for mount in mounts]
    ordered = sorted(resolved, key=lambda mount: mount.target.count("/"))
    outer = [mount for mount in ordered if not _below_another(mount, ordered)]
    _show(Path("/"), directory, [mount.target for mount in outer])
    for mount in ordered:
        _bind(mount, Path(f"{directory}{mount.target}"))


def _below_another(mount: Mount, mounts: Iterable[Mount]) -> bool:
    return any(mount.target.startswith(f"{other.target}/") for other in mounts)


def _show(real: Path, shown: Path, targets: Sequence[str]) -> None:
    """Shows a directory entry by entry, without those that are on the way to a target."""
    prefix = f"{str(real).rstrip('/')}/"
    steps = {target.removeprefix(prefix).partition("/")[0] for target in targets if target.startswith(prefix)}
    if real.is_dir():
        for entry in os.scandir(real):
            place = shown / entry.name
            with suppress(FileNotFoundError):  # others remove their files meanwhile
                if entry.is_symlink():
                    place.symlink_to(Path(entry.path).readlink())
                elif entry.name not in steps:
                    _bind(Mount(entry.path, ""), place)
    for step in steps:
        if f"{prefix}{step}" not in targets:
            (shown / step).mkdir(exist_ok=True)
            _show(real / step, shown / step, targets)


def _bind(mount: Mount, place: Path) -> None:
    if Path(mount.source).is_dir():
        place.mkdir(parents=True, exist_ok=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    _mount(mount.source, str(place), _BIND | _RECURSIVE)
    if mount.read_only:
        _mount("none", str(place), _BIND | _REMOUNT | _READ_ONLY | (os.statvfs(place).f_flag & _KEPT_FLAGS))


def _unshare(flags: int) -> None:
    if _libc().unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _mount(source: str, target: str, flags: int, kind: str | None = None) -> None:
    done = _libc().mount(source.encode(), target.encode(), kind.encode() if kind else None, ctypes.c_ulong(flags), None)
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount {source}: {os.strerror(number)}", target)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    there = Path(sys.argv[1])
    new_root(there, (Mount(str(there), "/hybrid-pools/probe", read_only=True),))
    os.chroot(there)
    sys.exit(0 if Path("/hybrid-pools/probe").is_dir() else 1)
