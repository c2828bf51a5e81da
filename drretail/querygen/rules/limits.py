"""The limits that a question may set, which tell the offers apart: 10 to 60 percent of them keep each.

property   a value of a field or an option
fit        the value of what the shopper has, its maker included, which the question leaves to be looked up
more       more of a measure than what the shopper has
page       what a page of the fixed web decides, which the question leaves to be found
band       the least and the most that it costs
trust      stars, and a number of ratings

Fields are those that can carry a limit (``KindOffers.closed``) and have words in limits.toml.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from typing import Any

from drretail.querygen.checks.contract import LEAST_OFFERS, LEAST_SHARE, MOST_SHARE
from drretail.querygen.kinds import article, is_plural, lowered, stems
from drretail.querygen.rules.assortment import KindOffers
from drretail.records.shop import Money, Order, Product
from drretail.records.wish import Demand, Source, Want
from drretail.reports.text.numerals import find_numerals, with_units
from drretail.reports.text.wording import SYMBOLS
from drretail.shopping.listing import Listing, folded

LIMITS: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "limits.toml").read_text("utf-8"))
_STARS, _RATINGS = (4.5, 4.0), (1000, 500, 100, 50)
_BANDS, _STEP = ((0.2, 0.6), (0.4, 0.8)), 5
"""Between which quantiles of a kind's prices a band lies, and of what its ends are multiples."""
_NARROWEST = 1.5
"""Nobody asks for what costs at least $45 and at most $50."""
FOR_WHOM: frozenset[str] = frozenset(LIMITS["whom"]["fields"])
"""The fields that say whom a thing is for: a question names those in which what the shopper has and what would do
differ.
"""
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, and the clause that says so."""

    axis: str
    want: Mapping[str, Any]
    clause: str
    """A sentence on the axis "page"."""

    @property
    def names(self) -> frozenset[str | None]:
        """The fields, options and bounds that it limits; makers are one, however they are limited."""
        bounds = (name.partition("_")[0] for name in self.want.keys() - {"must", "options", "sources"})
        demands = (demand.field for demand in self.want.get("must", ()))
        return frozenset((*demands, *self.want.get("options", ()), *bounds))

    def added_to(self, want: Want) -> Want:
        """A want with this demand, too."""
        must = (*want.must, *self.want.get("must", ()))
        maps = {name: getattr(want, name) | self.want.get(name, {}) for name in ("options", "sources")}
        return want.model_copy(update={**self.want, "must": must, **maps})


def choices(offers: KindOffers, axis: str, owned: Product, order: Order, facts: Iterable[Any] = ()) -> Iterator[Choice]:
    """Every demand of an axis that may be made on these offers, in a fixed order; ``facts`` are of pages."""
    if axis == "fit":
        yield from _fits(offers, owned, order)
    elif axis == "more":
        yield from _more(offers, owned, order)
    elif axis == "page":
        yield from _on_pages(owned, facts)
    elif axis == "property":
        yield from (*offers.once(by_fields), *offers.once(by_options))
    else:
        yield from offers.once({"trust": by_ratings, "band": by_price}[axis])


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value of a field that tell the offers apart."""
    for name, counts in offers.closed.items():
        for value in counts if name in LIMITS["field"] else ():
            said = lowered(value)
            # "bowl" says nothing of bowls; what smells "fragrance free" smells of nothing
            is_new = {*stems(said)}.isdisjoint(stems(offers.kind))
            is_said = _PLAIN.fullmatch(said) and not said.endswith(("free", "other", "unknown", "multi"))
            if is_new and is_said and offers.tells_apart(counts[value]):
                a_value = said if is_plural(said.split()[-1]) else f"{article(said)} {said}"
                clause = LIMITS["field"][name].format(value=said, a_value=a_value)
                demand = Demand(say=said, field=name)
                # "suit {value} hair" of "short hair"
                yield Choice("property", {"must": (demand,)}, re.sub(r"\b(\w+) \1\b", r"\1", clause))


def by_options(offers: KindOffers) -> Iterator[Choice]:
    """The values of options that some variants have and most have not.

    Most shirts come in M, so that it tells no shirts apart; but who asks for M must be given the variant that is.
    """
    for name in sorted({name for listing in offers.offers for offer in listing.named_offers for name in offer.options}):
        clause = LIMITS["field"].get(name) or LIMITS["clause"]["option"].format(name=name.casefold(), value="{value}")
        values = offers.offers.values_of(name)
        for value, times in sorted(values.items()):
            if LEAST_SHARE <= times / values.total() <= MOST_SHARE:
                yield Choice("property", {"options": {name: (value,)}}, clause.format(value=lowered(value)))


