"""A command made of the record of its options and a function that returns a result: no code of its own."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from drretail.api.option import declared_options, keywords
from drretail.cli.options import DEBUG
from drretail.cli.options.parameters import FromFile, Output, Planned, with_flags
from drretail.errors import UserError
from drretail.records.tables.result import Result
from drretail.viewer.output import print_json, print_part, remark, say

if TYPE_CHECKING:
    from drretail.records.tables.result import Printable


def result_command(record: str, function: str, estimate: str = "", *, from_file: bool = False) -> Callable[..., None]:
    """The command, as typer reads it. Each argument is a ``module:attribute``; only the record is loaded at once.

    Its help is the record's docstring. With ``estimate`` it has the flag --estimate, and with ``from_file`` its options
    may stand in a file.
    """

    def command(options: Any, output: Output, planned: Planned | None = None, file: FromFile | None = None) -> None:
        del file  # the options are made of it already
        given = keywords(options)
        for declared in declared_options(type(options)):
            if declared.option.needed and given[declared.name] is None:
                raise UserError(declared.option.needed)
        if "observer" in given:
            from drretail.cli.watching import TerminalObserver

            given["observer"] = TerminalObserver(as_json=output.as_json)
        called = estimate if planned is not None and planned.estimate else function
        show(loaded(called)(**given), as_json=output.as_json)

    records: dict[str, type] = {"options": loaded(record)}
    records |= {"file": FromFile} if from_file else {}
    records |= {"planned": Planned} if estimate else {}
    return with_flags(records | {"output": Output}, command)


def loaded(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def show(made: "Printable | Result[Any]", *, as_json: bool) -> None:
    """Prints what was made on stdout, and what to do about it on stderr. Ends with the result's code if something is
    left.
    """
    result = made if isinstance(made, Result) else made.result()
    if as_json:
        if document := result.document:  # which may take long to make
            print_json(dict(document))
    else:
        for part in result.parts:
            print_part(part)
        for sentence in result.hints:
            remark(sentence)
    if DEBUG in sys.argv:
        for traceback in result.tracebacks:
            say(traceback)
    for sentence in result.notes:
        say(sentence)
    if result.left:
        raise typer.Exit(result.code)
