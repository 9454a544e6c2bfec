"""Directories that belong to the library: it may remove what is in them, which it never does elsewhere."""

from pathlib import Path

from hybrid_pools.training.checkpoints.errors import DirectoryError, DiskError
from hybrid_pools.training.checkpoints.format import OWN_FOLDER

_MARK = f"{OWN_FOLDER}/owned"


def own(directory: Path) -> None:
    """Makes a directory, or takes an empty one. Raises `DirectoryError` where somebody else's files are."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not is_owned(directory):
            if any(directory.iterdir()):
                raise DirectoryError(
                    f"{directory} holds files that no checkpoint brought there, and a restore would mix with them. Name an empty "
                    "directory, or one that does not exist."
                )
            (directory / OWN_FOLDER).mkdir()
            (directory / _MARK).touch()
    except OSError as error:
        raise DiskError(f"cannot write to {directory}: {error.strerror}.") from error


def is_owned(directory: Path) -> bool:
    """Whether the library made the directory's contents."""
    return (directory / _MARK).is_file()


def is_mark(name: str) -> bool:
    """Whether a file of a directory only says that it is owned."""
    return name == _MARK
