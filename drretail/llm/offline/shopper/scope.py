"""Of which of several things a demand is made: "a sulfate-free shampoo and nail files"."""

import re
from collections.abc import Sequence

from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.words import stems_of

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_CLOSE = 2
"""Words between a demand and the thing behind it."""


def belongs_to(query: str, demand: str, needs: Sequence[Need]) -> str | None:
    """The name of the one need that the demand is made of; None where it holds for all."""
    if len(needs) < 2:
        return None
    asked = tuple(stems_of(demand))
    for sentence in _SENTENCE_END.split(query):
        stems = stems_of(sentence)
        place = _place(stems, asked)
        if place is not None:
            return _nearest(stems, place, len(asked), needs)
    return None


def _nearest(stems: list[str], place: int, size: int, needs: Sequence[Need]) -> str | None:
    named = sorted((at, need.name, length) for need in needs for at, length in [_named(stems, need)] if at is not None)
    if len(named) == 1:
        return named[0][1]
    behind = [(at, name) for at, name, _ in named if at >= place + size]
    if behind and behind[0][0] - (place + size) <= _CLOSE and "and" not in stems[place + size : behind[0][0]]:
        return behind[0][1]
    before = [name for at, name, _ in named if at < place]
    # Behind the last of a list a demand may be meant for all of it.
    return before[-1] if before and behind else None


def _named(stems: list[str], need: Need) -> tuple[int | None, int]:
    places = [(place, len(name)) for name in need.names if (place := _place(stems, name)) is not None]
    return min(places) if places else (None, 0)


def _place(stems: list[str], phrase: tuple[str, ...]) -> int | None:
    size = len(phrase)
    places = (at for at in range(len(stems) - size + 1) if tuple(stems[at : at + size]) == phrase)
    return next(places, None)
