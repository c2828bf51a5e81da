"""Picks and values of a report, read by a judge in one question; code finds where each quote stands."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.amounts import find_amounts
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import Pick, Reading, ReadValue, Relation, ValueKind

FAMILY, VERSION = "reading", 1
STAGE, ITEM = "read", "report"
BY_FORM = "a rule-based judge does not read: reports are read by form"
_OF_WORDS = frozenset({"brand", "place"})
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}")
_CURRENCY = re.compile(r"[A-Z]{3}")
_TOLD = 8


class SaidPick(Record):
    product: str
    quantity: int
    alternatives: list[str]
    quote: str


class SaidValue(Record):
    kind: ValueKind
    amount: str
    amount_to: str
    currency: str
    relation: Relation
    of: list[str]
    quote: str


class SaidByReport(Record):
    """What a report tells the shopper to buy, and the values that it says of its sources."""

    picks: list[SaidPick]
    values: list[SaidValue]


@cache
def prompt() -> Prompt:
    return load_prompt(__file__, "read")


async def judge_reading(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what the judge reads of a report, unless that stands already."""
    if judge_session.judge.ref.kind == "rule_based":
        if judge_session.standing(STAGE, ITEM) is None:
            judge_session.record(STAGE, ITEM, "na", reason=BY_FORM)
        return
    if judge_session.standing(STAGE, ITEM, prompt().hash) is not None:
        return
    report = subject.report or ""
    known = frozenset(subject.evidence)
    given = {"query": tagged("query", subject.query.text), "report": tagged("report", report)}
    said = await judge_session.ask(
        STAGE,
        ITEM,
        prompt(),
        given,
        SaidByReport,
        lambda answer: problem_of(answer, report, known),
        purpose="extraction",
    )
    reading = None if said.answer is None else as_reading(said.answer, report, f"model:{judge_session.judge.slug}")
    judge_session.record(
        STAGE,
        ITEM,
        said.state,
        None if reading is None else reading.model_dump(mode="json", exclude_none=True),
        prompt_hash=said.prompt_hash,
        error=said.error,
    )


def problem_of(answer: SaidByReport, report: str, known: frozenset[str]) -> str | None:
    """What is wrong with an answer, told to the judge: strange ids, numbers that are none, quotes that don't occur."""
    problems = [*_strange_ids(answer, report, known), *_wrong_amounts(answer), *_wrong_quotes(answer, report)]
    more = f" … and {len(problems) - _TOLD} more" if len(problems) > _TOLD else ""
    return "; ".join(problems[:_TOLD]) + more if problems else None


def as_reading(answer: SaidByReport, report: str, reader: str) -> Reading:
    """The answer as a record, its quotes as places in the report; values are not verified yet."""
    picks, values, after = list[Pick](), list[ReadValue](), 0
    for said in answer.picks:
        start, end = find_quote(report, said.quote) or (None, None)
        others = tuple(_bare(it) for it in said.alternatives if _bare(it) != _bare(said.product))
        picks.append(
            Pick(product=_bare(said.product), quantity=said.quantity, alternatives=others, start=start, end=end)
        )
    for said in answer.values:
        place = find_quote(report, said.quote, after)
        if place is None:
            continue
        after = place[0]
        start, end = _narrowed(report, *place, said.amount)
        values.append(
            ReadValue(
                kind=said.kind,
                amount=(said.amount, said.amount_to) if said.amount_to else said.amount,
                currency=said.currency or None,
                relation=said.relation,
                of=tuple(it.strip("[] ") for it in said.of),
                start=start,
                end=end,
            )
        )
    return Reading(reader=reader, picks=tuple(picks), values=tuple(values))


def find_quote(report: str, quote: str, after: int = 0) -> tuple[int, int] | None:
    """Where a quote stands, however white space is set: the first place not before ``after``, else the first at all."""
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found = pattern.search(report, after) or pattern.search(report)
    return None if found is None else found.span()


def _narrowed(report: str, start: int, end: int, amount: str) -> tuple[int, int]:
    """The amount within its quote, where it stands there once in digits."""
    if not _NUMBER.fullmatch(amount):
        return start, end
    places = [it for it in find_amounts(report[start:end]) if f"{it.low.normalize():f}" == _plain(amount)]
    return (start + places[0].start, start + places[0].end) if len(places) == 1 else (start, end)


def _plain(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _strange_ids(answer: SaidByReport, report: str, known: frozenset[str]) -> Iterable[str]:
    """Ids that neither the report nor the run's ledger has."""
    products = [it for pick in answer.picks for it in (pick.product, *pick.alternatives)]
    named = [*(f"P:{_bare(it)}" for it in products), *(it.strip("[] ") for value in answer.values for it in value.of)]
    for name in dict.fromkeys(named):
        if name not in known and name.partition(":")[2] not in report:
            yield f"{name!r} is no id in the report"


def _wrong_amounts(answer: SaidByReport) -> Iterable[str]:
    for pick in answer.picks:
        if pick.quantity < 1:
            yield f"the quantity of {pick.product} has to be 1 or more"
    for value in answer.values:
        form, what = _form_of(value.kind)
        for amount in (value.amount, *([value.amount_to] if value.amount_to else [])):
            if not form.fullmatch(amount):
                yield f"the amount {amount!r} of the {value.kind} {value.quote!r} has to be {what}"
        if value.currency and not _CURRENCY.fullmatch(value.currency):
            yield f"the currency {value.currency!r} has to be three capital letters, or empty"


def _form_of(kind: ValueKind) -> tuple[re.Pattern[str], Literal["words", "a date", "a number in digits"]]:
    if kind in _OF_WORDS:
        return re.compile(r".*\S.*"), "words"
    return (_DATE, "a date") if kind == "date" else (_NUMBER, "a number in digits")


def _wrong_quotes(answer: SaidByReport, report: str) -> Iterable[str]:
    for said in (*answer.picks, *answer.values):
        if find_quote(report, said.quote) is None:
            yield f"the quote {said.quote!r} does not stand in the report: copy it exactly"


def _bare(product: str) -> str:
    return product.strip("[] ").removeprefix("P:")
