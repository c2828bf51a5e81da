"""One report beside the purchase that was frozen when the experiment opened."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.readings import case_of, picks_by, reading_of
from drretail.eval.judging.subject import Subject
from drretail.experiment import read_rubric
from drretail.grounding.profile.purchases import purchase_item_of
from drretail.grounding.verify.checks import Case
from drretail.records.base import Record
from drretail.records.reading import Pick
from drretail.records.shop import METRIC, NextPurchase, PurchaseItem


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


def recommended_goods(case: Case, picks: Sequence[Pick]) -> list[PurchaseItem]:
    """The picks of a report, each once, in its order; products that nothing is known of are left out."""
    products = case.ledger(picks).products
    ids = dict.fromkeys(pick.product for pick in picks if pick.product in products)
    return [purchase_item_of(products[product_id]) for product_id in ids]


def compare(recommended: Sequence[PurchaseItem], purchase: NextPurchase) -> Compared:
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


def hits(guessed: Collection[PurchaseItem], bought: Collection[PurchaseItem]) -> Hits:
    """A thing is hit when any guess and any purchase share it; guesses that hit nothing cost nothing."""
    found: dict[str, bool | None] = {}
    for name, read in ASPECTS.items():
        wanted = _values(bought, read)
        found[name] = bool(wanted & _values(guessed, read)) if wanted else None
    return Hits.model_validate(found)


def _values(goods: Collection[PurchaseItem], read: Callable[[PurchaseItem], str | None]) -> set[str]:
    return {" ".join(value.casefold().split()) for good in goods if (value := read(good)) is not None}


ASPECTS: Mapping[str, Callable[[PurchaseItem], str | None]] = {
    "item": lambda goods: goods.product_id,
    "category": lambda goods: goods.category,
    "brand": lambda goods: goods.brand,
    "price_band": lambda goods: goods.price_band,
}


NOT_HELD_OUT = "not_held_out"
"""The world keeps no orders apart: then there is nothing to say of any report."""
GONE = "gone"
"""What was bought is no longer in the shop, where nobody could recommend it."""


def lacks_purchases(experiment: Path) -> str:
    """Why there is nothing to compare with in an experiment; empty for one in a world that holds orders out."""
    if any((experiment / "rubrics" / METRIC).glob("*.json")):
        return ""
    return "holds no next purchases: `ingest --holdout last` makes a world for experiments that do"


def comparison(subject: Subject) -> CodeVerdict:
    """What the report recommends beside the purchase that was frozen for its query."""
    query_id = subject.query.query_id
    purchase = None if subject.folder is None else read_rubric(subject.folder, METRIC, query_id, NextPurchase)
    if purchase is None:
        return CodeVerdict("na", None, "no orders are held out of the world", (NOT_HELD_OUT,))
    if purchase.gone and not purchase.bought:
        return CodeVerdict("na", None, f"the shop has no more what was bought: {', '.join(purchase.gone)}", (GONE,))
    if not purchase.bought:
        why = "the query has no user" if purchase.user_id is None else "no order of this user is held out"
        return CodeVerdict("na", None, why)
    case = case_of(subject)
    reading = reading_of(subject, case)
    if reading.picks is None:
        return CodeVerdict("na", None, "the report's picks are not known", (picks_by(reading),))
    compared = compare(recommended_goods(case, reading.picks), purchase)
    bought = f"bought next: {', '.join(goods.product_id for goods in purchase.bought)}"
    return CodeVerdict("scored", compared.model_dump(mode="json"), bought, (picks_by(reading),))
