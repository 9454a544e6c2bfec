"""The base of every configuration model, and the field types that several models share."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from hybrid_pools.blueprint.documented import Documented


def refusal(message: str, allowed: str, fix: str) -> PydanticCustomError:
    """What a validator raises when the values of one block do not go together."""
    return PydanticCustomError(NOT_TOGETHER, "{message}", {"message": message, "allowed": allowed, "fix": fix})


NOT_TOGETHER = "not_together"
"""Pydantic's kind of error for `refusal`."""


class Model(Documented):
    """Frozen, strict about types, and closed: a misspelt key is refused, not ignored."""

    model_config = ConfigDict(
        # Only a section's model is ever asked to validate; those inside it need no validator of their own.
        defer_build=True,
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )


@dataclass(frozen=True)
class Form:
    """What a pattern means, in words for people. Unlike a description it leaves the field's own one in place."""

    words: str

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describes keys and entries, which have no words of their own; a field's docstring wins."""
        return {"description": self.words} | handler(core_schema)


LabelKey = Annotated[
    str,
    Field(pattern=r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$"),
    Form("A Kubernetes label key: an optional DNS prefix and `/`, then at most 63 letters, digits, `-`, `_` or `.`"),
]
LabelValue = Annotated[
    str,
    Field(pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"),
    Form("A Kubernetes label value: at most 63 letters, digits, `-`, `_` or `.`, or nothing"),
]
GoogleLabelKey = Annotated[
    str,
    Field(pattern=r"^[a-z][-a-z0-9_]{0,62}$"),
    Form("A Google Cloud label key: a lower-case letter, then at most 62 lower-case letters, digits, `-` or `_`"),
]
GoogleLabelValue = Annotated[
    str,
    Field(pattern=r"^[-a-z0-9_]{1,63}$"),
    Form("A Google Cloud label value: 1 to 63 lower-case letters, digits, `-` or `_`"),
]
Cidr = Annotated[
    str,
    Field(pattern=r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}$", examples=["10.0.0.0/20"]),
    Form("An IPv4 range in CIDR form, for example 10.0.0.0/20"),
]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+[0-9]+-[a-z]$"), Form("A zone, for example us-central1-a")]
ResourceName = Annotated[
    str,
    Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"),
    Form("A Google Cloud name: a lower-case letter, then at most 62 lower-case letters, digits or `-`, not ending in `-`"),
]
Namespace = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"),
    Form("A Kubernetes namespace, for example ray-system"),
]
KeyName = Annotated[
    str,
    Field(pattern=r"^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$"),
    Form("A Cloud KMS key, for example projects/acme/locations/us-central1/keyRings/nodes/cryptoKeys/disks"),
]
GkeVersionText = Annotated[
    str,
    Field(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]{1,9}(-gke\.[0-9]{1,9})?)?$"),
    Form("A GKE version, for example 1.35.1-gke.1396000"),
]
