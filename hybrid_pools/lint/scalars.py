"""What a plain scalar is, as Kubernetes reads YAML: `sigs.k8s.io/yaml` on `goyaml.v2`, where `yes` is true, `010` is eight and a date is
text. A reader that saw something else would judge another object than the cluster gets."""

import re
from collections.abc import Callable
from functools import lru_cache

TEXT = "tag:yaml.org,2002:str"
MAPPING = "tag:yaml.org,2002:map"
SEQUENCE = "tag:yaml.org,2002:seq"
MERGE = "tag:yaml.org,2002:merge"
_NULL = "tag:yaml.org,2002:null"
_BOOL = "tag:yaml.org,2002:bool"
_INTEGER = "tag:yaml.org,2002:int"
_FLOAT = "tag:yaml.org,2002:float"

_TRUE = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}
_FALSE = {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}
_NOTHING = {"", "~", "null", "Null", "NULL"}
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WHOLE = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_BROKEN = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LARGEST = 2**63 - 1


@lru_cache(maxsize=4096)
def tag_of(text: str) -> str:
    """The tag of a plain scalar."""
    first = text[:1]
    if first.isdigit() or first in ("+", "-", "."):
        digits = text.replace("_", "")
        if _WHOLE.fullmatch(digits):
            return _INTEGER
        return _FLOAT if _BROKEN.fullmatch(digits) or _NO_NUMBER.fullmatch(text) else TEXT
    if text in _TRUE or text in _FALSE:
        return _BOOL
    if text in _NOTHING:
        return _NULL
    return MERGE if text == "<<" else TEXT


def _boolean(text: str) -> bool:
    if text not in _TRUE | _FALSE:
        raise ValueError("is neither true nor false")
    return text in _TRUE


def _integer(text: str) -> int:
    digits = text.replace("_", "")
    if not _WHOLE.fullmatch(digits) or len(digits) > 70:
        raise ValueError("is no whole number that Kubernetes can hold")
    bare = digits.lstrip("+-").lower()
    value = int(bare, 8) if re.fullmatch("0[0-7]+", bare) else int(bare, 0)
    if value > _LARGEST:
        raise ValueError("is no whole number that Kubernetes can hold")
    return -value if digits.startswith("-") else value


def _float(text: str) -> float:
    if _NO_NUMBER.fullmatch(text):
        raise ValueError("is no number that Kubernetes can hold")
    return float(text.replace("_", ""))


CONVERSIONS: dict[str, Callable[[str], object]] = {
    TEXT: str,
    _NULL: lambda _: None,
    _BOOL: _boolean,
    _INTEGER: _integer,
    _FLOAT: _float,
}
"""From a tag and a text to the value. They raise `ValueError` where the text is none of that tag."""
