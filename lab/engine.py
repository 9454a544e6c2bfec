"""Runs the Pulumi engine on a project inside a lab, apart from whatever Pulumi the user has set up.

The environment of every command is made here: state, plugins, credentials and home all lie in the lab, nothing is downloaded, and no
variable of the user's own Pulumi setup reaches the engine.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from lab.begun import identifiers, pending_creates, unanswered_creates, with_adopted, with_old_kept, with_pending
from lab.errors import LabError
from lab.google.facts import read_facts
from lab.paths import STORE_VARIABLE, Lab
from lab.plugins import prepare_launchers
from lab.pulumi_cli import PulumiCli
from lab.stacks import load_project
from lab.workspace import copy_stack_file, prepare_workspace

# Lab stacks hold nothing secret and their state lies beside it; the engine only insists that some passphrase is there.
_PASSPHRASE = "lab"  # noqa: S105

Echo = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """What a command of the engine left behind.

    Attributes:
        exit_code: 0 for success.
        stdout: Standard output.
        stderr: Standard error.
    """

    exit_code: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def output(self) -> str:
        """Both streams, for searching a message whose stream is the engine's choice."""
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Engine:
    """The engine on one project in one lab.

    Attributes:
        lab: Where state and plugins are.
        project: Folder with `Pulumi.yaml`, the program, the policy pack and the stack files. Never written.
        pulumi: The command line to run.
        policy_pack: Folder of the pack that guards `preview` and `up`; None runs them without.
        variables: Further environment variables for engine, program and plugins, such as faults for the stand-in.
        echo: Receives each line as it is printed; None keeps quiet.
    """

    lab: Lab
    project: Path
    pulumi: PulumiCli
    policy_pack: Path | None = None
    variables: Mapping[str, str] | None = None
    echo: Echo | None = None

    def environment(self) -> dict[str, str]:
        """All variables of a command: the user's without those that steer Pulumi or Python, and the lab's."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PULUMI_", "PYTHON")) and key != "VIRTUAL_ENV"}
        return inherited | {
            # Without attribute files: they are not written at once, and one cut short by a kill makes the whole stack unreadable.
            "PULUMI_BACKEND_URL": f"{self.lab.state.as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": _PASSPHRASE,
            "PULUMI_HOME": str(self.lab.home),
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DEBUG_COMMANDS": "true",  # `--event-log` is hidden without it
            STORE_VARIABLE: str(self.lab.store),
            **(self.variables or {}),
        }

    @property
    def project_name(self) -> str:
        """Name of the project in `Pulumi.yaml`, part of every URN and of the stack's place in the backend."""
        return str(load_project(self.project)["name"])

    def prepare(self, stack: str | None = None) -> None:
        """Makes the lab ready for a command: folders, launchers, and the project's files as the engine sees them.

        Raises:
            LabError: The project or the stack file cannot be read.
        """
        for directory in (self.lab.state, self.lab.home):
            directory.mkdir(parents=True, exist_ok=True)
        prepare_launchers(self.lab)
        prepare_workspace(self.project, self.lab, self.pulumi)
        if stack is not None:
            copy_stack_file(self.project, self.lab, stack)

    def up(self, stack: str, *arguments: str) -> Result:
        """Creates and updates what the stack describes.

        A preview comes first: without it the pack would refuse a resource only after those before it are made.
        `--skip-preview` leaves it out.
        """
        self.select_or_init(stack)
        with tempfile.TemporaryDirectory(dir=self.lab.directory) as folder:
            log = Path(folder) / "events.json"
            result = self.run("up", "--yes", "--stack", stack, "--event-log", str(log), *self._pack(), *arguments)
            events = map(json.loads, log.read_text().splitlines()) if log.exists() and not result.ok else ()
            unanswered = [resource for resource in unanswered_creates(events) if resource["type"] in read_facts()]
        if unanswered:
            # Where the cloud cannot be read either, the state says what was begun, and `lab.recovery` settles it later.
            with suppress(LabError):
                self.settle(stack, unanswered)
        return result

    def settle(self, stack: str, unanswered: Sequence[Mapping[str, Any]] = ()) -> tuple[dict[str, Any], ...]:
        """Finds out what became of creates that were begun: those recorded in the state and those given.

        What the cloud knows is in the state afterwards; what it does not know is made by the next `up`. Without given creates, every other
        resource of the stack is read again as well.

        Returns:
            The resources whose creation had been begun.

        Raises:
            LabError: A resource cannot be identified, or the cloud could not be read; the creates are then in the state as begun.
        """
        before = with_pending(self.state(stack), unanswered)
        begun = pending_creates(before)
        ids = identifiers(before, read_facts())
        if before["deployment"].get("pending_operations"):
            self.replace_state(stack, with_adopted(before, ids))
        refreshed = self.refresh(stack, *(argument for resource in unanswered for argument in ("--target", resource["urn"])))
        if not refreshed.ok:
            self.replace_state(stack, before)
            raise LabError(f"The resources of stack {stack} could not be read, so it is not in order yet.\n{refreshed.output.strip()}")
        after = self.state(stack)
        corrected = with_old_kept(before, after, set(ids))
        if corrected != after:
            self.replace_state(stack, corrected)
        return begun

    def preview(self, stack: str, *arguments: str) -> Result:
        """Shows what `up` would do, guarded by the pack.

        `--expect-no-changes` fails if anything would change, `--json` prints it as data.
        """
        self.select_or_init(stack)
        return self.run("preview", "--stack", stack, *self._pack(), *arguments)

    def refresh(self, stack: str, *arguments: str) -> Result:
        """Reads every resource again and corrects the state."""
        self.select_or_init(stack)
        return self.run("refresh", "--yes", "--skip-preview", "--stack", stack, *arguments)

    def destroy(self, stack: str, *arguments: str) -> Result:
        """Deletes what the stack has made."""
        self.select_or_init(stack)
        return self.run("destroy", "--yes", "--skip-preview", "--stack", stack, *arguments)

    def cancel(self, stack: str) -> Result:
        """Removes the lock of an engine that no longer runs."""
        self.prepare(stack)
        return self.run("cancel", "--yes", "--stack", stack)

    def select_or_init(self, stack: str) -> None:
        """Makes the stack known to the backend; its file must exist.

        Raises:
            LabError: The stack file cannot be read, or the engine refuses the stack.
        """
        self.prepare(stack)
        if self.exists(stack):
            return
        made = self._quiet("stack", "init", stack)
        # Two engines may start on a new stack at once; that the other one made it is as good.
        if not made.ok and not self.exists(stack):
            raise LabError(f"The engine cannot make stack {stack}:\n{made.output.strip()}")

    def exists(self, stack: str) -> bool:
        """Whether the backend knows the stack."""
        return (self.lab.state / ".pulumi" / "stacks" / self.project_name / f"{stack}.json").exists()

    def outputs(self, stack: str) -> dict[str, Any]:
        """The stack's outputs; secret ones are hidden.

        Raises:
            LabError: There is no such stack.
        """
        return self._json("stack", "output", "--json", "--stack", stack)

    def state(self, stack: str) -> dict[str, Any]:
        """The stack's state as `pulumi stack export` gives it: `deployment.resources`, `deployment.pending_operations`.

        Raises:
            LabError: There is no such stack.
        """
        return self._json("stack", "export", "--stack", stack)

    def replace_state(self, stack: str, state: Mapping[str, Any]) -> None:
        """Puts an edited export in the place of the stack's state.

        Raises:
            LabError: The engine refuses it.
        """
        file = self.lab.directory / f"{stack}.import.json"
        file.write_text(json.dumps(state))
        done = self._quiet("stack", "import", "--stack", stack, "--file", str(file))
        file.unlink()
        if not done.ok:
            raise LabError(f"The engine refuses the corrected state of stack {stack}:\n{done.output.strip()}")

    def run(self, *arguments: str) -> Result:
        """Runs one command to its end and shows its lines as they come."""
        process = self.start(*arguments)
        printed: tuple[list[str], list[str]] = ([], [])
        readers = [
            threading.Thread(target=self._read, args=(stream, lines))
            for stream, lines in zip((process.stdout, process.stderr), printed, strict=True)
        ]
        for reader in readers:
            reader.start()
        _wait(process)
        for reader in readers:
            reader.join()
        return Result(process.returncode, "".join(printed[0]), "".join(printed[1]))

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Starts one command and leaves it to the caller, with both output streams as pipes."""
        colour = "always" if self.echo is not None and sys.stdout.isatty() else "never"
        return subprocess.Popen(
            [str(self.pulumi.path), *arguments, "--non-interactive", "--color", colour],
            cwd=self.lab.workspace,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _pack(self) -> tuple[str, ...]:
        return ("--policy-pack", str(self.policy_pack)) if self.policy_pack is not None else ()

    def _quiet(self, *arguments: str) -> Result:
        return Engine(self.lab, self.project, self.pulumi, self.policy_pack, self.variables).run(*arguments)

    def _json(self, *arguments: str) -> dict[str, Any]:
        self.prepare()
        result = self._quiet(*arguments)
        if not result.ok:
            raise LabError(f"`pulumi {' '.join(arguments)}` failed:\n{result.output.strip()}")
        content: dict[str, Any] = json.loads(result.stdout)
        return content

    def _read(self, stream: IO[str] | None, lines: list[str]) -> None:
        for line in stream or ():
            lines.append(line)
            if self.echo is not None:
                self.echo(line)


def _wait(process: "subprocess.Popen[str]") -> None:
    """Waits for the engine. An interrupt from the terminal reaches it as well: it is given time to finish what runs and record it."""
    try:
        process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise
