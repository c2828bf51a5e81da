"""What a model says of products by their titles alone: each asked once, journalled, and kept as a verdict."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.lab.memory.asked_products import AskedProduct
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.progress import Bar
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.score import Verdict

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
                await _ask(session, product, year)
            bar.advance()

        await session.together(ask(product) for product in products)


async def _ask(session: JudgeSession, product: AskedProduct, year: int) -> None:
    prompt = recall_prompt()
    if session.existing(STAGE, product.product_id, prompt.hash) is not None:
        return
    said = await session.ask(STAGE, product.product_id, prompt, _values(product, year), Recollection)
    value = None if said.answer is None else said.answer.model_dump()
    session.record(STAGE, product.product_id, said.state, value, prompt_hash=prompt.hash, error=said.error)


def recollections(folder: Path, world: str, products: Sequence[AskedProduct], model: Judge) -> dict[str, Verdict]:
    """By product what the model said in answer to today's question, or that it gave no usable answer."""
    living = VerdictFile(_path(folder, world, model)).living(world, frozenset({recall_prompt().hash}))
    wanted = {it.product_id for it in products}
    return {it.item: it for it in living if it.item in wanted and it.version == VERSION}


def estimate_recall(folder: Path, world: str, year: int, products: Sequence[AskedProduct], model: Judge) -> Estimate:
    """What asking for the products that were not asked yet is likely to take."""
    known = recollections(folder, world, products, model)
    left = [it for it in products if it.product_id not in known]
    return estimate_by_length(
        model.ref.spec,
        [len(recall_prompt().render(**_values(it, year))) for it in left],
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
