"""What the cloud says no with."""

from dataclasses import dataclass

import grpc

_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.ALREADY_EXISTS,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
}


@dataclass
class Refusal(Exception):  # noqa: N818 - it is an answer of the cloud, and most are deserved
    """Google's API refuses a call. Nothing has been done.

    Attributes:
        status: HTTP status.
        message: What Google says, with the name of what it is about.
        reason: Google's word for the kind of error.
    """

    status: int
    message: str
    reason: str = "badRequest"

    def __str__(self) -> str:
        return f"googleapi: Error {self.status}: {self.message}, {self.reason}"

    @property
    def code(self) -> grpc.StatusCode:
        """How the refusal travels to the engine: as a code that means nothing has been done."""
        return _CODES[self.status]


def bad_request(message: str) -> Refusal:
    """The call contradicts itself or the state of the cloud."""
    return Refusal(400, message)


def not_found(what: str) -> Refusal:
    """The call names something that does not exist."""
    return Refusal(404, f"Not found: {what}.", "notFound")


def in_use(what: str, by: str) -> Refusal:
    """Something cannot be deleted because something else needs it."""
    return Refusal(400, f"The {what} resource is already being used by '{by}'", "resourceInUseByAnotherResource")


class LostAnswer(Exception):  # noqa: N818 - it says what happened, not that somebody erred
    """The work was done, but the answer never came: the caller cannot know."""


@dataclass
class Incomplete(Exception):  # noqa: N818 - as above
    """The resource exists but is not in order.

    Attributes:
        id: Its identifier.
        message: What is wrong and what to do.
    """

    id: str
    message: str

    def __str__(self) -> str:
        return self.message
