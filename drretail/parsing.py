"""JSON, TOML and CSV from outside. JSON and TOML raise one kind of error each, whatever is wrong.

``writable`` is the gate for texts from outside that are not read here: answers, tools' results, errors.
"""

import csv
import json
import re
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

from drretail.errors import UserError, without_keys

MOST_LEVELS = 200
"""Levels of nesting. Python's own limit, about a thousand, would break code that writes the value again."""
TOO_DEEP = f"it is nested deeper than {MOST_LEVELS} levels"
TOO_LONG = "a whole number in it has too many digits"

_UNWRITABLE = re.compile("[\ud800-\udfff\0]")
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\u(?:d[89a-f]|0000)", re.I)
_SIGN = re.compile(r"[^ \t\r\n]")
T = TypeVar("T")


def texts_in(value: Any) -> Iterator[str]:
    """All texts within a value from JSON, in its order."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str):
        yield value


def writable(value: T) -> T:
    """The value without keys of the user's own in its texts, as ``encodable`` gives it."""
    return cast(T, _each_text(value, lambda text: without_keys(_encodable(text))))


def encodable(value: T) -> T:
    """The value with U+FFFD for NUL and for halves of characters in its texts: no UTF-8 file can hold a half.

    Two halves that belong together become their character. Dicts and lists are copied; other values stay.
    """
    return cast(T, _each_text(value, _encodable))


def _encodable(text: str) -> str:
    if not _UNWRITABLE.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        items = cast(dict[Any, Any], value).items()
        return {_each_text(name, change): _each_text(item, change) for name, item in items}
    if isinstance(value, list | tuple):
        parts = [_each_text(item, change) for item in cast(Iterable[Any], value)]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def without_thoughts(text: str) -> str:
    """The text without what a model thought in it, ``<think>…</think>``: to the text's end if that is not closed.

    A template may open the first thought in the question, so that the answer only closes it.
    """
    before, closing, behind = text.partition("</think>")
    plain = _THOUGHT.sub("", behind if closing and "<think>" not in before else text)
    return text if plain == text else plain.strip()


def writable_json(text: str) -> str:
    """A JSON text whose escapes name no NUL and no half of a character; another text as it is."""
    try:
        return json.dumps(parse_json(text), ensure_ascii=False) if _ESCAPED.search(text) else text
    except ValueError:
        return text


def retry_after(header: str, now: datetime) -> float | None:
    """The seconds to wait, which the header Retry-After gives as a number or a date; None without either."""
    value = header.strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value, re.ASCII):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds())


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text, ``writable``.

    Raises JSONDecodeError for any other text, also for deep nesting and for integers of thousands of digits, which
    ``json`` answers with RecursionError and a bare ValueError. Bytes that are not text raise UnicodeDecodeError, which
    is a ValueError too.
    """
    return _checked(_decoded(json.loads, text), text)


def json_values(text: str) -> Iterator[tuple[int, Any]]:
    """The values of a text of JSON that follow each other, each as ``parse_json`` has it, with the line it begins in.

    JSON Lines are such a text, and so are one document, and objects that are printed over several lines each. Raises
    JSONDecodeError where the next value is none.
    """
    decoder, line, end = json.JSONDecoder(), 1, 0
    while match := _SIGN.search(text, end):
        start = match.start()
        line += text.count("\n", end, start)
        value, end = _decoded(decoder.raw_decode, text, start)
        yield line, _checked(value, text[start:end])
        line += text.count("\n", start, end)


def _decoded(decode: Callable[..., T], *given: Any) -> T:
    try:
        return decode(*given)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise _refused(TOO_DEEP) from None
    except ValueError:
        raise _refused(TOO_LONG) from None


def _checked(value: Any, text: str | bytes) -> Any:
    # Counting brackets is quick, and spares most texts the walk.
    opening = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if opening > MOST_LEVELS and _is_deep(value):
        raise _refused(TOO_DEEP)
    has_escapes = "\\u" in text if isinstance(text, str) else b"\\u" in text
    return encodable(value) if has_escapes else value


def _is_deep(value: Any) -> bool:
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_LEVELS):
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level = [child for branch in inner for child in branch if isinstance(child, dict | list)]
        if not level:
            return False
    return True


def json_or_none(text: str) -> Any:
    """The value of a JSON text; None for any other text, as for "null"."""
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        return None


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises TOMLDecodeError for any other text, also where ``tomllib`` raises others."""
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from None
    except ValueError:
        raise tomllib.TOMLDecodeError(TOO_LONG) from None
    if _is_deep(value):
        raise tomllib.TOMLDecodeError(TOO_DEEP)
    return value


