"""The format of a date column if the mapping names none: the one that reads most of it."""

from itertools import product
from typing import TYPE_CHECKING

from drretail.data_ingest.raw.cells import Cells, of_format, quoted
from drretail.data_ingest.raw.lines import LONGEST_SHOWN, Saved
from drretail.errors import UserError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%a, %d %b %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S", ", %I:%M %p", " at %I:%M %p")


def read_dates(db: "DuckDBPyConnection", name: str, cells: Cells, saved: Saved) -> None:
    """Reads the dates of a table (date_said, timestamp) in the format that fits most of them, and notes the format.

    Does nothing if the mapping names a format, or if at least half of the dates are read already. Raises UserError if
    day and month may change places.
    """
    if cells.mapping.date_format is not None:
        return
    ((plain, there),) = db.execute(f"SELECT count(timestamp), count(date_said) FROM {name}").fetchall()  # noqa: S608
    if 2 * plain >= there:
        return
    unread = f"{name} WHERE timestamp IS NULL AND date_said IS NOT NULL"
    formats = [day + time for day, time in product(_DAYS, _TIMES)]
    counts = ", ".join(f"count(try_strptime(date_said, {quoted(form)}))" for form in formats)
    query = f"SELECT first(date_said ORDER BY number), {counts} FROM {unread}"  # noqa: S608 -- constants
    ((example, *read),) = db.execute(query).fetchall()
    if (most := max(read)) <= plain:
        return
    best = [form for form, count in zip(formats, read, strict=True) if count == most]
    first = f"try_strptime(date_said, {quoted(best[0])})"
    moved = ", ".join(f"count(*) FILTER (try_strptime(date_said, {quoted(form)}) <> {first})" for form in best)
    differing = db.execute(f"SELECT {moved} FROM {unread}").fetchone()  # noqa: S608 -- constants
    others = [form for form, count in zip(best, differing or (), strict=True) if count]
    if others:
        raise UserError(
            f"{cells.table.name} has dates such as {example!r}, which may be {best[0]} or {others[0]}: write "
            f"date_format = {best[0]!r} in the mapping, or the other."
        )
    shown = f"dates such as {example[:LONGEST_SHOWN]!r} were read as {best[0]}"
    saved.notes.append(f"{shown}: write date_format for another")
    db.execute(f"UPDATE {name} SET timestamp = coalesce({of_format('date_said', best[0])}, timestamp)")  # noqa: S608
