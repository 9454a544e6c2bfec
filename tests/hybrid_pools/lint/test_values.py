"""Plain words become what Kubernetes makes of them. `tests/cluster/test_reading.py` asks kubectl itself."""

from typing import Any

import pytest

from hybrid_pools.lint import values
from hybrid_pools.lint.objects import KubernetesObject, NotUnderstood, objects


def read(word: str) -> Any:
    [found] = objects(f"apiVersion: v1\nkind: ConfigMap\nspec: {word}\n")
    return found.content["spec"] if isinstance(found, KubernetesObject) else found


class TestAWord:
    @pytest.mark.parametrize(
        ("word", "value"),
        [
            ("yes", True),
            ("On", True),
            ("n", False),
            ("yEs", "yEs"),
            ("~", None),
            ("010", 8),
            ("08", 8.0),
            ("0o17", 15),
            ("0x1F", 31),
            ("0b101", 5),
            ("1_000", 1000),
            ("-1", -1),
            ("+5", 5),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("12:30", "12:30"),
            ("2026-01-01", "2026-01-01"),
            ("1,000", "1,000"),
            ("<<", "<<"),
            ("'yes'", "yes"),
            ("!!str 5", "5"),
            ("!!int '5'", 5),
        ],
    )
    def test_is_what_kubernetes_reads(self, word: str, value: Any):
        found = read(word)
        assert (found, type(found)) == (value, type(value))

    @pytest.mark.parametrize(
        "word", ["9223372036854775808", ".inf", "-.INF", ".nan", "!!int many", "!!bool 1", "!!binary aGk=", "!local 5"]
    )
    def test_is_refused_where_no_two_readers_agree(self, word: str):
        assert isinstance(read(word), NotUnderstood)


class TestAliases:
    def test_may_name_a_thing_many_times(self):
        shared = "apiVersion: v1\nkind: ConfigMap\ndata:\n  one: &one {a: b}\n" + "".join(f"  n{number}: *one\n" for number in range(1000))
        [found] = objects(shared)
        assert isinstance(found, KubernetesObject)
        assert found.content["data"]["n999"] == {"a": "b"}

    def test_are_not_needed_to_be_large(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(values, "_MOST", 100)
        [found] = objects("apiVersion: v1\nkind: ConfigMap\ndata: [" + "a, " * 200 + "]\n")
        assert isinstance(found, KubernetesObject)
        [refused] = objects("apiVersion: v1\nkind: ConfigMap\ndata: [&a [" + "a, " * 60 + "], *a]\n")
        assert isinstance(refused, NotUnderstood)
        assert "unfolds to" in refused.detail
