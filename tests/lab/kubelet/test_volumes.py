from pathlib import Path
from typing import Any

import pytest

from lab.kubelet.environment import ConfigError
from lab.kubelet.volumes import volume_files, write_files
from tests.lab.kubelet.pods import Store, container, pod

_STORE = Store(ConfigMap_settings={"a": b"1", "b": b"2"}, Secret_keys={"key": b"\xff"})


def _files(volume: dict[str, Any]) -> dict[str, tuple[bytes, int]] | None:
    made = pod(container(resources={"limits": {"cpu": "2"}}), metadata={"labels": {"b": 'say "x"', "a": "1"}})
    files = volume_files(made, {"name": "volume", **volume}, _STORE, lambda audience, seconds: f"{audience}/{seconds}", {})
    return None if files is None else dict(files)


class TestFiles:
    @pytest.mark.parametrize(
        ("volume", "files"),
        [
            ({"emptyDir": {}}, None),
            ({"configMap": {"name": "settings"}}, {"a": (b"1", 0o644), "b": (b"2", 0o644)}),
            ({"configMap": {"name": "settings", "items": [{"key": "a", "path": "x/y", "mode": 0o400}]}}, {"x/y": (b"1", 0o400)}),
            ({"secret": {"secretName": "keys", "defaultMode": 0o600}}, {"key": (b"\xff", 0o600)}),
            ({"secret": {"secretName": "gone", "optional": True}}, {}),
            (
                {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
                {"labels": (b'a="1"\nb="say \\"x\\""', 0o644)},
            ),
            (
                {"downwardAPI": {"items": [{"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}}]}},
                {"cpu": (b"2", 0o644)},
            ),
            (
                {
                    "projected": {
                        "sources": [{"configMap": {"name": "settings"}}, {"serviceAccountToken": {"path": "token", "audience": "gcs"}}]
                    }
                },
                {"a": (b"1", 0o644), "b": (b"2", 0o644), "token": (b"gcs/3600", 0o644)},
            ),
        ],
    )
    def test_are_those_that_kubernetes_makes(self, volume: dict[str, Any], files: dict[str, tuple[bytes, int]] | None):
        assert _files(volume) == files

    @pytest.mark.parametrize(
        ("volume", "message"),
        [
            ({"configMap": {"name": "gone"}}, 'configmap "gone" not found'),
            ({"configMap": {"name": "settings", "items": [{"key": "c", "path": "c"}]}}, "references non-existent key: c"),
            (
                {"persistentVolumeClaim": {"claimName": "data"}},
                "volume volume is of kind persistentVolumeClaim. Process nodes have emptyDir",
            ),
            ({"hostPath": {"path": "/"}}, "of kind hostPath"),
            ({"projected": {"sources": [{"clusterTrustBundle": {}}]}}, "unsupported projected source: clusterTrustBundle"),
        ],
    )
    def test_that_cannot_be_made_are_named(self, volume: dict[str, Any], message: str):
        with pytest.raises(ConfigError, match=message):
            _files(volume)


class TestWriting:
    def test_leaves_these_files_and_no_others(self, tmp_path: Path):
        write_files(tmp_path, {"a": (b"1", 0o644), "x/y": (b"2", 0o600)})
        write_files(tmp_path, {"a": (b"3", 0o644)})
        assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a"]
        assert (tmp_path / "a").read_bytes() == b"3"

    def test_does_not_touch_what_is_right_already(self, tmp_path: Path):
        write_files(tmp_path, {"a": (b"1", 0o400)})
        before = (tmp_path / "a").stat()
        write_files(tmp_path, {"a": (b"1", 0o400)})
        assert (tmp_path / "a").stat().st_ino == before.st_ino
        assert before.st_mode & 0o777 == 0o400
