"""The manifests that Kueue, JobSet and KWOK ship with their source, read from the Go modules that the programs are built from.

So the lab runs a program and its manifests in the same version, and copies neither.
"""

import base64
import copy
import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml
from kubernetes.client import ApiClient

from hybrid_pools.blueprint.vocabulary import DOMAIN
from lab.build import Tool
from lab.cluster.apply import apply, read
from lab.errors import LabError

Manifest = dict[str, Any]

_OPERATOR_NAMESPACE = "system"  # what kustomize replaces in them
_INSTALLED = f"{DOMAIN}/lab-installed"  # annotation of the namespace: digest of what was installed
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def module_directory(tool: Tool, module: str) -> Path:
    """Where the source of a module that a tool is built from lies; Go fetches it if it is not there.

    Raises:
        LabError: Go is missing, or the module cannot be fetched.
    """
    environment = {**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"}
    command = ["go", "mod", "download", "-json", module]
    try:
        asked = subprocess.run(command, cwd=tool.module, env=environment, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise LabError(f"Go is not on PATH, and without it the manifests of {tool.name} cannot be read. Install it.") from None
    except subprocess.CalledProcessError as error:
        raise LabError(f"The source of {tool.name} cannot be fetched:\n{error.stdout}{error.stderr}") from None
    return Path(json.loads(asked.stdout)["Dir"])


def documents(file: Path) -> list[Any]:
    """Every document of a YAML file."""
    # The definitions of Kueue are 2 MB of YAML: seconds without the parser in C.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [document for document in yaml.load_all(file.read_text(), loader) if document]


def resources(folder: Path) -> list[Manifest]:
    """Every object that a kustomization lists, before its patches."""
    (kustomization,) = documents(folder / "kustomization.yaml")
    return [document for name in kustomization["resources"] for document in documents(folder / name)]


def placed(manifest: Manifest, prefix: str, namespace: str) -> Manifest:
    """An object under its final name and namespace, as the kustomizations of Kueue and JobSet name them."""
    moved = copy.deepcopy(manifest)
    if moved["kind"] == "CustomResourceDefinition":
        return moved
    metadata = moved["metadata"]
    metadata["name"] = f"{prefix}{metadata['name']}"
    if metadata.get("namespace") == _OPERATOR_NAMESPACE:
        metadata["namespace"] = namespace
    if "roleRef" in moved:
        moved["roleRef"]["name"] = f"{prefix}{moved['roleRef']['name']}"
    for subject in moved.get("subjects", ()):
        subject["name"] = f"{prefix}{subject['name']}"
        subject["namespace"] = namespace
    return moved


def reached_by_url(manifest: Manifest, port: int, ca: Path) -> Manifest:
    """A webhook configuration, or a definition with a conversion webhook, that calls this machine instead of a service of the cluster."""
    moved = copy.deepcopy(manifest)
    bundle = base64.b64encode(ca.read_bytes()).decode()
    if moved["kind"] in _WEBHOOKS:
        for webhook in moved["webhooks"]:
            webhook["clientConfig"] = {"url": _url(port, webhook["clientConfig"]["service"]["path"]), "caBundle": bundle}
    elif "conversion" in moved.get("spec", {}):
        webhook = moved["spec"]["conversion"]["webhook"]
        webhook["clientConfig"] = {"url": _url(port, webhook["clientConfig"]["service"]["path"]), "caBundle": bundle}
    return moved


def judging(manifests: Iterable[Manifest], groups: Sequence[str]) -> list[Manifest]:
    """Webhook configurations with only those webhooks that look at objects of these API groups."""
    return [
        manifest | {"webhooks": [webhook for webhook in manifest["webhooks"] if {*webhook["rules"][0]["apiGroups"]} & {*groups}]}
        for manifest in manifests
    ]


def install(client: ApiClient, manifests: Sequence[Manifest]) -> None:
    """Applies what a release brings, of which the first is its namespace, unless the cluster has just this already.

    Judging the definitions takes the API server seconds, even where nothing changes.
    """
    namespace, *_ = manifests
    digest = hashlib.sha256(json.dumps(manifests, sort_keys=True).encode()).hexdigest()
    found = read(client, namespace)
    if found is not None and found["metadata"].get("annotations", {}).get(_INSTALLED) == digest:
        return
    apply(client, manifests)
    # Last, so that an interrupted installation is done again.
    apply(client, [namespace | {"metadata": {**namespace["metadata"], "annotations": {_INSTALLED: digest}}}])


def _url(port: int, path: str) -> str:
    return f"https://127.0.0.1:{port}{path}"
