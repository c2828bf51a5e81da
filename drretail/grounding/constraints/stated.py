"""Whether a text states a limit of a wish: numbers are compared as values, everything else as words by their stems."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.words import NUMBERS, content_stems, stem, words
from drretail.records.money import Money
from drretail.records.wish import Wish, WishPart


def states(text: str, wish: Wish) -> Callable[[WishPart], bool]:
    """Tells of each limit of the wish whether the text holds its value."""
    spoken = [*words(text)]
    numbers = {end for amount in find_amounts(text) for end in (amount.low, amount.high)}
    numbers |= {Decimal(NUMBERS[word]) for word in spoken if word in NUMBERS}
    stems = {*content_stems(text), *map(stem, spoken)}

    def holds(value: str) -> bool:
        found = content_stems(value)
        # A value of stop words or digits alone, such as "2 in 1", is looked for as it stands.
        return stems.issuperset(found) if found else value.casefold() in text.casefold()

    def is_stated(part: WishPart) -> bool:
        value = value_of(part, wish)
        if isinstance(value, Money):
            return value.value in numbers
        if isinstance(value, int | float):
            return Decimal(str(value)) in numbers
        return any(holds(each) for each in ([value] if isinstance(value, str) else value))

    return is_stated


def value_of(part: WishPart, wish: Wish) -> Any:
    """The value of a limit: an amount, a number, a text, or alternatives."""
    if part.value is not None:
        return part.value
    return getattr(wish if part.index is None else wish.wants[part.index], part.field)
