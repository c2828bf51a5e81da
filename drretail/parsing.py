"""JSON and TOML from outside. They raise one kind of error each, whatever is wrong.

``writable`` is the gate for texts from outside that are not read here: answers, tools' results, errors.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar, cast

from drretail.errors import without_keys

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
    if value.isascii() and value.isdigit():
        return float(value[:9])
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
