"""The part of a page that a search shows: the passage that matches the query best."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from drretail.env.web.bm25 import saturated, terms

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
_WORD = re.compile(rf"\S{{1,{_LONGEST_WORD}}}")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of a long one: ``text[start:end]``."""

    start: int
    end: int
    terms: Counter[str]


def best_passage(text: str, query: str, weight: Callable[[str], float], longest: int = LONGEST_PASSAGE) -> str:
    """The passage of at most ``longest`` characters in which the query's words are densest, weighted as BM25 weights
    pages.

    It is cut between words, at the ends of sentences where these are short, and has … for text that is left out. The
    query's words are in its middle if the page allows it. White space becomes single spaces.
    """
    room = longest - _MARKS
    pieces = _pieces(text, room // _PIECES)
    if not pieces:
        return ""
    weighed = [
        (weight(term), list(accumulate([piece.terms.get(term, 0) for piece in pieces], initial=0)))
        for term in dict.fromkeys(terms(query))
    ]
    windows = list(_windows(pieces, room))
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


def _windows(pieces: list[_Piece], room: int) -> Iterator[tuple[int, int]]:
    """From each piece on, as many pieces as fit, until a window reaches the end of the page."""
    last = 0
    for first, piece in enumerate(pieces):
        while last < len(pieces) and (last == first or pieces[last].end - piece.start <= room):
            last += 1
        yield first, last
        if last == len(pieces):
            return


@lru_cache(maxsize=128)
def _pieces(text: str, size: int) -> list[_Piece]:
    """The page in pieces without gaps. Cached: searches of one subject return the same pages again and again."""
    ends = [*(end.end() for end in _END.finditer(text)), len(text)]
    return [
        _Piece(group[0][0], group[-1][1], Counter(terms(text[group[0][0] : group[-1][1]])))
        for start, end in zip([0, *ends], ends, strict=False)
        for words in [[word.span() for word in _WORD.finditer(text, start, end)]]
        for group in _groups(words, size)
    ]


def _groups(words: list[tuple[int, int]], size: int) -> Iterator[list[tuple[int, int]]]:
    """The words of a sentence in runs of at most ``size`` characters, or of one longer word."""
    first = 0
    for at, (_, end) in enumerate(words):
        if at > first and end - words[first][0] > size:
            yield words[first:at]
            first = at
    if words:
        yield words[first:]


def marked(part: str, text: str) -> str:
    """A part of a page, with … on each side where the page continues."""
    return f"{'' if text.startswith(part) else f'{CUT} '}{part}{'' if text.endswith(part) else f' {CUT}'}"


def chunks_of(text: str, longest: int = LONGEST_CHUNK - _MARKS) -> Iterator[str]:
    """The text in runs of whole paragraphs; a paragraph is cut only if it is longer than ``longest`` characters."""
    chunk = ""
    for paragraph in text.split("\n"):
        for start in range(0, max(1, len(paragraph)), longest):
            piece = paragraph[start : start + longest]
            if chunk and len(chunk) + 1 + len(piece) > longest:
                yield chunk
                chunk = ""
            chunk = f"{chunk}\n{piece}" if chunk else piece
    if chunk.strip():
        yield chunk