def _refused(problem: str) -> json.JSONDecodeError:
    """The error without line and column, which are unknown."""
    error = json.JSONDecodeError(problem, "", 0)
    error.args = (problem,)
    return error


SEPARATORS = ",;\t"
MOST_COLUMNS = 2_000
"""A limit for memory. Measured: a million cells in rows of sixty thousand columns take 2 GB."""
LONGEST_CELL = 64_000_000
"""In characters; an export's descriptions hold whole pictures."""
_GUARD = "'"
# A spreadsheet may calculate a cell that begins with these signs, even after spaces or in full width. If it splits
# cells at another character than the comma, it ignores quotes and calculates parts of a cell; white space can split.
# Dashes alone, as in the second line of a table in Markdown, calculate nothing.
_FORMULA = r"['\" \u00a0]*+(?!-++(?:[,;|:\t\r\n]|\Z))[=+\-@\uff1d\uff0b\uff0d\uff20]"
_BEGINS = rf"'*+(?:[\t\r\n]|\s*+{_FORMULA})"
_CALCULATED = re.compile(rf"\A(?={_BEGINS})|(?<=[,;|\t\r\n])(?={_FORMULA})")
_GUARDED = re.compile(rf"\A{_GUARD}(?={_BEGINS})|(?<=[,;|\t\r\n]){_GUARD}(?={_FORMULA})")


def check_width(path: Path, columns: int) -> None:
    """Raises UserError if a table has more than ``MOST_COLUMNS`` columns."""
    if columns > MOST_COLUMNS:
        raise UserError(f"{path} has {columns:,} columns, and a table may have {MOST_COLUMNS:,}.")


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet calculates, whichever separator it splits cells by."""
    return _CALCULATED.sub(_GUARD, text)


def unguarded(cell: str) -> str:
    """The text that ``guarded`` was given, with every line end as a newline."""
    text = cell.replace("\r\n", "\n").replace("\r", "\n") if "\r" in cell else cell
    return _GUARDED.sub("", text) if _GUARD in text else text


def read_cells(path: Path) -> list[list[str]]:
    """The rows of a CSV file, its heading included. Raises as ``numbered_cells``."""
    return [cells for _, cells in numbered_cells(path)]


def numbered_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, its heading included, separated by commas, semicolons or tabs, each with its line.

    Raises UserError if the file is missing, is not CSV or not in UTF-8 or UTF-16, or has too many columns.
    """
    csv.field_size_limit(LONGEST_CELL)
    if not path.is_file():
        raise UserError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}.")
    with path.open("rb") as file:
        begins = file.read(2)
    if begins == b"PK":
        raise UserError(f"{path} is a workbook: save it as CSV (UTF-8), and read that.")
    line, encoding = 1, "utf-16" if begins in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline()
            if first.casefold().startswith("sep="):
                first, line = file.readline(), 2
            separator = max(SEPARATORS, key=first.count)
            check_width(path, first.count(separator) + 1)
            reader = csv.reader(chain([first], file), delimiter=separator, strict=True)
            before = line
            for cells in reader:
                yield line, [unguarded(cell) for cell in cells]
                line = before + reader.line_num
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not in UTF-8: save it as “CSV UTF-8”, and read that.") from problem
    except csv.Error as problem:
        raise UserError(f"{path}, line {line:,}, is no CSV: {problem} (is a quote never closed?).") from problem


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet as it was read: cells without space around them, by the names in its first row in lower case."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    """The rows with anything in them, each with its number in the file."""


def read_sheet(path: Path) -> _Sheet:
    """The sheet in a CSV file. Raises as ``read_cells``, and UserError for a row that is longer than the first one, or
    two columns of one name.
    """
    heading, *rows = read_cells(path) or [[]]
    columns = tuple(name.strip().casefold() for name in heading)
    twice = [name for name in dict.fromkeys(columns) if name and columns.count(name) > 1]
    if twice:
        raise UserError(f"{path} has two columns {twice[0]!r}: rename one.")
    named: list[tuple[int, Mapping[str, str]]] = []
    for number, cells in enumerate(rows, 2):
        filled = [*map(str.strip, cells), *[""] * (len(columns) - len(cells))]
        if any(filled[len(columns) :]):
            raise UserError(f"{path}, row {number}, has more values than columns: quote texts with a separator.")
        if any(filled):
            named.append((number, dict(zip(columns, filled, strict=False))))
    return _Sheet(columns, tuple(named))
