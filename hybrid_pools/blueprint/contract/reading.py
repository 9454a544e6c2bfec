"""A contract from text: what `pulumi stack output contract --json` prints, or all outputs of a stack."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from hybrid_pools.blueprint.contract.whole import CONTRACT_VERSION, Contract

_HOW = "Write it with: pulumi stack output contract --json --stack NAME"
_SHOWN = 8
"""Problems that are told of one contract. Nobody writes contracts by hand, so more of them say nothing new."""


class ContractError(Exception):
    """A text that is no contract, with what it is instead and where to get one."""


def parse_contract(content: bytes) -> Contract:
    """The contract in a file's or a pipe's content.

    Raises:
        ContractError: It is none, or not one that this release knows. The message goes on after the name of the source.
    """
    data = _data(_text(content))
    if isinstance(data, dict) and "contractVersion" not in data and "contract" in data:
        data = data["contract"]
        if not isinstance(data, dict):
            raise ContractError(f"has an output `contract` that cannot be read: {data!r:.60}. {_HOW}")
    if not isinstance(data, dict):
        raise ContractError(f"has no contractVersion, so it is no contract. {_HOW}")
    version = data.get("contractVersion")
    if version is None:
        export = " It looks like `pulumi stack export`." if "deployment" in data else ""
        raise ContractError(f"has no contractVersion, so it is no contract.{export} {_HOW}")
    if version != CONTRACT_VERSION or isinstance(version, bool):
        raise ContractError(
            f"is a contract of version {version}, and this command reads version {CONTRACT_VERSION}. "
            "Use the release of hybrid-node-pools that the stack was made with."
        )
    try:
        found = Contract.model_validate(data)
    except ValidationError as error:
        raise ContractError(_wrong(error)) from None
    missing = next(_missing(found), None)
    if missing is not None:
        raise ContractError(f"names {missing}, and does not describe it: it was edited or put together by hand. {_HOW}")
    return found


def _missing(contract: Contract) -> Iterator[str]:
    """What the contract refers to and does not have."""
    flavors, pools = {flavor.name for flavor in contract.flavors}, {pool.name for pool in contract.pools}
    asked = [name for one in contract.classes for name in one.flavors if one.queue]
    asked += [quota.flavor for team in contract.teams for queue in team.queues for quota in queue.quotas]
    yield from (f"flavor {name}" for name in asked if name not in flavors)
    yield from (f"pool {name}" for flavor in contract.flavors for name in flavor.pools if name not in pools)


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ContractError("is UTF-16 text, as PowerShell writes it with `>`, and must be UTF-8. Pipe it, or save it as UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContractError(f"is not UTF-8 text (byte 0x{content[error.start]:02x} at {error.start}). {_HOW}") from None
    if not text.strip():
        raise ContractError(f"is empty; where it is a pipe, the command before it has failed. {_HOW}")
    return text


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ContractError(f"is nested too deeply to be a contract. {_HOW}") from None
    except ValueError as error:
        if _is_stack_file(text):
            raise ContractError(f"is a stack file, from which a contract only comes once the stack is up. {_HOW}") from None
        if not isinstance(error, json.JSONDecodeError):
            raise ContractError(f"is not JSON ({error}). {_HOW}") from None
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise ContractError(f"is not JSON: it ends in the middle, on line {error.lineno}, so it was cut short. {_HOW}") from None
        raise ContractError(f"is not JSON (line {error.lineno}: {error.msg}). {_HOW}") from None


def _is_stack_file(text: str) -> bool:
    # Only the beginning of a line is looked at: what is no JSON may be anything, and of any size.
    return text.startswith("config:") or "\nconfig:" in text


def _wrong(error: ValidationError) -> str:
    problems = error.errors()
    unknown = [_place(problem["loc"]) for problem in problems if problem["type"] == "extra_forbidden"]
    if len(unknown) == len(problems):
        return (
            f"has fields that this release does not know: {', '.join(unknown[:_SHOWN])}. "
            "Use the release of hybrid-node-pools that the stack was made with, or a newer one."
        )
    return "\n".join(["does not follow docs/schema/contract.v1.schema.json:", *_explained(problems)])


def _explained(problems: Iterable[Any]) -> Iterable[str]:
    told = [f"  {_place(problem['loc'])}: {problem['msg'].lower()}" for problem in problems]
    return told[:_SHOWN] + ([f"  and {len(told) - _SHOWN} more"] if len(told) > _SHOWN else [])


def _place(loc: Iterable[int | str]) -> str:
    return ".".join(map(str, loc))
