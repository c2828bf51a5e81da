"""A second model types a question that it sees for the first time, and code compares what both took from its words.

It sees neither the wish nor the reason. Two wishes agree if they accept the same offers, name the same numbers and have
as many limits; and each purchase that the text mentions is one that the wish names.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import Ask
from drretail.querygen.checks.case import QueryCase, finding
from drretail.querygen.lint import Linter
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.query import Query, WantedThing
from drretail.records.wish import Wish, spoken
from drretail.reports.text.untrusted import harmless

LEAST_OVERLAP = 0.8
"""The least share of the offers that either wish accepts which both have to accept."""


class Clause(Record):
    """A part of the question that rules something out."""

    quote: str
    kind: Literal["typed", "profile", "page", "untypable"]


class Mention(Record):
    """Something that the shopper has, and the id of the order that is meant."""

    quote: str
    order: str | None = None


class WebQuestion(Record):
    """What the question asks of the web, and whether it bears on what to buy."""

    quote: str
    decides: bool


# Models read the first line of the class below.
class SecondTyping(Record):
    """A question's wish, with the words that it was taken from."""

    wish: Wish
    clauses: tuple[Clause, ...] = ()
    mentions: tuple[Mention, ...] = ()
    asks: tuple[WebQuestion, ...] = ()
    stated: tuple[str, ...] = ()


def ask_again(query: Query, prompts: PromptBuilder) -> Ask[SecondTyping]:
    """What asks a model for all that it takes from the question's words alone."""
    material = prompts.shelf.pages_for(query)

    def check(read: SecondTyping) -> str | None:
        text, records = spoken(query.text), spoken("\n".join(material.sentences))
        quoted = [each.quote for each in (*read.clauses, *read.mentions, *read.asks)]
        faults = [f"{quote!r} is not in the question" for quote in quoted if spoken(quote) not in text]
        faults += [f"{quote!r} is in no record" for quote in read.stated if spoken(quote) not in records]
        return "; ".join(faults) or None

    return Ask(query.query_id, prompts.text_to_type(query, material, again=True), SecondTyping, check)


def differences(query: Query, read: SecondTyping, linter: Linter) -> list[Finding]:
    """Where the query's wish and the second typing of its text differ, and what no wish can say."""
    case, wish = linter.case(query), query.wish or Wish()
    other = linter.case(query.model_copy(update={"wish": read.wish}))
    return [*_offers(case, other), *_counts(wish, read.wish), *_clauses(wish, read), *_mentions(case, wish, read)]


def _offers(case: QueryCase, other: QueryCase) -> Iterator[Finding]:
    seconds = [_accepted(thing) for thing in other.reference.things]
    if len(seconds) != len(case.reference.things):
        yield finding("read_otherwise", "wants", f"{len(case.reference.things)} typed, {len(seconds)} read")
    for thing in case.reference.things if seconds else ():
        first = _accepted(thing)
        best = max(seconds, key=lambda second: len(first & second) / max(1, len(first | second)))
        if len(first & best) < LEAST_OVERLAP * len(first | best):
            shown = f"{len(first)} products do as typed, {len(best)} as read again, {len(first & best)} both times"
            yield finding("read_otherwise", thing.name, f"{shown}: {_shown(other.query.wish)}")


def _accepted(thing: WantedThing) -> set[str]:
    """The offers that would do; where none does, those of which records leave it open."""
    return {fit.offer_id for fit in thing.fits or thing.undecided}


def _counts(wish: Wish, other: Wish) -> Iterator[Finding]:
    if _numbers(wish) != _numbers(other):
        shown = (", ".join(f"{number:f}" for number in _numbers(each)) or "none" for each in (wish, other))
        yield finding("read_otherwise", "numbers", "typed {}; read {}".format(*shown))
    limits, others = [*wish.every_limit], [*other.every_limit]
    if len(limits) != len(others):
        yield finding("read_otherwise", f"{len(limits)} limits", f"{len(others)} read: {_shown(other)}")


def _numbers(wish: Wish) -> list[Decimal]:
    """The quantities and bounds that the text says, least first."""
    stated = wish.without("profile").without("page")
    bounds = [bound for want in stated.wants for bound in (want.quantity, want.rating_min, want.ratings_min)]
    amounts = [want.price_min.value for want in stated.wants if want.price_min is not None]
    amounts += [limit.value for limit in stated.limits]
    return sorted([*(Decimal(str(bound)) for bound in bounds if bound not in (None, 1)), *amounts])


def _clauses(wish: Wish, read: SecondTyping) -> Iterator[Finding]:
    for clause in read.clauses:
        if clause.kind == "untypable" or (clause.kind != "typed" and not wish.rests_on(clause.kind)):
            yield finding("limit_not_typed", clause.quote, clause.kind)
    for ask in read.asks:
        if not ask.decides:
            yield finding("web_decides_nothing", ask.quote)


def _mentions(case: QueryCase, wish: Wish, read: SecondTyping) -> Iterator[Finding]:
    named = {place.removeprefix("O:") for limit in wish.every_limit for at in limit.sources for place in at.evidence}
    orders = () if case.shopper is None else case.shopper.orders
    named |= {order.order_id for order in orders if order.product_id in wish.owned}
    for mention in read.mentions:
        if mention.order is None:
            yield finding("mention_unclear", mention.quote, "no order, or more than one, can be meant")
        elif mention.order.removeprefix("O:") not in named:
            yield finding("mention_unclear", mention.quote, f"{mention.order} is meant, and the wish doesn't name it")


def _shown(wish: Wish | None) -> str:
    limits = () if wish is None else wish.every_limit
    return "; ".join(harmless(f"{each.name} {' or '.join(each.values)}") for each in limits) or "no limit"
