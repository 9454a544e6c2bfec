"""Creates that were begun and whose outcome the state does not say: pure functions on exported states and on engine events.

Two things leave them. A killed engine leaves them in the state as pending operations. A create that failed leaves nothing in the state,
although the answer may have been lost after the work was done; the engine does not tell such a failure from a plain refusal.

Either way the identifier of the resource is known before it is made, because it follows from its inputs. So every begun create is written
into the state under that identifier, and a refresh then keeps what the cloud knows and drops what it does not.

`pulumi refresh --import-pending-creates` is meant for this. In 3.274 it drops the creates it is told to import without reading them, which
leaves exactly the duplicates it should prevent; so the state is edited through `pulumi stack export` and `import`.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from lab.errors import LabError
from lab.google.naming import part

_PLACEHOLDER = re.compile(r"{(\w+)}")
_FROM_PROVIDER = ("project", "region", "zone")  # what a resource leaves out is taken from its provider's configuration
_STATE_KEYS = ("urn", "type", "custom", "parent", "protect", "inputs", "provider")  # what events and states call by the same name

State = Mapping[str, Any]


def unanswered_creates(events: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The resources whose last event is a create that failed without an identifier, as a state would describe them.

    A create that failed with an identifier made a resource that is not in order, and the engine has recorded it.
    """
    failed: dict[str, dict[str, Any]] = {}
    for event in events:
        if "resOpFailedEvent" in event:
            step = event["resOpFailedEvent"]["metadata"]
            new = step["new"] or {}
            if step["op"].startswith("create") and not new.get("id"):
                failed[step["urn"]] = {key: new[key] for key in _STATE_KEYS if new.get(key)}
        elif "resOutputsEvent" in event:
            failed.pop(event["resOutputsEvent"]["metadata"]["urn"], None)
    return tuple(failed.values())


