"""What a run looks like at one moment: who holds it, and which checkpoints are published. Found by lease and manifests alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hybrid_pools.training.checkpoints.bucket import Bucket, Stored
from hybrid_pools.training.checkpoints.errors import CheckpointError
from hybrid_pools.training.checkpoints.format import Lease, parse
from hybrid_pools.training.checkpoints.layout import Layout, Mark, Name

_LOOKS = 20  # lists until one falls between two changes of the lease, of which there are two for each start of the run


@dataclass(frozen=True)
class Entry:
    """What the bucket holds of a checkpoint beside its data: the manifest, if there is one, and the marks."""

    manifest: Stored | None = None
    marks: Mapping[Mark, Stored] = field(default_factory=dict)


@dataclass(frozen=True)
class Held:
    """A lease and the generation in which it was read."""

    lease: Lease
    generation: int


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment.

    Attributes:
        held: The lease; None in a run that no attempt has begun.
        entries: All checkpoints that have a manifest or a mark.
    """

    held: Held | None
    entries: Mapping[Name, Entry]

    @property
    def settled(self) -> bool:
        """Whether it is certain which manifests count."""
        return self.held is None or self.held.lease.settled

    def counts(self, name: Name) -> bool:
        """Whether a manifest of that name is a publication."""
        return self.held is None or self.held.lease.counts(name)

    def published(self) -> list[Name]:
        """Published checkpoints that are neither being deleted nor known to be bad, newest first."""
        return sorted(
            (
                name
                for name, entry in self.entries.items()
                if entry.manifest and self.counts(name) and not entry.marks.keys() & {Mark.PRUNED, Mark.QUARANTINED}
            ),
            reverse=True,
        )

    def quarantined(self) -> list[Name]:
        """Checkpoints that were found bad, newest first."""
        return sorted((name for name, entry in self.entries.items() if Mark.QUARANTINED in entry.marks), reverse=True)


def read_lease(bucket: Bucket, layout: Layout) -> Held | None:
    """Who holds the run now."""
    found = bucket.read(layout.lease)
    return Held(parse(Lease, found.data, layout.lease), found.generation) if found else None


def take(bucket: Bucket, layout: Layout) -> Snapshot:
    """The run now: a list of its manifests that falls between two looks at an unchanged lease, so that both belong together.

    A list before the lease would miss what was published between them and sealed; a list after it would take the late write of an attempt
    that lost the run in between for a publication.
    """
    for _ in range(_LOOKS):
        held = read_lease(bucket, layout)
        entries = entries_of(bucket.objects(layout.manifests), layout)
        again = bucket.stat(layout.lease)
        if (again.generation if again else None) == (held.generation if held else None):
            return Snapshot(held, entries)
    raise CheckpointError(f"{layout.uri} changes hands all the time: several runs use one address. Give each run an address of its own.")


def entries_of(objects: Iterable[Stored], layout: Layout) -> dict[Name, Entry]:
    """Manifests and marks by checkpoint. What has no name of the format is passed over."""
    manifests: dict[Name, Stored] = {}
    marks: dict[Name, dict[Mark, Stored]] = {}
    for stored in objects:
        checkpoint, _, mark = stored.name.removeprefix(layout.manifests).partition(".json")
        name = Name.parse(checkpoint)
        if name is None:
            continue
        if not mark:
            manifests[name] = stored
        elif mark.removeprefix(".") in set(Mark):
            marks.setdefault(name, {})[Mark(mark.removeprefix("."))] = stored
    return {name: Entry(manifests.get(name), marks.get(name, {})) for name in manifests.keys() | marks.keys()}
