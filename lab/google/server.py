"""The process that the engine starts."""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from lab.google.provider import GoogleProvider, open_provider
from lab.google.store import store_path

_THREADS = 64  # calls at once; slow ones wait in their thread
# The engine sends whole states; gRPC's own limit of 4 MiB is too small for it.
_OPTIONS = [("grpc.max_receive_message_length", 400 << 20), ("grpc.max_send_message_length", 400 << 20)]


def serve() -> None:
    """Serves until it is ended; `lab.parent` sees to that when the engine is gone.

    The first line of standard output is the port, as the engine expects it.
    """
    server, port = start(open_provider(store_path()))
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    server.wait_for_termination()


def start(provider: GoogleProvider) -> tuple[grpc.Server, int]:
    """Starts a server on a free port of this machine and says which."""
    server = grpc.server(ThreadPoolExecutor(_THREADS), options=_OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port
