"""Amounts as Kubernetes writes them.

Servers hand an amount back in its shortest form, `1500m` for 1.5 and `2Gi` for 2048Mi. Written otherwise it would look changed for ever.
Source: `CanonicalizeBytes` of apimachinery's `resource.Quantity`.
"""

_DECIMAL = ("m", "", "k", "M", "G", "T", "P", "E")
_BINARY = ("Mi", "Gi", "Ti", "Pi", "Ei")


def thousandths(amount: int) -> str:
    """An amount given in thousandths: CPU in millicores, a weight in thousandths."""
    return _shortest(amount, 1000, _DECIMAL)


def whole(amount: int) -> str:
    """An amount of whole things: GPUs, objects."""
    return thousandths(amount * 1000)


def mebibytes(amount: int) -> str:
    """An amount of memory given in MiB."""
    return _shortest(amount, 1024, _BINARY)


def _shortest(amount: int, step: int, suffixes: tuple[str, ...]) -> str:
    if amount == 0:
        return "0"
    place = 0
    while amount % step == 0 and place < len(suffixes) - 1:
        amount, place = amount // step, place + 1
    return f"{amount}{suffixes[place]}"
