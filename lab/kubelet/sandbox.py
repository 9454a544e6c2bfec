"""A pod's directory, and what its containers are given from it."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from lab.kubelet.containers import ContainerSpec, Run, runs_on_disk
from lab.kubelet.environment import Sources, command_line, environment, expand
from lab.kubelet.mounts import Mount, rewritten
from lab.kubelet.shim import write
from lab.kubelet.volumes import Token, volume_files, write_files
from lab.storage.buckets import make_buckets
from lab.storage.emulator import VARIABLE as STORAGE_VARIABLE

ACCOUNT_DIRECTORY: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where Kubernetes mounts a pod's credentials."""

_TERMINATION_LOG: Final = "/dev/termination-log"
_MESSAGE_BYTES: Final = 4096
_LOG_BYTES: Final = 2048  # of a log that stands for a termination message
_KEPT_BY_KUBERNETES: Final = ("configMap", "secret", "downwardAPI", "projected")
_SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Object = Mapping[str, Any]


@dataclass(frozen=True)
class Machine:
    """The machine as all pods of a kubelet share it.

    Attributes:
        directory: The kubelet's own, below the lab's.
        host: Host of the API server.
        port: Its port.
        ca: Certificate of the lab's authority.
        namespaces: Whether pods have mount namespaces of their own; otherwise paths are rewritten.
        storage: Address of the lab's Cloud Storage; empty where it has none.
    """

    directory: Path
    host: str
    port: str
    ca: Path
    namespaces: bool
    storage: str = ""

    @property
    def lock(self) -> Path:
        """Held while a kubelet lives; shims look at it."""
        return self.directory / "lock"

    @property
    def bin(self) -> Path:
        """Programs of the lab for pods: `kubectl`."""
        return self.directory / "bin"

    @property
    def pods(self) -> Path:
        """One folder a pod, named by its uid."""
        return self.directory / "pods"

    @property
    def logs(self) -> Path:
        """One folder a pod, named as people know it; it outlives the pod."""
        return self.directory / "logs"


