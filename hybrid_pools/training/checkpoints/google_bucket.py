"""A bucket of Cloud Storage, through Google's own client. The client is imported only here, and only when a bucket is used."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from hybrid_pools.blueprint.vocabulary import TRAINING_SERVICE_ACCOUNT
from hybrid_pools.training.checkpoints.bucket import ABSENT, ConditionError, Contents, GoneError, Stored
from hybrid_pools.training.checkpoints.errors import DeniedError, DiskError, MissingBucketError, MissingExtraError, UnreachableError
from hybrid_pools.training.checkpoints.progress import Progress
from hybrid_pools.training.checkpoints.transfers import crc32c_of

_LOG = logging.getLogger(__name__)

DEADLINE = 300.0
"""Seconds for which a request is tried again after 429, 5xx, a broken connection or none. Google asks for at least some minutes."""

_READ_TIMEOUT = (10.0, 60.0)  # seconds to connect, and between two bytes
_FIELDS = "items(name,generation,size,crc32c,timeCreated),prefixes,nextPageToken"
_WHOLE_UPLOADS = 3  # tries of a file from its first byte
_FORGOTTEN = (None, 404, 410)  # the bytes arrived wrong or the connection broke for good; Google knows the upload no more


class GoogleBucket:
    """One bucket. Safe to use from several threads, not from a forked process."""

    def __init__(self, name: str, deadline: float = DEADLINE) -> None:
        """Nothing is asked yet.

        Args:
            name: Name of the bucket.
            deadline: Seconds for which a request is tried again.
        """
        self.name = name
        self._deadline = deadline

    @cached_property
    def _bucket(self) -> Any:
        try:
            from google.auth.exceptions import DefaultCredentialsError  # noqa: PLC0415 - heavy, and part of an extra
            from google.cloud import storage  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtraError from error
        try:
            # Without a project: none is needed for objects, and a machine without a default one must do.
            return storage.Client(project=None).bucket(self.name)
        except DefaultCredentialsError as error:
            raise DeniedError(
                f"there are no credentials for gs://{self.name}. In the cluster: run the pod as service account {TRAINING_SERVICE_ACCOUNT} "
                "of the team's namespace. On your own machine: gcloud auth application-default login."
            ) from error

    @cached_property
    def _retry(self) -> Any:
        from google.cloud.storage.retry import DEFAULT_RETRY  # noqa: PLC0415

        retry: Any = DEFAULT_RETRY
        return retry.with_delay(initial=0.25, maximum=30.0, multiplier=2.0).with_timeout(self._deadline)

    def objects(self, prefix: str, *, versions: bool = False) -> Sequence[Stored]:
        with self._said(f"list gs://{self.name}/{prefix}"):
            found = self._bucket.list_blobs(prefix=prefix, versions=versions, fields=_FIELDS, retry=self._retry, timeout=_READ_TIMEOUT)
            return [_stored(blob) for blob in found]

    def folders(self, prefix: str, *, versions: bool = False) -> Sequence[str]:
        with self._said(f"list gs://{self.name}/{prefix}"):
            pages = self._bucket.list_blobs(
                prefix=prefix, delimiter="/", versions=versions, fields=_FIELDS, retry=self._retry, timeout=_READ_TIMEOUT
            )
            folders: set[str] = set()
            for page in pages.pages:
                folders.update(page.prefixes)
            return sorted(folder.removeprefix(prefix).removesuffix("/") for folder in folders)

    def stat(self, name: str) -> Stored | None:
        with self._said(f"read gs://{self.name}/{name}"):
            blob = self._bucket.get_blob(name, retry=self._retry, timeout=_READ_TIMEOUT)
            return _stored(blob) if blob else None

    def read(self, name: str) -> Contents | None:
        from google.api_core.exceptions import NotFound  # noqa: PLC0415

        while stored := self.stat(name):
            with self._said(f"read gs://{self.name}/{name}"):
                try:
                    blob = self._bucket.blob(name, generation=stored.generation)
                    return Contents(blob.download_as_bytes(retry=self._retry, timeout=_READ_TIMEOUT), stored.generation)
                except NotFound:
                    continue  # replaced or deleted between the two requests: look again
        return None

    def write(self, name: str, data: bytes, generation: int) -> int:
        from google.api_core.exceptions import NotFound, PreconditionFailed  # noqa: PLC0415

        with self._said(f"write gs://{self.name}/{name}"):
            blob = self._bucket.blob(name)
            try:
                blob.upload_from_string(
                    data,
                    content_type="application/json",
                    if_generation_match=generation,
                    checksum="crc32c",
                    retry=self._retry,
                    timeout=_READ_TIMEOUT,
                )
            except PreconditionFailed as error:
                raise ConditionError(name) from error
            except NotFound as error:
                if generation != ABSENT:
                    raise ConditionError(name) from error
                raise
            return int(blob.generation)

    def upload(self, file: Path, name: str, progress: Progress) -> Stored:
        from google.api_core.exceptions import PreconditionFailed  # noqa: PLC0415

        for left in reversed(range(_WHOLE_UPLOADS)):
            with self._said(f"write gs://{self.name}/{name}"):
                blob = self._bucket.blob(name)
                try:
                    with file.open("rb") as stream, progress.watch(stream):
                        blob.upload_from_file(
                            stream,
                            size=file.stat().st_size,
                            content_type="application/octet-stream",
                            if_generation_match=ABSENT,
                            checksum="crc32c",
                            retry=self._retry,
                            timeout=_READ_TIMEOUT,
                        )
                    return _stored(blob)
                except PreconditionFailed as error:
                    stored = self.stat(name)
                    # Its name is of this save alone, so what stands there is this file, and the answer was lost.
                    if stored and stored.size == file.stat().st_size and stored.crc32c == crc32c_of(file):
                        return stored
                    raise ConditionError(name) from error
                except _whole_upload_failures() as error:
                    if not left or getattr(error, "code", None) not in _FORGOTTEN:
                        raise
                    _LOG.warning("The upload of %s is done again from its first byte: %s", name, _first_line(error))
        raise AssertionError("the last try returns or raises")

    def download(self, stored: Stored, file: Path, progress: Progress) -> None:
        from google.api_core.exceptions import NotFound  # noqa: PLC0415

        with self._said(f"read gs://{self.name}/{stored.name}"):
            blob = self._bucket.blob(stored.name, generation=stored.generation)
            try:
                with file.open("wb") as stream, progress.watch(stream):
                    # The whole file is checked against the manifest afterwards, which is more than the client would check.
                    blob.download_to_file(stream, checksum=None, retry=self._retry, timeout=_READ_TIMEOUT)
            except NotFound as error:
                raise GoneError(stored.name) from error

    def delete(self, stored: Stored, *, forever: bool) -> None:
        from google.api_core.exceptions import NotFound, PreconditionFailed  # noqa: PLC0415

        with self._said(f"delete gs://{self.name}/{stored.name}"):
            # Named by its generation an object is gone for good; as the live one, under a condition, it becomes an old version.
            blob = self._bucket.blob(stored.name, generation=stored.generation if forever else None)
            try:
                blob.delete(if_generation_match=None if forever else stored.generation, retry=self._retry, timeout=_READ_TIMEOUT)
            except (NotFound, PreconditionFailed):
                return  # gone, perhaps by a try before this one

    @contextmanager
    def _said(self, what: str) -> Iterator[None]:
        """Turns the client's errors into what a person can act on."""
        _ = self._bucket  # says what is missing before the client is used
        from google.api_core import exceptions  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
        from requests.exceptions import RequestException  # noqa: PLC0415

        try:
            yield
        except (exceptions.PreconditionFailed, ConditionError, GoneError):
            raise
        except (exceptions.Forbidden, exceptions.Unauthorized) as error:
            raise DeniedError(
                f"may not {what}: {_first_line(error)}\n"
                f"  The pod must run as service account {TRAINING_SERVICE_ACCOUNT} of the team's namespace, and the address must lie in "
                "the team's own folder.\n  A grant of workload identity holds only some minutes after it was made: if the stack has just "
                "been brought up, start again later."
            ) from error
        except exceptions.NotFound as error:
            raise MissingBucketError(
                f"cannot {what}: there is no bucket {self.name} ({_first_line(error)}). Take its name from the contract: "
                "pulumi stack output contract --json."
            ) from error
        except (exceptions.RetryError, exceptions.GoogleAPICallError, GoogleAuthError, RequestException, ConnectionError) as error:
            cause = getattr(error, "cause", None) or error
            raise UnreachableError(f"could not {what} within {self._deadline:g} s: {_first_line(cause)}") from error
        except OSError as error:
            raise DiskError(f"could not {what}: {error.strerror or error} ({error.filename or 'local disk'}).") from error


def _whole_upload_failures() -> tuple[type[Exception], ...]:
    from google.api_core.exceptions import ClientError  # noqa: PLC0415
    from google.cloud.storage.exceptions import DataCorruption  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    return ClientError, DataCorruption, RequestException


def _stored(blob: Any) -> Stored:
    return Stored(blob.name, int(blob.generation), int(blob.size), blob.crc32c, blob.time_created.timestamp() if blob.time_created else 0.0)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
