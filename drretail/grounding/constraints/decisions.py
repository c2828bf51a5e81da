"""Whether a product keeps a want's demands: as whoever read its record decided, else by a field, else by words.

A demand that no record speaks of is open, and stays so: neither is it kept, nor is it broken.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, Self

from drretail.grounding.constraints.demands import stance
from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.constraints.listing import Listing, folded, folded_name
from drretail.grounding.text.serialisation import record_lines
from drretail.records.base import sha256_of
from drretail.records.criteria import OF_KIND, Fact, Gold, State
from drretail.records.shop import Product
from drretail.records.wish import Demand, Want

_THOUSANDS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_NUMBER = rf"({_THOUSANDS}|\d+(?:[.,]\d+)?)"


class Ruling(NamedTuple):
    """Whether a product keeps a demand, and who says so."""

    demand: str
    state: State
    by: str
    """"field", "words", or the reader of a ``Decision``."""
    quote: str = ""
    """The record's words that it rests on."""

    @property
    def is_sure(self) -> bool:
        """False if only the words of the record were compared."""
        return self.by != "words"


class Decisions:
    """What is decided for the wants of one query."""

    def __init__(self, gold: Gold | None = None) -> None:
        decided = () if gold is None else gold.decisions
        self._decided = {(each.want, each.demand, each.product_id): each for each in decided}
        self._gold = gold
        facts = () if gold is None else gold.facts
        self.excluded: Mapping[str, Fact] = {fact.product_id: fact for fact in facts if fact.excludes}
        """The products that nobody should buy, by the query's own web, with what it says of them."""

    def without_facts(self) -> Self:
        """The same decisions, as if no product were unsafe."""
        return type(self)(None if self._gold is None else self._gold.model_copy(update={"facts": ()}))

    def rulings(self, want: Want, listing: Listing) -> Iterator[Ruling]:
        """The ruling on each of a want's demands, in their order."""
        for demand in want.must:
            yield self._read(want, str(demand), listing) or decided_by_code(demand, listing)
        for demand in want.must_not:
            yield self._read(want, str(demand), listing) or decided_by_code(demand, listing, unwanted=True)

    def state(self, want: Want, listing: Listing) -> State:
        """Whether a product keeps all demands of a want: "broken" if it breaks one, else "open" if one is open."""
        states = {ruling.state for ruling in self.rulings(want, listing)}
        return "broken" if "broken" in states else "open" if "open" in states else "met"

    def of_state(self, want: Want, listing: Listing, state: State) -> tuple[str, ...]:
        """The demands on which the ruling is this one."""
        return tuple(ruling.demand for ruling in self.rulings(want, listing) if ruling.state == state)

    def kind(self, want: Want, listing: Listing) -> Ruling:
        """The ruling whether a product is such a thing at all: as somebody decided, else by its title and category."""
        state: State = "met" if any(listing.once(is_of_kind, kind) for kind in want.kinds) else "broken"
        return self._read(want, OF_KIND, listing) or Ruling(OF_KIND, state, "words")

    def is_of_kind(self, want: Want, listing: Listing) -> bool:
        """True if a product is such a thing."""
        return self.kind(want, listing).state == "met"

    def products_of(self, want: Want) -> Iterator[str]:
        """The ids of the products about which something is decided for a want."""
        yield from dict.fromkeys(product for name, _, product in self._decided if name == want.name)

    def may_be(self, want: Want, listing: Listing) -> bool:
        """False if a reader or a field says that the product is no such thing, or breaks a demand."""
        rulings = (self.kind(want, listing), *self.rulings(want, listing))
        return not any(ruling.state == "broken" and ruling.is_sure for ruling in rulings)

    def _read(self, want: Want, demand: str, listing: Listing) -> Ruling | None:
        """The decision of whoever read the record; None without one, and if the record has changed since."""
        decision = self._decided.get((want.name, demand, listing.product.product_id))
        if decision is None or decision.record_sha != record_sha(listing.product):
            return None
        return Ruling(demand, decision.state, decision.by, decision.quote)


UNDECIDED = Decisions()
"""Nothing is decided by a reader."""


# Cached: each of a product's demands asks, for several states and baskets.
@lru_cache(maxsize=4096)
def record_sha(product: Product) -> str:
    """The sha256 of what readers see of a record: a decision holds at any price, rating and stock."""
    return sha256_of(list(record_lines(product)))


def decided_by_code(demand: Demand, listing: Listing, *, unwanted: bool = False) -> Ruling:
    """The ruling by the field that a demand names; by words if it names none."""
    if demand.field is None:
        return Ruling(str(demand), _by_words(demand, listing, unwanted=unwanted), "words")
    value = listing.fields.get(folded_name(demand.field))
    if value is None or isinstance(value, list | dict):
        return Ruling(str(demand), "open", "field")
    return _by_value(demand, str(value), unwanted)


# Cached, as measures are: thousands of offers of a kind have a few values in a field.
@lru_cache(maxsize=16_384)
def _by_value(demand: Demand, value: str, unwanted: bool) -> Ruling:
    has = _has(demand, value)
    state: State = "open" if has is None else "met" if has is not unwanted else "broken"
    return Ruling(str(demand), state, "field", f"{demand.field}: {value}")


def _has(demand: Demand, value: str) -> bool | None:
    """Whether a field's value is what the demand says; None if it can't be read."""
    if demand.is_measure:
        measure = _measure(value, demand.unit)
        if measure is None:
            return None
        return (demand.least is None or measure >= demand.least) and (demand.most is None or measure <= demand.most)
    words = _padded(value)
    if any(_padded(phrase) in words for phrase in demand.none_of):
        return False
    return any(_padded(phrase) in words for phrase in demand.any_of or (demand.say,))


@lru_cache(maxsize=16_384)
def _padded(text: str) -> str:
    return f" {folded(text)} "


@lru_cache(maxsize=16_384)
def _measure(value: str, unit: str | None) -> float | None:
    """The number before a unit in a field's value, or its only number; None if there is not just one."""
    pattern = rf"{_NUMBER}\s*{re.escape(unit)}(?!\w)" if unit else _NUMBER
    numbers = re.findall(pattern, value, re.IGNORECASE)
    if len(numbers) != 1:
        return None
    # "1,000" is a thousand, and "1,5" is one and a half.
    return float(numbers[0].replace(",", "" if re.fullmatch(_THOUSANDS, numbers[0]) else "."))


def _by_words(demand: Demand, listing: Listing, *, unwanted: bool) -> State:
    text = listing.text
    if any(_padded(phrase) in text for phrase in demand.none_of):
        return "met" if unwanted else "broken"
    if any(_padded(phrase) in text for phrase in demand.any_of):
        return "broken" if unwanted else "met"
    return stance(listing.words, str(demand), unwanted=unwanted)
