"""The executables that the engine starts as plugins, and the `pulumi` and `kubectl` of the lab for people.

They are generated because they name this environment's Python.
"""

import shlex
import sys
from pathlib import Path
from typing import Any

from lab.cluster.files import ClusterFiles
from lab.paths import Lab
from lab.pulumi_cli import PulumiCli


def plugin_settings(directory: Path, pulumi: PulumiCli) -> dict[str, Any]:
    """The `plugins` section of a lab's `Pulumi.yaml`. Plugins named there win over PATH and are used without a warning.

    An official Pulumi has a language host of its own, so the lab's is left out.
    """
    settings: dict[str, Any] = {"providers": [{"name": name, "path": str(directory)} for name in ("gcp", "kubernetes")]}
    return settings if pulumi.official else settings | {"languages": [{"name": "python", "path": str(directory)}]}


def prepare_launchers(lab: Lab) -> None:
    """Writes the launchers of the plugins, and `pulumi` and `kubectl` of the lab into a folder that may go on PATH."""
    cluster = ClusterFiles(lab.directory)
    _write(lab.plugins / "pulumi-resource-gcp", _python("lab.parent lab.google"))
    _write(lab.plugins / "pulumi-language-python", _python("lab.parent lab.language_host"))
    # Programs find a cluster by its DNS endpoint, whose certificate the whole world trusts; in the lab, only this plugin does.
    surroundings = f'export SSL_CERT_FILE={shlex.quote(str(cluster.ca))}\nexport PATH={shlex.quote(str(lab.plugins))}:"$PATH"\n'
    _write(lab.plugins / "pulumi-resource-kubernetes", surroundings + _python("lab.cluster.program pulumi-resource-kubernetes"))
    _write(lab.plugins / "gke-gcloud-auth-plugin", f"exec cat {shlex.quote(str(cluster.credential))}\n")
    _write(lab.bin / "pulumi", _python("lab pulumi"))
    # kubectl keeps what it has learned of API servers in the user's home unless told otherwise.
    own = f"export KUBECONFIG={shlex.quote(str(cluster.kubeconfig))} KUBECACHEDIR={shlex.quote(str(cluster.discovery))}\n"
    _write(lab.bin / "kubectl", own + _python("lab.cluster.program kubectl"))


def _python(module: str) -> str:
    return f'exec {shlex.quote(sys.executable)} -u -m {module} "$@"\n'


def _write(file: Path, commands: str) -> None:
    text = f"#!/bin/sh\n{commands}"
    if file.exists() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(text)
    part.chmod(0o755)
    part.replace(file)
