"""What a purchase supports: the needs of phrases.toml whose facts the orders and the shop bear out.

Two kinds of product stand in one question only where the shopper ordered both; two materials only of one kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Any

from drretail.grounding.text.grammar import article
from drretail.querygen.rules.assortment import ENOUGH, MOST, Assortment
from drretail.querygen.rules.purchases import A_YEAR, PHRASES, Purchase
from drretail.records.query import NeedKind

_RECENT, _SETTLED = 120, 45
"""Days within which an order is recent, and after which one more of a thing may be wanted."""
_SEASON = (10, 11, 12)
"""Months in which Christmas is near."""
_LEAST_ALONE = 3
"""Words of a title that name a product where nothing else does."""
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew", None: "a friend"}
_OCCASIONS = ("Christmas", "wedding", "anniversary", "graduation", "housewarming")


@dataclass(frozen=True, slots=True)
class Need:
    """A need that the record supports: its sentences, and what is wanted."""

    kind: NeedKind
    purchases: tuple[Purchase, ...]
    names: tuple[str, ...]
    """What is wanted, as ``Want.kinds`` takes it: names of kinds, or the quoted title for the same product again."""
    openings: Sequence[str]
    wants: Sequence[str]
    again: bool
    """True where the product that the shopper has would do, too."""
    slots: Mapping[str, str] = field(default_factory=dict[str, str])
    is_bounded: bool = True
    """False where a demand or a budget would answer the question."""

    @property
    def product_ids(self) -> tuple[str, ...]:
        """Of what the shopper has."""
        return tuple(purchase.product_id for purchase in self.purchases)

    @property
    def is_alone(self) -> bool:
        """True where the very product is wanted again: the shop names no kind for it."""
        return self.names == (self.purchases[0].quote,)


def needs_of(purchases: Sequence[Purchase], assortment: Assortment, today: date) -> Iterator[Need]:
    """Every need that the purchases of one user support."""
    named: list[Purchase] = []
    for purchase in purchases:
        facts = _facts(purchase, purchases, assortment, today)
        if "named" in facts:
            named.append(purchase)
        for row in PHRASES["need"]:
            if facts.issuperset(row["when"]):
                yield from _needs(row, purchase, assortment, today, is_named="named" in facts)
    for one, other in combinations(named, 2):
        assert one.kind is not None
        assert other.kind is not None
        is_of_a_sort = one.listing.product.category == other.listing.product.category and one.lasting == other.lasting
        if is_of_a_sort and one.kind.name != other.kind.name:
            names, openings = (one.kind.name, other.kind.name), PHRASES["project"][one.lasting]
            slots = {"other_owned": f'"{other.quote}"', "other_kinds": other.kind.name}
            yield Need("project", (one, other), names, openings, PHRASES["want"]["project"], True, slots)


def _facts(purchase: Purchase, purchases: Sequence[Purchase], assortment: Assortment, today: date) -> set[str]:
    """What holds of a purchase, by the names that phrases.toml has for it."""
    age, is_repeated = (today - purchase.days[0]).days, len(purchase.days) > 1
    is_named = _has_enough(assortment, purchase, {each.product_id for each in purchases})
    offers = assortment.of(purchase.kind.name) if purchase.kind and is_named else None
    is_worn = purchase.listing.product.category in PHRASES["departments"]["by_several"]
    has_several = sum(purchase.kind is not None and each.kind == purchase.kind for each in purchases) > 1
    facts = {
        purchase.lasting: True,
        "named": is_named,
        "unnamed": offers is None and _is_unique(assortment, purchase),
        "repeated": is_repeated,
        "recent": age <= _RECENT,
        "settled": age >= _SETTLED,
        "within_a_year": age < A_YEAR,
        "old": age >= A_YEAR,
        "may_run_out": (purchase.lasting == "unsure" and age >= _SETTLED) or (is_repeated and not has_several),
        "by_several": offers is not None and (offers.are_sold_by_several or is_worn),
        "given": offers.are_given if offers else "Occasion" in purchase.listing.product.details,
        "materials": offers is not None and bool(offers.materials),
        "price_spread": offers is not None and offers.price_spread,
    }
    return {name for name, holds in facts.items() if holds} if is_named or facts["unnamed"] else set()


def _needs(
    row: Mapping[str, Any], purchase: Purchase, assortment: Assortment, today: date, *, is_named: bool
) -> Iterator[Need]:
    """The needs of a row of phrases.toml: one, or one for each pair of materials."""
    openings = [text for text in row["open"] if is_named or "{kinds}" not in text]
    wants = row.get("want", PHRASES["want"][row["kind"]]) if is_named else PHRASES["want"]["alone"]
    name = purchase.kind.name if purchase.kind and is_named else purchase.quote
    pairs = assortment.of(name).materials if "materials" in row["when"] else ((),)
    again, is_bounded = "another" not in row, is_named and "unbounded" not in row
    for pair in pairs if openings else ():
        slots = {**_recipient(purchase, today), **dict(zip(("one", "other"), pair, strict=False))}
        yield Need(row["kind"], (purchase,), (name,), openings, wants, again, slots, is_bounded)


def _recipient(purchase: Purchase, today: date) -> dict[str, str]:
    """To whom one might give it, by the gender of the category, and on which occasion, by the record."""
    known = str(purchase.listing.product.details.get("Occasion", "")).casefold()
    named = (
        name for name in _OCCASIONS if name.casefold() in known and (name != "Christmas" or today.month in _SEASON)
    )
    occasion = next(named, "birthday")
    who = _RECIPIENTS[purchase.kind.gender if purchase.kind else None]
    return {"who": who, "occasion": occasion if occasion == "Christmas" else f"{article(occasion)} {occasion}"}


def _has_enough(assortment: Assortment, purchase: Purchase, owned: set[str]) -> bool:
    """True where the shop has enough besides, nearly all beside the purchase: "Cases" may be of anything."""
    if purchase.kind is None:
        return False
    offered = (offer.product for offer in assortment.of(purchase.kind.name).offers)
    others = [product for product in offered if product.product_id not in owned]
    beside = sum(product.categories[-2:-1] == purchase.listing.product.categories[-2:-1] for product in others)
    return len(others) >= ENOUGH and beside >= MOST * len(others)


def _is_unique(assortment: Assortment, purchase: Purchase) -> bool:
    """True where the quoted title means this product and no other one of the shop."""
    is_long = len(purchase.quote.split()) >= _LEAST_ALONE
    return is_long and list(assortment.of(purchase.quote).offers) == [purchase.listing]
