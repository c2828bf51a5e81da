"""What a file holds, by its fields: lines, or a JSON array or mapping, streamed; unreadable rows saved or reported."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, TextIO

from drretail.data_ingest.plan import LATER
from drretail.data_ingest.raw.sources import Layout, RawFile, Shape, is_packed, open_text
from drretail.parsing import encodable
from drretail.records.account import Account
from drretail.records.base import ID_RULE, NO_ID, is_safe_id
from drretail.records.figures import first_few

_CHUNK = 1 << 20
# No row of the dataset comes near; without a bound, one unclosed brace would pull the whole file into memory.
_LONGEST = 64 << 20
_SPACE = " \t\r\n"


class BrokenElement(Exception):
    """The JSON cannot be read from this line on."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def read_elements(file: TextIO) -> Iterator[tuple[int, Any]]:
    """The elements of the one array in ``file``, or the rows of the one mapping of products by id, each with its line.

    A row of a mapping has its key as ``parent_asin``, unless it has an id of its own. Raises BrokenElement if the file
    breaks off.
    """
    text = _Window(file)
    opening = text.next_character()
    if opening not in ("[", "{"):
        raise BrokenElement(text.line, "neither an array nor an object")
    closing = "]" if opening == "[" else "}"
    text.skip(1)
    while text.next_character() != closing:
        line, key = text.line, None
        if opening == "{":
            key = text.decode()
            if not isinstance(key, str) or text.next_character() != ":":
                raise BrokenElement(line, "not a key and a value")
            text.skip(1)
        value = text.decode()
        yield line, {"parent_asin": key, **value} if key is not None and isinstance(value, dict) else value
        separator = text.next_character()
        if separator == ",":
            text.skip(1)
        elif separator != closing:
            raise BrokenElement(text.line, "cut" if not separator else f"{separator!r} where a comma should be")


class _Window:
    """The part of the file that is being decoded."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._ended = False
        self._decoder = json.JSONDecoder()
        self.line = 1

    def next_character(self) -> str:
        """The next character that is not white space, without taking it; "" at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self.skip(1)
            if not self._read(_CHUNK):
                return ""

    def skip(self, characters: int) -> None:
        self.line += self._text.count("\n", self._at, self._at + characters)
        self._at += characters

    def decode(self) -> Any:
        """Decodes the value that starts here, reading on until it is complete."""
        if not self.next_character():
            raise BrokenElement(self.line, "cut")
        size = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as problem:
                # Twice as much each time, so that a long value is not decoded a hundred times from its start.
                if len(self._text) - self._at < _LONGEST and self._read(size):
                    size *= 2
                    continue
                whole = "cut" if self._ended else str(problem)
                raise BrokenElement(self.line, whole) from None
            # A number at the very end of the window may go on in the next chunk.
            if end == len(self._text) and self._read(_CHUNK):
                continue
            self.skip(end - self._at)
            return value

    def _read(self, size: int) -> bool:
        more = self._file.read(size)
        if not more:
            self._ended = True
            return False
        self._text = self._text[self._at :] + more
        self._at = 0
        return True


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
    if first == "[" and (array := _judged(path, packed, "array", _first_rows(path, packed, "array"))).why is None:
        return array
    rows = _first_rows(path, packed, "lines")
    if first == "{" and sum(isinstance(row, dict) for row in rows) <= 1:
        mapped = _first_rows(path, packed, "mapping")
        # Every value must be a product, since a field of a single row may look like one too.
        if mapped and all(shape_of(row) == "products" for row in mapped):
            return RawFile(path, packed, "products", "mapping")
    return _judged(path, packed, "lines", rows)


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


def _first_rows(path: Path, packed: bool, layout: Layout) -> list[Any]:
    rows = list[Any]()
    with open_text(path, packed) as file:
        if layout != "lines":
            with suppress(BrokenElement):
                for _, value in islice(read_elements(file), _ROWS):
                    rows.append(value)
            return rows
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
    """Writes the elements of an array or mapping as lines of JSON. If it breaks off, the rest is one bad line."""
    saved = Saved()
    with open_text(source.path, source.packed) as file, target.open("w", encoding="utf-8") as out:
        try:
            for line, value in read_elements(file):
                _save(value, line, source.shape, saved, out, until_ms)
        except BrokenElement as problem:
            saved.account.take()
            saved.reject(problem.line, "not JSON", problem.problem)
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
