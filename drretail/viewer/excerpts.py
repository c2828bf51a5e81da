"""The part of a source that a quote was taken from, and sources as they are good to read."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_FRAME = frozenset('"{}[],·\\')
_AROUND = 320
_SHORT = 900


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a text, the quote in it apart; ``quote`` is empty where it does not occur."""

    before: str
    quote: str
    after: str
    cut_before: bool = False
    cut_after: bool = False


def readable(text: str) -> str:
    """A record's JSON as lines of "key: value", anything else as it is."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return "\n".join(_lines(json.loads(text), ""))
    except (json.JSONDecodeError, RecursionError):
        return text


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands, whatever its white space, case, quotation marks and the signs of JSON."""
    wanted = "".join(character.casefold() for character in quote if _counts(character)).strip("…'“”‘’")
    if not wanted:
        return None
    kept: list[int] = []
    squeezed: list[str] = []
    for index, character in enumerate(text):
        if _counts(character):
            folded = character.casefold()  # may be two characters: "ß"
            squeezed.append(folded)
            kept += [index] * len(folded)
    start = "".join(squeezed).find(wanted)
    return None if start < 0 else (kept[start], kept[start + len(wanted) - 1] + 1)


def _counts(character: str) -> bool:
    """False for what records are written with and ``readable`` leaves out or puts in."""
    return not character.isspace() and character not in _FRAME


def _lines(value: Any, indent: str) -> Iterator[str]:
    pairs: Iterable[tuple[str, Any]]
    if isinstance(value, dict):
        pairs = ((f"{key}:", item) for key, item in value.items())
    else:
        pairs = (("·", item) for item in value)
    for name, item in pairs:
        if isinstance(item, dict | list) and item:
            yield f"{indent}{name}"
            yield from _lines(item, indent + "  ")
        else:
            said = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
            yield f"{indent}{name} {said}"


def excerpt(text: str, quote: str | None) -> Excerpt:
    """The quote with some text around it; without a quote the beginning of the text."""
    span = find_quote(text, quote) if quote else None
    if span is None:
        end = _end_of_word(text, _SHORT)
        return Excerpt(text[:end], "", "", cut_after=end < len(text))
    start, end = span
    first = max(0, start - _AROUND)
    first = 0 if first < 40 else _start_of_word(text, first)
    last = _end_of_word(text, end + _AROUND)
    return Excerpt(text[first:start], text[start:end], text[end:last], first > 0, last < len(text))


def _start_of_word(text: str, position: int) -> int:
    found = re.compile(r"\s").search(text, position, position + 40)
    return found.end() if found else position


def _end_of_word(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    found = re.compile(r"\s").search(text, position, position + 40)
    return found.start() if found else position
