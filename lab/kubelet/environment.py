"""A container's environment and command line, as Kubernetes makes them: pure functions on the pod and on what it refers to."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from lab.nodes.amounts import amounts

Object = Mapping[str, Any]

_REFERENCE = re.compile(r"\$\$|\$\(([^)]*)\)")
_MEMBER = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")
_ADDRESS = "127.0.0.1"


class ConfigError(Exception):
    """A container cannot be made because of what its pod says or refers to; the message is for the container's status."""


class Sources(Protocol):
    """What a pod may refer to, in its own namespace."""

    def data(self, kind: str, name: str) -> Mapping[str, bytes] | None:
        """The data of a `ConfigMap` or `Secret`, or None where there is none of that name."""


def expand(text: str, variables: Mapping[str, str]) -> str:
    """`$(NAME)` becomes the variable's value, unknown names stay as they are written, and `$$` is a plain dollar sign."""

    def value(match: re.Match[str]) -> str:
        return "$" if match[0] == "$$" else variables.get(match[1], match[0])

    return _REFERENCE.sub(value, text)


def environment(
    pod: Object, container: Object, sources: Sources, allocatable: Mapping[str, str], base: Mapping[str, str]
) -> dict[str, str]:
    """The variables of a container: `base` as a runtime gives it, then `envFrom`, then `env` in order.

    Args:
        allocatable: The node's resources, which stand for limits that the container does not have.

    Raises:
        ConfigError: Something referred to does not exist or is not known here.
    """
    found = dict(base)
    for source in container.get("envFrom", ()):
        for key, value in _all_of(source, sources):
            found[source.get("prefix", "") + key] = value.decode(errors="replace")
    for variable in container.get("env", ()):
        given = variable.get("valueFrom")
        text = expand(variable.get("value", ""), found) if given is None else _value_from(pod, container, given, sources, allocatable)
        if text is not None:
            found[variable["name"]] = text
    return found


def command_line(container: Object, variables: Mapping[str, str]) -> tuple[str, ...]:
    """What is run.

    Raises:
        ConfigError: The container leaves that to its image, which no process node reads; or it has restart rules of its own.
    """
    if "restartPolicy" in container:
        raise ConfigError(
            f"container {container['name']} has a `restartPolicy` of its own. Process nodes run no sidecars and know the pod's policy only"
        )
    if not container.get("command"):
        raise ConfigError(
            f"container {container['name']} has no `command`. A process node runs no image, so it cannot know the image's entry point. "
            "Write `command` out, or run the pod on a simulated node."
        )
    return tuple(expand(word, variables) for word in (*container["command"], *container.get("args", ())))


def field(pod: Object, path: str) -> str:
    """The value of a `fieldRef`.

    Raises:
        ConfigError: The path is none that Kubernetes knows for variables and files.
    """
    metadata, spec = pod["metadata"], pod["spec"]
    if member := _MEMBER.fullmatch(path):
        return str(metadata.get(member[1], {}).get(member[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        return "\n".join(f'{key}="{_escaped(value)}"' for key, value in sorted(metadata.get(path.rpartition(".")[2], {}).items()))
    values = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        **dict.fromkeys(("status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs"), _ADDRESS),
    }
    if path not in values:
        raise ConfigError(f"unsupported fieldPath: {path}")
    return str(values[path])


def resource(pod: Object, container: Object, reference: Object, allocatable: Mapping[str, str]) -> str:
    """The value of a `resourceFieldRef`: a whole number of divisors, rounded up; without a limit, what the node has.

    Raises:
        ConfigError: The pod has no container of that name.
    """
    name = reference.get("containerName", container.get("name"))
    named = next((each for each in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]) if each["name"] == name), None)
    if named is None:
        raise ConfigError(f"container {name} not found")
    kind, _, resource_name = reference["resource"].partition(".")
    resources = named.get("resources", {})
    amount = resources.get(kind, {}).get(resource_name, allocatable.get(resource_name, "0") if kind == "limits" else "0")
    divisor = reference.get("divisor") or "0"
    whole, part = (amounts({resource_name: quantity})[resource_name] for quantity in (amount, "1" if divisor == "0" else divisor))
    return str(math.ceil(whole / part))


def _all_of(source: Object, sources: Sources) -> Iterator[tuple[str, bytes]]:
    for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if reference := source.get(key):
            yield from referred(kind, reference, sources).items()


def referred(kind: str, reference: Object, sources: Sources) -> Mapping[str, bytes]:
    """The data of a config map or secret that is referred to by name; empty where it is optional and missing.

    Raises:
        ConfigError: It is missing and not optional.
    """
    name = reference.get("name") or reference.get("secretName", "")
    data = sources.data(kind, name)
    if data is None and not reference.get("optional"):
        raise ConfigError(f'{kind.lower()} "{name}" not found')
    return data or {}


def _value_from(pod: Object, container: Object, given: Object, sources: Sources, allocatable: Mapping[str, str]) -> str | None:
    if "fieldRef" in given:
        return field(pod, given["fieldRef"]["fieldPath"])
    if "resourceFieldRef" in given:
        return resource(pod, container, given["resourceFieldRef"], allocatable)
    for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if reference := given.get(key):
            data = referred(kind, reference, sources)
            if reference["key"] in data:
                return data[reference["key"]].decode(errors="replace")
            if not reference.get("optional"):
                raise ConfigError(f"couldn't find key {reference['key']} in {kind} {pod['metadata']['namespace']}/{reference['name']}")
            return None
    raise ConfigError(f"unsupported valueFrom: {', '.join(given)}")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
