import os
import signal
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from lab.build import Tool, build, cache_key, failure, go_version, required_version, toolchain_may_change
from lab.errors import LabError
from lab.progress import Progress

# Writes half of the binary, tells that it has, waits for leave, and writes the rest.
FAKE_GO = """#!/bin/sh
if [ "$1" = env ]; then printf 'go1.26.8\\nauto\\n'; exit 0; fi
out="$4"
echo run >> "$FAKE_GO/runs"
printf half > "$out"
echo "go: downloading example.org/m v1.0.0" >&2
echo "example.org/m" >&2
if [ -e "$FAKE_GO/gate" ]; then echo ready > "$FAKE_GO/half"; cat "$FAKE_GO/gate" > /dev/null; fi
if [ -e "$FAKE_GO/error" ]; then cat "$FAKE_GO/error" >&2; exit 1; fi
printf whole > "$out"
"""

BUILD = """
import sys
from pathlib import Path
from lab.build import Tool, build
from lab.progress import Progress

module, package, cache = sys.argv[1:]
build(Tool("thing", Path(module), package, ("-trimpath",), "a moment"), Path(cache), Progress())
"""


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    module = tmp_path / "module"
    module.mkdir()
    (module / "go.mod").write_text(
        "module m\n\ngo 1.26.6\n\nrequire (\n\texample.org/m v1.2.3 // indirect\n\texample.org/m/more v9.9.9\n)\n"
    )
    (module / "go.sum").write_text("sum\n")
    return Tool("thing", module, "example.org/m/cmd/thing", ("-trimpath",), "a moment")


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a Go that can be held up and made to fail; `runs` counts its builds."""
    folder = tmp_path / "go"
    folder.mkdir()
    (folder / "go").write_text(FAKE_GO)
    (folder / "go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE_GO", str(folder))
    monkeypatch.delenv("GOTOOLCHAIN", raising=False)
    return folder


def runs(go: Path) -> int:
    return len((go / "runs").read_text().splitlines()) if (go / "runs").exists() else 0


def quiet() -> Progress:
    return Progress(Console(file=StringIO()))


class TestTheCacheKey:
    def test_is_the_same_for_the_same_sources(self, tool: Tool):
        assert cache_key(tool) == cache_key(tool)

    @pytest.mark.parametrize("file", ["go.mod", "go.sum"])
    def test_changes_with_every_pinned_version(self, tool: Tool, file):
        before = cache_key(tool)
        (tool.module / file).write_text((tool.module / file).read_text() + "example.org/new v1.0.0\n")
        assert cache_key(tool) != before

    def test_changes_with_the_flags(self, tool: Tool):
        assert cache_key(Tool(tool.name, tool.module, tool.package, ("-race",), tool.duration)) != cache_key(tool)


class TestABuild:
    def test_is_done_once(self, tool: Tool, go: Path, tmp_path: Path):
        first = build(tool, tmp_path / "cache", quiet())
        assert build(tool, tmp_path / "cache", quiet()) == first
        assert first.read_text() == "whole"
        assert runs(go) == 1

    def test_that_was_killed_leaves_no_binary_and_is_done_again(self, tool: Tool, go: Path, tmp_path: Path):
        os.mkfifo(go / "gate")
        os.mkfifo(go / "half")
        arguments = [str(tool.module), tool.package, str(tmp_path / "cache")]
        builder = subprocess.Popen([sys.executable, "-c", BUILD, *arguments], stderr=subprocess.DEVNULL, start_new_session=True)
        assert (go / "half").read_text() == "ready\n"
        os.killpg(builder.pid, signal.SIGKILL)
        builder.wait()
        (go / "gate").unlink()
        assert not list((tmp_path / "cache").rglob("thing"))
        assert build(tool, tmp_path / "cache", quiet()).read_text() == "whole"

    def test_waits_for_another_of_the_same_and_takes_its_result(self, tool: Tool, go: Path, tmp_path: Path):
        os.mkfifo(go / "gate")
        os.mkfifo(go / "half")
        said = StringIO()
        binaries: list[Path] = []
        first = threading.Thread(target=lambda: binaries.append(build(tool, tmp_path / "cache", quiet())))
        first.start()
        assert (go / "half").read_text() == "ready\n"
        second = threading.Thread(target=lambda: binaries.append(build(tool, tmp_path / "cache", Progress(Console(file=said)))))
        second.start()
        while "Another process builds thing" not in said.getvalue():
            second.join(0.01)
        (go / "gate").write_text("go on")
        for builder in (first, second):
            builder.join()
        assert len(set(binaries)) == 1
        assert runs(go) == 1

    def test_shows_what_it_has_done(self, tool: Tool, go: Path, tmp_path: Path):
        said = StringIO()
        build(tool, tmp_path / "cache", Progress(Console(file=said)))
        assert "1 modules fetched, 1 packages compiled" in said.getvalue()


class TestABuildThatCannotBe:
    def test_for_want_of_go_says_which_go_to_install(self, tool: Tool, tmp_path: Path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(LabError, match=r"Go is not on PATH.*Install Go 1\.26\.6 or newer"):
            build(tool, tmp_path / "cache", quiet())

    def test_for_an_old_go_that_may_not_fetch_a_newer_one_says_so(self, tool: Tool, go: Path, tmp_path: Path, monkeypatch):
        (go / "go").write_text(FAKE_GO.replace("go1.26.8", "go1.22.1"))
        monkeypatch.setenv("GOTOOLCHAIN", "local")
        with pytest.raises(LabError, match=r"is go1\.22\.1, and thing needs Go 1\.26\.6 or newer"):
            build(tool, tmp_path / "cache", quiet())

    def test_is_tried_with_an_old_go_that_may_fetch_a_newer_one(self, tool: Tool, go: Path, tmp_path: Path):
        (go / "go").write_text(FAKE_GO.replace("go1.26.8", "go1.22.1"))
        assert build(tool, tmp_path / "cache", quiet()).read_text() == "whole"

    @pytest.mark.parametrize(
        ("said", "advice"),
        [
            ("write thing.part: no space left on device", "The disk is full"),
            ('go: example.org/m: Get "proxy": dial tcp: lookup proxy: no such host', "The Go module proxy was not reached"),
            ("link: signal: killed", "ran out of memory"),
            ("verifying example.org/m: checksum mismatch", "The tool module is"),
        ],
    )
    def test_names_the_cause_and_what_go_said(self, tool: Tool, go: Path, tmp_path: Path, said, advice):
        (go / "error").write_text(f"{said}\n")
        with pytest.raises(LabError) as failed:
            build(tool, tmp_path / "cache", quiet())
        assert advice in str(failed.value)
        assert said in str(failed.value)
        assert not list((tmp_path / "cache").rglob("thing"))

    def test_shows_no_package_that_went_well(self, tool: Tool):
        assert "example.org/fine" not in failure(
            tool, ["example.org/fine", "go: downloading example.org/x v1", "# example.org/bad", "bad.go:1: no"]
        )


class TestVersions:
    def test_of_a_module_are_read_from_go_mod(self, tool: Tool):
        assert required_version(tool, "example.org/m") == "v1.2.3"
        assert required_version(tool, "example.org/m/more") == "v9.9.9"
        with pytest.raises(LabError, match=r"does not require example\.org/none"):
            required_version(tool, "example.org/none")

    @pytest.mark.parametrize(("text", "numbers"), [("go1.26.8", (1, 26, 8)), ("1.21rc2", (1, 21)), ("devel +abc", ()), ("", ())])
    def test_of_go_are_numbers(self, text, numbers):
        assert go_version(text) == numbers

    @pytest.mark.parametrize(
        ("setting", "may"), [("auto", True), ("go1.26.8+auto", True), ("local", False), ("go1.26.8", False), ("path", False)]
    )
    def test_of_go_change_by_themselves_only_where_the_setting_says_so(self, setting, may):
        assert toolchain_may_change(setting) is may
