"""What the lab tells people when it cannot go on."""


class LabError(Exception):
    """The lab cannot go on. The message says what happened, its consequence and the fix; it is shown without a traceback."""
