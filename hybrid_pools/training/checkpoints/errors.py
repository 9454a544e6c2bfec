"""What can go wrong, said so that the reader can mend it without asking."""


class CheckpointError(Exception):
    """A checkpoint could not be saved, found or restored. The message says what is wrong and what to do."""


class MissingExtraError(CheckpointError):
    """What only trainers need is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "the client of Cloud Storage and its checksum are not installed. Add the extra: pip install 'hybrid-node-pools[checkpoints]'."
        )


class AddressError(CheckpointError):
    """The address or the environment of the run is missing or malformed."""


class MissingBucketError(CheckpointError):
    """The bucket is not there."""


class DeniedError(CheckpointError):
    """The identity may not do this (401, 403)."""


class UnreachableError(CheckpointError):
    """Cloud Storage gave no answer, or none that helps, until the deadline. What is published stays published."""


class DiskError(CheckpointError):
    """The local disk is full or cannot be written."""


class DirectoryError(CheckpointError):
    """The directory holds nothing to save, or something that must not be touched."""


class NewerFormatError(CheckpointError):
    """A newer release wrote this. It is neither bad nor skipped: going on from an older one would lose work without need."""


class StaleWriterError(CheckpointError):
    """Another attempt has taken the run over. This one can publish nothing any more."""


class NotResumedError(CheckpointError):
    """The run has checkpoints, and this attempt wants to publish without having restored one."""


class NoValidCheckpointError(CheckpointError):
    """The run has checkpoints and all of them are bad. Starting again from nothing is for a person to decide."""


class IncompleteError(CheckpointError):
    """Not every worker saved its part in time, or the parts do not fit together."""
