"""Tools and their results in few words, for a model that holds a small conversation."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

HITS = 4
"""Hits of a search, orders of a list. With ten, three searches fill a context of 8,192 tokens."""
TEXT = 320
"""Characters of each text in a result: a title is whole, a description begins."""
ITEMS = 8
"""Items of each list in a result, such as a product's features."""


def lean_schemas(schemas: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The tools as OpenAI's protocol takes them, each with the first sentence of every description.

    The nine take 1,000 tokens so, and 2,400 otherwise. Bounds are left out: arguments are checked all the same.
    """
    return [{**tool, "function": _lean_function(tool["function"])} for tool in schemas]


def lean_arguments(arguments: object, parameters: Collection[str]) -> object:
    """The arguments of a call, with fewer results asked for where the tool can be asked for fewer."""
    if not isinstance(arguments, Mapping) or "limit" not in parameters:
        return arguments
    wanted = arguments.get("limit", HITS)
    return {**arguments, "limit": min(wanted, HITS) if isinstance(wanted, int) else wanted}


def _lean_function(function: Mapping[str, Any]) -> dict[str, Any]:
    parameters = function["parameters"]
    properties = {name: _lean_parameter(each) for name, each in parameters.get("properties", {}).items()}
    described = {"description": _first_sentence(function.get("description", ""))}
    return {**function, **described, "parameters": {**parameters, "properties": properties}}


def _lean_parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    lean = {name: value for name, value in parameter.items() if name in ("type", "enum", "properties", "items")}
    if described := _first_sentence(parameter.get("description", "")):
        lean["description"] = described
    return lean


def _first_sentence(text: str) -> str:
    """Up to the first full stop, semicolon or line's end."""
    ends = [at for mark in (", e.g.", ". ", "; ", "\n") if (at := text.find(mark)) > 0]
    return text[: min(ends, default=len(text))].rstrip(".")


def lean_result(value: Any) -> Any:
    """A tool's result with its long texts and lists cut, which "…" shows."""
    if isinstance(value, str):
        return value if len(value) <= TEXT else f"{value[:TEXT].rstrip()}…"
    if isinstance(value, Mapping):
        return {name: lean_result(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [lean_result(each) for each in value[:ITEMS]] + (["…"] if len(value) > ITEMS else [])
    return value
