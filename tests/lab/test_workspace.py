from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.paths import Lab
from lab.pulumi_cli import PulumiCli
from lab.workspace import copy_stack_file, prepare_workspace
from tests.lab.conftest import SmallProject

BUILT = PulumiCli(Path("/cache/pulumi"), official=False)
OFFICIAL = PulumiCli(Path("/usr/bin/pulumi"), official=True)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path / "lab")


def settings(lab: Lab) -> Any:
    return yaml.safe_load((lab.workspace / "Pulumi.yaml").read_text())


class TestTheProjectOfALab:
    def test_runs_the_program_where_it_is(self, small_project: SmallProject, lab: Lab):
        prepare_workspace(small_project.folder, lab, BUILT)
        assert settings(lab)["main"] == str(small_project.folder / "infra")
        assert settings(lab)["name"] == "small"

    def test_brings_a_language_host_only_where_pulumi_has_none(self, small_project: SmallProject, lab: Lab):
        prepare_workspace(small_project.folder, lab, BUILT)
        assert [plugin["name"] for plugin in settings(lab)["plugins"]["languages"]] == ["python"]
        prepare_workspace(small_project.folder, lab, OFFICIAL)
        assert "languages" not in settings(lab)["plugins"]

    @pytest.mark.parametrize("pulumi", [BUILT, OFFICIAL])
    def test_always_talks_to_the_stand_in_and_the_control_plane_of_the_lab(self, small_project: SmallProject, lab: Lab, pulumi):
        prepare_workspace(small_project.folder, lab, pulumi)
        assert settings(lab)["plugins"]["providers"] == [{"name": name, "path": str(lab.plugins)} for name in ("gcp", "kubernetes")]


class TestTheCopyOfAStackFile:
    def test_keeps_the_salt_the_engine_wrote_and_follows_the_original(self, small_project: SmallProject, lab: Lab):
        prepare_workspace(small_project.folder, lab, BUILT)
        copy_stack_file(small_project.folder, lab, "one")
        copy = lab.workspace / "stacks" / "Pulumi.one.yaml"
        copy.write_text(copy.read_text() + "encryptionsalt: v1:salt\n")
        small_project.greet("changed")
        copy_stack_file(small_project.folder, lab, "one")
        assert yaml.safe_load(copy.read_text()) == {"config": {"small:greeting": "changed"}, "encryptionsalt": "v1:salt"}

    def test_is_not_written_again_when_nothing_changed(self, small_project: SmallProject, lab: Lab):
        prepare_workspace(small_project.folder, lab, BUILT)
        copy_stack_file(small_project.folder, lab, "one")
        files = [lab.workspace / "Pulumi.yaml", lab.workspace / "stacks" / "Pulumi.one.yaml"]
        before = [file.stat().st_ino for file in files]
        prepare_workspace(small_project.folder, lab, BUILT)
        copy_stack_file(small_project.folder, lab, "one")
        assert [file.stat().st_ino for file in files] == before
