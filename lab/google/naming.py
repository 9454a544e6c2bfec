"""Identifiers and templates: from a resource's properties to its name in the cloud and back."""

import hashlib
import json
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab.google.facts import Facts
from lab.google.values import Document

_SUFFIX = 7  # hexadecimal digits that Pulumi's bridge adds to a logical name
_PLACES = ("project", "region", "location")
# Parts of an identifier that hold slashes themselves.
_FORMS = {
    "role": r"(?:(?:projects|organizations)/[^/ ]+/)?roles/[^/ ]+",
    "serviceAccountId": "projects/[^/ ]+/serviceAccounts/[^/ ]+",
    "member": "[^ ]+",
    "managedFolder": "[^ ]+/",
    "dashboardJson": r"\{.*\}",
    "cryptoKeyId": "projects/[^/ ]+/locations/[^/ ]+/keyRings/[^/ ]+/cryptoKeys/[^/ ]+",
}


@dataclass(frozen=True)
class Provider:
    """The configuration of the provider: where resources go that do not say it themselves. Empty is not set."""

    project: str = ""
    region: str = ""
    zone: str = ""

    def default(self, place: str) -> str:
        """What a resource without this property gets."""
        if place == "project":
            return self.project
        region = self.region or self.zone.rpartition("-")[0]
        return region or self.zone if place == "location" else region


def placeholders(template: str) -> list[str]:
    """The names in braces, in order."""
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]


def located(facts: Facts, document: Document, provider: Provider) -> Document:
    """The document with its project, region and location, as far as its identifier needs them.

    A reference such as `projects/p/locations/l/clusters/c` tells its project and location, as in the real provider.
    """
    reference = str(document.get("cluster") or "")
    parent = re.fullmatch(r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/clusters/[^/]+", reference)
    known = parent.groupdict() if parent else {}
    places = {
        place: document.get(place) or known.get(place) or provider.default(place) for place in placeholders(facts.id) if place in _PLACES
    }
    return {**document, **{place: value for place, value in places.items() if value}}


def identifier(facts: Facts, document: Document) -> str:
    """The identifier of a located document."""
    return facts.id.format_map(_parts(facts, document))


def _parts(facts: Facts, document: Document) -> dict[str, str]:
    condition = document.get("condition") or {}
    values = {**document, "condition": f"/{condition['title']}" if condition else ""}
    return {name: part(name, str(values[name])) for name in placeholders(facts.id)}


def part(name: str, value: str) -> str:
    """What a property contributes to an identifier."""
    # Google takes a link, an identifier or a name where a part of an identifier is meant. The name of a folder ends in a slash.
    if name == "dashboardJson":
        return _dashboard_name(value)
    return value if name in _FORMS or name == "condition" or value.endswith("/") else value.rpartition("/")[2]


def _dashboard_name(text: str) -> str:
    """What a dashboard is called by: its display name, or something stable where it has none and is going to be refused."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        content = None
    name = content.get("displayName") if isinstance(content, dict) else None
    return name if isinstance(name, str) and name else hashlib.sha256(text.encode()).hexdigest()[:_SUFFIX]


def forms(facts: Facts, text: str, provider: Provider) -> Iterator[str]:
    """Every identifier that a text given to an import may mean, the text itself first."""
    yield text
    for template in facts.import_ids:
        expression = re.sub(r"\\{(\w+)\\}", lambda match: f"(?P<{match[1]}>{_FORMS.get(match[1], '[^/ ]+')})", re.escape(template))
        if " " in template:
            # A grant with a condition is imported by the condition's title behind the rest.
            expression += "(?: (?P<condition>.+))?"
        match = re.fullmatch(expression, text)
        if match:
            found: dict[str, Any] = match.groupdict()
            found["condition"] = {"title": found["condition"]} if found.get("condition") else None
            yield identifier(facts, located(facts, found, provider))


def project_number(project: str) -> str:
    """The number of a project: a stable invention."""
    return str(fill("{number}", f"projects/{project}", {}, ""))[:12]


def random_name(logical_name: str, seed: bytes) -> str:
    """The physical name of a resource that has none: the logical name, a hyphen and seven digits from the engine's random seed."""
    return f"{logical_name}-{hashlib.sha256(seed).hexdigest()[:_SUFFIX]}"


def fill(template: Any, id_: str, document: Mapping[str, Any], now: str) -> Any:
    """A value from the data files with its templates filled in.

    Besides the document's own texts: `{token}`, `{number}`, `{integer}` and `{address}` are stable inventions for one identifier, `{now}`
    is the time. `{number}` is text, `{integer}` alone is a whole number.
    """
    if isinstance(template, str):
        digest = hashlib.sha256(id_.encode()).hexdigest()
        if template == "{integer}":
            return int(digest[:12], 16)  # what a JSON number still holds exactly
        invented = {
            "token": digest[:12],
            "number": str(int(digest[:15], 16)),
            "address": f"34.{int(digest[:2], 16)}.{int(digest[2:4], 16)}.{int(digest[4:6], 16)}",
            "now": now,
        }
        return template.format_map({**document, **invented})
    if isinstance(template, dict):
        return {key: fill(value, id_, document, now) for key, value in template.items()}
    if isinstance(template, list):
        return [fill(value, id_, document, now) for value in template]
    return template
