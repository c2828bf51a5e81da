"""A command made of the record of its options and a function that returns a Result: no code of its own."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from drretail.api.option import keywords
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.spending import show_estimates
from drretail.records.tables.table import Table
from drretail.viewer.output import print_json, print_table, print_text, remark, say

if TYPE_CHECKING:
    from drretail.records.tables.result import Result


def result_command(record: str, function: str, estimate: str = "") -> Callable[..., None]:
    """The command, for ``with_flags``. Each argument is a ``module:attribute``; only the record is loaded at once.

    Its help is the record's docstring. With ``estimate`` it has the flag --estimate.
    """

    def command(options: Any, output: flags.Output, planned: flags.Planned | None = None) -> None:
        if planned is not None and planned.estimate:
            show_estimates(loaded(estimate)(**keywords(options)), as_json=output.as_json)
        else:
            show(loaded(function)(**keywords(options)), as_json=output.as_json)

    options = loaded(record)
    annotations = {"options": options, **({"planned": flags.Planned} if estimate else {}), "output": flags.Output}
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, kind, annotation=annotation) for name, annotation in annotations.items()]
    command.__dict__["__signature__"] = inspect.Signature(parameters)
    command.__doc__ = options.__doc__
    return command


def loaded(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def show(result: "Result[Any]", *, as_json: bool) -> None:
    """Prints what was found on stdout, and what to do about it on stderr. Ends with 3 if something is left."""
    if as_json:
        print_json(dict(result.document))
    else:
        for part in result.parts:
            show_part(part)
        for sentence in result.hints:
            remark(sentence)
    for sentence in result.notes:
        say(sentence)
    exit_code(result.left)


def show_part(part: Table | str) -> None:
    """Prints a table, a paragraph, or a line that stays whole."""
    from drretail.records.tables.result import Prose

    if isinstance(part, Table):
        print_table(part)
    elif isinstance(part, Prose):
        print_text(part)
    else:
        typer.echo(part)
