"""Durations as people say them."""

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def duration(seconds: float) -> str:
    """The two greatest units, such as `2 h 5 min`; below a minute whole seconds, and below one with decimals."""
    if seconds < 1:
        return f"{seconds:.2g} s"
    parts = []
    # Rounded to the second of the two units first, so that nothing like `1 h 60 min` comes out.
    greatest = next(size for size, _ in _UNITS if seconds >= size)
    below = next((size for size, _ in _UNITS if size < greatest), 1)
    left = round(seconds / below) * below
    for size, name in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts)
