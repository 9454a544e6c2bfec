from pathlib import Path

import pytest

from lab.paths import TOOLS
from lab.pulumi_cli import find_official, parse_version, pulumi_tool


def install(folder: Path, version: str, *, language_host: bool = True) -> Path:
    folder.mkdir()
    executables = {"pulumi": f"echo {version}"} | ({"pulumi-language-python": "true"} if language_host else {})
    for name, command in executables.items():
        (folder / name).write_text(f"#!/bin/sh\n{command}\n")
        (folder / name).chmod(0o755)
    return folder


class TestAnInstalledPulumi:
    @pytest.mark.parametrize("version", ["v3.255.0", "v3.274.1", "3.300.0-alpha.1", "v4.0.0"])
    def test_that_is_new_enough_is_used_as_it_is(self, tmp_path: Path, version):
        found = find_official(str(install(tmp_path / "bin", version)))
        assert found is not None
        assert found.official
        assert found.path == tmp_path / "bin" / "pulumi"

    @pytest.mark.parametrize("version", ["v3.254.9", "v2.300.0", "v3.99.0", "broken"])
    def test_that_is_too_old_is_passed_over(self, tmp_path: Path, version):
        assert find_official(str(install(tmp_path / "bin", version))) is None

    def test_without_a_language_host_is_passed_over_for_the_next(self, tmp_path: Path):
        bare, whole = install(tmp_path / "bare", "v3.274.1", language_host=False), install(tmp_path / "whole", "v3.270.0")
        found = find_official(f"{bare}:{whole}:{tmp_path / 'none'}")
        assert found is not None
        assert found.path == whole / "pulumi"

    def test_may_be_linked_from_elsewhere(self, tmp_path: Path):
        install(tmp_path / "opt", "v3.274.1")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "pulumi").symlink_to(tmp_path / "opt" / "pulumi")
        assert find_official(str(tmp_path / "bin")) is not None


class TestTheBuiltPulumi:
    def test_is_stamped_with_the_version_that_is_pinned(self):
        stamp = pulumi_tool().flags[-1].rpartition("=")[2]
        assert f"github.com/pulumi/pulumi/pkg/v3 {stamp} " in (TOOLS / "pulumi" / "go.mod").read_text()
        assert parse_version(stamp) is not None
