"""The passage of a page that best fits a query: what a search engine shows as its snippet."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from drretail.env.web.bm25 import term_spans, terms

LENGTH = 300
_SPACES = re.compile(r"\s+")


class _Window(NamedTuple):
    """Words ``first`` to ``last`` (not included) and the weight of the query's words among them."""

    first: int
    last: int
    weight: int


def best_passage(text: str, query: str, weight: Callable[[str], float], length: int = LENGTH) -> str:
    """About ``length`` characters of ``text`` with the heaviest distinct words of the query.

    It is the first such passage, from the beginning of the sentence that holds the first of these words where
    that is possible. Cut at word borders, with … where something is left out; white space becomes single spaces.
    """
    text, spans = _read(text)
    if len(text) <= length or not spans:
        return text[:length]
    # Whole numbers: sums of floats would depend on the order of adding and taking away.
    weights = {term: round(1e6 * weight(term)) for term in terms(query)}
    windows = list(_windows(spans, weights, length))
    heaviest = max(window.weight for window in windows)
    first = next(window for window in windows if window.weight == heaviest)
    anchor = next((at for at in range(first.first, first.last) if spans[at][0] in weights), first.first)
    # No heavy word stands before the anchor, so every window from the first to the anchor is as heavy.
    best = _beginning(text, spans, windows[first.first : anchor + 1])
    return _cut(text, spans[best.first][1], spans[best.last - 1][2])


@lru_cache(maxsize=128)
def _read(text: str) -> tuple[str, list[tuple[str, int, int]]]:
    """A page with single spaces, and its words; searches of one subject bring the same pages again and again."""
    text = _SPACES.sub(" ", text).strip()
    return text, term_spans(text)


def _beginning(text: str, spans: list[tuple[str, int, int]], windows: list[_Window]) -> _Window:
    """The last of equal windows that begins a sentence and leaves room after it; without one, the middle one."""
    sentences = [window for window in windows if _begins_sentence(text, spans[window.first][1])]
    roomy = [it for it in sentences if it.last - it.first >= (windows[0].last - windows[0].first) // 2]
    chosen = roomy or sentences
    return chosen[-1] if chosen else windows[len(windows) // 2]


def _windows(spans: list[tuple[str, int, int]], weights: dict[str, int], length: int) -> Iterator[_Window]:
    """For each word, the window that begins with it and holds as many words as fit."""
    inside: Counter[str] = Counter()
    total, last = 0, 0
    for first, (term, start, _) in enumerate(spans):
        while last < len(spans) and (last == first or spans[last][2] <= start + length):
            new = spans[last][0]
            if new in weights:
                total += 0 if inside[new] else weights[new]
                inside[new] += 1
            last += 1
        yield _Window(first, last, total)
        if term in weights:
            inside[term] -= 1
            total -= 0 if inside[term] else weights[term]


def _begins_sentence(text: str, start: int) -> bool:
    return start == 0 or text[:start].rstrip(" \"'“‘(*#-").endswith((".", "!", "?", ":", "…"))


def _cut(text: str, start: int, end: int) -> str:
    """The characters from a word's start to another's end, with the punctuation that touches them."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    before = "… " if start > 0 else ""
    after = " …" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"
