"""Contracts as arguments of commands: from a file, from a pipe, or asked of Pulumi."""

import shutil
import subprocess
import sys
from pathlib import Path

import typer

from hybrid_pools.blueprint.contract import Contract
from hybrid_pools.blueprint.contract.reading import ContractError, parse_contract
from hybrid_pools.cli.output import fail

CONTRACT = typer.Option("--contract", "-c", metavar="FILE", help="The output `contract` of a stack as JSON; - reads it from a pipe.")
"""The option that names a contract, for `Annotated[str | None, CONTRACT]`."""

STACK = typer.Option("--stack", "-s", metavar="NAME", help="Ask Pulumi for the contract of this stack.")
"""The option that names a stack that is up, for `Annotated[str | None, STACK]`."""

_PIPE = "-"


def contract_from(source: str | None, stack: str | None) -> Contract:
    """The contract that a command's options name; that of Pulumi's current stack where they name none.

    Where there is none, the command ends with one message and exit code 1.

    Args:
        source: Value of `CONTRACT`.
        stack: Value of `STACK`.
    """
    if source is not None and stack is not None:
        raise typer.BadParameter("give either --contract or --stack")
    name, content = _of_pulumi(stack) if source is None else _of_source(source)
    try:
        return parse_contract(content)
    except ContractError as error:
        fail(f"{name} {error}")


def _of_source(source: str) -> tuple[str, bytes]:
    if source == _PIPE:
        return "standard input", sys.stdin.buffer.read()
    try:
        return source, Path(source).read_bytes()
    except OSError as error:
        fail(f"{source} cannot be read: {error.strerror}. Write it with: pulumi stack output contract --json --stack NAME > {source}")


def _of_pulumi(stack: str | None) -> tuple[str, bytes]:
    """What Pulumi prints. In the lab, `eval "$(python -m lab env)"` brings the lab's own onto PATH."""
    program = shutil.which("pulumi")
    if program is None:
        fail(
            "there is no pulumi on PATH to ask for a contract. Install it, or give --contract FILE; in the lab first run: "
            'eval "$(.venv/bin/python -m lab env)"'
        )
    command = [
        program,
        "stack",
        "output",
        "contract",
        "--json",
        "--non-interactive",
        "--color",
        "never",
        *(["--stack", stack] if stack else []),
    ]
    asked = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if asked.returncode != 0:
        said = asked.stderr.decode("utf-8", errors="replace").strip() or "it says nothing"
        fail(
            f"pulumi gives no contract of {f'stack {stack}' if stack else 'the current stack'}: {said}\n"
            "Run this where Pulumi.yaml is, name a stack that is up with --stack, or give --contract FILE."
        )
    return f"the contract that pulumi gives{f' of stack {stack}' if stack else ''}", asked.stdout
