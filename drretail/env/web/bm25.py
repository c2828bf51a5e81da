"""BM25 over a small corpus in memory: a few thousand pages, searched in milliseconds, always in the same order."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

# Robertson and Zaragoza 2009, section 3; the defaults of Lucene.
K1 = 1.2
B = 0.75
TITLE_WEIGHT = 3

# In a small corpus these would bring up pages that share nothing else with a question.
FUNCTION_WORDS = """
    a an and are as at be but by can do does for from has have how i if in into is it its my no not of on or our
    should so such that the their them then there these they this to was we what when where which who why will with
    would you your
"""
_IGNORED = frozenset(FUNCTION_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def terms(text: str) -> list[str]:
    """The telling words of a text, lower case and without an English plural: "The Bird Feeders" gives bird, feeder."""
    return [term for term, _, _ in term_spans(text) if term not in _IGNORED]


def term_spans(text: str) -> list[tuple[str, int, int]]:
    """All words in that form, with the characters they stand at."""
    return [(_term(word.group()), word.start(), word.end()) for word in _WORD.finditer(text)]


class Bm25:
    """An index of (title, text) documents; a word of the title counts as if it stood there several times (BM25F)."""

    def __init__(self, documents: Sequence[tuple[str, str]]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        for number, (title, text) in enumerate(documents):
            counts = Counter(terms(text))
            for term, count in Counter(terms(title)).items():
                counts[term] += TITLE_WEIGHT * count
            for term, count in counts.items():
                self._postings.setdefault(term, []).append((number, count))
            self._lengths.append(counts.total())
        self._mean = sum(self._lengths) / len(self._lengths) if any(self._lengths) else 1.0

    def idf(self, term: str) -> float:
        """How much a term tells; the rarer, the more. Of a term that no document holds, that of the rarest."""
        held = len(self._postings.get(term, ())) or 1
        return math.log(1 + (len(self._lengths) - held + 0.5) / (held + 0.5))

    def scores(self, query: str) -> dict[int, float]:
        """Document number → score, for the documents that hold any word of the query."""
        found: dict[int, float] = {}
        # In order of the query and each once, so that sums are the same to the last bit.
        for term in dict.fromkeys(terms(query)):
            idf = self.idf(term)
            for number, count in self._postings.get(term, ()):
                damping = K1 * (1 - B + B * self._lengths[number] / self._mean)
                found[number] = found.get(number, 0.0) + idf * count * (K1 + 1) / (count + damping)
        return found


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """The word as it is indexed; pages are read for every search, and their words repeat."""
    return _singular(word.casefold())


def _singular(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


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
