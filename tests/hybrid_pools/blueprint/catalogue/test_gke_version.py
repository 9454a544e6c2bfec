"""GKE versions have one order, and print as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from hybrid_pools.blueprint.catalogue import GkeVersion

PART = st.integers(min_value=0, max_value=999_999_999)


@st.composite
def written_versions(draw: st.DrawFn) -> str:
    text = f"{draw(PART)}.{draw(PART)}"
    if draw(st.booleans()):
        text += f".{draw(PART)}"
        if draw(st.booleans()):
            text += f"-gke.{draw(PART)}"
    return text


VERSIONS = written_versions().map(GkeVersion)
# Few values, so that equal and nearly equal versions meet often.
CLOSE_VERSIONS = st.from_regex(r"1\.[01](\.[01](-gke\.[01])?)?", fullmatch=True).map(GkeVersion)


class TestText:
    @given(written_versions())
    def test_prints_what_was_parsed(self, text):
        assert str(GkeVersion(text)) == text

    @given(VERSIONS)
    def test_parses_back_to_an_equal_version(self, version):
        assert GkeVersion(str(version)) == version

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "1",
            "1.",
            "v1.35",
            "1.35.",
            "1.35-gke.1",
            "1.35.0-gke",
            "1.35.0-gke.",
            "1.35.0.1",
            "1.-1",
            " 1.35",
            "1.35\n",
            "1.\u0663",
            "-",
        ],
    )
    def test_anything_else_is_refused_with_the_forms_that_are_allowed(self, text):
        with pytest.raises(ValueError, match=r"not a GKE version; write it as 1\.35, 1\.35\.1 or 1\.35\.0-gke\.1171000"):
            GkeVersion(text)

    def test_names_its_minor_version(self):
        assert GkeVersion("1.35.0-gke.1171000").minor == "1.35"


class TestOrder:
    @given(CLOSE_VERSIONS, CLOSE_VERSIONS)
    def test_exactly_one_of_less_equal_greater_holds(self, one, other):
        assert [one < other, one == other, one > other].count(True) == 1

    @given(CLOSE_VERSIONS, CLOSE_VERSIONS, CLOSE_VERSIONS)
    def test_is_transitive(self, a, b, c):
        low, middle, high = sorted([a, b, c])
        assert low <= middle <= high
        assert low <= high

    @given(CLOSE_VERSIONS, CLOSE_VERSIONS)
    def test_equal_versions_hash_alike(self, one, other):
        if one == other:
            assert hash(one) == hash(other)

    @given(PART, PART)
    def test_compares_builds_as_numbers(self, one, other):
        assert (GkeVersion(f"1.35.0-gke.{one}") < GkeVersion(f"1.35.0-gke.{other}")) == (one < other)

    @pytest.mark.parametrize(
        ("lower", "higher"),
        [
            ("1.9", "1.10"),
            ("1.35.0-gke.999999", "1.35.0-gke.1171000"),
            ("1.34.9-gke.9999999", "1.35"),
            ("1.35", "1.35.0-gke.1"),
            ("1.35.0-gke.1171000", "1.35.1"),
        ],
    )
    def test_known_pairs(self, lower, higher):
        assert GkeVersion(lower) < GkeVersion(higher)

    def test_a_bare_minor_is_the_first_of_its_minor(self):
        assert GkeVersion("1.35") == GkeVersion("1.35.0") == GkeVersion("1.35.0-gke.0")

    def test_is_not_compared_with_text(self):
        assert GkeVersion("1.35") != "1.35"
        with pytest.raises(TypeError):
            assert GkeVersion("1.35") < "1.36"


class Holder(BaseModel):
    version: GkeVersion


class TestAsModelField:
    @given(written_versions())
    def test_survives_json(self, text):
        held = Holder.model_validate({"version": text})
        assert Holder.model_validate_json(held.model_dump_json()) == held
        assert held.model_dump(mode="json") == {"version": text}

    def test_takes_a_version_as_it_is(self):
        version = GkeVersion("1.35")
        assert Holder(version=version).version is version

    def test_a_number_is_refused_with_the_reason(self):
        with pytest.raises(ValidationError, match=r"quoted, since YAML reads 1\.30 as the number 1\.3"):
            Holder.model_validate({"version": 1.3})

    def test_its_json_schema_is_text_of_the_same_form(self):
        field = Holder.model_json_schema()["properties"]["version"]
        assert field["type"] == "string"
        assert field["pattern"].startswith("^")
        assert field["pattern"].endswith("$")
