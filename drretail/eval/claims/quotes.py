"""Where a text holds the words that are quoted from it."""

import re
from array import array
from bisect import bisect_left
from functools import lru_cache

_LEFT_OUT = re.compile(r"\[?(?:…|\.{3,})\]?")
"""An ellipsis, by which a quote leaves words out."""
_AROUND = re.compile(r"\s*([^\w\s]*).*?([^\w\s]*)\s*", re.DOTALL)
"""The signs before and after the words of a quote: "$", a full stop."""
_KEPT_TEXTS = 128
"""The size of the cache, since judges quote from one source many times."""


def find_words(text: str, quote: str, after: int = 0) -> tuple[int, int] | None:
    """The span of a quote in a text: the first at or after ``after``, else the first of all.

    Only letters and digits are compared: white space, markup and punctuation are seldom copied exactly. Parts between
    ellipses follow each other. None if any part is missing, or the quote has no letters.
    """
    letters, offsets = _folded(text)
    wanted = [part for each in _LEFT_OUT.split(quote) if (part := _folded(each)[0])]

    def span_from(start: int) -> tuple[int, int] | None:
        places: list[int] = []
        end = start
        for part in wanted:
            place = letters.find(part, end)
            if place < 0:
                return None
            places.append(place)
            end = place + len(part)
        return (offsets[places[0]], offsets[end - 1] + 1) if places else None

    span = span_from(bisect_left(offsets, after)) or span_from(0)
    signs = _AROUND.fullmatch(quote)
    if span is None or signs is None:
        return span
    (start, end), (before, behind) = span, signs.groups()
    return start - len(before) * text.endswith(before, 0, start), end + len(behind) * text.startswith(behind, end)


@lru_cache(_KEPT_TEXTS)
def _folded(text: str) -> "tuple[str, array[int]]":
    """The letters and digits of a text without their case, and the offset of each."""
    places = [(at, c) for at, character in enumerate(text) if character.isalnum() for c in character.casefold()]
    return "".join(c for _, c in places), array("l", (at for at, _ in places))