class Sandbox:
    """The directory of one pod."""

    def __init__(self, machine: Machine, pod: Object) -> None:
        metadata = pod["metadata"]
        self._machine = machine
        self._pod = pod
        self.directory: Path = machine.pods / metadata["uid"]
        self._logs = machine.logs / f"{metadata['namespace']}_{metadata['name']}_{metadata['uid']}"

    def prepare(self, sources: Sources, token: Token, allocatable: Mapping[str, str]) -> None:
        """Makes the directory and its volumes, or brings the volumes that Kubernetes keeps up to date.

        Raises:
            ConfigError: A volume refers to what does not exist, or is of a kind that process nodes do not have.
            ApiError: The API server did not answer.
        """
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        metadata = self._pod["metadata"]
        write(self.directory / "pod.json", {key: metadata[key] for key in ("namespace", "name", "uid")})
        for volume in self._pod["spec"].get("volumes", ()):
            directory = self._volume(volume["name"])
            files = volume_files(self._pod, volume, sources, token, allocatable)
            directory.mkdir(parents=True, exist_ok=True)
            if files is not None:
                write_files(directory, files)

    def runs(self, container: str) -> list[Run]:
        """Attempts that an earlier kubelet left."""
        return runs_on_disk(self._attempts(container))

    def start(self, container: Object, number: int, sources: Sources, allocatable: Mapping[str, str]) -> Run:
        """Starts an attempt of a container.

        Raises:
            ConfigError: It cannot be made.
            ApiError: The API server did not answer.
        """
        name = container["name"]
        make_buckets(self._machine.directory.parent)
        return Run(self._attempts(name) / str(number), number, self.spec(container, number, sources, allocatable))

    def start_hook(self, container: Object, number: int, command: tuple[str, ...]) -> Run:
        """Runs a hook beside a container that runs, with its environment and volumes."""
        directory = self._attempts(container["name"]) / str(number)
        if (directory / "pre-stop").exists():
            return Run(directory / "pre-stop", number)  # an earlier kubelet began it
        given = json.loads((directory / "spec.json").read_text())
        mounts = None if given["mounts"] is None else tuple(Mount(*mount) for mount in given["mounts"])
        words = command if mounts is not None else tuple(rewritten(word, self._mounts(container, number, given["env"])) for word in command)
        spec = ContainerSpec(words, given["env"], given["cwd"], given["log"], given["kubelet"], mounts)
        return Run(directory / "pre-stop", number, spec)

    def spec(self, container: Object, number: int, sources: Sources, allocatable: Mapping[str, str]) -> ContainerSpec:
        """What the shim is told of a container.

        Raises:
            ConfigError: The container cannot be made.
        """
        name = container["name"]
        work = self.directory / "work" / name
        work.mkdir(parents=True, exist_ok=True)
        log = self._logs / name / f"{number}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        message = self._message(name, number)
        message.parent.mkdir(parents=True, exist_ok=True)
        message.write_text("")
        variables = environment(self._pod, container, sources, allocatable, self._base(container, work))
        argv = command_line(container, variables)
        mounts = self._mounts(container, number, variables)
        cwd = container.get("workingDir", "")
        if not self._machine.namespaces:
            argv = tuple(rewritten(word, mounts) for word in argv)
            variables = {key: rewritten(value, mounts) for key, value in variables.items()}
            cwd = rewritten(cwd, mounts)
        lock = str(self._machine.lock)
        return ContainerSpec(argv, variables, cwd or str(work), str(log), lock, tuple(mounts) if self._machine.namespaces else None)

    def message(self, container: Object, number: int, failed: bool) -> str:
        """What a container that has ended left as its termination message."""
        name = container["name"]
        text = _tail(self._message(name, number), _MESSAGE_BYTES)
        if not text and failed and container.get("terminationMessagePolicy") == "FallbackToLogsOnError":
            text = _tail(self._logs / name / f"{number}.log", _LOG_BYTES)
        return text

    def remove(self) -> None:
        """Removes everything but the logs."""
        shutil.rmtree(self.directory, ignore_errors=True)

    def _base(self, container: Object, work: Path) -> dict[str, str]:
        given = self._machine
        path = f"{given.bin}:{Path(sys.executable).parent}:{_SYSTEM_PATH}"
        found = {
            "PATH": path,
            "HOME": str(work),
            "HOSTNAME": self._pod["metadata"]["name"],
            "KUBERNETES_SERVICE_HOST": given.host,
            "KUBERNETES_SERVICE_PORT": given.port,
            "KUBERNETES_SERVICE_PORT_HTTPS": given.port,
        }
        if given.storage:
            found[STORAGE_VARIABLE] = given.storage
        account = next((each for each in container.get("volumeMounts", ()) if each["mountPath"].rstrip("/") == ACCOUNT_DIRECTORY), None)
        if account is not None:
            found["KUBECONFIG"] = str(self._kubeconfig(self._volume(account["name"])))
        return found

    def _kubeconfig(self, credentials: Path) -> Path:
        """For kubectl and whoever else reads one: without namespaces the credentials are not where a client in a cluster looks."""
        given, namespace = self._machine, self._pod["metadata"]["namespace"]
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "lab", "cluster": {"server": f"https://{given.host}:{given.port}", "certificate-authority": str(given.ca)}}
            ],
            "users": [{"name": "pod", "user": {"tokenFile": str(credentials / "token")}}],
            "contexts": [{"name": "pod", "context": {"cluster": "lab", "user": "pod", "namespace": namespace}}],
            "current-context": "pod",
        }
        file = self.directory / "kubeconfig"
        file.write_text(yaml.safe_dump(content))
        return file

    def _mounts(self, container: Object, number: int, variables: Mapping[str, str]) -> list[Mount]:
        kinds = {volume["name"]: volume for volume in self._pod["spec"].get("volumes", ())}
        mounts = [Mount(str(self._message(container["name"], number)), container.get("terminationMessagePath") or _TERMINATION_LOG)]
        for each in container.get("volumeMounts", ()):
            below = each.get("subPath") or expand(each.get("subPathExpr", ""), variables)
            source = self._volume(each["name"]) / below
            if not source.exists():
                source.mkdir(parents=True)
            fixed = any(kind in kinds.get(each["name"], {}) for kind in _KEPT_BY_KUBERNETES)
            mounts.append(Mount(str(source), each["mountPath"].rstrip("/"), bool(each.get("readOnly")) or fixed))
        own = str(self._machine.directory)
        if any(own.startswith(f"{mount.target}/") for mount in mounts):
            mounts.append(Mount(own, own))  # a volume that hides the lab would hide the container's own directory and its kubectl
        return mounts

    def _volume(self, name: str) -> Path:
        return self.directory / "volumes" / name

    def _attempts(self, container: str) -> Path:
        return self.directory / "containers" / container

    def _message(self, container: str, number: int) -> Path:
        return self.directory / "messages" / container / str(number)


def _tail(path: Path, limit: int) -> str:
    try:
        return path.read_bytes()[-limit:].decode(errors="replace")
    except FileNotFoundError:
        return ""
