"""A Python language host for machines without an official Pulumi installation.

The engine asks it to run the program and the policy pack. It behaves as the official one as far as the lab needs: it does not install
packages, create environments or generate code. Which Python runs is decided by the launcher, so `virtualenv` of `Pulumi.yaml` is not read.
"""

import asyncio
import contextvars
import logging
import os
import queue
import runpy
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import grpc
import pulumi
import pulumi.runtime
from google.protobuf import empty_pb2
from pulumi.runtime.proto import LanguageRuntimeServicer, language_pb2, language_pb2_grpc, plugin_pb2

_THREADS = 8  # calls of the engine at once: one program, one or two packs, and short questions
_THREADS_PER_OPERATION = 4  # as in Pulumi's own executor: one resource operation waits on several calls


class LanguageHost(LanguageRuntimeServicer):
    """The calls that the engine makes to run a program and a policy pack."""

    # Names and parameters of the methods are those of the protocol.
    # ruff: noqa: N802, ARG002

    def __init__(self) -> None:
        self._engine = ""

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        self._engine = request.engine_address
        return language_pb2.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version=version("pulumi"))

    def GetRequiredPlugins(self, request: Any, context: grpc.ServicerContext) -> Any:
        return language_pb2.GetRequiredPluginsResponse()

    def GetRequiredPackages(self, request: Any, context: grpc.ServicerContext) -> Any:
        # Naming packages makes the engine look for their plugins beforehand; it finds them on PATH when the first resource needs one.
        return language_pb2.GetRequiredPackagesResponse()

    def About(self, request: Any, context: grpc.ServicerContext) -> Any:
        return language_pb2.AboutResponse(executable=sys.executable, version=".".join(map(str, sys.version_info[:3])))

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    def Run(self, request: Any, context: grpc.ServicerContext) -> Any:
        # Pulumi keeps the deployment in context variables, and the thread that serves this call serves others afterwards.
        return contextvars.copy_context().run(_run_program, request, self._engine)

    def RunPlugin(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        command = [sys.executable, "-u", "-m", "lab.parent", "pulumi.policy", *request.args, request.info.program_directory]
        environment = {**os.environ, **dict(entry.split("=", 1) for entry in request.env)}
        with subprocess.Popen(command, cwd=request.pwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            # The engine ends a pack by cancelling this call.
            context.add_callback(process.terminate)
            yield from _stream(process)
            yield language_pb2.RunPluginResponse(exitcode=process.wait())


def _stream(process: "subprocess.Popen[bytes]") -> Iterator[Any]:
    """What the process prints, as it prints it, until both streams are closed."""
    printed: queue.Queue[Any] = queue.Queue()

    def read(stream: IO[bytes] | None, response: Callable[[bytes], Any]) -> None:
        for line in stream or ():
            printed.put(response(line))
        printed.put(None)

    readers = [
        threading.Thread(target=read, args=(process.stdout, lambda line: language_pb2.RunPluginResponse(stdout=line)), daemon=True),
        threading.Thread(target=read, args=(process.stderr, lambda line: language_pb2.RunPluginResponse(stderr=line)), daemon=True),
    ]
    for reader in readers:
        reader.start()
    for _ in readers:
        yield from iter(printed.get, None)


def _run_program(request: Any, engine: str) -> Any:
    """Runs the program once. What went wrong is shown here, so the answer only tells the engine to stop without a second message."""
    pulumi.runtime.configure(
        pulumi.runtime.Settings(
            project=request.project,
            stack=request.stack,
            root_directory=request.info.root_directory,
            monitor=request.monitor_address,
            engine=engine,
            parallel=request.parallel,
            dry_run=request.dryRun,
            organization=request.organization or "organization",
        )
    )
    pulumi.runtime.set_all_config(dict(request.config), list(request.configSecretKeys))
    # A program that fails leaves futures that nobody waits for; asyncio would report each of them after the one error that matters.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(ThreadPoolExecutor(max(request.parallel, 1) * _THREADS_PER_OPERATION))
    directory = Path(request.info.program_directory)
    program = directory / request.info.entry_point
    os.chdir(directory)
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _execute(program)))
    except BaseException as error:  # a program may raise anything, SystemExit included
        message = explain(error, directory)
        if message is not None:
            pulumi.log.error(message)
            return language_pb2.RunResponse(bail=True)
    finally:
        _close(loop)
        sys.stdout.flush()
        sys.stderr.flush()
    return language_pb2.RunResponse()


def _execute(program: Path) -> None:
    runpy.run_path(str(program), run_name="__main__")


def explain(error: BaseException, directory: Path) -> str | None:
    """What a person is shown when the program ended with this exception; None if that is no failure.

    `pulumi.RunError` and `SystemExit` are how a program says what is wrong, so their text is the whole message. Anything else is a defect
    of the program and comes with its traceback, from the program's first own line on. A monitor that went away means that the engine is
    already stopping for a reason it reports itself.
    """
    match error:
        case SystemExit(code=None | 0):
            return None
        case SystemExit(code=int(code)):
            return f"The program ended with exit code {code}."
        case SystemExit() | pulumi.RunError():
            return str(error)
        case grpc.RpcError() if getattr(error, "code", lambda: None)() is grpc.StatusCode.UNAVAILABLE:
            return None
    frames = traceback.extract_tb(error.__traceback__)
    own = next((index for index, frame in enumerate(frames) if Path(frame.filename).is_relative_to(directory)), 0)
    lines = [*traceback.format_list(frames[own:]), *traceback.format_exception_only(error)]
    return "Program failed with an unhandled exception:\nTraceback (most recent call last):\n" + "".join(lines)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    pending = asyncio.all_tasks(loop)
    for task in pending:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def serve() -> None:
    """Serves until the engine ends it; prints the port first, as the engine expects of a plugin."""
    server = grpc.server(
        ThreadPoolExecutor(_THREADS), options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    )
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(LanguageHost(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)  # noqa: T201 - the protocol
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    # Packs still running end with this process; waiting for them would hold up the engine.
    server.stop(grace=None)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    serve()
