"""How results reach the terminal: tables and text on stdout, or one JSON document with --json; talk on stderr."""

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import typer

from drretail.records.base import FORMAT
from drretail.screen import console, escaped
from drretail.tables.table import Table
from drretail.tables.terminal import Drawn, draw, grid_width

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: dict[str, Any]) -> None:
    """One document with its format, keys in the order given."""
    typer.echo(json_text(value))


def json_text(value: dict[str, Any]) -> str:
    """The document as ``print_json`` prints it."""
    return dumped({"format": FORMAT, **value})


def dumped(value: Any) -> str:
    """JSON for stdout, with other letters than ASCII's escaped where stdout cannot take them."""
    is_utf = (getattr(sys.stdout, "encoding", None) or "utf-8").casefold().startswith("utf")
    return escaped(json.dumps(value, ensure_ascii=not is_utf, indent=2))


TEXT_WIDTH = 100
"""Of paragraphs: longer lines are hard to read, however wide the terminal is."""


def print_table(table: Table) -> Drawn:
    """The table on stdout below its title, its notes behind it and an empty line last; says what was drawn of it.

    Columns that find no room are named. A table without columns is its title and its notes.
    """
    screen = stdout_console()
    if table.full_title:
        print_title(table.full_title)
    drawn = draw(table, screen.width)
    for at, grid in enumerate(drawn.grids):
        if at:
            print_text("")
        console(width=max(screen.width, grid_width(grid))).print(grid)
    if drawn.left_out:
        print_text(f"Left out for lack of width: {', '.join(drawn.left_out)}. --json has all.")
    print_text(*table.notes, "")
    return drawn


def print_title(text: str) -> None:
    """What stands above a table on stdout, in bold."""
    from rich.text import Text

    screen = stdout_console()
    screen.print(Text(wrapped(text, screen.width), style="bold"))


def print_text(*paragraphs: str) -> None:
    """Each on stdout, no wider than the terminal and 100 columns, with what follows its first line indented.

    Lines of a paragraph behind its first are printed as they are: commands, which have to stay whole.
    """
    width = min(TEXT_WIDTH, stdout_console().width)
    for paragraph in paragraphs:
        text, newline, commands = paragraph.partition("\n")
        typer.echo(wrapped(text, width, indent="  ") + newline + commands)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines of that width, broken between words; a word that is longer is broken behind its "+".

    Lines behind the first begin with ``indent``.
    """
    words = [part for word in text.split(" ") for part in _parts(word, width)]
    lines = [""]
    for word, gap in words:
        joined = lines[-1] + gap + word if lines[-1] else word
        if lines[-1] and len(joined) > width:
            lines.append(indent + word)
        else:
            lines[-1] = joined
    return "\n".join(lines)


def _parts(word: str, width: int) -> list[tuple[str, str]]:
    """What may stand on lines of its own, each with what is put between it and the line so far."""
    pieces = re.findall(r"[^+]*\+|[^+]+$", word) if len(word) > width else [word]
    return [(piece, "" if place else " ") for place, piece in enumerate(pieces)]


def stdout_console() -> "Console":
    """Where tables go: as wide as the terminal or COLUMNS say, else 160 characters."""
    screen = console()
    return screen if screen.is_terminal or "COLUMNS" in os.environ else console(width=160)


def say(text: str) -> None:
    """One line of talk on stderr."""
    typer.echo(text, err=True)
