"""What a report recommends beside what the user bought next, and beside what sells best anyway."""

from collections.abc import Callable, Collection, Mapping, Sequence

from drretail.grounding.case import Case
from drretail.grounding.goods import goods_of
from drretail.records.base import Record
from drretail.records.next_purchase import Goods, NextPurchase


class Hits(Record):
    """What of the purchase some products hit; None where the purchase has no such thing."""

    item: bool
    category: bool | None = None
    brand: bool | None = None
    price_band: bool | None = None


class Compared(Record):
    """One report. ``base`` and ``shop`` are as many products as it recommends, chosen by their ratings' number."""

    recommended: int
    wanted: bool | None = None
    hit: Hits
    base: Hits | None = None
    """By the best of the user's favourite category; None for a user without one."""
    shop: Hits
    """By the best of the whole shop."""


def recommended_goods(case: Case) -> list[Goods]:
    """The products that a report recommends, each once, in its order."""
    ids = dict.fromkeys(spot.product_id for spot in case.recommended)
    return [goods_of(case.products[product_id]) for product_id in ids]


def compare(recommended: Sequence[Goods], purchase: NextPurchase) -> Compared:
    """``purchase`` has something that was bought."""
    most = len(recommended)
    favourites = purchase.popular_in_favourite
    return Compared(
        recommended=most,
        wanted=purchase.wanted,
        hit=hits(recommended, purchase.bought),
        base=hits(favourites[:most], purchase.bought) if favourites else None,
        shop=hits(purchase.popular[:most], purchase.bought),
    )


def hits(guessed: Collection[Goods], bought: Collection[Goods]) -> Hits:
    """A thing is hit when any guess and any purchase share it; guesses that hit nothing cost nothing."""
    found = {name: _share_one(_values(guessed, read), _values(bought, read)) for name, read in ASPECTS.items()}
    return Hits.model_validate(found)


def _values(goods: Collection[Goods], read: Callable[[Goods], str | None]) -> set[str]:
    return {" ".join(value.casefold().split()) for it in goods if (value := read(it)) is not None}


def _share_one(guessed: set[str], bought: set[str]) -> bool | None:
    return bool(guessed & bought) if bought else None


ASPECTS: Mapping[str, Callable[[Goods], str | None]] = {
    "item": lambda goods: goods.product_id,
    "category": lambda goods: goods.category,
    "brand": lambda goods: goods.brand,
    "price_band": lambda goods: goods.price_band,
}
