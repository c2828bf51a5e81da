"""Which products suit a want. A reader decides whether a product keeps a demand, else a field of its record does,
else its words do. And what a shopper says of the limits that a query hides.

A demand that no record speaks of is open, and stays so: neither is it kept, nor is it broken.

An unknown brand, rating or number of ratings does not suit; an unknown price does, since only a basket needs it. A
product whose record says nothing of a demand does not suit either; it is undecided.

No question's words are read, so no wording gets more than its topic holds. Whether a text states a limit is decided by
values: numbers are compared as numbers, everything else as words by their stems.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, Self

from drretail.grounding.listing import (
    Listing,
    folded,
    folded_name,
    is_of_brand,
    is_of_kind,
    listing_of,
    pieces_in,
)
from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.serialisation import record_lines
from drretail.grounding.text.words import NUMBERS, content_stems, stem, words
from drretail.records.base import sha256_of
from drretail.records.criteria import OF_KIND, Fact, Gold, State
from drretail.records.query import QUESTIONS, Query
from drretail.records.reading import Pick
from drretail.records.run import ASK_SHOPPER, Step
from drretail.records.shop import Money, Product
from drretail.records.wish import TOPICS, Demand, Hidden, Topic, Want, Wish, WishPart

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

    def concern(self, want: Want) -> bool:
        """True if something is decided about a product for a want, or a product is left out for every want."""
        return bool(self.excluded) or any(self.products_of(want))

    def may_be(self, want: Want, listing: Listing) -> bool:
        """False if a reader or a field says that the product is no such thing, or breaks a demand."""
        rulings = (self.kind(want, listing), *self.rulings(want, listing))
        return not any(ruling.state == "broken" and ruling.is_sure for ruling in rulings)

    def _read(self, want: Want, demand: str, listing: Listing) -> Ruling | None:
        """The decision of whoever read the record; None without one, and if the record has changed since."""
        if not self._decided:  # thousands of products are asked of most queries, of which nothing is decided
            return None
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
    if demand.field is not None:
        return decided_by_value(demand, listing.fields.get(folded_name(demand.field)), unwanted=unwanted)
    text = listing.text
    if any(_padded(phrase) in text for phrase in demand.none_of):
        state: State = "met" if unwanted else "broken"
    elif any(_padded(phrase) in text for phrase in demand.any_of):
        state = "broken" if unwanted else "met"
    else:
        state = listing.words.stance(str(demand), unwanted=unwanted)
    return Ruling(str(demand), state, "words")


def decided_by_value(demand: Demand, value: object, *, unwanted: bool = False) -> Ruling:
    """The ruling by the value of the field that a demand names; None for a product without it."""
    if value is None or isinstance(value, list | dict):
        return Ruling(str(demand), "open", "field")
    return _by_value(demand, str(value), unwanted)


# Cached, as measures are: thousands of offers of a kind have a few values in a field.
@lru_cache(maxsize=16_384)
def _by_value(demand: Demand, value: str, unwanted: bool) -> Ruling:
    has: bool | None = None
    if demand.is_measure:
        measure = _measure(value, demand.unit)
        if measure is not None:
            at_least = demand.least is None or measure >= demand.least
            has = at_least and (demand.most is None or measure <= demand.most)
    else:
        text = _padded(value)
        is_denied = any(_padded(phrase) in text for phrase in demand.none_of)
        has = not is_denied and any(_padded(phrase) in text for phrase in demand.any_of or (demand.say,))
    state: State = "open" if has is None else "met" if has is not unwanted else "broken"
    return Ruling(str(demand), state, "field", f"{demand.field}: {value}")


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


def fitting(
    want: Want,
    of_kind: Sequence[Listing],
    owned: Collection[str] = (),
    decisions: Decisions = UNDECIDED,
    *,
    state: State = "met",
) -> list[Listing]:
    """The products of a kind that keep a want's limits and demands; ``owned`` are products that the shopper has.

    With ``state="open"``, those that keep the limits and break no demand, but whose records leave one open.
    """
    return [
        listing
        for listing in of_kind
        if (want.again or listing.product.product_id not in owned)
        and listing.product.product_id not in decisions.excluded
        and is_within(want, listing)
        and decisions.state(want, listing) == state
    ]


def is_within(want: Want, listing: Listing, *, unknown_does: bool = False) -> bool:
    """True if a product keeps the limits of brand, stars, ratings and price; ``unknown_does`` accepts unknown ones."""
    may_be_of_any = not want.brands_wanted or (unknown_does and not listing.makers)
    return (
        not (want.brands_unwanted and any(is_of_brand(listing, brand) for brand in want.brands_unwanted))
        and (may_be_of_any or any(is_of_brand(listing, brand) for brand in want.brands_wanted))
        and not is_below(listing.product.average_rating, want.rating_min, unknown=not unknown_does)
        and not is_below(listing.product.rating_number, want.ratings_min, unknown=not unknown_does)
        and not is_too_dear(want, listing)
    )


def is_below(known: float | None, least: float | None, *, unknown: bool) -> bool:
    """True if a number is below the required least; ``unknown`` is the result for an unknown number."""
    if least is None:
        return False
    return unknown if known is None else known < least


def is_too_dear(want: Want, listing: Listing) -> bool:
    """True if a piece is known to cost more than allowed; in a pack, each piece costs its share."""
    if want.price_max is None:
        return False
    price = priced_in(listing, want.price_max.currency)
    return price is not None and price > want.price_max.value * pieces_in(listing.product.title)


def priced_in(listing: Listing, currency: str | None) -> Decimal | None:
    """The price of one piece in a currency, or in its own; None if it is not known exactly."""
    return listing.price if currency in (None, listing.product.currency) else None


def is_over_budget(wish: Wish, picks: Sequence[Pick], products: Mapping[str, Product]) -> bool:
    """True if the known prices of the picks exceed the wish's budget. ``products`` has the known ones by id."""
    if wish.budget is None:
        return False
    known = ((pick, listing_of(products[pick.product])) for pick in picks if pick.product in products)
    costs = ((priced_in(listing, wish.budget.currency) or Decimal(0)) * pick.quantity for pick, listing in known)
    return sum(costs, Decimal(0)) > wish.budget.value


