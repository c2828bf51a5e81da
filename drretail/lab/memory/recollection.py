"""What a model recalls of products by their titles, and how much of it is right."""

import asyncio
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean

from drretail.data_ingest.perturb.brand_names import Name, name_of, names_on
from drretail.errors import UserError
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.lab.trial_findings import MemoryFound, RecalledField, Remembered
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.progress import Bar
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import JudgeRef, Verdict
from drretail.records.shop import Product
from drretail.stats.intervals import share_interval

PRICES = {"price within 1 %": 0.01, "price within 10 %": 0.1}
RATING, WITHIN = "rating within 0.1", 0.1
BRAND = "brand"
FIELDS = (*PRICES, RATING, BRAND)
THIRDS = 3
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class AskedProduct:
    """A product of which a model is asked."""

    product_id: str
    title: str
    currency: str
    price: float
    average_rating: float
    ratings: int
    """How many it has."""
    names: frozenset[Name]
    """Its store and makers; empty where the shop knows none."""
    chance: Mapping[str, float] = field(default_factory=dict[str, float])
    """By field, the share of the category's other products whose value would pass for its own."""

    @property
    def has_name_in_title(self) -> bool:
        words = name_of(self.title)
        return any(words[at : at + len(name)] == name for name in self.names for at in range(len(words)))


