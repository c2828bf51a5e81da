"""Which pages stand in which size: all supportive ones, more distractors the larger it is, and noise for the rest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

P = TypeVar("P")
TOLERANCE = 0.02
CHARACTERS_OF_A_TOKEN = 4


def size_of(name: str) -> int:
    """The tokens of "32k". Raises ValueError for another form."""
    return int(name.removesuffix("k")) * 1000


def placed(
    sizes: Mapping[str, int],
    supportive: Sequence[P],
    distractors: Sequence[P],
    noise: Iterator[P],
    characters: Callable[[P], int],
) -> list[tuple[str, P]]:
    """Every page with the smallest size that it stands in; each size ends within ``TOLERANCE`` of its tokens.

    A last page of noise that would overshoot is left out for a shorter one.
    """
    names = sorted(sizes, key=lambda name: sizes[name])
    share = max(1, len(distractors) // len(names))
    found = [(names[0], page) for page in supportive]
    total = sum(characters(page) for page in supportive)
    for number, name in enumerate(names):
        end = None if number == len(names) - 1 else (number + 1) * share
        for page in distractors[number * share : end]:
            found.append((name, page))
            total += characters(page)
        wanted = sizes[name] * CHARACTERS_OF_A_TOKEN
        while total < wanted * (1 - TOLERANCE / 2):
            page = next(noise)
            if total + characters(page) <= wanted * (1 + TOLERANCE / 2):
                found.append((name, page))
                total += characters(page)
    return found