def by_ratings(offers: KindOffers) -> Iterator[Choice]:
    """Stars and a number of ratings that together tell the offers apart."""
    rated = [(each.product.average_rating or 0, each.product.rating_number or 0) for each in offers.offers]
    for stars, reviews in product(_STARS, _RATINGS):
        if offers.tells_apart(sum(rating >= stars and count >= reviews for rating, count in rated)):
            limits = {"rating_min": stars, "ratings_min": reviews}
            yield Choice("trust", limits, LIMITS["clause"]["trust"].format(stars=stars, reviews=reviews))


def by_price(offers: KindOffers) -> Iterator[Choice]:
    """Bands of prices around the middle ones, in round amounts."""
    prices = [listing.price for listing in offers.priced if listing.price is not None]
    currency = offers.priced[0].product.currency if offers.priced else ""
    for low, high in _BANDS if currency in SYMBOLS and len(prices) >= LEAST_OFFERS else ():
        least, most = (int(prices[int(share * len(prices))] / _STEP + 1) * _STEP for share in (low, high))
        is_wide = _NARROWEST * least <= most
        if is_wide and offers.tells_apart(sum(least <= price <= most for price in prices)):
            limits = {"price_min": Money.of(least, currency), "price_max": Money.of(most, currency)}
            ends = {"least": f"{SYMBOLS[currency]}{least:,}", "most": f"{SYMBOLS[currency]}{most:,}"}
            yield Choice("band", limits, LIMITS["clause"]["band"].format(**ends))


def _fits(offers: KindOffers, owned: Product, order: Order) -> Iterator[Choice]:
    """What must be as it is of the product that the shopper has; the question does not say how that is.

    Only what the title says, too: other fields may be of a part of the product, and no shopper knows them.
    """
    for name, counts in offers.closed.items():
        value, clause = str(owned.details.get(name) or "").strip(), LIMITS["fit"].get(name)
        is_said = value in counts and f" {folded(value)} " in f" {folded(owned.title)} "
        if clause and is_said and offers.tells_apart(counts[value]):
            say, source = clause[clause.index("the same ") :], _recorded(order, name, value)
            demand = Demand(say=say, field=name, any_of=(value.casefold(),), sources=(source,))
            yield Choice("fit", {"must": (demand,)}, clause)
    if (maker := owned.brand) and offers.tells_apart(sum(each.product.brand == maker for each in offers.offers)):
        sources = {"brands_wanted": (_recorded(order, "brand", maker),)}
        yield Choice("fit", {"brands_wanted": (maker,), "sources": sources}, LIMITS["clause"]["maker"])


def left_open(offers: Iterable[Listing]) -> bool:
    """True if offers are for different people, animals or devices: who asks knows for which, and would say so."""
    of_offers = [each.product.details for each in offers]
    return any(len({str(of.get(name)).casefold() for of in of_offers} - {"none"}) > 1 for name in FOR_WHOM)


def _recorded(order: Order, field: str, value: str) -> Source:
    return Source(
        kind="profile", evidence=(f"O:{order.order_id}",), field=field, value=value, date=order.order_date[:7]
    )


def _more(offers: KindOffers, owned: Product, order: Order) -> Iterator[Choice]:
    """A measure above that of the product that the shopper has: at least the next one that an offer has."""
    for name in (name for name in offers.closed if name in LIMITS["more"] and name in owned.details):
        value = str(owned.details[name]).strip()
        texts = [str(each.product.details[name]) for each in offers.offers if name in each.product.details]
        measures = [with_units([*find_numerals(text)]) for text in (value, *texts)]
        if {len(of_text) for of_text in measures} == {1} and len({of_text[0].unit for of_text in measures}) == 1:
            mine, *numbers = (of_text[0].number for of_text in measures)
            above = [number for number in numbers if number > mine]
            if above and offers.tells_apart(len(above)):
                source, say = _recorded(order, name, value), LIMITS["more"][name]
                demand = Demand(say=say, field=name, least=float(min(above)), sources=(source,))
                yield Choice("more", {"must": (demand,)}, LIMITS["clause"]["more"].format(clause=say))


def _on_pages(owned: Product, facts: Iterable[Any]) -> Iterator[Choice]:
    """What pages about the kind decide: makers that passed or failed, or a value for the shopper's case."""
    for page in facts:
        path = tuple(page["kind"].split(" > "))
        for fact in page["facts"] if owned.categories[-len(path) :] == path else ():
            if "asks" in fact:
                source, limit = Source(kind="page", url=page["url"], quote=fact["quote"]), {**fact["limit"]}
                must = tuple(
                    Demand(say=f"the right {each['field'].lower()}", **each, sources=(source,))
                    for each in limit.pop("must", ())
                )
                want = {"must": must, **{name: tuple(makers) for name, makers in limit.items()}}
                want |= {"sources": dict.fromkeys(limit, (source,))}
                yield Choice("page", want, fact["asks"])
