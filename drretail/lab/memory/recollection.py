"""What a model recalls of products by their titles, and how much of it is right."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from drretail.data_ingest.perturb.brand_names import name_of
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.lab.memory.products import BRAND, PRICES, RATING, WITHIN, AskedProduct, is_near
from drretail.lab.trial_findings import MemoryFound, RecalledField, Remembered
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.progress import Bar
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.score import JudgeRef, Verdict
from drretail.stats.intervals import share_interval

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
    session = JudgeSession(
        model,
        VerdictFile(_path(folder, world, model)),
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
            async with gate:
                await session.ask_and_record(_question(product, year))
            bar.advance()

        await session.together(ask(product) for product in products)


def _question(product: AskedProduct, year: int) -> JudgeQuestion[Recollection]:
    values = partial(_values, product, year)
    return JudgeQuestion(
        STAGE, product.product_id, recall_prompt(), values, Recollection, lambda answer: Ruling(answer.model_dump())
    )


def recollections(folder: Path, world: str, products: Sequence[AskedProduct], model: Judge) -> dict[str, Verdict]:
    """By product what the model said in answer to today's question, or that it gave no usable answer."""
    living = VerdictFile(_path(folder, world, model)).living(world, frozenset({recall_prompt().hash}))
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


def _values(product: AskedProduct, year: int) -> Mapping[str, str]:
    return {"product": tagged("product", product.title), "currency": product.currency, "year": str(year)}


def _path(folder: Path, world: str, model: Judge) -> Path:
    return verdict_path(folder, FAMILY, model.slug, world[:12], PRODUCTS)


Recalled = tuple[AskedProduct, Recollection]
Rule = Callable[[AskedProduct, Recollection], bool | None]
"""Whether an answer is right; None where the model says that it doesn't know."""


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
    fields = [
        *(
            _field(name, answers, lambda product, one, share=share: _price(product, one, share))
            for name, share in PRICES.items()
        ),
        _field(RATING, answers, _rating),
        _field(BRAND, unnamed, _brand),
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
        fields=tuple(fields),
    )


NOTHING = Recollection(price=None, average_rating=None, brand=None)


def _field(
    name: str, recalled: Sequence[Recalled], right: Callable[[AskedProduct, Recollection], bool | None]
) -> RecalledField:
    """``right`` is None where the model says that it does not know."""
    answers = [(product.chance[name], right(product, one)) for product, one in recalled]
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


def _price(product: AskedProduct, one: Recollection, share: float) -> bool | None:
    return None if one.price is None else is_near(one.price, product.price, share * product.price)


def _rating(product: AskedProduct, one: Recollection) -> bool | None:
    return None if one.average_rating is None else is_near(one.average_rating, product.average_rating, WITHIN)


def _brand(product: AskedProduct, one: Recollection) -> bool | None:
    return None if one.brand is None else name_of(one.brand) in product.names


def with_others(made: Sequence[Remembered], before: MemoryFound | None) -> MemoryFound:
    """These rows, and those that are kept of other models, worlds and seeds."""
    kept = () if before is None else before.rows
    return MemoryFound(rows=(*(row for row in kept if row.key not in {one.key for one in made}), *made))
