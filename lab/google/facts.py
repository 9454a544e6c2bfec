"""What Google's provider and API know of a resource type beyond the SDK's classes: one data file a type, in `facts/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

FACTS_FOLDER = Path(__file__).parent / "facts"


@dataclass(frozen=True, kw_only=True)
class Text:
    """What a text must look like.

    Attributes:
        pattern: A regular expression that the whole text must match.
        minimum: Least number of characters.
        maximum: Largest number of characters.
        from_logical_name: Whether Pulumi makes up a missing value: the logical name and seven random hexadecimal digits.
    """

    pattern: str
    minimum: int = 1
    maximum: int = 63
    from_logical_name: bool = False


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of one resource type. Places are written like `nodeConfig.taints[].effect`.

    Attributes:
        type: Pulumi's type token.
        source: Where the facts were read.
        as_of: The day they were true, `YYYY-MM-DD`.
        id: Template of the identifier. Names in braces are properties; see `lab.google.naming`.
        import_ids: Other forms of the identifier that an import takes.
        texts: Places with a form of their own, the physical name above all.
        values: Places with a closed set of values.
        bounds: Places of numbers with their least and largest value; null is open.
        required: Places that Google needs although the SDK does not.
        at_most_one: Groups of places of which only one may be set.
        exactly_one: Groups of places of which one must be set, where the object that holds them is set.
        output_only: Places that the SDK's input classes list but that only the service sets.
        defaults: Values the provider puts in for what the program leaves out.
        computed: Places the service fills when the program leaves them out, and keeps when the program drops them.
        filled: What it fills them with. Texts are templates; an object that is missing is made if it is computed itself.
        replaces: Places where a change, there or below, replaces the resource.
        replaces_as_a_whole: Places where only appearing or disappearing replaces the resource.
        unordered: Places of lists whose order means nothing.
        labels: The property with the labels that Pulumi adds its own to.
        create_again: What a second create of one identifier gets: a refusal, or the resource that is there.
        delete_before_replace: Whether a replacement deletes first.
        tables: Tables that the type's own rules read.
    """

    type: str
    source: str
    as_of: str
    id: str
    import_ids: tuple[str, ...] = ()
    texts: Mapping[str, Text] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    at_most_one: tuple[tuple[str, ...], ...] = ()
    exactly_one: tuple[tuple[str, ...], ...] = ()
    output_only: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    computed: tuple[str, ...] = ()
    filled: Mapping[str, Any] = field(default_factory=dict)
    replaces: tuple[str, ...] = ()
    replaces_as_a_whole: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    labels: str = ""
    create_again: Literal["refuse", "accept"] = "refuse"
    delete_before_replace: bool = False
    tables: Mapping[str, Any] = field(default_factory=dict)

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Self:
        """Facts from a file that has been checked before."""
        texts = {place: Text(**text) for place, text in data.get("texts", {}).items()}
        return cls(**{**{key: _frozen(value) for key, value in data.items()}, "texts": texts})


def _frozen(value: Any) -> Any:
    # Only the lists of the file itself are fixed; values for documents stay as documents have them.
    return tuple(tuple(element) if isinstance(element, list) else element for element in value) if isinstance(value, list) else value


def read_facts(folder: Path = FACTS_FOLDER) -> dict[str, dict[str, Any]]:
    """The checked content of every data file, by type. Slow: a start takes it from the catalogue's cache.

    Raises:
        ValueError: A file misses something or has something that the model does not know; the message names the file.
    """
    import yaml  # noqa: PLC0415 - only where the cache is cold
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    adapter = TypeAdapter(Facts)
    facts: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.yaml")):
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        try:
            adapter.validate_python(data)
        except ValueError as error:
            raise ValueError(f"{file.name}: {error}") from error
        facts[data["type"]] = data
    return facts
