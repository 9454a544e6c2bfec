"""Generators of what a stack file says about buckets. Valid by construction."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.vocabulary import BucketKind

Sections = dict[str, Any]

_LONGEST_NAMES = 42
"""Characters of a project and an environment together that leave room for the rest of a bucket's name."""

_SOFT_DELETE_DAYS = st.just(0) | st.integers(7, 90)
_ARCHIVE = st.fixed_dictionaries({"afterDays": st.integers(1, 3650), "storageClass": st.sampled_from(["NEARLINE", "COLDLINE", "ARCHIVE"])})
_VERSIONING = st.fixed_dictionaries({"keepVersions": st.integers(1, 100), "keepDays": st.integers(1, 3650)})


def can_have_buckets(environment: Mapping[str, Any]) -> bool:
    """Whether Google takes the names that the buckets of this environment would get."""
    names = f"{environment['project']}-{environment['name']}-"
    return len(environment["project"] + environment["name"]) <= _LONGEST_NAMES and "google" not in names and not names.startswith("goog")


def _bucket() -> st.SearchStrategy[Sections]:
    shared = {"abortUploadsAfterDays": st.integers(1, 365), "archive": _ARCHIVE}
    versioned = st.fixed_dictionaries({}, optional={**shared, "versioning": _VERSIONING, "softDeleteDays": _SOFT_DELETE_DAYS})
    folders = {"hierarchicalNamespace": st.just(True), "softDeleteDays": st.integers(7, 90)}
    return versioned | st.fixed_dictionaries(folders, optional=shared)


@st.composite
def buckets(draw: st.DrawFn, region: str) -> Sections:
    """The section `buckets` of an environment in this region."""
    made: Sections = draw(st.fixed_dictionaries({}, optional={kind.value: _bucket() for kind in BucketKind}))
    area = catalogue().multi_region_of([region])
    location = region
    if area is not None and draw(st.booleans()):
        other = draw(st.sampled_from([name for name in area.regions if name != region]))
        made["dualRegion"] = {"regions": draw(st.permutations([region, other])), "turboReplication": draw(st.booleans())}
        location = area.key_location
    if draw(st.booleans()):
        made["key"] = f"projects/acme-keys/locations/{location}/keyRings/storage/cryptoKeys/objects"
    return made
