"""What recovery takes for a resource's identifier is what the stand-in, and Google's provider, call it."""

from pathlib import Path

import pytest

from lab.begun import import_template, physical_id
from lab.google.catalogue import load_catalogue
from lab.google.facts import read_facts
from lab.google.naming import Provider, forms, identifier, located
from tests.components.recording import record
from tests.environments import ENVIRONMENTS, blueprint_of


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_resource_of_an_environment_is_found_again_by_what_its_inputs_say(environment: str, tmp_path: Path) -> None:
    """Else a killed engine's resource is looked for under another name, taken for not made, and made twice."""
    blueprint = blueprint_of(environment)
    provider = {"project": blueprint.environment.project, "region": blueprint.environment.region}
    facts, raw = load_catalogue(tmp_path, ()).facts, read_facts()
    declared = [registration for registration in record(blueprint) if registration.type in raw]
    assert declared
    for registration in declared:
        # Mocks name what the program leaves to the engine; with a real engine the recorded inputs carry the name.
        inputs = {"name": registration.name, **registration.inputs}
        made = identifier(facts[registration.type], located(facts[registration.type], inputs, Provider(**provider)))
        resource = {"urn": registration.name, "type": registration.type, "inputs": inputs}
        looked_for = physical_id(resource, import_template(raw[registration.type]), provider)
        assert made in set(forms(facts[registration.type], looked_for, Provider(**provider))), registration
