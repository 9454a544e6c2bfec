"""Everything the stand-in knows of its types, ready in a moment.

Reading the data files and importing the SDK's classes takes seconds, and the engine starts a provider for every command; so the result is
kept in one file beside the store, under a name that changes with the SDK's version, with this package and with the vocabulary.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lab.google.facts import Facts, read_facts
from lab.google.schema import Schema, derive
from lab.paths import CHECKOUT

_FOLDER = Path(__file__).parent
_PREFIX = "google-types-"


@dataclass(frozen=True)
class Catalogue:
    """What the stand-in knows.

    Attributes:
        schema: The shapes of the properties of all types it serves.
        facts: The facts of each type.
        taints: The taints that GKE sets, as properties of a node pool: `gpu`, `queued` and `arm`.
    """

    schema: Schema
    facts: dict[str, Facts]
    taints: dict[str, dict[str, str]]


def sdk_version() -> str:
    """Version of the installed `pulumi_gcp`, which is the version that the stand-in reports.

    It is read where the SDK says which provider it belongs to; the installer's records take longer to ask than all else at a start.

    Raises:
        LookupError: The SDK is not installed.
    """
    spec = find_spec("pulumi_gcp")
    if spec is None or spec.origin is None:
        raise LookupError("pulumi_gcp is not installed")
    plugin: dict[str, str] = json.loads(Path(spec.origin).with_name("pulumi-plugin.json").read_bytes())
    return plugin["version"]


def is_kept(folder: Path) -> bool:
    """Whether `load_catalogue` finds everything in this folder, so that it needs nothing of the SDK."""
    return _file(folder).exists()


def load_catalogue(folder: Path, functions: Iterable[str]) -> Catalogue:
    """The catalogue, from the cache folder if it is there.

    Args:
        folder: Where the derived file is kept. Files of other versions in it are removed.
        functions: Tokens of the functions whose results are needed.

    Raises:
        ValueError: A data file is wrong.
        LookupError: A data file names a type that the SDK does not have.
    """
    file = _file(folder)
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
    except FileNotFoundError:
        facts = read_facts()
        data = {"facts": facts, "schema": derive(facts, functions).dump(), "taints": _taints()}
        _keep(file, json.dumps(data))
    return Catalogue(Schema.load(data["schema"]), {type_: Facts.load(facts) for type_, facts in data["facts"].items()}, data["taints"])


def _taints() -> dict[str, dict[str, str]]:
    # Half a second that a start with a ready cache does not need: the vocabulary brings the whole model with it.
    from hybrid_pools.blueprint.vocabulary import ARM_TAINT, GPU_TAINT, QUEUED_TAINT  # noqa: PLC0415

    taints = {"gpu": GPU_TAINT, "queued": QUEUED_TAINT, "arm": ARM_TAINT}
    return {name: {"key": taint.key, "value": taint.value, "effect": taint.effect.google} for name, taint in taints.items()}


def _file(folder: Path) -> Path:
    return folder / f"{_PREFIX}{_digest()}.json"


@cache
def _digest() -> str:
    digest = hashlib.sha256(sdk_version().encode())
    for file in [CHECKOUT / "hybrid_pools" / "blueprint" / "vocabulary.py", *sorted(_FOLDER.rglob("*"))]:
        if file.suffix in (".py", ".yaml"):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _keep(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
    for old in file.parent.glob(f"{_PREFIX}*.json"):
        if old != file:
            old.unlink(missing_ok=True)
