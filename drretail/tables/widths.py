"""Wide tables cut into parts that fit, with columns of one group side by side, and names broken into lines."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from drretail.tables.table import Column

_HYPHEN = re.compile(r"-(?=[^\W\d])")
"""Before a letter: the version of a model stays with its name."""


def parts(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[list[int]]:
    """The places of all columns, in order, in as few parts as have room, none much wider than another.

    A group is only torn when it does not fit by itself; a column that is too wide stands alone.
    """
    groups = [list(group) for _, group in groupby(range(len(columns)), key=lambda place: columns[place].group)]
    made = _filled(groups, widths, room)
    needed = max((width for group in groups if (width := _sum(group, widths)) <= room), default=0)
    for narrower in range(room - 1, needed - 1, -1):
        tried = _filled(groups, widths, narrower)
        if len(tried) > len(made):
            break
        made = tried
    return made


def _filled(groups: Sequence[list[int]], widths: Sequence[int], room: int) -> list[list[int]]:
    made: list[list[int]] = []
    for group in groups:
        for piece in [group] if _sum(group, widths) <= room else [[place] for place in group]:
            if made and _sum([*made[-1], *piece], widths) <= room:
                made[-1] = [*made[-1], *piece]
            else:
                made.append(piece)
    return made


def _sum(places: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[place] for place in places)


def broken(name: str, width: int) -> Iterator[str]:
    """The lines of a name that is too long, broken behind underscores, hyphens and blanks, before "+" and "@"."""
    line = ""
    pieces = name.replace("_", "_\n").replace(" ", " \n").replace("+", "\n+").replace("@", "\n@")
    for part in _HYPHEN.sub("-\n", pieces).split("\n"):
        if line.strip() and len(line + part.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
    yield line


def filled(pieces: Sequence[str], width: int) -> Iterator[str]:
    """The pieces with commas between them, in as few lines as have room for whole ones."""
    line = ""
    for at, piece in enumerate(pieces, 1):
        shown = piece + ("," if at < len(pieces) else "")
        if line and len(f"{line} {shown}") > width:
            yield line
            line = ""
        line = f"{line} {shown}".strip()
    yield line
