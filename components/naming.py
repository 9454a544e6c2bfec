"""Physical names: the same for the same thing, another one where Google would have to make a new thing.

Pulumi's own suffixes are random, so a run that goes on after a lost answer would make a second cluster or pool beside the one that nobody
remembers. With these names Google refuses the second one, and a recovery can look for the first. A change that replaces a resource changes
its name too, so the new one can be made before the old one goes.
"""

import hashlib
import json
from dataclasses import asdict, is_dataclass
from typing import Any

from pydantic import BaseModel

_DIGITS = 7


def physical_name(logical: str, *replacing: object) -> str:
    """The physical name of a resource.

    Args:
        logical: Its logical name in the program.
        replacing: Everything about it that cannot be changed in place.
    """
    text = json.dumps([logical, *replacing], sort_keys=True, default=_plain)
    return f"{logical}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
