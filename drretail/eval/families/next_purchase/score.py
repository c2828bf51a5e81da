"""What the comparison with the next purchase comes to: was it hit, in what, and would best sellers have hit it?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from drretail.eval.families.next_purchase.hits import (
    ASPECTS,
    NOT_HELD_OUT,
    Compared,
    comparison,
    lacks_purchases,
)
from drretail.eval.family import Family, by_code, of_verdicts
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict, VerdictState

GUESSERS = ("hit", "base", "shop")
"""The report, the best sellers of the user's favourite category, and those of the whole shop."""
IN_WANTED = "_wanted"
"""How the variants end that look only at purchases of a kind that the query wants."""


_HITS = tuple(f"{guesser}_{aspect}" for guesser in GUESSERS for aspect in ASPECTS)
VARIANTS = ("recommended", "wanted", *_HITS, *(f"{name}{IN_WANTED}" for name in _HITS))


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Every variant of one report; none at all where the world holds nothing out.

    A report that recommends nothing hits nothing: 0, as does a baseline of as many products.
    """
    verdict = next(iter(verdicts), None)
    if verdict is not None and NOT_HELD_OUT in verdict.notes:
        return []
    if verdict is None or verdict.state != "scored":
        state: VerdictState = "failed" if verdict is None else verdict.state
        items = {} if verdict is None else dict.fromkeys(verdict.notes, 1.0)
        return [Value(variant, state, None, items) for variant in VARIANTS]
    readers = dict.fromkeys(verdict.notes, 1.0)
    return [replace(value, items=readers) for value in _values(Compared.model_validate(verdict.value))]


def _values(compared: Compared) -> Iterator[Value]:
    yield Value("recommended", "scored", float(compared.recommended))
    yield _flag("wanted", compared.wanted)
    guesses = dict(zip(GUESSERS, (compared.hit, compared.base, compared.shop), strict=True))
    for suffix, counts in (("", True), (IN_WANTED, compared.wanted is True)):
        for guesser, hits in guesses.items():
            for aspect in ASPECTS:
                hit = None if hits is None or not counts else getattr(hits, aspect)
                yield _flag(f"{guesser}_{aspect}{suffix}", hit)


def _flag(variant: str, flag: bool | None) -> Value:
    return Value(variant, "na") if flag is None else Value(variant, "scored", float(flag))


DESCRIPTION = MetricDescription(
    title="Next purchase",
    meaning="The share of reports that recommend what the user bought next (hit), beside as many best sellers "
    "of the user's favourite category (base) and of the whole shop (shop).",
    headlines=("hit_item", "hit_category", "hit_brand", "hit_price_band", "base_item", "base_category"),
    counts=("recommended",),
)
METRIC = Family(
    "next_purchase",
    2,
    by_code("compare", lambda subject: [("report", comparison(subject))]),
    of_verdicts(values),
    VARIANTS,
    DESCRIPTION,
    after=("reading",),
    lacks=lacks_purchases,
    needs_judge=False,
)
