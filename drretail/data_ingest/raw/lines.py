"""What a file holds, by its fields: lines, or one JSON array or mapping; unreadable rows saved or reported."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Any, cast

from drretail.data_ingest.raw.products import loads_or_none
from drretail.data_ingest.raw.sources import Layout, RawFile, Shape, is_packed, open_text
from drretail.parsing import encodable
from drretail.records.account import Account
from drretail.records.base import ID_RULE, NO_ID, is_safe_id
from drretail.records.figures import first_few

LATER = "dated later than "
"""How the problem of a row begins whose date is later than the last day."""
_LONGEST = 1 << 28
"""Characters of a JSON document that is read whole; more have to be lines."""


def read_elements(path: Path, packed: bool) -> list[Any]:
    """The elements of a file's one array, or the rows of its one mapping of products by id.

    A row of a mapping has its key as ``parent_asin``, unless it has an id of its own. Empty if the file holds neither,
    breaks off, or is longer than ``_LONGEST``.
    """
    with open_text(path, packed) as file:
        text = file.read(_LONGEST)
        value = None if file.read(1) else loads_or_none(text)
    if isinstance(value, dict):
        rows = cast("dict[str, Any]", value).items()
        return [{"parent_asin": key, **row} if isinstance(row, dict) else row for key, row in rows]
    return cast("list[Any]", value) if isinstance(value, list) else []


# Enough lines to get past some broken ones, and enough characters for any real row.
_ROWS = 50
_LONGEST_LINE = 4 << 20
_NAMED_FIELDS = 6


def recognise(path: Path) -> RawFile:
    """The file with its shape and layout, by its first rows. Raises UserError if it is cut, damaged or unreadable."""
    packed = is_packed(path)
    first = ""
    with open_text(path, packed) as file:
        while not first and (block := file.read(1 << 16)):
            first = block.lstrip()[:1]
    if first == "":
        return RawFile(path, packed, "empty", why="empty")
    rows = _first_rows(path, packed)
    lines = _judged(path, packed, "lines", rows)
    if first == "[" or (first == "{" and sum(isinstance(row, dict) for row in rows) <= 1):
        elements = read_elements(path, packed)
        whole = _judged(path, packed, "document", elements[:_ROWS])
        # Every value of a mapping must be a product, since a field of a single row may look like one too.
        if whole.why is None and (first == "[" or all(shape_of(row) == "products" for row in elements)):
            return whole
        if not elements and lines.why is not None:
            why = f"neither lines of JSON nor a whole array of at most {_LONGEST:,} characters"
            return replace(lines, why=f"{why}: write a row a line")
    return lines


def _judged(path: Path, packed: bool, layout: Layout, rows: list[Any]) -> RawFile:
    """The file with the shape of the first row whose shape is known."""
    for row in rows:
        if (shape := shape_of(row)) != "unknown":
            return RawFile(path, packed, shape, layout)
    fields = next((list(row) for row in rows if isinstance(row, dict)), None)
    why = "not JSON objects"
    if fields is not None:
        why = f"neither products nor reviews: fields {first_few(fields, _NAMED_FIELDS)}"
    return RawFile(path, packed, "unknown", why=why)


def shape_of(row: Any) -> Shape:
    """The shape of a row. Reviews have a user, a product and a time; products have an id and a title, and no user."""
    if not isinstance(row, dict):
        return "unknown"
    if {"user_id", "parent_asin", "timestamp"} <= row.keys():
        return "reviews"
    return "products" if {"parent_asin", "title"} <= row.keys() and "user_id" not in row else "unknown"


def _first_rows(path: Path, packed: bool) -> list[Any]:
    rows = list[Any]()
    with open_text(path, packed) as file:
        while len(rows) < _ROWS and (line := file.readline(_LONGEST_LINE)):
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError):
                if len(line) >= _LONGEST_LINE:
                    break
                rows.append(None)
    return rows


SHOWN = 3
"""How many of the first rows of a table are kept to be shown."""
LONGEST_SHOWN = 40
"""The most characters of a value that a report quotes."""
# The last millisecond of the year 9998. Python's dates end a year later, and the shop's today is the day after the
# last order.
LAST_MILLISECOND = 253_370_764_799_999


def last_millisecond(day: date) -> int:
    """The last millisecond of a day (UTC)."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return min(int(midnight.timestamp()) * 1000 + 86_399_999, LAST_MILLISECOND)


def later_than(until_ms: int) -> str:
    """The problem of a row that is dated after the last day."""
    return f"{LATER}{utc_day(until_ms)} (--until)"


