"""The files of a pod's volumes: pure rendering, and one function that writes them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from lab.kubelet.environment import ConfigError, Object, Sources, field, referred, resource

Token = Callable[[str, int], str]
"""A token of the pod's service account for an audience ("" is the API server's own), valid for a number of seconds."""

_FILE_MODE: Final = 0o644
_TOKEN_SECONDS: Final = 3600

Files = Mapping[str, tuple[bytes, int]]
"""Content and mode by path within the volume."""


def volume_files(pod: Object, volume: Object, sources: Sources, token: Token, allocatable: Mapping[str, str]) -> Files | None:
    """The files that Kubernetes keeps in a volume, or None for an empty directory, whose files are the pod's own.

    Raises:
        ConfigError: What it refers to does not exist, or no process node has volumes of this kind.
    """
    if "emptyDir" in volume:
        return None
    if "projected" in volume:
        mode = volume["projected"].get("defaultMode", _FILE_MODE)
        files: dict[str, tuple[bytes, int]] = {}
        for source in volume["projected"].get("sources", ()):
            files |= _source_files(pod, source, sources, token, allocatable, mode)
        return files
    for kind in ("configMap", "secret", "downwardAPI"):
        if kind in volume:
            mode = volume[kind].get("defaultMode", _FILE_MODE)
            return _source_files(pod, {kind: volume[kind]}, sources, token, allocatable, mode)
    kinds = ", ".join(key for key in volume if key != "name")
    raise ConfigError(
        f"volume {volume['name']} is of kind {kinds}. Process nodes have emptyDir, configMap, secret, downwardAPI and projected volumes"
    )


def _source_files(
    pod: Object, source: Object, sources: Sources, token: Token, allocatable: Mapping[str, str], mode: int
) -> dict[str, tuple[bytes, int]]:
    for key, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if reference := source.get(key):
            return _picked(kind, reference, referred(kind, reference, sources), mode)
    if "downwardAPI" in source:
        return {
            item["path"]: (_downward(pod, item, allocatable).encode(), item.get("mode", mode))
            for item in source["downwardAPI"].get("items", ())
        }
    if wanted := source.get("serviceAccountToken"):
        value = token(wanted.get("audience", ""), wanted.get("expirationSeconds", _TOKEN_SECONDS))
        return {wanted["path"]: (value.encode(), mode)}
    raise ConfigError(f"unsupported projected source: {', '.join(source)}")


def _picked(kind: str, reference: Object, data: Mapping[str, bytes], mode: int) -> dict[str, tuple[bytes, int]]:
    if not reference.get("items"):
        return {key: (value, mode) for key, value in data.items()}
    files = {}
    for item in reference["items"]:
        if item["key"] in data:
            files[item["path"]] = (data[item["key"]], item.get("mode", mode))
        elif not reference.get("optional"):
            raise ConfigError(f"{kind.lower()} references non-existent key: {item['key']}")
    return files


def _downward(pod: Object, item: Mapping[str, Any], allocatable: Mapping[str, str]) -> str:
    if "fieldRef" in item:
        return field(pod, item["fieldRef"]["fieldPath"])
    return resource(pod, {}, item["resourceFieldRef"], allocatable)


def write_files(directory: Path, files: Files) -> None:
    """Makes the directory hold these files and no others. A reader never sees half a file."""
    directory.mkdir(parents=True, exist_ok=True)
    kept = {directory / PurePosixPath(name) for name in files}
    for path in _files_below(directory):
        if path not in kept:
            path.unlink()
    for name, (content, mode) in files.items():
        path = directory / PurePosixPath(name)
        if path.exists() and path.read_bytes() == content:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(content)
        part.chmod(mode)
        part.replace(path)


def _files_below(directory: Path) -> Iterable[Path]:
    return [path for path in directory.rglob("*") if not path.is_dir()]
