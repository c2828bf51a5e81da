"""The part of a page that a search shows: the passage that matches the query best."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from drretail.env.web.bm25 import saturated, terms

LONGEST_PASSAGE, LONGEST_CHUNK = 200, 250
"""The most words of a passage and of a chunk. 200 words hold the two or three paragraphs of an answer; a chunk is as
long as embedding models read at once.
"""
LONGEST = 1_500
"""The most characters of either, cut marks included, so that ``cleaning`` never cuts a passage again."""
CUT = "…"
_ROOM = LONGEST - 2 * len(f"{CUT} ")
_PIECE_WORDS, _PIECE_LENGTH = 50, 350
"""The most words and characters of a piece. While a passage lacks more than this, the next piece fits, so that each
passage has 150 to 200 words.
"""
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
    words: int
    terms: Counter[str]


def best_passage(text: str, query: str, weight: Callable[[str], float], longest: int = LONGEST_PASSAGE) -> str:
    """The passage of at most ``longest`` words in which the query's words are densest, weighted as BM25 weights pages.

    It begins and ends at sentence ends, except within a sentence of more than 50 words, and has … for text that is left
    out. The query's words are in its middle if the page allows it. White space becomes single spaces.
    """
    (passage,) = best_passages(text, query, weight, longest)
    return passage


def best_passages(text: str, query: str, weight: Callable[[str], float], *longest: int) -> list[str]:
    """``best_passage`` for each of these lengths; the query's words are counted only once."""
    pieces = _pieces(text)
    if not pieces:
        return [""] * len(longest)
    weighed = [
        (weight(term), list(accumulate([piece.terms.get(term, 0) for piece in pieces], initial=0)))
        for term in dict.fromkeys(terms(query))
    ]
    return [_densest(text, pieces, weighed, words) for words in longest]


def _densest(text: str, pieces: list[_Piece], weighed: Sequence[tuple[float, list[int]]], longest: int) -> str:
    windows = list(_windows(pieces, longest))
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


def _windows(pieces: list[_Piece], longest: int) -> Iterator[tuple[int, int]]:
    """From each piece on, as many pieces as fit, until a window reaches the end of the page."""
    last, words = 0, 0
    for first, piece in enumerate(pieces):
        while last < len(pieces) and (
            last == first or (words + pieces[last].words <= longest and pieces[last].end - piece.start <= _ROOM)
        ):
            words += pieces[last].words
            last += 1
        yield first, last
        if last == len(pieces):
            return
        words -= piece.words


@lru_cache(maxsize=128)
def _pieces(text: str) -> list[_Piece]:
    """The page in pieces without gaps. Cached: searches of one subject return the same pages again and again."""
    ends = [*(end.end() for end in _END.finditer(text)), len(text)]
    return [
        _Piece(group[0][0], group[-1][1], len(group), Counter(terms(text[group[0][0] : group[-1][1]])))
        for start, end in zip([0, *ends], ends, strict=False)
        for words in [[word.span() for word in _WORD.finditer(text, start, end)]]
        for group in _groups(words)
    ]


def _groups(words: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The words of a sentence in runs, each the size of a piece."""
    first = 0
    for at, (_, end) in enumerate(words):
        if at - first == _PIECE_WORDS or end - words[first][0] > _PIECE_LENGTH:
            yield words[first:at]
            first = at
    if words:
        yield words[first:]


def marked(part: str, text: str) -> str:
    """A part of a page, with … on each side where the page continues."""
    return f"{'' if text.startswith(part) else f'{CUT} '}{part}{'' if text.endswith(part) else f' {CUT}'}"


def chunks_of(text: str, longest: int = _ROOM) -> Iterator[str]:
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
