"""Which products suit a want: by the gold, in which a model has read the record, else by the field that a demand names.

A demand that neither decides is open, and stays so: neither is it kept, nor is it broken. Words never decide.

An unknown brand, rating or number of ratings does not suit; an unknown price does, since only a basket needs it. A
product of which a demand is open does not suit either; it is undecided.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from importlib.resources import files
from typing import Literal, NamedTuple, Self

from drretail.records.base import sha256_of
from drretail.records.criteria import OF_KIND, Fact, Gold, State
from drretail.records.reading import Pick
from drretail.records.shop import Offer, Product
from drretail.records.wish import Demand, Want
from drretail.reports.text.numerals import canonical_unit, conversion, find_numerals, with_units
from drretail.reports.text.serialisation import record_lines
from drretail.shopping.listing import Listing, folded, folded_name, is_of_brand, listing_of, pieces_in, state_of_kind
from drretail.shopping.vocabulary import value_words, values_in

_YES_OR_NO = {"yes": True, "true": True, "no": False, "false": False}


class DemandRuling(NamedTuple):
    """Whether a product keeps a demand, and who says so."""

    demand: str
    state: State
    by: str
    """"field", the model of a ``Decision``, or "code" for a kind by the path of the category."""
    quote: str = ""
    """The record's words that it rests on."""


class Decisions:
    """What is decided for the wants of one query."""

    def __init__(self, gold: Gold | None = None) -> None:
        decided = () if gold is None else gold.decisions
        self._decided = {(decision.want, decision.demand, decision.product_id): decision for decision in decided}
        self._gold = gold
        facts = () if gold is None else gold.facts
        self.excluded: Mapping[str, Fact] = {fact.product_id: fact for fact in facts if fact.excludes}
        """The products that nobody should buy, by the query's own web, with what it says of them."""

    def without_facts(self) -> Self:
        """The same decisions, as if no product were unsafe."""
        return type(self)(None if self._gold is None else self._gold.model_copy(update={"facts": ()}))

    def rulings(self, want: Want, listing: Listing, offer: Offer | None = None) -> Iterator[DemandRuling]:
        """The ruling on each of a want's demands, in their order, and then on its options: of one offer, or of any."""
        for demand in want.must:
            yield self._read(want, str(demand), listing) or decided_by_field(demand, listing)
        for demand in want.must_not:
            yield self._read(want, str(demand), listing) or decided_by_field(demand, listing, unwanted=True)
        if want.options:
            yield ruling_on_options(want, listing, offer)

    def state(self, want: Want, listing: Listing) -> State:
        """Whether a product keeps all demands of a want: "broken" if it breaks one, else "open" if one is open."""
        states = {ruling.state for ruling in self.rulings(want, listing)}
        return "broken" if "broken" in states else "open" if "open" in states else "met"

    def kind(self, want: Want, listing: Listing) -> DemandRuling:
        """The ruling whether a product is such a thing at all: as a model decided, else by where the shop keeps it."""
        state = _best_of([listing.once(state_of_kind, kind) for kind in want.kinds])
        return self._read(want, OF_KIND, listing) or DemandRuling(OF_KIND, state, "code")

    def products_of(self, want: Want) -> Iterator[str]:
        """The ids of the products about which something is decided for a want."""
        yield from dict.fromkeys(product for name, _, product in self._decided if name == want.name)

    def concern(self, want: Want) -> bool:
        """True if something is decided about a product for a want, or a product is left out for every want."""
        return bool(self.excluded) or any(self.products_of(want))

    def may_be(self, want: Want, listing: Listing) -> bool:
        """False if a model says that the product is no such thing, or if it is known to break a demand."""
        kind = self._read(want, OF_KIND, listing)
        return (kind is None or kind.state != "broken") and self.state(want, listing) != "broken"

    def _read(self, want: Want, demand: str, listing: Listing) -> DemandRuling | None:
        """The decision of whoever read the record; None without one, and if the record has changed since."""
        if not self._decided:  # thousands of products are asked of most queries, of which nothing is decided
            return None
        decision = self._decided.get((want.name, demand, listing.product.product_id))
        if decision is None or decision.record_sha != record_sha(listing.product):
            return None
        return DemandRuling(demand, decision.state, decision.by, decision.quote)


UNDECIDED = Decisions()
"""No model has decided anything."""


# Cached: each of a product's demands asks, for several states and baskets.
@lru_cache(maxsize=4096)
def record_sha(product: Product) -> str:
    """The sha256 of what a model reads of a record: a decision holds at any price, rating and stock."""
    return sha256_of(list(record_lines(product)))


