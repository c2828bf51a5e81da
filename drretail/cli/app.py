"""Assembles the command line: the table of the commands, each loaded when it is called or its own help is requested.

The help of a command lists its options under headings.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command, get_group

from drretail import __version__
from drretail.api.option import LAST_GROUPS, OUTPUT
from drretail.errors import UserError, missing_addon, shortened
from drretail.plugins import addon_names
from drretail.viewer.drawing.progress import showing_progress
from drretail.viewer.drawing.screen import fit_to_screen

UsageError: Any = typer.BadParameter.__base__  # the class of click, or of typer's own copy of click


class Command(TyperCommand):
    """A command of drretail. Its help is plain text, since drawing boxes takes longer to load than typer.

    It shows progress, unless it has the flag --quiet and that is given.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises a usage error if an option of one value is repeated, of which click would only use the last."""
        _, _, order = self.make_parser(ctx).parse_args(args=[*args])
        for parameter, count in Counter(order).items():
            single = isinstance(parameter, TyperOption) and not (parameter.is_flag or parameter.multiple)
            if single and count > 1 and not ctx.resilient_parsing:
                ctx.fail(f"Option '{parameter.opts[-1]}' takes one value, but is given {count} times.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with showing_progress(quiet=ctx.params.get("quiet", False)):
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperCommand, self).format_help(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or "", []).append(record)
        others = [group for group in groups if group not in ("", *LAST_GROUPS)]
        if len(groups) > 1:  # --help is the last of the usual ones
            groups.setdefault(OUTPUT, []).append(groups[""].pop())
        for group in ("", *others, *LAST_GROUPS):
            if groups.get(group):
                with formatter.section(group or ("Options" if len(groups) == 1 else "Usual options")):
                    formatter.write_dl(groups[group])


LONGEST_USAGE = 400


class _Entry(NamedTuple):
    """A line of the table of commands. Places are "module:attribute"."""

    summary: str
    """The first sentence of its help, so that the list of commands loads none of them."""
    function: str = ""
    """What does it; blank for a group of commands."""
    record: str = ""
    """The record of its options, which the function takes. It returns a result."""
    estimate: str = ""
    """What answers --estimate."""
    from_file: bool = False
    """True if the options may stand in a file that is named first."""


_CORE = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
COMMANDS = {name: _Entry(**line) for name, line in {**_CORE, **addon_names("commands")}.items()}
ADDONS = {
    name: addon
    for addon, names in {
        "assistants": ("check", "forget"),
        "downloads": ("download",),
        "exports": ("export",),
        "gym": ("gym", "try"),
        "imports": ("import",),
        "lab": ("lab",),
        "personas": ("queries personas", "queries context", "queries pair"),
        "reproduction": ("verify", "reproduce"),
        "sandboxes": ("sandbox",),
        "voting": ("vote",),
    }.items()
    for name in names
}
"""The add-on of each command, for the sentence that says which one is missing."""


class Commands(TyperGroup):
    """The commands of the table, or those of a group. Their list is plain text: boxes load longer than typer."""

    group = ""
    """The beginning of the names of a group's commands, such as "lab "."""

    def members(self, group: str) -> None:
        """Lists the commands whose names begin with the group's."""
        self.group, names = group, (name.removeprefix(group) for name in COMMANDS if name.startswith(group))
        self.commands: dict[str, Any] = {name: None for name in names if " " not in name}

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.members("")

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        name = self.group + cmd_name
        if cmd_name not in self.commands:
            if name in ADDONS:
                raise UserError(missing_addon(f"`drretail {name}`", ADDONS[name]))
            return None
        if not COMMANDS[name].function:
            about = COMMANDS[name].summary
            group = get_group(typer.Typer(name=cmd_name, cls=Commands, help=about, no_args_is_help=True))
            assert isinstance(group, Commands)
            group.members(f"{name} ")
            return group
        single = typer.Typer(add_completion=False)
        single.command(cmd_name, cls=Command)(command_of(COMMANDS[name]))
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
        added = sorted(name for name in self.commands if self.group + name in ADDONS)
        commands = [name for name in self.commands if name not in added]
        for title, names in (("Commands", commands), ("Add-ons", added)):
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, COMMANDS[self.group + name].summary) for name in names])


def command_of(entry: _Entry) -> Callable[..., None]:
    """The command as typer reads it."""
    from drretail.cli.result import result_command  # loads pydantic, which the list of commands can do without

    return result_command(entry.record, entry.function, entry.estimate, from_file=entry.from_file)


@contextmanager
def short_usage_errors() -> Generator[None]:
    """Shortens usage errors, since they repeat what was typed, however long it is."""
    try:
        yield
    except UsageError as problem:
        if problem.message.startswith("Usage: "):  # a group without a command: its whole help
            raise
        label = "Error: "  # which is printed before it
        message = problem.message.replace("Value error, ", "")  # typer passes on pydantic's words
        problem.message = fit_to_screen(label + shortened(message, LONGEST_USAGE)).removeprefix(label)
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
