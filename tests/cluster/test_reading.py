"""The lint reads a manifest as kubectl does: whatever both take is the same object to both."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_pools.lint.objects import KubernetesObject, objects
from lab.build import build
from lab.cluster.programs import kubectl
from lab.paths import cache_folder
from lab.progress import Progress
from tests.hybrid_pools.lint.test_formats import FORMATS
from tests.workload_strategies import jobs, pods
from tests.workloads import Manifest

pytestmark = pytest.mark.cluster

HEAD = "apiVersion: example.com/v1\nkind: Sample\nmetadata: {name: a}\n"
WORDS = (
    *("yes", "Yes", "yEs", "no", "y", "Y", "N", "n", "on", "oN", "off", "true", "True", "tRue", "null", "Null", "nULL", "~", "~~"),
    *("0", "-0", "+0", "00", "07", "08", "09", "0o7", "0o8", "0x1f", "0X1F", "0xg", "0b1", "0b2", "-0x1", "-010", "0777", "0800"),
    *("1_0", "1_", "0x_1", "0_7", "0b_1", ".5_0", "1e1_0", "9223372036854775807", "1,000", "-1", "--1", "1a", "0x", "0b"),
    *("1.", ".1", ".", "..", "1.e3", "1e3", "1E+3", "1e-3", "1e", "e3", ".e1", "-.5", "1.5.2", "1e20", "-.inf0"),
    *("12:30", "12:30:45", "2020-01-01", "2020-1-1", "2020-01-01T00:00:00Z", "<<", "="),
)
LINES = (
    *("---", "---", "--- ", "--- # a", "--- a", "---x", "...", " ---", "    ---"),
    *("# a", "", "  b: |", "%YAML 1.1", HEAD.strip(), f"{HEAD}\r"),
)
"""Parts of a text with several documents, or of one that only looks so."""

STRUCTURES = {
    "a merge before": "b: &b {a: 1}\nc: {<<: *b, a: 2}\n",
    "a merge of several": "b: &b {a: 1, x: 1}\nd: &d {a: 2, z: 2}\nc: {<<: [*b, *d]}\n",
    "a merge in quotes": "b: &b {a: 1}\nc: {'<<': x}\n",
    "a tag for text": "a: !!str 5\nb: !!int '5'\nc: !!float 5\nd: !!bool yes\ne: !!null ''\n",
    "a date as a key": "2020-01-01: a\n",
    "folded and literal text": "a: >\n  x\n  y\nb: |-\n  x\n\n   y\n",
    "escapes": 'a: "\\u0041\\x42\\U0001F600"\nb: 😀\n',
    "aliases": "a: &x [1, {b: c}]\nd: *x\ne: [*x, *x]\n",
    "flow over lines": "a: {b: [c,\n  d], e: f\n  }\n",
}


@pytest.fixture(scope="session")
def program() -> Path:
    """The lab's kubectl; built on first use."""
    return build(kubectl(), cache_folder(), Progress())


def as_kubectl_reads(program: Path, folder: Path, text: str) -> list[Any] | None:
    """The objects, or None where it refuses one. Nothing is asked of a cluster."""
    file = folder / "manifest.yaml"
    file.write_bytes(text.encode())
    command: list[str | Path] = [program, "label", "--local", "--filename", file, "lint=read", "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "KUBECONFIG": os.devnull})
    return None if done.returncode else list(_objects(done.stdout))


def _objects(text: str) -> Iterator[Any]:
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        read, at = decoder.raw_decode(text, at)
        del read["metadata"]["labels"]["lint"]
        if not read["metadata"]["labels"]:
            del read["metadata"]["labels"]
        yield read


def as_the_lint_reads(text: str) -> list[Any] | None:
    """The objects, or None where it refuses one."""
    found = list(objects(text))
    if any(not isinstance(each, KubernetesObject) for each in found):
        return None
    return [json.loads(json.dumps(each.content)) for each in found if isinstance(each, KubernetesObject)]


class TestTheLintReadsAsKubectlDoes:
    def test_every_word(self, program: Path, tmp_path: Path):
        text = HEAD + "spec:\n" + "".join(f"- {word}\n" for word in WORDS)
        [read], [ours] = as_kubectl_reads(program, tmp_path, text) or [], as_the_lint_reads(text) or []
        alike = map(plain, read["spec"], ours["spec"])
        assert dict(zip(WORDS, map(repr, ours["spec"]), strict=True)) == dict(zip(WORDS, map(repr, alike), strict=True))

    @pytest.mark.parametrize("name", STRUCTURES)
    def test_every_structure(self, program: Path, tmp_path: Path, name: str):
        text = f"{HEAD}spec:\n" + "".join(f"  {line}\n" for line in STRUCTURES[name].splitlines())
        ours = as_the_lint_reads(text)
        assert ours is not None
        assert as_kubectl_reads(program, tmp_path, text) == ours

    @pytest.mark.parametrize("form", [form for form in FORMATS if "list" not in form and "document" not in form and "broken" not in form])
    @settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(manifest=st.one_of(pods(), jobs()))
    def test_every_format(self, program: Path, tmp_path: Path, form: str, manifest: Manifest):
        text = FORMATS[form](manifest | {"kind": "Sample", "apiVersion": "example.com/v1"})
        read = as_kubectl_reads(program, tmp_path, text)
        ours = as_the_lint_reads(text)
        assert ours is not None
        assert read == ours

    @settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(st.text(st.sampled_from("ab01:-,[]{}'\"&*!|>#? \n.<_~ny"), max_size=24))
    def test_whatever_text_both_take(self, program: Path, tmp_path: Path, inside: str):
        text = HEAD + "spec:\n" + "".join(f"  {line}\n" for line in inside.split("\n"))
        ours = as_the_lint_reads(text)
        if ours is not None:
            read = as_kubectl_reads(program, tmp_path, text)
            assert read is None or read == ours

    @settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(st.lists(st.sampled_from(LINES), max_size=7))
    def test_whatever_documents_both_take(self, program: Path, tmp_path: Path, lines: list[str]):
        text = "\n".join([HEAD + "spec: {a: b}", *lines])
        ours = as_the_lint_reads(text)
        if ours is not None:
            read = as_kubectl_reads(program, tmp_path, text)
            # kubectl looks at the first document only where `...` ends it.
            assert read is None or all(each in ours for each in read)


def plain(read: Any, ours: Any) -> Any:
    """JSON does not tell 1000 from 1000.0, which are the same number to whoever reads them."""
    return ours if not isinstance(ours, bool) and isinstance(ours, int | float) and read == ours else read
