"""Whether a report recommends what the user really bought next, without a judge (docs/scores.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.readings import picks_by, reading_of
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, by_code, description_of, of_verdicts
from drretail.experiment import read_rubric
from drretail.grounding.profile import purchase_item_of
from drretail.records.base import Record
from drretail.records.score import Verdict, VerdictState
from drretail.records.shop import METRIC as NAME
from drretail.records.shop import NextPurchase, PurchaseItem


class Hits(Record):
    """Which aspects of the purchase some products share; None for an aspect that the purchase lacks."""

    item: bool
    category: bool | None = None
    brand: bool | None = None
    price_band: bool | None = None


class Compared(Record):
    """One report, and a guess by popularity beside it."""

    recommended: int
    hit: Hits
    base: Hits | None = None
    """Of the best sellers (by number of ratings) in the user's favourite category, as many as the report recommends;
    None for a user without one.
    """


def compare(recommended: Sequence[PurchaseItem], purchase: NextPurchase) -> Compared:
    """The comparison of a report with a purchase that holds at least one item."""
    most = len(recommended)
    favourites = purchase.popular_in_favourite
    return Compared(
        recommended=most,
        hit=hits(recommended, purchase.bought),
        base=hits(favourites[:most], purchase.bought) if favourites else None,
    )


def hits(guessed: Collection[PurchaseItem], bought: Collection[PurchaseItem]) -> Hits:
    """An aspect is hit if any guess shares it with any purchased item; wrong guesses cost nothing."""
    aspects: dict[str, bool | None] = {}
    for name, read in ASPECTS.items():
        wanted, recommended = (
            {" ".join(value.casefold().split()) for each in goods if (value := read(each)) is not None}
            for goods in (bought, guessed)
        )
        aspects[name] = bool(wanted & recommended) if wanted else None
    return Hits.model_validate(aspects)


ASPECTS: Mapping[str, Callable[[PurchaseItem], str | None]] = {
    "item": lambda goods: goods.product_id,
    "category": lambda goods: goods.category,
    "brand": lambda goods: goods.brand,
    "price_band": lambda goods: goods.price_band,
}


NOT_HELD_OUT = "not_held_out"
"""The note if the world holds no orders out: then no report can be compared."""
GONE = "gone"
"""The note if the shop no longer has what was bought, so that nobody could recommend it."""


def lacks_purchases(experiment: Path) -> str:
    """Why there is nothing to compare with in an experiment; empty for a world that holds orders out."""
    if any((experiment / "rubrics" / NAME).glob("*.json")):
        return ""
    return "holds no next purchases: `ingest --holdout last` makes a world for experiments that do"


def comparison(subject: Subject) -> CodeVerdict:
    """The report's recommendations compared with the purchase that was frozen for its query."""
    query_id = subject.query.query_id
    purchase = None if subject.folder is None else read_rubric(subject.folder, NAME, query_id, NextPurchase)
    if purchase is None:
        return CodeVerdict("na", None, "no orders are held out of the world", (NOT_HELD_OUT,))
    if purchase.gone and not purchase.bought:
        return CodeVerdict("na", None, f"the shop has no more what was bought: {', '.join(purchase.gone)}", (GONE,))
    if not purchase.bought:
        why = "the query has no user" if purchase.user_id is None else "no order of this user is held out"
        return CodeVerdict("na", None, why)
    reading = reading_of(subject)
    if reading.picks is None:
        return CodeVerdict("na", None, "the report's picks are not known", (picks_by(reading),))
    # Each once, in their order, without products that have no record.
    products = subject.case.ledger(reading.picks).products
    ids = dict.fromkeys(pick.product for pick in reading.picks if pick.product in products)
    compared = compare([purchase_item_of(products[product_id]) for product_id in ids], purchase)
    bought = f"bought next: {', '.join(goods.product_id for goods in purchase.bought)}"
    return CodeVerdict("scored", compared.model_dump(mode="json"), bought, (picks_by(reading),))


GUESSERS = ("hit", "base")
"""The report, and the best sellers of the user's favourite category."""
VARIANTS = ("recommended", *(f"{guesser}_{aspect}" for guesser in GUESSERS for aspect in ASPECTS))


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Every variant of one report; none if the world holds no orders out.

    A report without recommendations hits nothing and gets 0, and so do the best sellers, of which there are as many.
    """
    verdict = next(iter(verdicts), None)
    if verdict is not None and NOT_HELD_OUT in verdict.notes:
        return []
    if verdict is None or verdict.state != "scored":
        state: VerdictState = "failed" if verdict is None else verdict.state
        items = {} if verdict is None else dict.fromkeys(verdict.notes, 1.0)
        return [Value(variant, state, None, items) for variant in VARIANTS]
    readers = dict.fromkeys(verdict.notes, 1.0)
    compared = Compared.model_validate(verdict.value)
    numbers: dict[str, float | None] = {"recommended": compared.recommended}
    for guesser, guess in zip(GUESSERS, (compared.hit, compared.base), strict=True):
        for aspect in ASPECTS:
            numbers[f"{guesser}_{aspect}"] = None if guess is None else getattr(guess, aspect)
    return [
        Value(name, "na", None, readers) if number is None else Value(name, "scored", float(number), readers)
        for name, number in numbers.items()
    ]


METRIC = Metric(
    NAME,
    3,
    by_code("compare", lambda subject: [("report", comparison(subject))]),
    of_verdicts(values),
    VARIANTS,
    description_of("next_purchase"),
    after=("reading",),
    lacks=lacks_purchases,
    needs_judge=False,
)
