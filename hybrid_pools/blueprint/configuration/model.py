"""The base of every configuration model, and the field types that several models share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Model(BaseModel):
    """Frozen, strict about types, and closed: a misspelt key is refused, not ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
    )


LabelKey = Annotated[
    str,
    Field(
        pattern=r"^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
        description="A Kubernetes label key: an optional DNS prefix and `/`, then at most 63 letters, digits, `-`, `_` or `.`",
    ),
]
LabelValue = Annotated[
    str,
    Field(
        pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$",
        description="A Kubernetes label value: at most 63 letters, digits, `-`, `_` or `.`, or nothing",
    ),
]
GoogleLabelKey = Annotated[
    str,
    Field(
        pattern=r"^[a-z][-a-z0-9_]{0,62}$",
        description="A Google Cloud label key: a lower-case letter, then at most 62 lower-case letters, digits, `-` or `_`",
    ),
]
GoogleLabelValue = Annotated[
    str,
    Field(pattern=r"^[-a-z0-9_]{0,63}$", description="A Google Cloud label value: at most 63 lower-case letters, digits, `-` or `_`"),
]
Cidr = Annotated[
    str,
    Field(
        pattern=r"^\d{1,3}(\.\d{1,3}){3}/\d{1,2}$",
        description="An IPv4 range in CIDR form, for example 10.0.0.0/20",
        examples=["10.0.0.0/20"],
    ),
]
ZoneName = Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+\d+-[a-z]$", description="A zone, for example us-central1-a")]
ResourceName = Annotated[
    str,
    Field(
        pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$",
        description="A Google Cloud name: a lower-case letter, then at most 62 lower-case letters, digits or `-`, not ending in `-`",
    ),
]
GkeVersionText = Annotated[
    str,
    Field(pattern=r"^\d+\.\d+(\.\d+(-gke\.\d+)?)?$", description="A GKE version, for example 1.35.1-gke.1396000"),
]
