"""No key or taint is spelled in two places, and what is said of GKE's own agrees with the catalogue."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybrid_pools.blueprint import vocabulary
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.vocabulary import ARM_TAINT, GPU_TAINT, PROJECT, QUEUED_TAINT, SPOT_TAINT, Effect, Taint

ROOT = Path(vocabulary.__file__).parents[2]
PACKAGES = ("hybrid_pools", "components", "infra", "policies", "lab", "docs")
SPELLED_ONCE = {
    value for name, value in vars(vocabulary).items() if name.isupper() and isinstance(value, str) and ("/" in value or "." in value)
} | {vocabulary.COST_CENTER_LABEL, vocabulary.POOL_ROLE_LABEL, f"{PROJECT}:"}
"""Keys with a domain, labels that are no ordinary word, and the beginning of configuration keys."""


def spelled(source: str) -> Iterator[tuple[int, str]]:
    """Every key of the vocabulary that a Python file spells in a string, with its line. Docstrings may name keys: nothing reads them."""
    tree = ast.parse(source)
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield from ((node.lineno, key) for key in sorted(SPELLED_ONCE) if key in node.value)


class TestEveryKey:
    @pytest.mark.parametrize("package", PACKAGES)
    def test_is_spelled_in_the_vocabulary_alone(self, package: str):
        own = Path(vocabulary.__file__)
        files = [file for file in (ROOT / package).rglob("*.py") if file != own]
        assert files
        found = [f"{file.relative_to(ROOT)}:{line} spells {key}" for file in files for line, key in spelled(file.read_text())]
        assert not found, "Import them from hybrid_pools.blueprint.vocabulary: " + "; ".join(found)

    @pytest.mark.parametrize(
        ("source", "found"),
        [
            ('label = "hybrid-pools.io/role"', True),
            ('taint = f"cloud.google.com/gke-spot={value}:NoSchedule"', True),
            ('key = "hybrid-node-pools:pools"', True),
            ('"""Nodes carry hybrid-pools.io/role."""', False),
            ('word = "environment"', False),
        ],
    )
    def test_is_found_where_it_is_spelled_again(self, source: str, found: bool):
        assert bool([*spelled(source)]) == found


class TestEveryTaintOfGke:
    @pytest.mark.parametrize("taint", [SPOT_TAINT, GPU_TAINT, QUEUED_TAINT, ARM_TAINT], ids=str)
    def test_is_the_one_that_the_catalogue_knows(self, taint: Taint):
        known = catalogue().gke_taints[taint.key]
        assert known.value in (None, taint.value)
        assert known.effect in (None, taint.effect)


class TestEveryLabelOfGke:
    @pytest.mark.parametrize(
        "key", [vocabulary.SPOT_KEY, vocabulary.ACCELERATOR_LABEL, vocabulary.NODE_POOL_LABEL, vocabulary.ARCHITECTURE_KEY]
    )
    def test_is_one_that_the_catalogue_knows(self, key: str):
        assert key in catalogue().gke_labels

    @pytest.mark.parametrize("key", sorted({*catalogue().gke_labels, *catalogue().gke_taints}))
    def test_lies_in_a_domain_that_configuration_may_not_use(self, key: str):
        domain = key.partition("/")[0]
        assert any(domain == taken or domain.endswith(f".{taken}") for taken in vocabulary.GOOGLE_LABEL_DOMAINS)


class TestEveryEffect:
    @pytest.mark.parametrize("effect", list(Effect))
    def test_is_spelled_by_google_as_the_same_words_in_capitals(self, effect: Effect):
        assert effect.google.replace("_", "").lower() == effect.value.lower()