def planned_creates(preview: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """What a preview (`--json`) would create, as a state would describe it.

    A create that a plain `pulumi up` lost the answer of is among them: neither state nor event log knows it any more.
    """
    return tuple(
        {key: step["newState"][key] for key in _STATE_KEYS if step["newState"].get(key)}
        for step in preview.get("steps") or ()
        if step["op"].startswith("create") and step["newState"].get("custom")
    )


def with_pending(state: State, resources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The state with these resources as creates that were begun."""
    corrected: dict[str, Any] = copy.deepcopy(dict(state))
    pending = corrected["deployment"].get("pending_operations") or []
    corrected["deployment"]["pending_operations"] = [*pending, *({"resource": resource, "type": "creating"} for resource in resources)]
    return corrected


def pending_creates(state: State) -> tuple[dict[str, Any], ...]:
    """The resources whose creation was begun and not recorded as done, as the exported state describes them.

    Components are none of them: Google has no such thing, and the next run registers them anew.
    """
    operations = state["deployment"].get("pending_operations") or ()
    begun = (operation["resource"] for operation in operations if operation["type"] == "creating")
    return tuple(resource for resource in begun if resource.get("custom", True))


def import_template(facts: Mapping[str, Any]) -> str:
    """The form of identifier under which the provider imports a type.

    It is the identifier itself, except for members of a policy: those are imported by words with spaces between them
    (documentation of the provider, section Import of each type).
    """
    return str(next((form for form in facts.get("import_ids", ()) if " " in form), facts["id"]))


def physical_id(resource: Mapping[str, Any], template: str, provider: Mapping[str, Any]) -> str:
    """The identifier of a resource, from the inputs recorded before it was made and its provider's configuration.

    Raises:
        LabError: An input that the identifier is made of is missing or not plain text.
    """
    inputs = resource["inputs"]

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "condition":
            return f"/{inputs['condition']['title']}" if inputs.get("condition") else ""
        found = inputs.get(name, provider.get(name) if name in _FROM_PROVIDER else None)
        if not isinstance(found, str):
            raise LabError(
                f"{resource['urn']} may have been made, but its identifier is not known: its input `{name}` is not recorded. "
                "Look whether it exists and delete it, then forget it: `pulumi refresh --clear-pending-creates`."
            )
        return part(name, found)

    identifier = _PLACEHOLDER.sub(value, template)
    condition = inputs.get("condition")
    return f"{identifier} {condition['title']}" if " " in template and condition else identifier


def identifiers(state: State, facts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The identifier of every begun create, by URN.

    Raises:
        LabError: The identifier of a resource cannot be told from its type and inputs.
    """
    providers = {
        f"{entry['urn']}::{entry.get('id')}": entry["inputs"] for entry in state["deployment"].get("resources") or () if "inputs" in entry
    }
    found: dict[str, str] = {}
    for resource in pending_creates(state):
        if resource["type"] not in facts:
            raise LabError(
                f"{resource['urn']} may have been made, but how {resource['type']} is identified is not known here. "
                "Add a file for the type to lab/google/facts and run the same command again."
            )
        found[resource["urn"]] = physical_id(
            resource, import_template(facts[resource["type"]]), providers.get(str(resource.get("provider")), {})
        )
    return found


def identifiable(
    state: State, resources: Iterable[Mapping[str, Any]], facts: Mapping[str, Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Those of the resources that can be looked up: their type and their identifier are known, and so is what they stand under.

    A name that the engine makes up anew each time names nothing that exists, so it does no harm here.
    """
    known = {entry["urn"] for entry in state["deployment"].get("resources") or ()}
    found = []
    for resource in resources:
        if resource["type"] in facts and _needs(resource) <= known:
            with suppress(LabError):
                identifiers(with_pending({"deployment": {"resources": state["deployment"].get("resources")}}, [resource]), facts)
                found.append(resource)
    return tuple(found)


def with_adopted(state: State, ids: Mapping[str, str]) -> dict[str, Any]:
    """The state with every begun create as a resource under its identifier, and nothing pending any more.

    A create that replaces a resource stands before the old one, which is then to be deleted, as if the engine had gone on to that point.
    """
    corrected: dict[str, Any] = copy.deepcopy(dict(state))
    deployment = corrected["deployment"]
    resources: list[dict[str, Any]] = deployment.setdefault("resources", [])
    for resource in pending_creates(corrected):
        adopted = resource | {"id": ids[resource["urn"]]}
        same = [entry for entry in resources if entry["urn"] == resource["urn"] and not entry.get("delete")]
        position = max((index + 1 for index, entry in enumerate(resources) if entry["urn"] in _needs(resource)), default=0)
        old = min((resources.index(entry) for entry in same), default=len(resources))
        for entry in same:
            if entry.get("pendingReplacement"):
                resources.remove(entry)  # deleted before its replacement was begun
            else:
                entry["delete"] = True
        resources.insert(max(position, old), adopted)
    deployment["pending_operations"] = []
    return corrected


def with_old_kept(before: State, after: State, begun: set[str]) -> dict[str, Any]:
    """The state after the refresh, with the old resource back in its place where its replacement was never made.

    Attributes other than the mark for deletion are as the refresh has read them.
    """
    living = {(entry["urn"], entry.get("id")) for entry in before["deployment"].get("resources") or () if not entry.get("delete")}
    corrected: dict[str, Any] = copy.deepcopy(dict(after))
    resources = corrected["deployment"].get("resources") or ()
    made = {entry["urn"] for entry in resources if not entry.get("delete")}
    for entry in resources:
        if entry["urn"] in begun - made and (entry["urn"], entry.get("id")) in living:
            entry.pop("delete", None)
    return corrected


def _needs(resource: Mapping[str, Any]) -> set[str]:
    needs = {resource.get("parent"), *(resource.get("dependencies") or ()), str(resource.get("provider", "")).rpartition("::")[0]}
    return {urn for urn in needs if urn}