def decided_by_field(demand: Demand, listing: Listing, *, unwanted: bool = False) -> DemandRuling:
    """The ruling by the field that a demand names; "open" if it names none, and of a product without it."""
    value = None if demand.field is None else listing.fields.get(folded_name(demand.field))
    if value is None or isinstance(value, list | dict):
        return DemandRuling(str(demand), "open", "field")
    has = _has(demand, str(value))
    if has == "something else":
        has = False if _excludes(demand, str(value), listing) else None
    state: State = "open" if has is None else "met" if has is not unwanted else "broken"
    return DemandRuling(str(demand), state, "field", f"{demand.field}: {value}")


# Cached, as measures are: thousands of offers of a kind have a few values in a field.
@lru_cache(maxsize=16_384)
def _has(demand: Demand, value: str) -> bool | Literal["something else"] | None:
    """Whether a field's value is what a demand says; None if it does not tell.

    A value that only contains the demanded words tells nothing: "PU leather" may be no leather.
    """
    denied = set(map(value_words, demand.none_of))
    if value_words(value) in denied:
        return False
    if demand.is_measure:
        measure = _measure(value, demand.unit)
        at_least = measure is not None and (demand.least is None or measure >= demand.least)
        return None if measure is None else at_least and (demand.most is None or measure <= demand.most)
    if demand.is_yes_or_no:
        return _YES_OR_NO.get(folded(value))
    if not demand.any_of and folded(value) in _YES_OR_NO:
        return None  # nobody has typed whether yes is what is wanted
    parts, phrases = _parts(value), _phrases(demand)
    if not phrases.isdisjoint((*parts, value_words(value))):
        return True
    left = [part for part in parts if part not in denied]
    if not left:
        return False if parts else None
    return None if any(phrase in part for phrase in phrases for part in left) else "something else"


def _excludes(demand: Demand, value: str, listing: Listing) -> bool:
    """True if something else in a field proves that what is demanded is absent.

    A material and any single value exclude all others; a list of features excludes nothing that it leaves out. Both
    must be words of the field in this shop, and the title must not say what is demanded.
    """
    name, parts, phrases = demand.field or "", _parts(value), _phrases(demand)
    words, title = frozenset(folded_name(name).split()), value_words(listing.product.title)
    is_whole = bool(words & _LISTS_ALL) or (len(parts) == 1 and not words & _LISTS_SOME)
    has = partial(listing.vocabulary.has, listing.product.leaf_category, name)
    is_known, is_meant = has(value_words(value)) or all(map(has, parts)), any(map(has, phrases))
    return is_whole and is_known and is_meant and not any(phrase in title for phrase in phrases)


def _parts(value: str) -> list[str]:
    return list(map(value_words, values_in(value)))


def _phrases(demand: Demand) -> set[str]:
    return set(map(value_words, demand.any_of or (demand.say,)))


_LISTS_ALL = frozenset({"material", "materials", "fabric", "ingredients"})
"""Words in the names of fields that list all that a thing is made of."""
_LISTS_SOME = frozenset({"feature", "features", "use", "uses", "benefit", "benefits", "included", "components"})
"""Words in the names of fields that list some of what holds of a thing, however few."""


def _measure(value: str, unit: str | None) -> float | None:
    """The number of a field's value in a unit, converted, or its only number; None if there is not just one."""
    name = canonical_unit(unit or "")
    measures = with_units([*find_numerals(value)])
    factors = ((measure.number, conversion(measure.unit, name) if unit else Decimal(1)) for measure in measures)
    numbers = [number * factor for number, factor in factors if factor is not None]
    return float(numbers[0]) if len(numbers) == 1 else None


def offer_of(pick: Pick, products: Mapping[str, Product]) -> Offer | None:
    """The offer that a pick means; None without its record, and if it means none of the product's, or several."""
    item = products.get(pick.product)
    return None if item is None else listing_of(item).offer(pick.offer_id)


def ruling_on_options(want: Want, listing: Listing, offer: Offer | None = None) -> DemandRuling:
    """Whether an offer has the options that a want names, or any offer of the product, sold-out ones too.

    "open" if none is known to have them, and of one the record does not say.
    """
    offers = listing.offers if offer is None else (offer,)
    state = _best_of([_has_options(want, listing, listed_offer) for listed_offer in offers])
    quotes: list[str] = []
    for name in want.options:
        values = dict.fromkeys(option_value(listing, listed_offer, name)[0] for listed_offer in offers)
        others = ", ".join(dict.fromkeys(other for listed_offer in offers for other in listed_offer.options))
        lack = f"no option is called {name}, only {others}" if others else ""
        quotes.append(f"{name}: {', '.join(filter(None, values))}" if any(values) else lack)
    return DemandRuling(want.options_in_words, state, "field", "; ".join(filter(None, quotes)))


def _best_of(states: Collection[State]) -> State:
    return "met" if "met" in states else "open" if "open" in states else "broken"


