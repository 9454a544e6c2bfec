"""Values between protobuf and Python."""

from hypothesis import given
from hypothesis import strategies as st

from lab.google.values import UNKNOWN, decode, encode, find, pattern, spell

_VALUES = st.recursive(
    st.booleans() | st.integers(-(2**50), 2**50) | st.text() | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


class TestEveryDocument:
    @given(st.dictionaries(st.text(), _VALUES, max_size=4))
    def test_survives_the_wire(self, document):
        assert decode(encode(document)) == document

    def test_loses_its_nulls_on_the_wire(self):
        assert decode(encode({"a": None, "b": 1})) == {"b": 1}


class TestAPath:
    def test_is_spelt_as_the_engine_spells_it(self):
        assert spell(("nodeConfig", "taints", 0, "effect")) == "nodeConfig.taints[0].effect"
        assert spell(("labels", "a.b/c")) == 'labels["a.b/c"]'

    def test_has_one_pattern_for_all_elements_of_a_list(self):
        assert pattern(("a", 3, "b")) == pattern(("a", 0, "b")) == "a[].b"

    def test_is_found_in_every_element_and_never_below_an_unknown_value(self):
        document = {"a": [{"b": 1}, {"c": 2}, UNKNOWN, {"b": 3}]}
        assert list(find(document, "a[].b")) == [(("a", 0, "b"), 1), (("a", 3, "b"), 3)]
