"""Where words that were copied from a text stand in it, and whether they do."""

import re
from array import array
from bisect import bisect_left
from functools import lru_cache
from itertools import compress, count

_LEFT_OUT = re.compile(r"\[?(?:…|\.{3,})\]?")
"""An ellipsis, by which a quote leaves words out."""
_AROUND = re.compile(r"\s*([^\w\s]*).*?([^\w\s]*)\s*", re.DOTALL)
"""The signs before and after the words of a quote: "$", a full stop."""
_IN_NUMBER = re.compile(r"[.,]?")
_KEPT_TEXTS = 128
"""The size of the cache, since judges quote from one source many times."""


def find_words(text: str, quote: str, after: int = 0) -> tuple[int, int] | None:
    """The span of a quote in a text: the first at or after ``after``, else the first of all.

    Only letters and digits are compared: white space, markup and punctuation are seldom copied exactly. No part begins
    or ends inside a number, and parts between ellipses follow each other. None if any part is missing, or the quote has
    neither letters nor digits.
    """
    span = (after and _folded_span(text, quote, bisect_left(_offsets(text), after))) or _folded_span(text, quote)
    if span is None:
        return None
    offsets, signs = _offsets(text), _AROUND.fullmatch(quote)
    start, end = offsets[span[0]], offsets[span[1] - 1] + 1
    if signs is None:
        return start, end
    before, behind = signs.groups()
    return start - len(before) * text.endswith(before, 0, start), end + len(behind) * text.startswith(behind, end)


def has_words(text: str, quote: str) -> bool:
    """Whether ``find_words`` would find the quote."""
    return _folded_span(text, quote) is not None


def _folded_span(text: str, quote: str, start: int = 0) -> tuple[int, int] | None:
    """The quote's span in the folded text, at or after ``start`` there."""
    letters, first, end = _folded(text), None, start
    for part in filter(None, map(_folded, _LEFT_OUT.split(quote))):
        place = letters.find(part, end)
        while place >= 0 and (_is_in_number(text, place) or _is_in_number(text, place + len(part))):
            place = letters.find(part, place + 1)
        if place < 0:
            return None
        first, end = place if first is None else first, place + len(part)
    return None if first is None else (first, end)


def _is_in_number(text: str, place: int) -> bool:
    """True between two digits of one number: "June 20" is not said in "June 2020", nor "$25" in "$25.99"."""
    pair = _folded(text)[place - 1 : place + 1] if place else ""
    if not (len(pair) == 2 and pair.isdigit()):
        return False
    before, behind = _offsets(text)[place - 1 : place + 1]
    return _IN_NUMBER.fullmatch(text, before + 1, behind) is not None


@lru_cache(_KEPT_TEXTS)
def _folded(text: str) -> str:
    """The letters and digits of a text without their case."""
    return "".join(filter(str.isalnum, text)).casefold()


@lru_cache(_KEPT_TEXTS)
def _offsets(text: str) -> "array[int]":
    if len(text.casefold()) == len(text):  # no letter is folded to several, as ß is: then in half the time
        return array("l", compress(count(), map(str.isalnum, text)))
    return array("l", (at for at, letter in enumerate(text) if letter.isalnum() for _ in letter.casefold()))
