"""Flags made from dataclasses: each field of a parameter that is a dataclass is an option of its command."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from drretail.api.option import DeclaredOption, declared_options


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: in the place of each parameter that is a dataclass stand its fields, as options.

    A field that declares an ``Option`` becomes a flag by it, and keeps the dataclass's default where the flag is not
    given; other fields are annotated as typer's parameters are. Two groups of one command share no name of a field.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in parameters if is_dataclass(each.annotation)}
    declared = {name: {each.name: each for each in declared_options(group)} for name, group in groups.items()}
    flat: list[inspect.Parameter] = []
    for parameter in parameters:
        group = groups.get(parameter.name)
        if group is None:
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        else:
            flat += _parameters(group, declared[parameter.name])

    @wraps(command)
    def call(**given: Any) -> None:
        made: dict[str, Any] = {}
        for name, group in groups.items():
            values = {field.name: given.pop(field.name) for field in fields(group) if field.name in given}
            made[name] = group(**_given(values, declared[name]))
        command(**made, **given)

    call.__dict__["__signature__"] = inspect.Signature(flat)
    call.__annotations__ = {each.name: each.annotation for each in flat}
    return call


def _given(values: dict[str, Any], declared: dict[str, DeclaredOption]) -> dict[str, Any]:
    """The values without those of flags that were left out, for which the dataclass has its own defaults."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        option = declared.get(name)
        if option is None:
            kept[name] = value
        elif option.default is True:  # its flag is --no-NAME
            kept[name] = not value
        elif value is not None:
            kept[name] = tuple(value) if isinstance(value, list) else value
    return kept


def _parameters(group: Any, declared: dict[str, DeclaredOption]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    found: list[inspect.Parameter] = []
    for field in fields(group):
        option = declared.get(field.name)
        if option is None:
            default, annotation = _default(field), hints[field.name]
        elif option.option.flag == "":
            continue
        else:
            default, annotation = _flag(option)
        found.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return found


def _default(field: "Field[Any]") -> object:
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _flag(declared: DeclaredOption) -> tuple[object, Any]:
    """The default and the annotation by which typer reads the option."""
    option, default = declared.option, declared.default
    is_switch = isinstance(default, bool)
    kind = bool if is_switch else _flag_type(declared)
    panel = {"rich_help_panel": option.group} if option.group else {}
    if option.argument:
        made: Any = typer.Argument(metavar=option.metavar, help=option.help, **panel)
    else:
        name = declared.name.replace("_", "-")
        flag = option.flag or (f"--no-{name}" if default is True else f"--{name}")
        shown = option.default or (None if default in (None, MISSING, "", ()) or is_switch else str(default))
        made = typer.Option(
            *([flag] if option.short is None else [flag, option.short]),
            metavar=option.metavar, help=option.help, min=option.min, max=option.max,
            show_default=shown if shown is not None else False, **panel,
        )  # fmt: skip
    if is_switch:
        return False, Annotated[bool, made]
    if declared.is_required:
        return inspect.Parameter.empty, Annotated[kind, made]
    return None, Annotated[kind | None, made]


def _flag_type(declared: DeclaredOption) -> Any:
    """What typer reads: the option's own type, else the field's without None; of several values a list."""
    if declared.option.type is not None:
        return declared.option.type
    annotation = declared.annotation
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        annotation = Path if Path in kinds else kinds[0]
    if get_origin(annotation) is tuple:
        return list[get_args(annotation)[0]]  # pyright: ignore[reportInvalidTypeArguments]
    return annotation