def draw_products(products: Iterable[Product], n: int, seed: str) -> list[AskedProduct]:
    """``n`` products by lot, evenly over categories and over thirds by number of ratings; all where there are fewer.

    Only products with a price and a rating are drawn. Raises UserError where there is none.
    """
    categories: dict[str, list[AskedProduct]] = defaultdict(list)
    for product in products:
        if product.price and product.average_rating is not None:
            categories[product.category].append(
                AskedProduct(
                    product.product_id,
                    product.title,
                    product.currency,
                    product.price,
                    product.average_rating,
                    product.rating_number or 0,
                    frozenset(map(name_of, names_on(product))),
                )
            )
    if not categories:
        raise UserError("No product of this world has both a price and a rating: there is nothing to ask about.")
    listed = [product for of_category in categories.values() for product in of_category]
    turns: list[tuple[int, str, AskedProduct, str]] = []
    for category, of_category in categories.items():
        ranked = sorted(of_category, key=lambda product: (product.ratings, product.product_id))
        for third in range(THIRDS):
            stratum = ranked[len(ranked) * third // THIRDS : len(ranked) * (third + 1) // THIRDS]
            lots = sorted((sha256_of([seed, product.product_id]), product.product_id, product) for product in stratum)
            turns += [(turn, lot, product, category) for turn, (lot, _, product) in enumerate(lots)]
    chosen = sorted(turns, key=lambda turn: turn[:2])[:n]
    chances = {
        category: _chances(categories[category] if len(categories[category]) > 1 else listed)
        for category in {category for *_, category in chosen}
    }
    return [replace(product, chance=chances[category](product)) for _, _, product, category in chosen]


def _chances(products: Sequence[AskedProduct]) -> Callable[[AskedProduct], Mapping[str, float]]:
    """Tells of a product, by field, the share of the others whose value would pass for its own."""
    others = len(products) - 1
    prices, ratings = (
        sorted(product.price for product in products),
        sorted(product.average_rating for product in products),
    )
    names = Counter(name for product in products for name in product.names)

    def near(values: Sequence[float], value: float, away: float) -> float:
        found = bisect_right(values, value + away + _ROUNDING) - bisect_left(values, value - away - _ROUNDING)
        return (found - 1) / others if others else 0.0

    def chances(product: AskedProduct) -> Mapping[str, float]:
        # Of a brand the name that most others bear.
        most = max((names[name] - 1 for name in product.names), default=0)
        return {
            **{name: near(prices, product.price, share * product.price) for name, share in PRICES.items()},
            RATING: near(ratings, product.average_rating, WITHIN),
            BRAND: most / others if others else 0.0,
        }

    return chances


def is_near(value: float, true: float, away: float) -> bool:
    return abs(value - true) <= away + _ROUNDING


FAMILY, VERSION, STAGE = "memory", 1, "recall"
PRODUCTS = "products"
"""The run that answers are kept under."""
AT_ONCE = 8
ANSWER = Range(25, 80)
"""Tokens of an answer on one product, without what a model may think before."""


class Recollection(Record):
    """What is remembered of the product; null for what is not."""

    price: float | None
    average_rating: float | None
    brand: str | None


def memory_folder(experiment: Path) -> Path:
    return experiment / "lab" / FAMILY


def recall_prompt() -> Prompt:
    return load_prompt(__file__, "recall")


async def ask_products(
    folder: Path,
    world: str,
    year: int,
    products: Sequence[AskedProduct],
    model: Judge,
    *,
    again: Again,
    allowance: Allowance,
    bar: Bar,
) -> None:
    """Records what the model says of each product that it was not asked yet. ``world`` is a fingerprint.

    Raises CapReached.
    """
    prompt = recall_prompt()
    session = JudgeSession(
        model,
        _file(folder, world, model),
        metric=FAMILY,
        version=VERSION,
        run_id=f"{world[:12]}/{PRODUCTS}",
        report_sha=world,
        again=again,
        allowance=allowance,
    )
    with session:
        gate = asyncio.Semaphore(AT_ONCE)

        async def ask(product: AskedProduct) -> None:
            item, given = product.product_id, partial(_values, product, year)
            async with gate:
                await session.ask_and_record(
                    JudgeQuestion(STAGE, item, prompt, given, Recollection, lambda answer: Ruling(answer.model_dump()))
                )
            bar.advance()

        await session.together(ask(product) for product in products)


def recollections(folder: Path, world: str, products: Sequence[AskedProduct], model: Judge) -> dict[str, Verdict]:
    """By product what the model said in answer to today's question, or that it gave no usable answer."""
    living = _file(folder, world, model).living(world, frozenset({recall_prompt().hash}))
    wanted = {product.product_id for product in products}
    return {verdict.item: verdict for verdict in living if verdict.item in wanted and verdict.version == VERSION}


def estimate_recall(folder: Path, world: str, year: int, products: Sequence[AskedProduct], model: Judge) -> Estimate:
    """What asking for the products that were not asked yet is likely to take."""
    known = recollections(folder, world, products, model)
    left = [product for product in products if product.product_id not in known]
    return estimate_by_length(
        model.ref.spec,
        [len(recall_prompt().render(**_values(product, year))) for product in left],
        ANSWER,
        model.ref.spec,
        None if model.model is None else model.model.price,
        basis="length of titles",
        unit=PRODUCTS,
    )


def _file(folder: Path, world: str, model: Judge) -> VerdictFile:
    return VerdictFile(verdict_path(folder, FAMILY, model.slug, world[:12], PRODUCTS))


def _values(product: AskedProduct, year: int) -> Mapping[str, str]:
    return {"product": tagged("product", product.title), "currency": product.currency, "year": str(year)}


def measure_recall(
    products: Sequence[AskedProduct],
    verdicts: Mapping[str, Verdict],
    *,
    model: JudgeRef,
    world: str,
    perturbed_from: str | None,
    seed: str,
) -> Remembered:
    """What a model recalls of these products. Those on which it gave no usable answer are counted and in no share."""
    scored = [
        (product, verdict)
        for product in products
        if (verdict := verdicts.get(product.product_id)) and verdict.state == "scored"
    ]
    answers = [(product, Recollection.model_validate(verdict.value)) for product, verdict in scored]
    unnamed = [(product, one) for product, one in answers if product.names and not product.has_name_in_title]
    right: dict[str, list[tuple[AskedProduct, bool | None]]] = {name: [] for name in FIELDS}
    for product, one in answers:
        for name, share in PRICES.items():
            away = share * product.price
            right[name].append((product, None if one.price is None else is_near(one.price, product.price, away)))
        rating = one.average_rating
        right[RATING].append((product, None if rating is None else is_near(rating, product.average_rating, WITHIN)))
    right[BRAND] = [
        (product, None if one.brand is None else name_of(one.brand) in product.names) for product, one in unnamed
    ]
    return Remembered(
        model=model,
        world=world,
        perturbed_from=perturbed_from,
        seed=seed,
        n=len(answers),
        failed=len(verdicts) - len(answers),
        unasked=len(products) - len(verdicts),
        knows_nothing=sum(one == NOTHING for _, one in answers),
        named_in_title=sum(product.has_name_in_title for product, _ in answers),
        fields=tuple(_field(name, found) for name, found in right.items()),
    )


NOTHING = Recollection(price=None, average_rating=None, brand=None)


def _field(name: str, right: Sequence[tuple[AskedProduct, bool | None]]) -> RecalledField:
    """Whether each answer is right; None where the model says that it does not know."""
    answers = [(product.chance[name], is_right) for product, is_right in right]
    found = share_interval([float(answer is True) for _, answer in answers])
    return RecalledField(
        name=name,
        n=len(answers),
        right=sum(answer is True for _, answer in answers),
        unknown=sum(answer is None for _, answer in answers),
        value=found.value,
        low=found.low,
        high=found.high,
        chance=fmean(0.0 if answer is None else chance for chance, answer in answers) if answers else None,
    )


def with_others(made: Sequence[Remembered], before: MemoryFound | None) -> MemoryFound:
    """These rows, and those that are kept of other models, worlds and seeds."""
    kept = () if before is None else before.rows
    return MemoryFound(rows=(*(row for row in kept if row.key not in {one.key for one in made}), *made))
