"""The schemas of a model's answers to a request for a query or a wish.

Every field is required, so that the model forgets none; an absent value is null or an empty list.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Literal

from pydantic import ValidationError

from drretail.grounding.text.wording import format_money
from drretail.records.base import Record
from drretail.records.query import NeedKind
from drretail.records.shop import Money
from drretail.records.wish import Wish

# A larger amount is a mistake: no shopper would name it.
_MOST_MONEY = 10_000_000


# Models read the first lines of the classes below.
class WrittenMoney(Record):
    """An upper limit on spending that the text names."""

    amount: float
    currency: Literal["USD", "EUR", "GBP"]


class WrittenDemand(Record):
    """One property, and what decides it in the record of a product."""

    say: str
    field: str | None
    any_of: list[str]
    none_of: list[str]
    least: float | None
    most: float | None
    unit: str | None


class WrittenWant(Record):
    """One thing to be bought."""

    name: str
    kinds: list[str]
    quantity: int
    optional: bool
    again: bool
    must: list[WrittenDemand]
    must_not: list[WrittenDemand]
    rating_min: float | None
    ratings_min: int | None
    price_max: WrittenMoney | None
    brands_wanted: list[str]
    brands_unwanted: list[str]


class WrittenWish(Record):
    """All that the text wants bought, and nothing else."""

    wants: list[WrittenWant]
    budget: WrittenMoney | None
    room: bool
    deadline: str | None
    owned: list[str]
    orders: list[str]


class WrittenQuery(Record):
    """One question with what stands beside it."""

    query: str
    kind: NeedKind
    rationale: str
    expected_tools: list[str]
    web_question: str
    wish: WrittenWish


def as_wish(written: WrittenWish) -> Wish:
    """The answer as the wish that queries carry. Raises ValueError for an answer that ``wish_problem`` objects to."""
    wants = [
        {
            **want.model_dump(),
            "must": list(map(_demand, want.must)),
            "must_not": list(map(_demand, want.must_not)),
            "price_max": _money(want.price_max),
            # 0 means no minimum.
            "rating_min": want.rating_min or None,
            "ratings_min": want.ratings_min or None,
        }
        for want in written.wants
    ]
    return Wish.model_validate(
        {
            "wants": wants,
            "budget": _money(written.budget),
            "room": written.room,
            "deadline": (written.deadline or "").strip() or None,
            "owned": _ids(written.owned, "P:"),
            "orders": _ids(written.orders, "O:"),
        }
    )


def wish_problem(written: WrittenWish) -> str | None:
    """Why an answer can't become a wish, worded for the model; None if it can."""
    amounts = [("budget", written.budget), *((f"price_max of {want.name!r}", want.price_max) for want in written.wants)]
    for field, money in amounts:
        if money is None:
            continue
        if not (isfinite(money.amount) and 0 < money.amount < _MOST_MONEY):
            return f"{field}: {money.amount:g} is no amount of money that a shopper would name; null is none at all"
        value = Money.of(money.amount, money.currency).value
        if float(value) != money.amount:
            return f"{field}: {money.amount} has parts of cents; did you mean {format_money(value)}?"
    try:
        as_wish(written)
    except ValidationError as problem:
        error = problem.errors()[0]
        return f"{_place(error['loc'], written)}: {error['msg']}"
    return None


def _ids(written: Sequence[str], prefix: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(record_id.strip().removeprefix(prefix) for record_id in written))


def _demand(written: WrittenDemand) -> dict[str, Any]:
    """The demand, in which an empty text is as good as none."""
    named = {"field": written.field or None, "unit": written.unit or None}
    return {**written.model_dump(), **named, "say": written.say.strip()}


def _money(written: WrittenMoney | None) -> Money | None:
    return None if written is None else Money.of(written.amount, written.currency)


def _place(place: tuple[Any, ...], written: WrittenWish) -> str:
    """The place of an error in words, such as "kinds of 'desk lamp'", from pydantic's location."""
    match place:
        case ("wants", int(number), *fields):
            return f"{'.'.join(map(str, fields))} of {written.wants[number].name!r}"
        case _:
            return ".".join(map(str, place))
