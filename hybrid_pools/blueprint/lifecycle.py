"""Lifecycle rules of buckets as data. Those that could delete too much cannot be made.

Conditions of one rule are ANDed, rules of one action are ORed. A condition of zero is dropped on its way to Google, and a rule that has
then lost its last bound deletes everything (terraform-provider-google#17990). Source: Object Lifecycle Management page of Cloud Storage.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hybrid_pools.blueprint.configuration.buckets import ColdClass


class Action(StrEnum):
    """What a rule does, in Google's spelling."""

    DELETE = "Delete"
    SET_STORAGE_CLASS = "SetStorageClass"
    ABORT_UPLOAD = "AbortIncompleteMultipartUpload"


class State(StrEnum):
    """Which versions a rule sees: the one that readers get, or those that it has replaced."""

    LIVE = "LIVE"
    ARCHIVED = "ARCHIVED"


@dataclass(frozen=True)
class LifecycleRule:
    """One rule.

    Attributes:
        storage_class: Where `SET_STORAGE_CLASS` moves to.
        state: None only where Google takes no state: uploads have none.
        age_days: Days since the object was written.
        noncurrent_days: Days since the version was replaced or deleted.
        newer_versions: Versions of the same name that are newer, the live one included.

    Raises:
        ValueError: A number is not positive, a rule on objects has no state, or a deletion lacks one of its two bounds.
    """

    action: Action
    storage_class: ColdClass | None = None
    state: State | None = None
    age_days: int | None = None
    noncurrent_days: int | None = None
    newer_versions: int | None = None

    def __post_init__(self) -> None:
        numbers = [number for number in (self.age_days, self.noncurrent_days, self.newer_versions) if number is not None]
        if not numbers or any(number < 1 for number in numbers):
            raise ValueError(f"{self.action}: needs bounds, each of them at least 1: Google drops zeros, and the rule then matches all")
        if (self.state is None) is not (self.action is Action.ABORT_UPLOAD):
            raise ValueError(f"{self.action}: a rule on objects says which versions it sees, one on uploads does not")
        if (self.storage_class is None) is (self.action is Action.SET_STORAGE_CLASS):
            raise ValueError(f"{self.action}: only a move to another class names one")
        if self.action is Action.DELETE and (
            self.state is not State.ARCHIVED or self.noncurrent_days is None or self.newer_versions is None
        ):
            raise ValueError(f"{self.action}: deletes only replaced versions, and only by age and number together")


def keep_recent(versions: int, days: int) -> LifecycleRule:
    """Keep the newest `versions` and everything replaced less than `days` ago. One rule: two of them would keep only what both keep."""
    return LifecycleRule(Action.DELETE, state=State.ARCHIVED, newer_versions=versions, noncurrent_days=days)


def move_when_older(days: int, storage_class: ColdClass) -> LifecycleRule:
    """Move live objects to a colder class. Replaced versions stay where they are: most would be deleted before the move has paid."""
    return LifecycleRule(Action.SET_STORAGE_CLASS, storage_class=storage_class, state=State.LIVE, age_days=days)


def abort_uploads(days: int) -> LifecycleRule:
    """Remove the parts of uploads that nobody finished. Google takes no other condition than age with it."""
    return LifecycleRule(Action.ABORT_UPLOAD, age_days=days)


def rendered(rule: LifecycleRule) -> Mapping[str, Mapping[str, str | int]]:
    """The rule as the provider takes it; what is not set is not there."""
    action = {"type": rule.action.value, "storageClass": rule.storage_class.value if rule.storage_class else None}
    condition: dict[str, str | int | None] = {
        "age": rule.age_days,
        "daysSinceNoncurrentTime": rule.noncurrent_days,
        "numNewerVersions": rule.newer_versions,
        "withState": rule.state.value if rule.state else None,
    }
    return {
        "action": {key: value for key, value in action.items() if value is not None},
        "condition": {key: value for key, value in condition.items() if value is not None},
    }
