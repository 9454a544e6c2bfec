import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.kubelet.mounts import Mount, rewritten

_MOUNTS = (Mount("/lab/data", "/data"), Mount("/lab/settings", "/etc/settings"), Mount("/lab/deep", "/data/deep"))


@pytest.mark.parametrize(
    ("text", "real"),
    [
        ("/data", "/lab/data"),
        ("/data/x", "/lab/data/x"),
        ("--from=/data --to=/etc/settings/y", "--from=/lab/data --to=/lab/settings/y"),
        ("/data/deep/x", "/lab/deep/x"),
        ("/data/deeper", "/lab/data/deeper"),
        ("cat '/data/a':/data/b", "cat '/lab/data/a':/lab/data/b"),
        ("/database", "/database"),
        ("/data.old", "/data.old"),
        ("gs://bucket/data", "gs://bucket/data"),
        ("/mnt/data", "/mnt/data"),
    ],
)
def test_a_mounted_path_is_rewritten_where_it_stands_by_itself(text: str, real: str):
    assert rewritten(text, _MOUNTS) == real


@given(st.text())
def test_a_text_without_mounted_paths_stays(text: str):
    assert rewritten(text, ()) == text
    assert rewritten(text.replace("/", "|"), _MOUNTS) == text.replace("/", "|")
