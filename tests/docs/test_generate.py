"""The generated documents are those that the code makes now."""

import pytest

from docs.generate import DOCS, documents


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return documents()


def test_every_generated_document_is_fresh(made: dict[str, str]) -> None:
    stale = [path for path, text in made.items() if not (DOCS / path).exists() or (DOCS / path).read_text(encoding="utf-8") != text]
    assert not stale, f"out of date: {', '.join(stale)}; run make docs"


def test_making_them_again_gives_the_same_text(made: dict[str, str]) -> None:
    assert documents() == made
