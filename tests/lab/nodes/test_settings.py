"""Settings of the nodes are kept in a file that people may write too."""

import pytest

from lab.errors import LabError
from lab.nodes.settings import NodeSettings, read_settings, write_settings
from tests.lab.nodes.given import buffer_record, pool, record, stable_record

POOLS = {made.name: made for made in map(pool, (stable_record(), record(), buffer_record()))}


@pytest.mark.parametrize(
    ("process", "names"),
    [
        ((), set()),
        (("stable",), {"services"}),
        (("*",), set(POOLS)),
        (("train", "buffer"), {"train", "buffer"}),
        (("serv*",), {"services"}),
    ],
)
def test_roles_and_patterns_choose_pools(process, names):
    settings = NodeSettings(process=process)
    assert {name for name, made in POOLS.items() if settings.runs_processes(made)} == names


def test_usually_stable_pools_run_processes():
    assert NodeSettings().process == ("stable",)


def test_what_is_written_is_read(tmp_path):
    settings = NodeSettings(process=("*",), idle_seconds=2)
    write_settings(tmp_path / "lab" / "nodes.json", settings)
    assert read_settings(tmp_path / "lab" / "nodes.json") == settings
    assert read_settings(tmp_path / "none.json") == NodeSettings()


@pytest.mark.parametrize("text", ["{", '{"idle_seconds": -1}', '{"patience": 3}'])
def test_a_wrong_file_is_told(tmp_path, text):
    file = tmp_path / "nodes.json"
    file.write_text(text)
    with pytest.raises(LabError, match="is wrong"):
        read_settings(file)
