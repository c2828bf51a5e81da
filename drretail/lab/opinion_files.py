"""Ratings and labels that stand in CSV: a row an opinion, or a row an item with a column for each rater."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from drretail.cells import read_cells
from drretail.errors import UnknownName, UserError
from drretail.lab.opinions import PREFERENCE, SUPPORT, SUPPORT_OF, Opinion, Question, Scale

NEEDED = ("item", "rater", "value")
_PREFERENCES = {"a": 1.0, "b": -1.0, "tie": 0.0}


@dataclass(frozen=True, slots=True)
class _Row:
    """What a row says, as it is written."""

    place: str
    item: str
    rater: str
    value: str
    dimension: str = ""
    query_id: str = ""
    system: str = ""


def read_all(
    paths: Iterable[Path], raters: Sequence[str] = (), item: Sequence[str] = (), judges: Sequence[str] = ()
) -> list[Opinion]:
    """What several files say, each read by ``read_opinions``. Raises UserError for a judge that is in none of them."""
    found = [it for path in paths for it in read_opinions(path, raters, item, judges)]
    known = {it.rater for it in found}
    for name in judges:
        if name not in known:
            raise UnknownName("rater (--judges)", name, known)
    return found


def read_opinions(
    path: Path, raters: Sequence[str] = (), item: Sequence[str] = (), judges: Sequence[str] = ()
) -> list[Opinion]:
    """What a CSV file says, in its order; a cell without a value is nothing said.

    Its columns are item, rater and value, and may be dimension, query and system. ``raters`` are columns of their own
    instead, and those of ``item`` name what is rated: all others without. ``judges`` are raters that are no people.
    Values are numbers, full | partial | none | contradicted, a | b | tie, or any words. Raises UserError where a column
    is missing, and where somebody says two things of one item.
    """
    heading, *rows = read_cells(path) or [[]]
    names = [name.strip() for name in heading]
    found = list(_wide(path, names, rows, raters, item) if raters else _long(path, names, rows))
    if not found:
        raise UserError(f"{path} holds no opinion: it needs rows below its heading.")
    _check_once(found)
    opinions: list[Opinion] = []
    for dimension in dict.fromkeys(row.dimension for row in found):
        said = [row for row in found if row.dimension == dimension]
        scale, numbers = _scale(said)
        question = Question(scale, dimension)
        opinions += [
            Opinion(
                question,
                row.rater,
                "judge" if row.rater in judges else "person",
                row.item,
                numbers[row.value.casefold()],
                row.query_id,
                row.system,
            )
            for row in said
        ]
    return opinions


def _long(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[_Row]:
    lower = [name.casefold() for name in names]
    lacking = [name for name in NEEDED if name not in lower]
    if lacking:
        told = ", ".join(names) or "it is empty"
        raise UserError(
            f"{path} has no column {' and no '.join(lacking)} (it has: {told}): name raters' own columns with --raters."
        )
    for number, row in enumerate(rows, 2):
        held = {name: row[at].strip() for at, name in enumerate(lower) if at < len(row)}
        if held.get("value"):
            about = held.get("dimension", ""), held.get("query", ""), held.get("system", "")
            yield _Row(f"{path}, row {number}", held["item"], held["rater"], held["value"], *about)


def _wide(
    path: Path, names: Sequence[str], rows: Sequence[Sequence[str]], raters: Sequence[str], item: Sequence[str]
) -> Iterator[_Row]:
    for name in (*raters, *item):
        if name not in names:
            raise UnknownName(f"column of {path}", name, names)
    said_by = [names.index(rater) for rater in raters]
    about = [names.index(name) for name in item] or [at for at in range(len(names)) if at not in said_by]
    for number, row in enumerate(rows, 2):
        item = " | ".join(row[at].strip() for at in about if at < len(row))
        for at in said_by:
            if at < len(row) and row[at].strip():
                yield _Row(f"{path}, row {number}", item, names[at], row[at].strip())


def _check_once(rows: Sequence[_Row]) -> None:
    held: dict[tuple[str, str, str], _Row] = {}
    for row in rows:
        before = held.setdefault((row.rater, row.item, row.dimension), row)
        if before.value != row.value:
            raise UserError(f"{row.place}: {row.rater} says {row.value} of {row.item}, and {before.value} before.")


def _scale(rows: Sequence[_Row]) -> tuple[Scale, dict[str, float]]:
    """The scale of a column of values, and by value as it is written its number."""
    written = list(dict.fromkeys(row.value.casefold() for row in rows))
    for scale, known in ((SUPPORT, SUPPORT_OF), (PREFERENCE, _PREFERENCES)):
        if {*written} <= known.keys():
            return scale, {it: known[it] for it in written}
    try:
        numbers = {it: float(it.replace(",", ".")) for it in written}
    except ValueError:
        numbers = {}
    if not numbers or not all(map(isfinite, numbers.values())):
        return Scale("label", "nominal"), {it: float(at) for at, it in enumerate(sorted(written))}
    return Scale("number", "interval", _steps(numbers.values())), numbers


def _steps(numbers: Iterable[float]) -> tuple[float, ...]:
    """Whole numbers from the lowest to the highest, where all are; else none."""
    found = sorted({*numbers})
    whole = all(it == int(it) for it in found) and found[-1] - found[0] <= 100
    return tuple(float(it) for it in range(int(found[0]), int(found[-1]) + 1)) if whole else ()
