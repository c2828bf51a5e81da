"""What a tool is, what it returns to the toolkit, and the JSON schema of a tool.

The schema is made only from the signature and the docstring of the tool's function.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from annotated_types import Ge, Le, MaxLen, MinLen

from drretail.records.evidence import Source

Access = Literal["read", "write"]
Named = Literal["product", "order", "user"]


@dataclass(frozen=True, slots=True)
class IdOf:
    """Marks an argument, in a signature, as the id of a record of this kind."""

    named: Named


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returns."""

    value: dict[str, Any]
    """What the model reads, as JSON."""
    sources: tuple[Source, ...]
    """The sources that the model may cite from ``value``, in order; the ledger keeps them."""
    about: str | None = None
    """The user whose data this is; None if it is no user's data."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A plain function behind a name.

    The toolkit fills in the first argument (the session) and keyword-only arguments. A model sees only the others, as
    ``read_schema`` reads them from signature and docstring.
    """

    name: str
    """The name that models call it by."""
    function: Callable[..., ToolResult]
    """Takes the session, then the arguments that a model gives."""
    access: Access
    """``write`` if it changes the world: other calls wait for it."""


JsonType = Literal["string", "integer", "number", "object"]
_JSON_TYPES: dict[object, JsonType] = {str: "string", int: "integer", float: "number"}
# The marks of annotated_types that a signature may carry, and the attribute that holds the bound.
_BOUNDS: dict[type, str] = {Ge: "ge", Le: "le", MinLen: "min_length", MaxLen: "max_length"}
_BOUND_NAMES = {"ge": "minimum", "le": "maximum"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a model may give."""

    name: str
    type: JsonType
    description: str
    required: bool
    default: Any = None
    enum: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    fields: tuple["Parameter", ...] = ()
    """The fields of an object."""
    id_of: Named | None = None
    """The kind of record that the argument names; the schema does not say so."""

    def as_json(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": self.type}
        if self.description:
            schema["description"] = self.description
        if self.enum:
            schema["enum"] = list(self.enum)
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        lengths = {"minLength": self.min_length, "maxLength": self.max_length}
        schema |= {name: bound for name, bound in (bounds | lengths).items() if bound is not None}
        if self.default is not None:
            schema["default"] = self.default
        return schema | _object_schema(self.fields) if self.fields else schema


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """What a model is told about a tool."""

    description: str
    parameters: tuple[Parameter, ...]

    def as_json(self) -> dict[str, Any]:
        return {"type": "object"} | _object_schema(self.parameters)


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a Google-style docstring, each as running text."""

    description: str
    arguments: dict[str, str]
    returns: str


@cache
def read_schema(function: Callable[..., Any]) -> ToolSchema:
    """The schema of a tool's function.

    The first argument (the session) and keyword-only arguments are hidden. An optional argument needs no description if
    its name says enough. Raises ValueError if a required argument has no description, or if a description names no
    argument: such a tool must not reach a model.
    """
    hints = get_type_hints(function, include_extras=True)
    signature = list(inspect.signature(function).parameters.values())
    if not signature or signature[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise ValueError(f"{function.__name__}: its first argument is not the session")
    visible = [argument for argument in signature[1:] if argument.kind is not inspect.Parameter.KEYWORD_ONLY]
    docstring = read_docstring(function)
    names = [argument.name for argument in visible]
    required = [argument.name for argument in visible if argument.default is inspect.Parameter.empty]
    _check_described(function, docstring.arguments, names, required)
    parameters: list[Parameter] = []
    for argument in visible:
        if argument.name not in hints:
            raise ValueError(f"{argument.name} has no type")
        is_required = argument.name in required
        description = docstring.arguments.get(argument.name, "")
        parameter = _typed(argument.name, hints[argument.name], description, is_required)
        parameters.append(parameter if is_required else replace(parameter, default=argument.default))
    return ToolSchema(f"{docstring.description}\n\nReturns: {docstring.returns}", tuple(parameters))


def read_docstring(described: Callable[..., Any] | type) -> Docstring:
    """The docstring's description, Args and Returns; line breaks within a paragraph do not count."""
    text = inspect.getdoc(described) or ""
    parts = re.split(r"^(Args|Returns):\n", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    paragraphs = [_running(paragraph) for paragraph in parts[0].strip().split("\n\n")]
    # An argument's first line is indented by four spaces, its further lines by more.
    entries = re.split(r"^ {4}(\w+): ", sections.get("Args", ""), flags=re.MULTILINE)
    arguments = {name: _running(words) for name, words in zip(entries[1::2], entries[2::2], strict=True)}
    return Docstring("\n\n".join(paragraphs), arguments, _running(sections.get("Returns", "")))


def _typed(name: str, hint: Any, description: str, required: bool) -> Parameter:
    options = get_args(hint)
    # "T | None" marks an optional argument; a model leaves it out rather than sending null.
    plain = next(option for option in options if option is not NoneType) if NoneType in options else hint
    marks: list[object] = []
    if get_origin(plain) is Annotated:
        plain, *marks = get_args(plain)
    if get_origin(plain) is Literal:
        return Parameter(name, "string", description, required, enum=get_args(plain))
    if is_typeddict(plain):
        parts, described = get_type_hints(plain, include_extras=True), read_docstring(plain).arguments
        _check_described(plain, described, list(parts), [])
        fields = tuple(_typed(part, of, described.get(part, ""), required=False) for part, of in parts.items())
        return Parameter(name, "object", description, required, fields=fields)
    if plain not in _JSON_TYPES:
        raise ValueError(f"{name}: {hint} is not one type of JSON")
    bounds = dict[str, Any]()
    for mark in marks:
        if isinstance(mark, IdOf):
            bounds["id_of"] = mark.named
        else:
            attribute = _BOUNDS[type(mark)]
            bounds[_BOUND_NAMES.get(attribute, attribute)] = getattr(mark, attribute)
    return Parameter(name, _JSON_TYPES[plain], description, required, **bounds)


def _object_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    return {
        "properties": {parameter.name: parameter.as_json() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def _check_described(
    described: Callable[..., Any] | type, documented: dict[str, str], present: list[str], required: list[str]
) -> None:
    """Raises ValueError unless the descriptions name existing arguments, in their order, and all required ones."""
    if [name for name in present if name in documented] != list(documented) or not set(required) <= set(documented):
        raise ValueError(f"{described.__name__}: arguments are {present}, its docstring describes {list(documented)}")


def _running(text: str) -> str:
    return " ".join(text.split())
