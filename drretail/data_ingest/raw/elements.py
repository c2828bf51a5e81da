"""The elements of a large JSON array or mapping, one at a time, in bounded memory."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

_CHUNK = 1 << 20
# No row of the dataset comes near; without a bound, one unclosed brace would pull the whole file into memory.
_LONGEST = 64 << 20
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Element:
    """A value with the line on which it starts, and its key if it is in a mapping."""

    line: int
    key: str | None
    value: Any


class BrokenElement(Exception):
    """The JSON cannot be read from this line on."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


def read_elements(file: TextIO) -> Iterator[Element]:
    """The elements of the one array or object in ``file``. Raises BrokenElement if it breaks off."""
    text = _Window(file)
    opening = text.next_character()
    if opening not in ("[", "{"):
        raise BrokenElement(text.line, "neither an array nor an object")
    closing = "]" if opening == "[" else "}"
    text.skip(1)
    while text.next_character() != closing:
        line = text.line
        key = _key(text) if opening == "{" else None
        yield Element(line, key, text.decode())
        separator = text.next_character()
        if separator == ",":
            text.skip(1)
        elif separator != closing:
            raise BrokenElement(text.line, "cut" if not separator else f"{separator!r} where a comma should be")


def _key(text: "_Window") -> str:
    line, key = text.line, text.decode()
    if not isinstance(key, str) or text.next_character() != ":":
        raise BrokenElement(line, "not a key and a value")
    text.skip(1)
    return key


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
