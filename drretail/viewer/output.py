"""Prints results: tables and text on stdout, or one JSON document with --json; messages on stderr."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import typer

from drretail.records.base import FORMAT
from drretail.viewer.drawing.layout import draw, grid_width
from drretail.viewer.drawing.progress import is_progress_shown
from drretail.viewer.drawing.result import Markdown, Prose, paragraph
from drretail.viewer.drawing.screen import console, escaped, fit_to_screen, wrapped
from drretail.viewer.drawing.table import Table

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """Prints one document with its format version, keys in the order given."""
    typer.echo(dumped({"format": FORMAT, **value}))


def dumped(value: Any) -> str:
    """JSON for stdout, with non-ASCII characters escaped unless stdout is in UTF-8."""
    is_utf = (getattr(sys.stdout, "encoding", None) or "utf-8").casefold().startswith("utf")
    return escaped(json.dumps(value, ensure_ascii=not is_utf, indent=2))


TEXT_WIDTH = 100
"""The width of paragraphs: longer lines are hard to read, however wide the terminal is."""


def print_table(table: Table) -> None:
    """Prints the title, the table, its notes and an empty line on stdout.

    A table without columns is only its title and notes.
    """
    from rich.text import Text

    screen = stdout_console()
    if table.full_title:
        screen.print(Text(wrapped(table.full_title, screen.width), style="bold"))
    for at, grid in enumerate(draw(table, screen.width)):
        if at:
            print_text("")
        console(width=max(screen.width, grid_width(grid))).print(grid)
    print_text(*filter(None, [table.basis]), *table.notes, "")


def print_part(part: Table | str) -> None:
    """Prints a part of a result: a table, a paragraph, or a text that stays as it is."""
    if isinstance(part, Table):
        print_table(part)
    elif isinstance(part, Prose):
        print_text(part)
    elif isinstance(part, Markdown) and sys.stdout.isatty():
        from rich.markdown import Markdown as Formatted

        # A link is shown with its address, which the list of sources has too.
        console().print(Formatted(part, hyperlinks=False))
    else:
        typer.echo(part)


def print_text(*paragraphs: str) -> None:
    """Prints paragraphs on stdout, at most as wide as the terminal and 100 columns, with continued lines indented.

    Only the first line of a paragraph is wrapped. The others are commands, which have to stay whole.
    """
    width = min(TEXT_WIDTH, stdout_console().width)
    for text in paragraphs:
        typer.echo(paragraph(text, width))


def stdout_console() -> "Console":
    """The console for tables: as wide as the terminal or COLUMNS, or 160 characters without either."""
    screen = console()
    return screen if screen.is_terminal or "COLUMNS" in os.environ else console(width=160)


def say(text: str) -> None:
    """Prints one message on stderr."""
    typer.echo(fit_to_screen(text), err=True)


def remark(text: str) -> None:
    """``say``, but only if progress is shown: for what a person may like to know or do next."""
    if is_progress_shown():
        say(text)
