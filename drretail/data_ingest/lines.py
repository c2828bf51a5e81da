"""Rows that the engine could not read: found again by number, saved where Python can read them, else named."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from drretail.data_ingest.elements import BrokenElement, read_elements
from drretail.data_ingest.report import BadLine
from drretail.data_ingest.shapes import as_row, shape_of
from drretail.data_ingest.sources import Shape, Source, open_binary, open_text
from drretail.data_ingest.text import without_surrogates

_SHOWN = 3
# The last millisecond of the year 9999, where dates end.
LAST_MILLISECOND = 253_402_300_799_999


@dataclass(slots=True)
class Saved:
    """What a pass in Python made of rows: how many were written for the engine, how many are bad, the first of them."""

    rows: int = 0
    bad: int = 0
    shown: list[BadLine] = field(default_factory=list[BadLine])

    def reject(self, line: int, problem: str) -> None:
        self.bad += 1
        if len(self.shown) < _SHOWN:
            self.shown.append(BadLine(line=line, problem=problem))


def save_rows(lines: Iterable[tuple[int, bytes]], shape: Shape, out: IO[str], saved: Saved) -> None:
    """Writes to ``out`` those of the lines (number and bytes) that a lenient reading saves; ``saved`` counts them.

    Broken UTF-8, halves of surrogate pairs and a byte order mark are lenient cases; a cut line is not.
    """
    for line, data in lines:
        try:
            # Without its end, so that what is wrong with a cut line reads alike wherever it stands.
            row = json.loads(data.rstrip(b"\r\n").decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError) as problem:
            saved.reject(line, f"not JSON: {problem}")
        else:
            _save(row, line, shape, saved, out)


def save_lines(source: Source, numbers: Sequence[int], target: Path) -> Saved:
    """``save_rows`` of the numbered rows (as ``numbered_rows`` counts) of a whole file, into the file ``target``."""
    saved = Saved()
    with open_binary(source.path, source.packed) as file, target.open("w", encoding="utf-8") as out:
        save_rows(numbered_rows(file, numbers), source.shape, out, saved)
    return saved


def save_elements(source: Source, target: Path) -> Saved:
    """Writes the elements of an array or mapping as lines of JSON; where it breaks off is one bad line."""
    saved = Saved()
    with open_text(source.path, source.packed) as file, target.open("w", encoding="utf-8") as out:
        try:
            for element in read_elements(file):
                _save(as_row(element.key, element.value), element.line, source.shape, saved, out)
        except BrokenElement as problem:
            saved.reject(problem.line, f"not JSON: {problem.problem}")
    return saved


def _save(row: Any, line: int, shape: Shape, saved: Saved, out: IO[str]) -> None:
    problem = _problem(row, shape)
    if problem is None:
        out.write(without_surrogates(json.dumps(row, ensure_ascii=False)) + "\n")
        saved.rows += 1
    else:
        saved.reject(line, problem)


def _problem(row: Any, shape: Shape) -> str | None:
    """Why a row cannot be used; the same test as the engine's when it loads."""
    if not isinstance(row, dict):
        return "not a JSON object"
    if shape_of(row) != shape:
        return f"no row of {shape}"
    needed = ("parent_asin", "title") if shape == "products" else ("user_id", "parent_asin")
    missing = [name for name in needed if row[name] is None or (row[name] == "" and name != "title")]
    if missing:
        return f"no {missing[0]}"
    if shape == "reviews" and not is_moment(row["timestamp"]):
        return "no timestamp in milliseconds"
    return None


def is_moment(raw: Any) -> bool:
    """Whether a value is a time in milliseconds UTC between 1970 and the end of the year 9999."""
    try:
        return not isinstance(raw, bool) and 0 <= int(raw) <= LAST_MILLISECOND
    except (TypeError, ValueError, OverflowError):
        return False


def numbered_rows(file: Iterable[bytes], numbers: Sequence[int], before: int = 0) -> Iterator[tuple[int, bytes]]:
    """Line number and bytes of the rows with these numbers: ascending, from 1, blank lines not counted.

    ``before`` is how many lines of the whole file stand before those of ``file``.
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
