"""The process that the engine starts."""

import os
import subprocess
import sys
from pathlib import Path

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2_grpc

from lab.paths import STORE_VARIABLE

ROOT = Path(__file__).parents[3]


class TestTheProcess:
    def test_tells_its_port_on_the_first_line_and_uses_the_store_it_is_given(self, tmp_path: Path):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), STORE_VARIABLE: str(tmp_path / "google.sqlite")}
        arguments = [sys.executable, "-m", "lab.google", "--logtostderr", "-v=9", "127.0.0.1:1"]
        process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                assert provider_pb2_grpc.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty()).version
            assert (tmp_path / "google.sqlite").exists()
        finally:
            process.terminate()
            process.communicate(timeout=30)
