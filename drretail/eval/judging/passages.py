"""Sources that are too long for a judge, cut to the passages that share most words with the claims on them."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from drretail.env.web.bm25 import Bm25

LONGEST = 800
"""The longest passage, in characters."""
OMITTED = "\n[…]\n"
"""Marks where text was left out."""
_BREAKS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"[.!?。！？]\s+|(?<=[。！？])", r"\s+")))
"""Where a text may be cut, the best places first."""


def size(text: str) -> int:
    """The bytes of a text: about four make a token, in English as in Chinese, where the number of
    characters differs.
    """
    return len(text.encode())


def fit(texts: Sequence[str], claims: Sequence[str], room: int | None) -> list[str]:
    """The texts; those longer than their share of ``room`` bytes are cut to passages. None means no limit.

    Room that short texts leave goes to the long ones.
    """
    sizes, fitted = [size(text) for text in texts], list(texts)
    if room is None or sum(sizes) <= room:
        return fitted
    # The shortest text first: its share is its own size, if that is less than an equal share of what is left.
    for rank, number in enumerate(sorted(range(len(texts)), key=lambda at: sizes[at])):
        share = min(sizes[number], room // (len(texts) - rank))
        room -= share
        if share < sizes[number]:
            fitted[number] = cut(texts[number], claims, share)
    return fitted


def cut(text: str, claims: Sequence[str], room: int) -> str:
    """The beginning of a text and, in the text's order, the passages with the best words for each claim in turn."""
    spans = list(_passages(text, 0, len(text), 0))
    index = Bm25([("", text[start:end]) for start, end in spans])
    scores = [index.scores(claim) for claim in claims]
    orders = [sorted(of_claim, key=lambda number: (-of_claim[number], number)) for of_claim in scores]
    # The best passage of each claim, then the second of each, and so on.
    ranked = (number for row in zip_longest(*orders) for number in row if number is not None)
    chosen: set[int] = set()
    for number in dict.fromkeys(chain([0], ranked, range(len(spans)))):
        # The cost includes a mark, although adjacent passages need none.
        cost = size(text[slice(*spans[number])]) + size(OMITTED)
        if cost <= room:
            chosen.add(number)
            room -= cost
        elif number == 0:
            room -= size(OMITTED)  # then the text begins with a mark
    if not chosen:  # the room is smaller than any passage
        return text.encode()[: max(0, room)].decode(errors="ignore") + OMITTED.rstrip()
    return _joined(text, [spans[number] for number in sorted(chosen)])


def best_pieces(text: str, claims: Sequence[str], length: int, most: int) -> str:
    """The ``most`` pieces of ``length`` characters that share most words with all claims together, in their order."""
    spans = [(at, min(at + length, len(text))) for at in range(0, len(text), length)]
    scores = Bm25([("", text[start:end]) for start, end in spans]).scores(" ".join(claims))
    best = sorted(range(len(spans)), key=lambda number: (-scores.get(number, 0.0), number))[:most]
    return _joined(text, [spans[number] for number in sorted(best)])


def _passages(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    """Adjacent spans of at most ``LONGEST`` characters, cut at the best places that allow it."""
    if end - start <= LONGEST:
        yield start, end
        return
    if level == len(_BREAKS):
        yield from ((at, min(at + LONGEST, end)) for at in range(start, end, LONGEST))
        return
    first = start
    ends = [match.end() for match in _BREAKS[level].finditer(text, start, end)]
    for here, following in zip([start, *ends], [*ends, end], strict=True):
        if following - first > LONGEST:
            if here > first:
                yield first, here
            first = here
            if following - here > LONGEST:
                yield from _passages(text, here, following, level + 1)
                first = following
    if first < end:
        yield first, end


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts.append(text[start:end] if start == last else OMITTED + text[start:end])
        last = end
    return "".join(parts) + (OMITTED.rstrip() if last < len(text) else "")
