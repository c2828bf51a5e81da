"""Flags that belong together as one dataclass: each of its fields is an option of every command that takes it."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: in the place of each parameter that is a dataclass stand its fields, as options.

    The fields are annotated as parameters are. Two groups of one command share no name of a field.
    """
    taken = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {it.name: it.annotation for it in taken if is_dataclass(it.annotation)}
    flat: list[inspect.Parameter] = []
    for parameter in taken:
        group = groups.get(parameter.name)
        flat += [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)] if group is None else _parameters(group)

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**made, **given)

    call.__dict__["__signature__"] = inspect.Signature(flat)
    call.__annotations__ = {it.name: it.annotation for it in flat}
    return call


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
        )
        for field in fields(group)
    ]


def _default(field: "Field[Any]") -> object:
    return inspect.Parameter.empty if field.default is MISSING else field.default
