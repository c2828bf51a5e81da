"""What a purchase supports: kinds of need, each on evidence of the orders and of the shop.

Two kinds of product stand in one question only where the shopper ordered both; two materials only of one kind.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import Any

from drretail.grounding.constraints.kinds import is_of_kind
from drretail.querygen.rules.assortment import ENOUGH, MOST, PHRASES, Assortment
from drretail.querygen.rules.purchases import Purchase
from drretail.records.query import NeedKind

_WORN_AFTER, _RECENT = 365, 120
"""Days after which a thing may be due to be replaced, and within which an order is recent."""
_MISSED_AFTER, _LIKED_FOR = 45, 540
"""Days after which, and until which, one more of a thing may be wanted."""
_SEASON = (10, 11, 12)
"""Months in which Christmas is near."""
_OF_OTHERS = re.compile(r"\{kinds\}|something|\belse\b")
_LEAST_ALONE = 3
"""Words of a title that name a product where nothing else does."""
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew", None: "a friend"}
_OCCASIONS = {
    "christmas": "Christmas",
    "wedding": "a wedding",
    "anniversary": "an anniversary",
    "graduation": "a graduation",
    "housewarming": "a housewarming",
}


@dataclass(frozen=True, slots=True)
class Need:
    """A need that the record supports: its sentences, and what is wanted."""

    kind: NeedKind
    purchases: tuple[Purchase, ...]
    names: tuple[str, ...]
    """What is wanted, as ``Want.kinds`` takes it: names of kinds, or the quoted title for the same product again."""
    openings: Sequence[str]
    wants: Sequence[str]
    again: bool = False
    """True where the product that the shopper has would do, too."""
    slots: dict[str, str] = field(default_factory=dict[str, str])
    bounded: bool = True
    """False where a demand or a budget would answer the question."""

    @property
    def is_alone(self) -> bool:
        """True where the very product is wanted again: the shop names no kind for it."""
        return self.names == (self.purchases[0].quote,)


def needs_of(purchases: Sequence[Purchase], assortment: Assortment, today: date) -> Iterator[Need]:
    """Every need that the purchases of one user support."""
    owned = frozenset(it.product_id for it in purchases)
    named = [it for it in purchases if _has_enough(assortment, it, owned)]
    for purchase in purchases:
        alike = [it for it in purchases if it.kind is not None and it.kind == purchase.kind]
        if purchase in named:
            yield from _of_one(purchase, assortment, today, has_several=len(alike) > 1)
        else:
            yield from _alone(purchase, today)
    for one, other in combinations(named, 2):
        yield from _of_two(one, other)


def _of_one(purchase: Purchase, assortment: Assortment, today: date, *, has_several: bool) -> Iterator[Need]:
    assert purchase.kind is not None
    name, age = purchase.kind.name, (today - purchase.days[0]).days
    offers, own = assortment.of(name), (purchase,)
    if purchase.lasts is False or (len(purchase.days) > 1 and not has_several):
        sayings = PHRASES["need"]["restock"]
        yield Need("restock", own, (name,), sayings[_restocked(purchase, age)], sayings["want"], again=True)
    if purchase.lasts:
        if _MISSED_AFTER <= age <= _LIKED_FOR and not has_several:
            yield _need("companion", own, name, again=True)
        if age >= _WORN_AFTER:
            yield _need("replacement", own, name)
    comparison = PHRASES["need"]["comparison"]
    for one, other in offers.materials:
        slots = {"one": one, "other": other}
        yield Need("comparison", own, (name,), comparison["open"], comparison["want"], slots=slots)
    if offers.spread:
        yield Need("comparison", own, (name,), comparison["price"], comparison["price_want"], bounded=False)
    if offers.is_given:
        yield _need("gift", own, name, again=True, slots=_given(purchase, today))


def _alone(purchase: Purchase, today: date) -> Iterator[Need]:
    """What can be asked of a product whose kind the shop does not name, or of which it has nothing else."""
    age = (today - purchase.days[0]).days
    if not is_of_kind(purchase.listing.product, purchase.quote) or len(purchase.quote.split()) < _LEAST_ALONE:
        return
    kinds: list[NeedKind] = ["gift"] if " gift" in purchase.listing.text else []
    if purchase.lasts is False or (purchase.lasts is None and age >= _MISSED_AFTER):
        kinds.append("restock")
    elif purchase.lasts and _MISSED_AFTER <= age <= _LIKED_FOR:
        kinds.append("companion")
    for kind in kinds:
        sayings, slots = PHRASES["need"][kind], _given(purchase, today) if kind == "gift" else {}
        about = _restocked(purchase, age) if kind == "restock" else "open"
        # The very product is wanted: nothing speaks of others.
        openings = [text for text in sayings[about] if not _OF_OTHERS.search(text)]
        yield Need(kind, (purchase,), (purchase.quote,), openings, sayings["alone"], again=True, slots=slots)


def _restocked(purchase: Purchase, age: int) -> str:
    """Which sentences of a restock the orders bear out."""
    if purchase.lasts is not False:
        return "unsure"
    if len(purchase.days) > 1 and age <= _RECENT:
        return "low"
    return "past" if age > _WORN_AFTER else "open"


def _of_two(one: Purchase, other: Purchase) -> Iterator[Need]:
    """Both at once, where they are of one group and not of one kind."""
    assert one.kind is not None
    assert other.kind is not None
    if one.group is other.group and one.kind.name != other.kind.name and one.lasts == other.lasts:
        names = one.kind.name, other.kind.name
        slots = {"other_owned": f'"{other.quote}"', "other_kinds": other.kind.name}
        sayings = PHRASES["need"]["project"]["want"]
        yield Need("project", (one, other), names, one.group["project"], sayings, again=True, slots=slots)


def _need(kind: NeedKind, own: tuple[Purchase, ...], name: str, **more: Any) -> Need:
    return Need(kind, own, (name,), PHRASES["need"][kind]["open"], PHRASES["need"][kind]["want"], **more)


def _given(purchase: Purchase, today: date) -> dict[str, str]:
    """To whom, by the gender of the category, and on which occasion, by the record."""
    named = str(purchase.listing.product.details.get("Occasion", "")).casefold()
    named = named if today.month in _SEASON else named.replace("christmas", "")
    return {
        "who": _RECIPIENTS[purchase.kind.gender if purchase.kind else None],
        "occasion": next((phrase for name, phrase in _OCCASIONS.items() if name in named), "a birthday"),
    }


def _has_enough(assortment: Assortment, purchase: Purchase, owned: frozenset[str]) -> bool:
    """True where the shop has enough besides, nearly all beside the purchase: "Cases" may be of anything."""
    if purchase.kind is None:
        return False
    others = [it.product for it in assortment.of(purchase.kind.name).offers if it.product.product_id not in owned]
    beside = sum(it.categories[-2:-1] == purchase.listing.product.categories[-2:-1] for it in others)
    return len(others) >= ENOUGH and beside >= MOST * len(others)