def option_value(listing: Listing, offer: Offer, name: str) -> tuple[str, bool]:
    """An offer's option and True; where its variant has none of this name, the product's field and False.

    Without an option of just this name, it is the only one whose name ends with it: "Shoe size" for "size".
    """
    option = _option(tuple(offer.options.items()), name)
    if option is not None:
        return option, True
    fields = (value for field, value in listing.fields.items() if _option_name(field) == _option_name(name))
    return str(next(fields, "")), False


# Cached: the variants of a shop share few combinations of options.
@lru_cache(maxsize=16_384)
def _option(options: tuple[tuple[str, str], ...], name: str) -> str | None:
    values = {_option_name(option): value for option, value in options}
    wanted = _option_name(name)
    fitting = [option for option in values if option == wanted] or [
        option for option in values if option.endswith(f" {wanted}")
    ]
    return values[fitting[0]] if len(fitting) == 1 else None


_OPTIONS: Mapping[str, Sequence[str]] = tomllib.loads(
    (files("drretail.shopping") / "option_names.toml").read_text("utf-8")
)
_ONE_NAME = {folded_name(other): name for name, others in _OPTIONS.items() for other in others}


@lru_cache(maxsize=1024)
def _option_name(name: str) -> str:
    """Shops and shoppers write in several languages and spellings: "Größe" is "size"."""
    *before, last = folded_name(name).split() or [""]
    return " ".join((*before, _ONE_NAME.get(last, last)))


def _has_options(want: Want, listing: Listing, offer: Offer) -> State:
    """Whether an offer has the options that a want names; "met" where it names none. An option's values are a closed
    field; a field of the product may list several, which leaves it open.
    """
    states: set[State] = set()
    for name, values in want.options.items():
        value, is_option = option_value(listing, offer, name)
        wanted, text = set(map(value_words, values)), value_words(value)
        is_open = not value or (not is_option and any(text_wanted in text for text_wanted in wanted))
        states.add("met" if text in wanted else "open" if is_open else "broken")
    return "broken" if "broken" in states else "open" if "open" in states else "met"


def offers_for(want: Want, listing: Listing) -> list[Offer]:
    """The offers of a product that keep a want's options and limit of price, and of which enough are left.

    Where the record does not say which options it has, the product's only one.
    """
    states: list[State] = [_has_options(want, listing, offer) for offer in listing.offers]
    best = _best_of(states)
    pieces = pieces_in(listing.product.title)
    return [
        offer
        for offer, state in zip(listing.offers, states, strict=True)
        if offer.has(1 if pieces > 1 else want.quantity)
        and not is_too_dear(want, listing, offer)
        and not is_too_cheap(want, listing, offer)
        and state == best != "broken"
    ]


def is_within(want: Want, listing: Listing, *, unknown_does: bool = False) -> bool:
    """True if a product keeps the limits of brand, stars and ratings, and an offer of it those of options, price and
    stock; ``unknown_does`` accepts unknown ones.
    """
    may_be_of_any = not want.brands_wanted or (unknown_does and not listing.makers)
    return (
        not (want.brands_unwanted and any(is_of_brand(listing, brand) for brand in want.brands_unwanted))
        and (may_be_of_any or any(is_of_brand(listing, brand) for brand in want.brands_wanted))
        and not is_below(listing.product.average_rating, want.rating_min, unknown=not unknown_does)
        and not is_below(listing.product.rating_number, want.ratings_min, unknown=not unknown_does)
        and bool(offers_for(want, listing))
    )


def is_below(value: float | None, least: float | None, *, unknown: bool) -> bool:
    """True if a number is below the required least; ``unknown`` is the result for an unknown number."""
    if least is None:
        return False
    return unknown if value is None else value < least


def is_too_dear(want: Want, listing: Listing, offer: Offer) -> bool:
    """True if an offer is known to cost more than allowed; a pack that is bought for several pieces, than these."""
    if want.price_max is None:
        return False
    price = priced_in(listing, offer, want.price_max.currency)
    return price is not None and price > want.price_max.value * _pieces_bought(want, listing)


def is_too_cheap(want: Want, listing: Listing, offer: Offer) -> bool:
    """True if an offer is known to cost less than the least; a pack that is bought for several pieces, than these."""
    if want.price_min is None:
        return False
    price = priced_in(listing, offer, want.price_min.currency)
    return price is not None and price < want.price_min.value * _pieces_bought(want, listing)


def _pieces_bought(want: Want, listing: Listing) -> int:
    """How many of the wanted pieces one offer is: "a sheet, at most $25" allows no pack of three for $50, and "two
    sheets, at most $25 each" one of two.
    """
    return min(want.quantity, pieces_in(listing.product.title))


def priced_in(listing: Listing, offer: Offer | None, currency: str | None) -> Decimal | None:
    """The price of one piece in a currency, or in its own; None if it is not known exactly."""
    return None if offer is None or currency not in (None, listing.product.currency) else offer.price
