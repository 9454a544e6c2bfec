"""What all parts of the contract share."""

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from hybrid_pools.blueprint.documented import Documented


class Part(Documented):
    """The base of every part of the contract: frozen, closed, camelCase outside."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )
