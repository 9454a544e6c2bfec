"""Models whose fields are described by the docstrings beneath them.

Pydantic does this too (`use_attribute_docstrings`), but reads the source of every model as it is made: a quarter of the time that the whole
library takes to import, for words that only documents and error messages show. Here the source is read when somebody asks for the words.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class Documented(BaseModel):
    """The base of models whose JSON Schema carries the docstrings of their fields."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Pydantic's hook; the docstring of a field wins over what its type says of itself."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for key, description in descriptions(cls).items():
            if key in properties:
                properties[key]["description"] = description
        return schema


@cache
def descriptions(model: type[BaseModel]) -> Mapping[str, str]:
    """What each field says of itself, under its alias where it has one, as in a file. Fields that say nothing are missing."""
    said: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            said = {name: text for name, text in said.items() if name not in inspect.get_annotations(base)} | dict(_docstrings(base))
    explicit = {name: field.description for name, field in model.model_fields.items() if field.description}
    return {field.alias or name: text for name, field in model.model_fields.items() if (text := explicit.get(name) or said.get(name))}


def _docstrings(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    for field, text in pairwise(definition.body if isinstance(definition, ast.ClassDef) else ()):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring))):
                yield name, inspect.cleandoc(docstring)
