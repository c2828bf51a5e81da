"""A command whose help lists its options under headings, and whose old flags work for one more version."""

from collections.abc import Callable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from drretail.api.option import LAST_GROUPS, OUTPUT

OLD_FLAGS = "old_flags"


def formerly(replacements: Mapping[str, str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command take flags that it had before: each by its name, with what replaces it.

    A replacement with ``{}`` in it takes the old flag's value: ``{"--tokens": "--limit tokens={}"}``.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        command.__dict__[OLD_FLAGS] = dict(replacements)
        return command

    return decorate


def exit_code(failed: int) -> None:
    """Ends with 3 where something failed."""
    if failed:
        raise typer.Exit(3)


class Group(TyperGroup):
    """Several commands under one name, listed as plain text."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperGroup, self).format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each with the whole first paragraph of its help, where click would cut it at 45 characters."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, (each.help or "").partition("\n\n")[0]) for name, each in found if each])


class Command(TyperCommand):
    """A command of drretail; its help is plain text, since what draws boxes takes longer to load than typer."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        replacements = getattr(self.callback, OLD_FLAGS, {})
        return super().parse_args(ctx, replaced(args, replacements, lambda line: typer.echo(line, err=True)))

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


def replaced(args: list[str], replacements: Mapping[str, str], tell: Callable[[str], None]) -> list[str]:
    """The arguments with new flags in the place of old ones; ``tell`` gets a sentence for each."""
    made: list[str] = []
    rest = list(args)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            return [*made, argument, *rest]
        flag, equals, value = argument.partition("=")
        new = replacements.get(flag)
        if new is None:
            made.append(argument)
            continue
        old = argument
        if "{}" in new:
            if not equals and rest:
                value = rest.pop(0)
                old = f"{flag} {value}"
            new = new.replace("{}", value)
        tell(f"{old} is now {new}; the old form goes in the next version.")
        made += new.split(" ", 1)
    return made
