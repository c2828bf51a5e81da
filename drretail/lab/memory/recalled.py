"""How much of what a model says by heart is right, beside what another product's values would have hit."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from drretail.data_ingest.perturb.brand_names import name_of
from drretail.lab.memory.asked_products import BRAND, PRICES, RATING, WITHIN, AskedProduct, is_near
from drretail.lab.memory.recollections import Recollection
from drretail.lab.trial_findings import MemoryFound, RecalledField, Remembered
from drretail.records.score import JudgeRef, Verdict
from drretail.stats.intervals import share_interval

Said = tuple[AskedProduct, Recollection]
Rule = Callable[[AskedProduct, Recollection], bool | None]
"""Whether an answer is right; None where the model says that it doesn't know."""


def remembered(
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
        (it, verdict) for it in products if (verdict := verdicts.get(it.product_id)) and verdict.state == "scored"
    ]
    said = [(it, Recollection.model_validate(verdict.value)) for it, verdict in scored]
    unnamed = [(it, one) for it, one in said if it.names and not it.has_name_in_title]
    fields = [
        *(_field(name, said, lambda it, one, share=share: _price(it, one, share)) for name, share in PRICES.items()),
        _field(RATING, said, _rating),
        _field(BRAND, unnamed, _brand),
    ]
    return Remembered(
        model=model,
        world=world,
        perturbed_from=perturbed_from,
        seed=seed,
        n=len(said),
        failed=len(verdicts) - len(said),
        unasked=len(products) - len(verdicts),
        knows_nothing=sum(one == NOTHING for _, one in said),
        named_in_title=sum(it.has_name_in_title for it, _ in said),
        fields=tuple(fields),
    )


NOTHING = Recollection(price=None, average_rating=None, brand=None)


def _field(
    name: str, said: Sequence[Said], right: Callable[[AskedProduct, Recollection], bool | None]
) -> RecalledField:
    """``right`` is None where the model says that it does not know."""
    answers = [(it.chance[name], right(it, one)) for it, one in said]
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


def _price(it: AskedProduct, one: Recollection, share: float) -> bool | None:
    return None if one.price is None else is_near(one.price, it.price, share * it.price)


def _rating(it: AskedProduct, one: Recollection) -> bool | None:
    return None if one.average_rating is None else is_near(one.average_rating, it.average_rating, WITHIN)


def _brand(it: AskedProduct, one: Recollection) -> bool | None:
    return None if one.brand is None else name_of(one.brand) in it.names


def with_others(made: Sequence[Remembered], before: MemoryFound | None) -> MemoryFound:
    """These rows, and those that are kept of other models, worlds and seeds."""
    kept = () if before is None else before.rows
    return MemoryFound(rows=(*(it for it in kept if it.key not in {one.key for one in made}), *made))
