"""What Cloud Storage does with lifecycle rules, as a small model over object histories in whole days.

Conditions of a rule are ANDed; a rule is done where all hold. Deletion wins over a change of class. Deleting a live object of a bucket with
versions only replaces it by nothing; deleting a replaced version removes it. Source: Object Lifecycle Management page of the Cloud Storage
documentation; what is sent for zeros: terraform-provider-google#17990.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Rule = Mapping[str, Mapping[str, Any]]
_COLDNESS = ("STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE")


@dataclass
class Version:
    """One version of an object.

    Attributes:
        written: Day on which it was written.
        replaced: Day on which it was overwritten or deleted; None while it is live.
        removed: Day on which nothing was left of it, or None.
        removed_with_newer: Versions of the same name that were newer then.
    """

    name: str
    written: int
    replaced: int | None = None
    removed: int | None = None
    removed_with_newer: int = 0
    storage_class: str = "STANDARD"


@dataclass
class Bucket:
    """A bucket with versions, its rules, and everything that was ever in it, oldest first."""

    rules: Sequence[Rule]
    versions: list[Version] = field(default_factory=list)
    replaced_by_lifecycle: list[Version] = field(default_factory=list)

    def write(self, name: str, day: int) -> Version:
        """Put an object; the one of this name is replaced."""
        self.delete(name, day)
        self.versions.append(Version(name, day))
        return self.versions[-1]

    def delete(self, name: str, day: int) -> None:
        """Delete an object as a user does."""
        live = self.live(name)
        if live is not None:
            live.replaced = day

    def live(self, name: str) -> Version | None:
        """What a reader gets."""
        return next((one for one in self.versions if one.name == name and one.replaced is None and one.removed is None), None)

    def sweep(self, day: int) -> None:
        """What Google does on one day: every rule is judged on the bucket as it is before anything is done."""
        meant = [(version, self._newer(version), self._actions(version, day)) for version in self.versions if version.removed is None]
        for version, newer, actions in meant:
            if any(action["type"] == "Delete" for action in actions):
                self._remove(version, newer, day)
            else:
                classes = [action["storageClass"] for action in actions if action["type"] == "SetStorageClass"]
                version.storage_class = max([version.storage_class, *classes], key=_COLDNESS.index)

    def _remove(self, version: Version, newer: int, day: int) -> None:
        if version.replaced is None:
            version.replaced = day
            self.replaced_by_lifecycle.append(version)
        else:
            version.removed, version.removed_with_newer = day, newer

    def _newer(self, version: Version) -> int:
        after = self.versions[self.versions.index(version) + 1 :]
        return sum(one.name == version.name and one.removed is None for one in after)

    def _actions(self, version: Version, day: int) -> list[Mapping[str, Any]]:
        return [rule["action"] for rule in self.rules if self._holds(as_sent(rule["condition"]), version, day)]

    def _holds(self, condition: Mapping[str, Any], version: Version, day: int) -> bool:
        is_live = version.replaced is None
        for key, bound in condition.items():
            match key:
                case "age":
                    holds = day - version.written >= bound
                case "daysSinceNoncurrentTime":
                    holds = version.replaced is not None and day - version.replaced >= bound
                case "numNewerVersions":
                    holds = self._newer(version) >= bound
                case "withState":
                    holds = bound == "ANY" or (bound == "LIVE") is is_live
                case "matchesSuffixes":
                    holds = version.name.endswith(tuple(bound))
                case _:
                    raise ValueError(f"the model knows no condition {key}")
            if not holds:
                return False
        return True


def as_sent(condition: Mapping[str, Any]) -> Mapping[str, Any]:
    """What reaches Google: zeros do not, and a condition of which nothing is left is an age of zero, which everything has."""
    sent = {key: value for key, value in condition.items() if value != 0}
    return sent or {"age": 0}


def removed(bucket: Bucket) -> Iterable[Version]:
    """Everything of which nothing is left."""
    return (version for version in bucket.versions if version.removed is not None)
