"""Flags made from dataclasses: if a command's parameter is a dataclass, each of its fields becomes an option."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from drretail.api.option import OUTPUT, DeclaredOption, declared_options

ExperimentFile = Annotated[
    Path | None,
    typer.Argument(metavar="EXPERIMENT.TOML", help="A file of options; flags override it.", show_default=False),
]
"""The annotation of a command's parameter ``experiment_file``, which ``grouped`` reads."""
PrintConfig = Annotated[
    bool, typer.Option("--print-config", help="Print these options as an experiment.toml.", rich_help_panel=OUTPUT)
]
METAVARS: Mapping[Any, str] = {int: "N", float: "N", str: "TEXT", Path: "PATH", list[str]: "TEXT"}
OPPOSITE = "opposite_of_"
"""The prefix of a hidden flag's name. The flag sets a switch back to its default if a file has changed it."""


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: each parameter that is a dataclass is replaced by its fields, as options.

    A field that declares an ``Option`` becomes its flag. Without the flag, the first of the dataclasses takes the value
    of the file in the parameter ``experiment_file``, if the command has one; otherwise the field's default holds. Other
    fields are annotated like typer's parameters. The dataclasses of one command must not share the name of a field.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {each.name: each.annotation for each in parameters if is_dataclass(each.annotation)}
    flat: list[inspect.Parameter] = []
    for parameter in parameters:
        group = groups.get(parameter.name)
        if group is None:
            flat.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        else:
            flat += _parameters(group)

    @wraps(command)
    def call(**given: Any) -> None:
        file: Path | None = given.pop("experiment_file", None)
        records: dict[str, Any] = {}
        for name, group in groups.items():
            records[name] = _record(group, given, None if records else file)
        command(**records, **given)

    call.__dict__["__signature__"] = inspect.Signature(flat)
    call.__annotations__ = {each.name: each.annotation for each in flat}
    return call


def _record(group: Any, given: dict[str, Any], file: Path | None) -> Any:
    """The group, made from its flags and from the file. Its flags are removed from ``given``."""
    declared = {option.name: option for option in declared_options(group)}
    values: dict[str, Any] = {}
    for field in fields(group):
        if field.name not in given:
            continue
        value, option = given.pop(field.name), declared.get(field.name)
        if option is None:
            values[field.name] = value
        elif option.is_switch:
            is_opposite = given.pop(OPPOSITE + field.name, False)
            if value or is_opposite:
                values[field.name] = value != option.default
        elif value is not None:
            value = tuple(value) if isinstance(value, list) else value
            values[field.name] = value if option.option.from_flag is None else option.option.from_flag(value)
    if file is None or not declared:
        return group(**values)
    from drretail.api.options.experiment_file import overridden, read_experiment

    return group(**overridden(read_experiment(file, group), values))


def _parameters(group: Any) -> list[inspect.Parameter]:
    """One parameter for each flag of the group, and a hidden one for the opposite of each switch."""
    declared = {option.name: option for option in declared_options(group)}
    hints = get_type_hints(group, include_extras=True) if not declared else {}
    found: list[inspect.Parameter] = []

    def add(name: str, default: object, annotation: Any) -> None:
        kind = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter(name, kind, default=default, annotation=annotation))

    for field in fields(group) if not declared else ():
        if field.name in hints:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            add(field.name, default, hints[field.name])
    for name, option in declared.items():
        if option.option.argument or option.flag is not None:
            add(name, *_flag(option))
        if option.is_switch and option.flag is not None:
            flag = option.flag.removeprefix("--")
            opposite = flag.removeprefix("no-") if flag.startswith("no-") else f"no-{flag}"
            hidden = typer.Option(f"--{opposite}", hidden=True)
            add(OPPOSITE + name, default=False, annotation=Annotated[bool, hidden])
    return found


def _flag(declared: DeclaredOption) -> tuple[object, Any]:
    """The option's default and its annotation for typer."""
    option, default, kind = declared.option, declared.default, declared.kind
    metavar, panel = option.metavar or METAVARS.get(kind), option.group or None
    made: Any
    if declared.flag is None:
        made = typer.Argument(metavar=metavar, help=option.help, show_default=False, rich_help_panel=panel)
    else:
        names = [declared.flag] if option.short is None else [declared.flag, option.short]
        shown = option.default
        if shown is None and default not in (None, MISSING, "", ()) and not declared.is_switch:
            shown = str(default)
        notes = [f"default: {shown}" if shown else "", "may be repeated" if get_origin(kind) is list else ""]
        # Written here, since typer would put a default that is our own text into round brackets.
        added = f" [{'; '.join(filter(None, notes))}]" if any(notes) else ""
        made = typer.Option(
            *names,
            help=option.help + added,
            metavar=None if declared.is_switch else metavar,
            min=option.min,
            max=option.max,
            show_default=False,
            rich_help_panel=panel,
        )
    if declared.is_switch:
        return False, Annotated[bool, made]
    if declared.is_required:
        return inspect.Parameter.empty, Annotated[kind, made]
    return None, Annotated[kind | None, made]
