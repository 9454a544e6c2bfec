"""The data files agree with the SDK's classes and with themselves."""

import datetime
import re
from itertools import chain
from pathlib import Path

import pytest
import yaml

from lab.google import functions
from lab.google.catalogue import Catalogue, load_catalogue
from lab.google.facts import FACTS_FOLDER, read_facts
from lab.google.naming import placeholders

FILES = sorted(FACTS_FOLDER.glob("*.yaml"))
TYPES = [yaml.safe_load(file.read_text())["type"] for file in FILES]


@pytest.mark.parametrize("type_", TYPES)
class TestEveryDataFile:
    def test_says_where_and_when_its_facts_were_read(self, catalogue: Catalogue, type_):
        facts = catalogue.facts[type_]
        assert len(facts.source) > 20
        assert datetime.date.fromisoformat(facts.as_of) <= datetime.datetime.now(datetime.UTC).date()

    def test_names_only_inputs_that_the_sdk_has(self, catalogue: Catalogue, type_):
        facts = catalogue.facts[type_]
        places = chain(
            facts.texts, facts.values, facts.bounds, facts.required, facts.output_only, facts.defaults, facts.computed, facts.replaces,
            facts.replaces_as_a_whole, facts.unordered, *facts.at_most_one, *facts.exactly_one,
        )  # fmt: skip
        assert [place for place in places if catalogue.schema.shape_at(type_, place) is None] == []

    def test_fills_only_properties_that_the_sdk_has(self, catalogue: Catalogue, type_):
        assert [place for place in catalogue.facts[type_].filled if catalogue.schema.shape_at(type_, place, output=True) is None] == []

    def test_fills_an_input_only_where_a_program_may_leave_it_out_without_a_difference(self, catalogue: Catalogue, type_):
        facts = catalogue.facts[type_]
        own = {*facts.computed, *facts.defaults}

        def is_free(place: str) -> bool:
            return catalogue.schema.shape_at(type_, place) is None or place in own or any(place.startswith(f"{parent}.") for parent in own)

        assert [place for place in facts.filled if not is_free(place)] == []

    def test_identifies_a_resource_by_its_properties(self, catalogue: Catalogue, type_):
        facts = catalogue.facts[type_]
        for template in (facts.id, *facts.import_ids):
            for name in placeholders(template):
                assert catalogue.schema.shape_at(type_, name, output=True), f"{template} names {name}"

    def test_has_patterns_that_compile_and_values_in_a_closed_set(self, catalogue: Catalogue, type_):
        facts = catalogue.facts[type_]
        for text in facts.texts.values():
            re.compile(text.pattern)
        assert all(len(set(values)) == len(values) > 0 for values in facts.values.values())


class TestADataFile:
    def test_with_a_field_of_its_own_is_refused_by_name(self, tmp_path: Path):
        (tmp_path / "odd.yaml").write_text("{type: t, source: s, as_of: d, id: i, replace: [a]}")
        with pytest.raises(ValueError, match=r"odd\.yaml(.|\n)*replace"):
            read_facts(tmp_path)

    def test_without_a_source_is_refused(self, tmp_path: Path):
        (tmp_path / "odd.yaml").write_text("{type: t, as_of: d, id: i}")
        with pytest.raises(ValueError, match="source"):
            read_facts(tmp_path)


class TestTheCatalogue:
    def test_is_the_same_from_the_cache(self, catalogue: Catalogue, tmp_path: Path):
        assert load_catalogue(tmp_path, functions.TOKENS) == load_catalogue(tmp_path, functions.TOKENS) == catalogue

    def test_leaves_one_cached_file_and_removes_those_of_other_versions(self, catalogue: Catalogue, tmp_path: Path):
        old = tmp_path / "google-types-0.json"
        old.write_text("{}")
        load_catalogue(tmp_path, functions.TOKENS)
        assert len(list(tmp_path.glob("google-types-*.json"))) == 1
        assert not old.exists()
