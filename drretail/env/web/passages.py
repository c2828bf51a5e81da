"""What a search shows of a page: the passage with the most of the query in it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from drretail.env.web.bm25 import saturated, terms

LONGEST_PASSAGE, LONGEST_CHUNK = 200, 250
"""Words. 200 hold the two or three paragraphs that an answer takes; a chunk is what embeddings read as one."""
LONGEST = 1_500
"""Characters of either with its cut marks, so that ``cleaning`` never cuts a passage again."""
CUT = "…"
_ROOM = LONGEST - 2 * len(f"{CUT} ")
_PIECE_WORDS, _PIECE_LENGTH = 50, 350
"""Words and characters. While a passage lacks more than this, the next piece fits: each has 150 to 200 words."""
_LONGEST_WORD = 100
"""Characters. Scripts without spaces write a paragraph as one word."""
# A line break ends a piece before a blank line, a list's mark or a table's; a heading stays with its first sentence.
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
    """The ``longest`` words of ``text`` where the query's words stand densest, weighed as BM25 weighs pages.

    It begins and ends with sentences, except within one of more than 50 words, and has … where something is left out.
    The query's words stand in its middle where the page allows it. White space becomes single spaces.
    """
    (passage,) = best_passages(text, query, weight, longest)
    return passage


def best_passages(text: str, query: str, weight: Callable[[str], float], *longest: int) -> list[str]:
    """``best_passage`` of each of these lengths; the query's words are counted once."""
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
    # BM25 of the pieces of a window as one text; all windows are about equally long.
    scores = [
        sum(worth * saturated(count) for worth, counts in weighed if (count := counts[last] - counts[first]))
        for first, last in windows
    ]
    best = scores.index(max(scores))
    # Neighbours with the same score hold the same match, and the middle one has it in its middle.
    equal = next((at for at in range(best, len(scores)) if scores[at] != scores[best]), len(scores))
    first, last = windows[(best + equal - 1) // 2 if scores[best] else 0]
    shown = " ".join(text[pieces[first].start : pieces[last - 1].end].split())
    return f"{f'{CUT} ' if first else ''}{shown}{f' {CUT}' if last < len(pieces) else ''}"


def _windows(pieces: list[_Piece], longest: int) -> Iterator[tuple[int, int]]:
    """From each piece as many as fit, until the end of the page is reached."""
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
    """The page in pieces without gaps; kept, for searches of one subject bring the same pages again and again."""
    ends = [*(end.end() for end in _END.finditer(text)), len(text)]
    return [
        _Piece(group[0][0], group[-1][1], len(group), Counter(terms(text[group[0][0] : group[-1][1]])))
        for start, end in zip([0, *ends], ends, strict=False)
        for words in [[word.span() for word in _WORD.finditer(text, start, end)]]
        for group in _groups(words)
    ]


def _groups(words: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The words of a sentence in runs that make pieces."""
    first = 0
    for at, (_, end) in enumerate(words):
        if at - first == _PIECE_WORDS or end - words[first][0] > _PIECE_LENGTH:
            yield words[first:at]
            first = at
    if words:
        yield words[first:]


def marked(part: str, text: str) -> str:
    """A part of a page with … where the page goes on."""
    return f"{'' if text.startswith(part) else f'{CUT} '}{part}{'' if text.endswith(part) else f' {CUT}'}"


def chunks_of(text: str, longest: int = _ROOM) -> Iterator[str]:
    """The text in runs of whole paragraphs, cut within one only where it is longer than ``longest`` characters."""
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
