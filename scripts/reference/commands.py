"""docs/reference/commands.md: every command with its options, from what typer is given.

Not from what ``-h`` prints: that depends on the terminal, and on the version of typer.
"""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from typer.models import ArgumentInfo, ParameterInfo

from drretail.api.option import LAST_GROUPS
from drretail.cli.app import COMMANDS, command_of
from drretail.cli.result import METAVARS
from scripts.reference.markdown import code, escaped, fence, item, link, page, paragraphs

INTRO = """\
`drretail COMMAND -h` prints the same. [A tour of the commands](../README.md#a-tour-of-the-commands) shows them at work.

- `-h`, `--help` is an option of every command, `--version` of `drretail` alone.
- `--debug`, anywhere on the line, shows where an error came from.
- If a [file of options](../experiments.md#what-a-run-leaves-behind) turns a switch on, turn it off with its opposite, \
such as `--no-force`.
- [Exit codes](../experiments.md#when-something-fails): 0 done, 2 you must fix something, 3 done with findings or \
failures."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command, or a group of commands where it has no function."""

    name: str
    summary: str
    function: Any

    @property
    def group(self) -> str:
        """Blank for a command of no group."""
        return self.name.rpartition(" ")[0]


def commands_page() -> str:
    # In the order of ``drretail -h``; those of a group follow it.
    entries = [
        CommandEntry(name, entry.summary, command_of(entry) if entry.function else None)
        for name, entry in COMMANDS.items()
    ]
    rows = [
        index_row(entry, [other for other in entries if other.group == entry.name])
        for entry in entries
        if not entry.group
    ]
    index = "\n".join(["| command | what it does |", "|---|---|", *rows])
    return page(["# Commands", INTRO, index, *(block for entry in entries for block in command_blocks(entry))])


def index_row(entry: CommandEntry, members: list[CommandEntry]) -> str:
    """A command, or a group with links to its commands."""
    links = ", ".join(link(member.name.rpartition(" ")[2], member.name) for member in members)
    text = f"{escaped(entry.summary)} {links}" if links else escaped(entry.summary)
    return f"| {link(entry.name, entry.name)} | {text} |"


def command_blocks(entry: CommandEntry) -> list[str]:
    """The section of a command."""
    heading = f"{'###' if entry.group else '##'} {entry.name}"
    if entry.function is None:
        return [heading, escaped(entry.summary)]
    arguments: list[str] = []
    groups: dict[str, list[str]] = {"": []}
    for parameter in inspect.signature(entry.function, eval_str=True).parameters.values():
        kind, info = get_args(parameter.annotation)
        if info.hidden:
            continue
        if isinstance(info, ArgumentInfo):
            shown = (info.metavar or "").strip("[]")
            arguments.append(shown if is_required(parameter) else f"[{shown}]")
            names = code(shown)
        else:
            names = flags(parameter.name, kind, info)
        text = " ".join([escaped(info.help or ""), *notes(parameter, info)])
        groups.setdefault(info.rich_help_panel or "", []).append(item(names, text))
    usage = fence("text", " ".join(["drretail", entry.name, *arguments, "[OPTIONS]"]))
    blocks = [heading, *paragraphs(entry.function.__doc__), usage]
    for group in ("", *(name for name in groups if name not in ("", *LAST_GROUPS)), *LAST_GROUPS):
        if groups.get(group):
            blocks += [*([f"**{group or 'Usual options'}**"] if len(groups) > 1 else []), "\n".join(groups[group])]
    return blocks


def flags(name: str, kind: Any, info: ParameterInfo) -> str:
    """The names of an option with what it takes: ``--world W``, ``-w``."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    held = get_args(kind)[0] if get_origin(kind) is list else kind
    choices = "|".join(get_args(held)) if get_origin(held) is Literal else ""
    takes = "" if held is bool else f" {info.metavar or choices or METAVARS.get(held, held.__name__.upper())}"
    # In an annotation typer takes the first name for the default.
    declared = [str(each) for each in (info.default, *(info.param_decls or ())) if str(each).startswith("-")]
    first, *others = sorted(declared or [f"--{name.replace('_', '-')}"], key=lambda each: not each.startswith("--"))
    return ", ".join(map(code, [first + takes, *others]))


def is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default in (inspect.Parameter.empty, ...)


def notes(parameter: inspect.Parameter, info: ParameterInfo) -> Iterator[str]:
    """What the help leaves to typer: bounds, and whether the option is required."""
    if info.min is not None:
        yield f"At least {info.min:g}."
    if info.max is not None:
        yield f"At most {info.max:g}."
    if is_required(parameter) and not isinstance(info, ArgumentInfo):
        yield "Required."
