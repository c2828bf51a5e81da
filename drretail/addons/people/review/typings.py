"""Compares two typings of one query's wish, field by field."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from drretail.addons.people.review.form import WANT_FIELDS, WISH_FIELDS, Field, written
from drretail.grounding.text.words import stem
from drretail.records.money import Money
from drretail.records.wish import Demand, Want, Wish

WANTED = "wanted"
"""The name of the comparison whether a thing is wanted at all."""
NOTHING_SAID = "–"
# The name of a want is not compared: it is used to match the wants of two typings.
COMPARED = {field.name: field for field in (*WANT_FIELDS[1:], *WISH_FIELDS[:-1])}
FIELDS = (WANTED, *COMPARED)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Typed:
    """One field as two people typed it; ``want`` is the name of the thing, None for a field of the whole wish."""

    field: str
    want: str | None
    first: str
    second: str
    values: tuple[Hashable, Hashable]
    """Equal if both mean the same, whatever the form and the order of words."""

    @property
    def differs(self) -> bool:
        return self.values[0] != self.values[1]

    @property
    def about(self) -> str:
        """The subject in words: "bird feeder: how many", "budget for everything"."""
        label = label_of(self.field)
        return label if self.want is None else f"{self.want}: {label}"


def label_of(field: str) -> str:
    """The label of a field within a sentence; other names are returned as they are."""
    if field == WANTED:
        return "wanted at all"
    return COMPARED[field].label.lower() if field in COMPARED else field


def compared(first: Wish, second: Wish) -> Iterator[Typed]:
    """Every field of the whole wish, and of each want that both name; other wants are only reported as
    missing in one.
    """
    for field in WISH_FIELDS[:-1]:
        yield _typed(field, None, first, second)
    for one, other in matched(first.wants, second.wants):
        name = (one or other).name  # pyright: ignore[reportOptionalMemberAccess] -- one of them is there
        here = tuple("no" if want is None else "yes" for want in (one, other))
        yield Typed(WANTED, name, here[0], here[1], (here[0], here[1]))
        if one is not None and other is not None:
            for field in WANT_FIELDS[1:]:
                yield _typed(field, name, one, other)


def matched(first: Sequence[Want], second: Sequence[Want]) -> list[tuple[Want | None, Want | None]]:
    """Each want with the most similar want of the other wish, by the words of name and kinds; None if none is left."""
    words = [[_stems(" ".join((want.name, *want.kinds))) for want in wants] for wants in (first, second)]
    alike = sorted(
        (
            (len(one & other) / len(one | other), -here, -there)
            for here, one in enumerate(words[0])
            for there, other in enumerate(words[1])
            if one & other
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for _, here, there in alike:
        if -here not in pairs and -there not in pairs.values():
            pairs[-here] = -there
    both = [(want, second[pairs[place]] if place in pairs else None) for place, want in enumerate(first)]
    return [*both, *((None, want) for place, want in enumerate(second) if place not in pairs.values())]


def _typed(field: Field, want: str | None, one: Wish | Want, other: Wish | Want) -> Typed:
    values = getattr(one, field.name), getattr(other, field.name)
    first, second = (written(field, value).removesuffix(";") or NOTHING_SAID for value in values)
    return Typed(field.name, want, first, second, (_meant(values[0]), _meant(values[1])))


def _meant(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return frozenset(map(_meant, value))
    if isinstance(value, Money):
        return value.value, value.currency
    return _stems(str(value)) if isinstance(value, str | Demand) else value


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, _WORD.findall(text.casefold())))
