"""Ranks fixed pages by BM25, and finds the passage of a page that a search shows.

Why it is not tantivy, which ranks the catalog: the passages and the floor of a search need the weight of each word, and
tantivy finds more than nothing for every query. With the same words it keeps the first five pages of 27 of the shipped
170 questions; nDCG@5 on their answers is .92 : .90 on the demo's pages and .98 : .99 on the market's.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# Robertson and Zaragoza 2009, section 3; the defaults of Lucene.
K1 = 1.2
B = 0.75
TITLE_WEIGHT = 3
MOST_TERMS = 16
"""The most words of a query that weigh in its ceiling. Of the 50 shipped demo questions asked whole (30 to 62 words), 3
found a page without this; with 16, and with 8, all do."""

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
    """BM25's weight of a term that occurs ``count`` times; ``length`` is the text's length by the mean length."""
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
        """The score that no document can exceed, however often it holds each word of the query.

        A query of more than ``MOST_TERMS`` words counts as if it had so many of its mean weight: no page has all words
        of a whole question.
        """
        weights = [self.idf(term) for term in dict.fromkeys(terms(query))]
        return sum(weights) * min(1, MOST_TERMS / max(1, len(weights))) * (K1 + 1)


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """The word in its indexed form. Cached: pages are read for every search, and their words repeat."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


LONGEST_PASSAGE, LONGEST_CHUNK = 160, 1_500
"""The most characters of a snippet and of a chunk, cut marks included. Search engines show about 160; a chunk has the
250 words that embedding models read at once, and ``cleaning`` cuts neither again.
"""
CUT = "…"
_MARKS = 2 * len(f"{CUT} ")
_PIECES = 5
"""A piece is at most this part of a passage, so that each passage has at least four fifths of the possible length."""
_LONGEST_WORD = 100
"""The most characters of a word: a script without spaces writes a paragraph as one word."""
# A line break ends a piece before a blank line, or a list or table mark; a heading stays with its first sentence.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s)|[。！？]+|\n(?=\W)")
_WORD_PIECE = re.compile(rf"\S{{1,{_LONGEST_WORD}}}")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of a long one: ``text[start:end]``."""

    start: int
    end: int
    terms: Counter[str]


def best_passage(text: str, query: str, weight: Callable[[str], float], longest: int = LONGEST_PASSAGE) -> str:
    """The passage of at most ``longest`` characters where the query's words, weighted as for pages, are densest.

    It is cut between words, at the ends of sentences where these are short, and has … for text that is left out. The
    query's words are in its middle if the page allows it. White space becomes single spaces.
    """
    room = longest - _MARKS
    pieces, present = _pieces(text, room // _PIECES)
    if not pieces:
        return ""
    weighed = [
        (weight(term), list(accumulate([piece.terms.get(term, 0) for piece in pieces], initial=0)))
        for term in dict.fromkeys(terms(query))
        if term in present
    ]
    # From each piece on, as many pieces as fit, until a window reaches the end of the page.
    windows, last = list[tuple[int, int]](), 0
    for first, piece in enumerate(pieces):
        while last < len(pieces) and (last == first or pieces[last].end - piece.start <= room):
            last += 1
        windows.append((first, last))
        if last == len(pieces):
            break
    # BM25 of a window's pieces as one text; the length is ignored, since all windows are about equally long.
    scores = [
        sum(worth * saturated(count) for worth, counts in weighed if (count := counts[last] - counts[first]))
        for first, last in windows
    ]
    best = scores.index(max(scores))
    # Neighbouring windows with the same score hold the same match; the middle window has it in its middle.
    equal = next((at for at in range(best, len(scores)) if scores[at] != scores[best]), len(scores))
    first, last = windows[(best + equal - 1) // 2 if scores[best] else 0]
    shown = " ".join(text[pieces[first].start : pieces[last - 1].end].split())
    return f"{f'{CUT} ' if first else ''}{shown}{f' {CUT}' if last < len(pieces) else ''}"


@lru_cache(maxsize=128)
def _pieces(text: str, size: int) -> tuple[list[_Piece], frozenset[str]]:
    """The page in pieces without gaps, and its words. Cached: one subject's searches return the same pages."""
    ends = [*(end.end() for end in _END.finditer(text)), len(text)]
    pieces = [
        _Piece(group[0][0], group[-1][1], Counter(terms(text[group[0][0] : group[-1][1]])))
        for start, end in zip([0, *ends], ends, strict=False)
        for words in [[word.span() for word in _WORD_PIECE.finditer(text, start, end)]]
        for group in _groups(words, size)
    ]
    return pieces, frozenset(term for piece in pieces for term in piece.terms)


def _groups(words: list[tuple[int, int]], size: int) -> Iterator[list[tuple[int, int]]]:
    """The words of a sentence in runs of at most ``size`` characters, or of one longer word."""
    first = 0
    for at, (_, end) in enumerate(words):
        if at > first and end - words[first][0] > size:
            yield words[first:at]
            first = at
    if words:
        yield words[first:]
