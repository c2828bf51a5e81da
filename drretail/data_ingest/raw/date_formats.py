"""The format of a column of dates that nobody named: the one by which most of it is read."""

from itertools import product
from typing import TYPE_CHECKING

from drretail.data_ingest.raw.cells import quoted
from drretail.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%a, %d %b %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S", ", %I:%M %p", " at %I:%M %p")


def find_date_format(db: "DuckDBPyConnection", path: "Path") -> tuple[str, str] | None:
    """The format of the texts in the table ``dates`` (said, ms), with one of them; None where they are ISO or numbers.

    Raises UserError where day and month may change places.
    """
    formats = [day + time for day, time in product(_DAYS, _TIMES)]
    counts = ", ".join(f"count(try_strptime(said, {quoted(form)}))" for form in formats)
    query = f"SELECT count(ms), first(said) FILTER (ms IS NULL AND said IS NOT NULL), {counts} FROM dates"  # noqa: S608
    rows = db.execute(query).fetchone()
    assert rows is not None, "count() gives a row"
    plain, example, *read = rows
    if (most := max(read)) <= plain:
        return None
    best = [form for form, count in zip(formats, read, strict=True) if count == most]
    first = f"try_strptime(said, {quoted(best[0])})"
    moved = ", ".join(f"count(*) FILTER (try_strptime(said, {quoted(form)}) <> {first})" for form in best)
    differing = db.execute(f"SELECT {moved} FROM dates").fetchone()  # noqa: S608 -- constants
    others = [form for form, count in zip(best, differing or (), strict=True) if count]
    if others:
        raise UserError(
            f"{path} has dates such as {example!r}, which may be {best[0]} or {others[0]}: write date_format = "
            f"{best[0]!r} in the mapping, or the other."
        )
    return best[0], example
