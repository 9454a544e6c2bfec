"""Functions that look things up: the data sources of the provider."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lab.google.cloud import Cloud
from lab.google.computed import CLUSTER, SUBNETWORK
from lab.google.naming import identifier, located, project_number
from lab.google.refusal import bad_request, not_found
from lab.google.refusals.storage import STORAGE_AGENTS
from lab.google.schema import Schema, Shape
from lab.google.values import Document

_NETWORK = "gcp:compute/network:Network"
# What the name of a list in a function's result ends in, and the name of the one block in the resource.
_PLURALS = (("ies", "y"), ("ses", "s"), ("s", ""))
_EMPTY: dict[str, Any] = {"str": "", "int": 0, "float": 0, "bool": False, "list": [], "map": {}}


@dataclass(frozen=True)
class _Asked:
    cloud: Cloud
    arguments: Document


def call(cloud: Cloud, token: str, arguments: Document) -> Document:
    """The result of a function.

    Raises:
        Refusal: What it looks for is not there, or the stand-in does not serve the function.
    """
    if token not in _FUNCTIONS:
        raise bad_request(f"the stand-in does not serve the function {token}; it serves {', '.join(TOKENS)}")
    found = _FUNCTIONS[token](_Asked(cloud, arguments))
    result: Document = _shaped(
        cloud.catalogue.schema, Shape("object", object=cloud.catalogue.schema.outputs[token]), {**arguments, **found}
    )
    return result


def _shaped(schema: Schema, shape: Shape, value: Any) -> Any:
    """The value with every property the function promises; single blocks become lists of one, as data sources give them."""
    if shape.kind == "object":
        return {key: _shaped(schema, known.shape, _taken(value or {}, key)) for key, known in schema.objects[shape.object].items()}
    if shape.kind == "list" and shape.of is not None and value is not None:
        elements = value if isinstance(value, list) else [value]
        return [_shaped(schema, shape.of, element) for element in elements]
    return _EMPTY.get(shape.kind) if value is None else value


def _taken(document: Document, key: str) -> Any:
    if key in document:
        return document[key]
    for plural, singular in _PLURALS:
        if key.endswith(plural) and key.removesuffix(plural) + singular in document:
            return document[key.removesuffix(plural) + singular]
    return None


def _resource(type_: str) -> Callable[[_Asked], Document]:
    def find(asked: _Asked) -> Document:
        facts = asked.cloud.catalogue.facts[type_]
        if "selfLink" in asked.arguments:
            id_ = asked.arguments["selfLink"].partition("/v1/")[2]
        else:
            where = located(facts, asked.arguments, asked.cloud.provider)
            for place in ("project", "region", "location"):
                if f"{{{place}}}" in facts.id and place not in where:
                    raise bad_request(f"{place} is not set; give it to the function or set it in the stack's configuration")
            id_ = identifier(facts, where)
        record = asked.cloud.read(type_, id_)
        if record is None:
            raise not_found(id_)
        return {**record.document, "id": id_}

    return find


def _network(asked: _Asked) -> Document:
    network = _resource(_NETWORK)(asked)
    links = [
        record.document["selfLink"]
        for record in asked.cloud.store.resources(SUBNETWORK)
        if record.document["network"].endswith(f"/{network['name']}")
    ]
    return {**network, "subnetworksSelfLinks": links}


def _project(asked: _Asked) -> Document:
    project = asked.arguments.get("projectId") or asked.cloud.provider.project
    if not project:
        raise bad_request("project is not set; give it to the function or set gcp:project in the stack's configuration")
    id_ = f"projects/{project}"
    return {"id": id_, "projectId": project, "name": project, "number": project_number(project)}


def _storage_agent(asked: _Asked) -> Document:
    project = asked.arguments.get("project") or asked.cloud.provider.project
    email = f"service-{_project(_Asked(asked.cloud, {'projectId': project}))['number']}@{STORAGE_AGENTS}"
    return {"id": email, "project": project, "emailAddress": email, "member": f"serviceAccount:{email}"}


def _engine_versions(asked: _Asked) -> Document:
    versions = asked.cloud.catalogue.facts[CLUSTER].tables["versions"]
    channels = {channel: version for channel, version in versions.items() if channel != "UNSPECIFIED"}
    wanted = asked.arguments.get("versionPrefix", "")
    valid = sorted({version for version in channels.values() if version.startswith(wanted)}, key=_order, reverse=True)
    if not valid:
        raise bad_request(f"no version begins with {wanted!r}; there are {', '.join(sorted(channels.values()))}")
    return {
        "id": "versions",
        "defaultClusterVersion": versions["REGULAR"],
        "latestMasterVersion": valid[0],
        "latestNodeVersion": valid[0],
        "validMasterVersions": valid,
        "validNodeVersions": valid,
        "releaseChannelDefaultVersion": channels,
        "releaseChannelLatestVersion": channels,
    }


def _order(version: str) -> list[int]:
    return [int(part) for part in version.replace("-gke.", ".").split(".")]


_FUNCTIONS: dict[str, Callable[[_Asked], Document]] = {
    "gcp:compute/getNetwork:getNetwork": _network,
    "gcp:compute/getSubnetwork:getSubnetwork": _resource(SUBNETWORK),
    "gcp:container/getCluster:getCluster": _resource(CLUSTER),
    "gcp:container/getEngineVersions:getEngineVersions": _engine_versions,
    "gcp:organizations/getProject:getProject": _project,
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": _storage_agent,
}
TOKENS = tuple(sorted(_FUNCTIONS))
"""The functions that the stand-in serves."""
