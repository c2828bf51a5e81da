"""Whether a text holds the words that a judge quotes from it."""

import re

_LEFT_OUT = re.compile(r"\[?(?:…|\.{3,})\]?")
"""An ellipsis, by which a quote leaves words out."""


def folded(text: str) -> str:
    """The letters and digits of a text: white space, markup and punctuation are seldom copied exactly."""
    return "".join(c for character in text if character.isalnum() for c in character.casefold())


def find_folded(text: str, quote: str, after: int = 0) -> tuple[int, int] | None:
    """The span of ``quote`` in a folded text, from ``after`` on. Its parts between ellipses follow each other.

    None if any part is missing, or the quote has no letters.
    """
    start, end = -1, after
    for part in filter(None, map(folded, _LEFT_OUT.split(quote))):
        place = text.find(part, end)
        if place < 0:
            return None
        start, end = place if start < 0 else start, place + len(part)
    return None if start < 0 else (start, end)