def utc_day(milliseconds: int) -> date:
    """The day of a moment (UTC)."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date()


@dataclass(slots=True)
class Saved:
    """The result of a pass in Python: what became of the rows, of which the used are written for the engine."""

    account: Account = field(default_factory=lambda: Account("read", "row"))
    notes: list[str] = field(default_factory=list[str])
    """Remarks about the file, for the user."""
    first: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The first rows of a table, as they were read."""

    cells: Account = field(default_factory=lambda: Account("read", "cell"))
    """The cells that can't be read, by what they were not taken for."""

    def doubt(self, meaning: str, line: int, *texts: str) -> None:
        """Counts a row's cells that can't be read: what they say is not taken as fulfilled."""
        self.cells.leave_out(meaning, f"line {line:,}: {' '.join(texts)[:LONGEST_SHOWN]!r}")

    def merge(self, reason: str, line: int) -> None:
        self.account.merge(reason, str(line))

    def reject(self, line: int, problem: str, detail: str = "") -> None:
        """Leaves a bad row out. ``detail`` says more of the problem of the first one."""
        self.account.leave_out(problem, f"{line}: {detail}" if detail else str(line))


def save_rows(lines: Iterable[tuple[int, bytes]], shape: Shape, out: IO[str], saved: Saved, until_ms: int) -> None:
    """Writes to ``out`` the lines (number and bytes) that a lenient reading can save, and counts them in ``saved``.

    It accepts broken UTF-8, halves of surrogate pairs and a byte order mark, but not a cut line.
    """
    for line, data in lines:
        try:
            # Without the line end, so that a cut line has the same message wherever it is.
            row = json.loads(data.rstrip(b"\r\n").decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError) as problem:
            saved.account.take()
            saved.reject(line, "not JSON", str(problem))
        else:
            _save(row, line, shape, saved, out, until_ms)


def save_elements(source: RawFile, target: Path, until_ms: int) -> Saved:
    """Writes the elements of an array or mapping as lines of JSON; they are numbered from 1."""
    saved = Saved()
    with target.open("w", encoding="utf-8") as out:
        for number, row in enumerate(read_elements(source.path, source.packed), 1):
            _save(row, number, source.shape, saved, out, until_ms)
    return saved


def _save(row: Any, line: int, shape: Shape, saved: Saved, out: IO[str], until_ms: int) -> None:
    saved.account.take()
    problem = _problem(row, shape, until_ms)
    if problem is None:
        out.write(encodable(json.dumps(row, ensure_ascii=False)) + "\n")
        saved.account.use()
    else:
        saved.reject(line, *problem)


def _problem(row: Any, shape: Shape, until_ms: int) -> tuple[str, str] | None:
    """Why a row cannot be used, and more about it; or None. The engine makes the same test when it loads."""
    if not isinstance(row, dict):
        return "not a JSON object", ""
    if shape_of(row) != shape:
        return f"no row of {shape}", ""
    needed = ("parent_asin", "title") if shape == "products" else ("user_id", "parent_asin")
    missing = [name for name in needed if row[name] is None or (row[name] == "" and name != "title")]
    if shape == "reviews" and str(row["user_id"]).lower() in NO_ID:
        missing = ["user_id"]
    if missing:
        return f"no {missing[0]}", ""
    strange = [name for name in needed if name != "title" and not is_safe_id(str(row[name]))]
    if strange:
        return f"{strange[0]} is no id ({ID_RULE})", f"{str(row[strange[0]])[:LONGEST_SHOWN]!a}"
    if shape == "reviews" and not is_moment(row["timestamp"]):
        return "no timestamp in milliseconds", ""
    if shape == "reviews" and int(row["timestamp"]) > until_ms:
        return later_than(until_ms), str(utc_day(int(row["timestamp"])))
    return None


def is_moment(raw: Any) -> bool:
    """True if a value is a time in milliseconds UTC between 1970 and the end of the year 9998."""
    try:
        return not isinstance(raw, bool) and 0 <= int(raw) <= LAST_MILLISECOND
    except (TypeError, ValueError, OverflowError):
        return False


def numbered_rows(file: Iterable[bytes], numbers: Sequence[int], before: int = 0) -> Iterator[tuple[int, bytes]]:
    """The line number and the bytes of the rows with these numbers, which ascend from 1 and do not count blank lines.

    ``before`` is the number of lines in the whole file before those of ``file``.
    """
    wanted = iter(numbers)
    next_wanted = next(wanted, None)
    row = 0
    for line, data in enumerate(file, before + 1):
        # The engine skips the same characters as white space.
        if not data.strip():
            continue
        row += 1
        if row == next_wanted:
            yield line, data
            next_wanted = next(wanted, None)
            if next_wanted is None:
                return
