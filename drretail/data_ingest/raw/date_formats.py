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


def find_date_format(db: "DuckDBPyConnection", table: str, path: "Path") -> tuple[str, str] | None:
    """The format of a table's dates (date_said, timestamp), with one of them; None where most are read already.

    Raises UserError where day and month may change places.
    """
    ((plain, there),) = db.execute(f"SELECT count(timestamp), count(date_said) FROM {table}").fetchall()  # noqa: S608
    if 2 * plain >= there:
        return None
    unread = f"{table} WHERE timestamp IS NULL AND date_said IS NOT NULL"
    formats = [day + time for day, time in product(_DAYS, _TIMES)]
    counts = ", ".join(f"count(try_strptime(date_said, {quoted(form)}))" for form in formats)
    query = f"SELECT first(date_said ORDER BY number), {counts} FROM {unread}"  # noqa: S608 -- constants
    ((example, *read),) = db.execute(query).fetchall()
    if (most := max(read)) <= plain:
        return None
    best = [form for form, count in zip(formats, read, strict=True) if count == most]
    first = f"try_strptime(date_said, {quoted(best[0])})"
    moved = ", ".join(f"count(*) FILTER (try_strptime(date_said, {quoted(form)}) <> {first})" for form in best)
    differing = db.execute(f"SELECT {moved} FROM {unread}").fetchone()  # noqa: S608 -- constants
    others = [form for form, count in zip(best, differing or (), strict=True) if count]
    if others:
        raise UserError(
            f"{path} has dates such as {example!r}, which may be {best[0]} or {others[0]}: write date_format = "
            f"{best[0]!r} in the mapping, or the other."
        )
    return best[0], example