NO_WISH = "I don't mind."
IN_THE_RECORD = "My account with you shows that."
NO_TIME = "I have to go."


@dataclass(frozen=True, slots=True)
class Release:
    """The answer to one question."""

    topic: Topic
    number: int
    """The number of the question on that topic, from 1."""
    left: int
    """How many more questions are answered."""
    new: tuple[Hidden, ...] = ()
    """The limits that are told for the first time."""
    facts: tuple[Hidden, ...] = ()
    """The limits in the answer; if none is new, those told on the topic before."""
    answer: str = NO_TIME
    """The scripted words."""
    is_answered: bool = True
    """False for questions beyond the limit."""


def releases(query: Query, topics: Iterable[Topic]) -> list[Release]:
    """The answers to questions on these topics, one after the other. Pure."""
    made: list[Release] = []
    released: set[tuple[str, int | None, str | None]] = set()
    questions = QUESTIONS if query.questions is None else query.questions
    for place, topic in enumerate(topics, 1):
        number = 1 + sum(each.topic == topic for each in made)
        if place > questions:
            made.append(Release(topic, number, 0, is_answered=False))
            continue
        on_topic = [fact for fact in query.hidden if fact.topic == topic]
        tellable = [fact for fact in on_topic if fact.known_from == "asked"]
        new = [fact for fact in tellable if fact.key not in released]
        new = new if query.manner == "open" else new[:1]
        released |= {fact.key for fact in new}
        nothing = IN_THE_RECORD if len(tellable) < len(on_topic) else NO_WISH
        facts = tuple(new or tellable)
        answer = " ".join(fact.say for fact in facts) or nothing
        made.append(Release(topic, number, questions - place, tuple(new), facts, answer))
    return made


def releases_in(query: Query, steps: Iterable[Step]) -> list[Release]:
    """The answers to a run's questions."""
    calls = (step.args or {} for step in steps if step.name == ASK_SHOPPER and step.error is None)
    return releases(query, [topic for args in calls if (topic := args.get("topic")) in TOPICS])


def states(text: str, wish: Wish) -> Callable[[WishPart], bool]:
    """A function that tells whether the text states a limit of the wish."""
    spoken = [*words(text)]
    numbers = {end for amount in find_amounts(text) for end in (amount.low, amount.high)}
    numbers |= {Decimal(NUMBERS[word]) for word in spoken if word in NUMBERS}
    stems = {*content_stems(text), *map(stem, spoken)}

    def holds(value: str) -> bool:
        wanted = content_stems(value)
        # A value of stop words or digits only, such as "2 in 1", is searched literally.
        return stems.issuperset(wanted) if wanted else value.casefold() in text.casefold()

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
