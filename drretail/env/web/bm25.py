"""BM25 over a small corpus in memory: a few thousand pages, searched in milliseconds, always in the same order."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

# Robertson and Zaragoza 2009, section 3; the defaults of Lucene.
K1 = 1.2
B = 0.75
TITLE_WEIGHT = 3

# Ignored: in a small corpus these would find pages that share nothing else with a question.
FUNCTION_WORDS = """
    a an and are as at be but by can do does for from has have how i if in into is it its my no not of on or our
    should so such that the their them then there these they this to was we what when where which who why will with
    would you your
"""
_IGNORED = frozenset(FUNCTION_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def terms(text: str) -> list[str]:
    """The content words of a text, lower case and without an English plural: "The Bird Feeders" gives bird, feeder."""
    return [term for word in _WORD.findall(text) if (term := _term(word)) not in _IGNORED]


def saturated(count: int, length: float = 1.0) -> float:
    """BM25's weight of a term that occurs ``count`` times; ``length`` is the text's length divided by
    the mean length.
    """
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length))


class Bm25:
    """An index of (title, text) documents; a word of the title counts as if it occurred several times (BM25F).

    If there are fewer than ``least`` documents, they are weighed as if further ones without any of their words were
    there. Otherwise, if all pages are about one subject, the subject's own words would weigh nothing.
    """

    def __init__(self, documents: Sequence[tuple[str, str]], least: int = 0) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        for number, (title, text) in enumerate(documents):
            counts = Counter(terms(text))
            for term, count in Counter(terms(title)).items():
                counts[term] += TITLE_WEIGHT * count
            for term, count in counts.items():
                self._postings.setdefault(term, []).append((number, count))
            self._lengths.append(counts.total())
        self._documents = max(len(documents), least)
        self._mean = sum(self._lengths) / len(self._lengths) if any(self._lengths) else 1.0

    def idf(self, term: str) -> float:
        """The weight of a term, higher for rarer ones. A term that no document holds weighs as much as the rarest."""
        held = len(self._postings.get(term, ())) or 1
        return math.log(1 + (self._documents - held + 0.5) / (held + 0.5))

    def scores(self, query: str) -> dict[int, float]:
        """Document number → score, for the documents that hold any word of the query."""
        scores: dict[int, float] = {}
        # Each term once and in the query's order, so that sums are the same to the last bit.
        for term in dict.fromkeys(terms(query)):
            idf = self.idf(term)
            for number, count in self._postings.get(term, ()):
                weight = idf * saturated(count, self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + weight
        return scores

    def ceiling(self, query: str) -> float:
        """The score that no document can exceed, however often it holds each word of the query."""
        return sum(self.idf(term) for term in dict.fromkeys(terms(query))) * (K1 + 1)


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """The word in its indexed form. Cached: pages are read for every search, and their words repeat."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]
