"""Tables of many narrow columns, whose cells stay whole: what doesn't fit the terminal is left out, and named."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from drretail.viewer.output import stdout_console

if TYPE_CHECKING:
    from drretail.records.comparison import ComparedRow, Reliability

WIDTH = 100
"""Of text."""


def print_grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], spare: Sequence[str] = ()) -> None:
    """A table on stdout, numbers to the right; a column without a name is of words.

    Columns named in ``spare`` are left out, the first of them first, as long as the table is wider than the terminal.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    lines = [list(row) for row in rows]
    console = stdout_console()
    kept = _fitting(columns, lines, spare, console.width)
    say(title)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for at in kept:
        table.add_column(columns[at], justify="right" if columns[at].strip() else "left", no_wrap=True)
    for line in lines:
        table.add_row(*(line[at] for at in kept))
    width = max(console.width, _width(kept, columns, lines))
    Console(highlight=False, markup=False, emoji=False, width=width, file=console.file).print(table)
    left = [column for at, column in enumerate(columns) if at not in kept]
    if left:
        say(f"Left out for want of width: {', '.join(left)}. --json has all.")


def say(text: str) -> None:
    """On stdout, broken to the terminal, at 100 columns at most; what follows is indented. Commands stay whole."""
    from textwrap import fill

    import typer

    said, _, command = text.partition("\n")
    width = min(WIDTH, stdout_console().width)
    typer.echo(fill(said, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    if command:
        typer.echo(command)


def _fitting(columns: Sequence[str], lines: Sequence[Sequence[str]], spare: Sequence[str], width: int) -> list[int]:
    """The places of the columns that are kept."""
    kept = list(range(len(columns)))
    for column in spare:
        if _width(kept, columns, lines) <= width:
            break
        kept = [at for at in kept if columns[at] != column]
    return kept


def _width(kept: Sequence[int], columns: Sequence[str], lines: Sequence[Sequence[str]]) -> int:
    """Every column with two blanks beside it, and the box's edges."""
    return sum(max(len(columns[at]), *(len(line[at]) for line in lines)) + 2 for at in kept) + 1


def row_name(row: "ComparedRow | Reliability", *, several: bool) -> str:
    """ "FP", "clarity", "process words": the family is named where the variant alone says little."""
    from drretail.eval.compare.wording import name_of

    return name_of(row) if several else row.variant


def figure(value: float | None) -> str:
    """ "0.25", "–"."""
    from drretail.eval.compare.wording import number

    return "–" if value is None else number(value)


def share(value: float | None) -> str:
    """ "25%", "–"."""
    return "–" if value is None else f"{value:.0%}"


def interval(low: float | None, high: float | None) -> str:
    """ "[0.10, 0.40]", "–"."""
    return "–" if low is None or high is None else f"[{figure(low)}, {figure(high)}]"
