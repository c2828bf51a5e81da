"""A command made of the record of its options and a function that returns a result: no code of its own.

Its flags are the fields of the record, and the fields of those that are dataclasses.
"""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from drretail.api.option import MODELS, OUTPUT, DeclaredOption, Option, declared_options, keywords
from drretail.api.options.experiment_file import code_named, overridden_options, read_experiment
from drretail.cli import DEBUG
from drretail.errors import UserError
from drretail.records.account import wrong_sums
from drretail.viewer.drawing.result import Result
from drretail.viewer.output import print_json, print_part, remark, say

if TYPE_CHECKING:
    from drretail.viewer.drawing.result import Printable

METAVARS: Mapping[Any, str] = {int: "N", float: "N", str: "TEXT", Path: "PATH", list[str]: "TEXT"}
OPPOSITE = "opposite_of_"
"""The prefix of a hidden flag's name. The flag sets a switch back to its default if a file has changed it."""


@dataclass(frozen=True, slots=True)
class Output:
    """How the results and the progress of any command are printed."""

    as_json: Annotated[bool, Option("Print one JSON document on stdout.", OUTPUT, flag="--json")] = False
    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class _Planned:
    """Whether the command only estimates, and sends nothing."""

    estimate: Annotated[bool, Option("Estimate calls, tokens and cost. Send nothing.", MODELS)] = False


@dataclass(frozen=True, slots=True)
class FromFile:
    """The file whose options the first record of a command takes; it comes behind that record."""

    experiment_file: Annotated[
        Path | None, Option("A file of options; flags override it.", argument=True, metavar="EXPERIMENT.TOML")
    ] = None
    trust: Annotated[bool, Option("Run the code and send keys to the addresses that the file names.", MODELS)] = False


def with_flags(records: Mapping[str, type], command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: each option of its records, by keyword, is a parameter that typer makes a flag of.

    Without a flag, the first of the records takes the value of the file in ``FromFile``, if the command has that;
    otherwise the default holds. The records of one command must not share the name of a field.
    """
    declared = {name: declared_options(record) for name, record in records.items()}
    flat = [parameter for options in declared.values() for option in options for parameter in _parameters(option)]

    def call(**options: Any) -> None:
        file: Path | None = options.get("experiment_file")
        records_made: dict[str, Any] = {}
        for name, record in records.items():
            values = _values(declared[name], options)
            values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
            if file is not None and not records_made:
                trust = options["trust"]
                written = read_experiment(file, record, trust=trust, given=values)
                values = overridden_options(written, values)
                if trust and (code := code_named(values)):
                    say(f"What runs or is asked, by {file} or the command line: {', '.join(code)}.")
            records_made[name] = record(**values)
        command(**records_made)

    call.__doc__ = next(iter(records.values())).__doc__
    call.__dict__["__signature__"] = inspect.Signature(flat)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return call


def _values(options: Iterable[DeclaredOption], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options whose flags are given."""
    values: dict[str, Any] = {}
    for option in options:
        value = given.get(option.name)
        if option.is_switch:
            if value or given.get(OPPOSITE + option.name):
                values[option.name] = value != option.default
        elif value is not None:
            values[option.name] = value if option.option.from_flag is None else option.option.from_flag(value)
    return values


def _parameters(option: DeclaredOption) -> list[inspect.Parameter]:
    """The parameter of an option's flag, and for a switch a hidden one for its opposite; none if it has no flag."""
    flag, kind = option.flag, inspect.Parameter.KEYWORD_ONLY
    if flag is None and not option.option.argument:
        return []
    default, annotation = _flag(option)
    parameters = [inspect.Parameter(option.name, kind, default=default, annotation=annotation)]
    if option.is_switch and flag is not None:
        name = flag.removeprefix("--")
        opposite = name.removeprefix("no-") if name.startswith("no-") else f"no-{name}"
        hidden = Annotated[bool, typer.Option(f"--{opposite}", hidden=True)]
        parameters.append(inspect.Parameter(OPPOSITE + option.name, kind, default=False, annotation=hidden))
    return parameters


def _flag(declared: DeclaredOption) -> tuple[object, Any]:
    """The option's default and its annotation for typer."""
    option, default, kind = declared.option, declared.default, declared.kind
    metavar, panel = option.metavar or METAVARS.get(kind), option.group or None
    parameter: Any
    if declared.flag is None:
        parameter = typer.Argument(metavar=metavar, help=option.help, show_default=False, rich_help_panel=panel)
    else:
        names = [declared.flag] if option.short is None else [declared.flag, option.short]
        shown = option.default
        if shown is None and default not in (None, MISSING, "", ()) and not declared.is_switch:
            shown = str(default)
        notes = [f"default: {shown}" if shown else "", "may be repeated" if get_origin(kind) is list else ""]
        # Written here, since typer would put a default that is our own text into round brackets.
        added = f" [{'; '.join(filter(None, notes))}]" if any(notes) else ""
        parameter = typer.Option(
            *names,
            help=option.help + added,
            metavar=None if declared.is_switch else metavar,
            min=option.min,
            max=option.max,
            formats=option.formats,
            show_default=False,
            rich_help_panel=panel,
        )
    if declared.is_switch:
        return False, Annotated[bool, parameter]
    if declared.is_required:
        return inspect.Parameter.empty, Annotated[kind, parameter]
    return None, Annotated[kind | None, parameter]


def result_command(record: str, function: str, estimate: str = "", *, from_file: bool = False) -> Callable[..., None]:
    """The command, as typer reads it. Each argument is a ``module:attribute``; only the record is loaded at once.

    Its help is the record's docstring. With ``estimate`` it has the flag --estimate, and with ``from_file`` its options
    may stand in a file.
    """

    def command(options: Any, output: Output, planned: _Planned | None = None, file: FromFile | None = None) -> None:
        del file  # the options are made of it already
        values_given = keywords(options)
        for declared in declared_options(type(options)):
            if declared.option.needed and values_given[declared.name] is None:
                raise UserError(declared.option.needed)
        if "observer" in values_given:
            from drretail.cli.watching import TerminalObserver

            values_given["observer"] = TerminalObserver(as_json=output.as_json)
        called = estimate if planned is not None and planned.estimate else function
        _show(loaded(called)(**values_given), as_json=output.as_json)

    records: dict[str, type] = {"options": loaded(record)}
    records |= {"file": FromFile} if from_file else {}
    records |= {"planned": _Planned} if estimate else {}
    return with_flags(records | {"output": Output}, command)


def loaded(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def _show(printable: "Printable | Result[Any]", *, as_json: bool) -> None:
    """Prints what was made on stdout, what to do on stderr. Ends with the result's code if something is left."""
    result = printable if isinstance(printable, Result) else printable.result()
    if as_json:
        if document := result.document:  # which may take long to make
            print_json(dict(document))
    else:
        for part in result.printed:
            print_part(part)
        for sentence in result.hints:
            remark(sentence)
    if DEBUG in sys.argv:
        for traceback in result.tracebacks:
            say(traceback)
    for sentence in filter(None, (*result.notes, wrong_sums(result.accounts))):
        say(sentence)
    if result.exit_code:
        raise typer.Exit(result.exit_code)
