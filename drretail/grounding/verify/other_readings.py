"""What a figure that a record seems to deny may be instead: nothing is accused that another reading explains.

A report says more than one thing beside a mark, and who reads it may tie a figure to a wrong field, thing or day. So
before a value counts as wrong, all that its sentence cites is asked whether it has this figure.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from decimal import Decimal

from drretail.grounding.text.amounts import find_amounts, find_dates
from drretail.grounding.text.words import is_negation, words
from drretail.grounding.verify.derivation import (
    derivation,
    fits,
    numbers_of,
    result_shown,
    small_numbers,
    title_numbers,
)
from drretail.grounding.verify.fields import has_figures
from drretail.grounding.verify.records import Ledger, all_words_of, amount_of, plain
from drretail.records.reading import ReadValue
from drretail.records.shop import Product


def other_reading(value: ReadValue, beside: Collection[str], ledger: Ledger, sentence: str) -> str | None:
    """What explains a value that is denied, in words; None if nothing does, and for ranges.

    ``beside`` is all that its sentence cites, ``sentence`` what that says besides the value: where it has the record's
    own figure, the value is another one.
    """
    sources = dict.fromkeys([*value.of, *beside])
    # Each field of a user's record counts something else, and has no title.
    items = [item for source in sources for item in ledger.items(source) if item.title]
    match value.kind:
        case "date":
            return _other_day(value, items, sentence)
        case "price" | "rating" | "rating_count" | "property":
            return _other_figure(value, items, ledger, sentence)
        case "order_status" if _is_status_told(value, sentence):
            return "its sentence tells the recorded status as well"
        case "brand" if any(plain(f"{value.amount}") in plain(all_words_of(item)) for item in items):
            return "a cited record has this name"
        case "total" | "difference" | "left_over" | "over_budget" | "per_unit":
            return _other_result(value, list(sources), ledger, sentence)
        case _:
            return None


def _is_status_told(value: ReadValue, sentence: str) -> bool:
    spoken = {*words(sentence)}
    return f"{value.derivation}".rpartition(": ")[2].casefold() in spoken and not any(map(is_negation, spoken))


def _other_figure(value: ReadValue, items: Collection[Product], ledger: Ledger, sentence: str) -> str | None:
    amount, recorded = amount_of(value), {figure.low for figure in find_amounts(value.derivation or "")}
    of_products = value.kind in ("rating", "rating_count")  # which no shopper asks for to the unit
    if amount is not None and not of_products and (ledger.names(amount.low) or ledger.names(amount.high)):
        return "named by the query"
    if not isinstance(value.amount, str) or (amount is not None and amount.low in recorded):  # in another currency
        return None
    if len(recorded) == 1 and any(figure.low in recorded for figure in find_amounts(sentence)):
        return "its sentence has the record's figure as well"
    if has_figures(items, value.amount, is_about=value.relation == "about"):
        return "a cited record has this figure"
    if value.kind != "price" or amount is None:
        return None
    near = [item.product_id for item in items]
    return derivation(amount, ledger, near, {*title_numbers(near, ledger), *map(Decimal, small_numbers(sentence))})


def _other_result(value: ReadValue, sources: Collection[str], ledger: Ledger, sentence: str) -> str | None:
    """What follows from all that is cited, and from an amount beside it: "at $49.99 a cent more than both [C:…]"."""
    amount, amounts = amount_of(value), find_amounts(sentence)
    results = [ledger.calculations[key] for key in value.of if key in ledger.calculations]
    if amount is None or any(result_shown(amounts, calculation) is not None for calculation in results):
        return "its sentence has the result as well"
    own = numbers_of(sources, replace(ledger, picks=None, budget=None, query_text=""))
    apart = {abs(one - other.low) for one in own for other in amounts if other.kind == "money"}
    counts = sorted(small_numbers(sentence))
    of_things = numbers_of((source for source in sources if source not in ledger.calculations), ledger, counts)
    left = {abs(calculation.result - number) for calculation in results for number in of_things}
    numbers = left | numbers_of(sources, ledger, counts)
    # "15 cents" may be read as 15.
    is_so = any(fits(amount, one) or fits(amount, 100 * one) for one in numbers) or any(map(amount.agreement, apart))
    return "it follows from what its sentence cites" if is_so else None


def _other_day(value: ReadValue, items: Iterable[Product], sentence: str) -> str | None:
    day = f"{value.amount}".lstrip("-")
    if any(date.is_day and date.iso in f"{value.derivation}" for date in find_dates(sentence)):
        return "its sentence has the order's day as well"
    days = (date.iso for item in items for date in find_dates(all_words_of(item)) if date.is_day)
    return next((f"a cited record has {iso}" for iso in days if iso.startswith(day) or iso.endswith(day)), None)
