"""What a field says of itself reaches messages and schemas, though no model reads its source when it is made."""

from pydantic import ConfigDict, Field

from hybrid_pools.blueprint.configuration import StackConfiguration
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.documented import Documented, descriptions


class Shelf(Documented):
    model_config = ConfigDict(alias_generator=lambda name: name.upper())

    width: int
    """How wide it is,
    in metres."""

    depth: int = Field(description="How deep it is.")
    """Not what is said of it."""

    colour: str = "red"

    label: str = ""
    """What it says."""


class TallShelf(Shelf):
    height: int
    """How tall it is."""

    label: str = "tall"


class Room(Documented):
    shelf: Shelf | None = None
    """Where things are."""


class TestDescriptions:
    def test_are_the_docstrings_under_the_names_of_a_file(self):
        assert descriptions(Shelf) == {"WIDTH": "How wide it is,\nin metres.", "DEPTH": "How deep it is.", "LABEL": "What it says."}

    def test_are_inherited_until_a_field_is_defined_anew(self):
        assert descriptions(TallShelf) == {
            "WIDTH": "How wide it is,\nin metres.",
            "DEPTH": "How deep it is.",
            "HEIGHT": "How tall it is.",
        }

    def test_are_there_for_every_section_of_a_stack_file(self):
        assert set(descriptions(StackConfiguration)) == {field.alias for field in StackConfiguration.model_fields.values()}


class TestASchema:
    def test_carries_the_docstrings_of_its_own_fields_and_of_the_models_in_them(self):
        schema = Room.model_json_schema()
        assert schema["properties"]["shelf"]["description"] == "Where things are."
        shelf = schema["$defs"]["Shelf"]["properties"]
        assert {key: value.get("description") for key, value in shelf.items()} == {
            "WIDTH": "How wide it is,\nin metres.",
            "DEPTH": "How deep it is.",
            "COLOUR": None,
            "LABEL": "What it says.",
        }


def test_no_model_reads_its_source_when_it_is_made():
    assert not Model.model_config.get("use_attribute_docstrings")
    assert StackConfiguration.model_fields["teams"].description is None
