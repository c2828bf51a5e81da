"""Assembles the command line. A command is loaded only when it is called, or when its own help is requested."""

import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from drretail import __version__
from drretail.cli.options.command import Command, Group, UsageError
from drretail.cli.options.parameters import with_flags
from drretail.errors import shortened
from drretail.screen import fitted

LONGEST_USAGE = 400


COMMANDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
"""Where each command is, and the first sentence of its help, so that the list of commands loads none of them."""


class Commands(TyperGroup):
    """The commands of the table. Their list is plain text, since drawing boxes takes longer to load than typer."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)  # the names that are suggested for a wrong one

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            group = copy(found)  # its functions stay as they were written
            group.info.cls = Group
            group.registered_commands = [copy(each) for each in found.registered_commands]
            for subcommand in group.registered_commands:
                function: Any = subcommand.callback
                subcommand.cls, subcommand.callback = Command, with_flags(function)
            return get_group(group)
        single = typer.Typer(add_completion=False)
        single.command(cmd_name, cls=Command)(with_flags(found))
        return get_command(single)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with short_usage_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with short_usage_errors():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperGroup, self).format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@contextmanager
def short_usage_errors() -> Generator[None]:
    """Shortens usage errors, since they repeat what was typed, however long it is."""
    try:
        yield
    except UsageError as problem:
        label = "Error: "  # which is printed before it
        message = problem.message.replace("Value error, ", "")  # typer passes on pydantic's words
        problem.message = fitted(label + shortened(message, LONGEST_USAGE)).removeprefix(label)
        raise


app = typer.Typer(
    name="drretail",
    cls=Commands,
    help="Measures how well shopping agents do research. It brings a shop, nine tools, agents, and judges of "
    "their reports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain sentences for usage errors as for all others, by no console but ours.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error came from. It works anywhere on the command line.")
    ] = False,
) -> None:
    del debug  # entry.py removes it from the arguments; it is declared for --help
    if version:
        typer.echo(f"drretail {__version__}")
        raise typer.Exit
