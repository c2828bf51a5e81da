"""Figures, names and picks of a report as a judge types them: their schema, possible problems, their places."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from pydantic import ConfigDict, Field, JsonValue

from drretail.eval.claims.report_index import SourceResolver
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.amounts import find_amounts, find_dates, find_days, notation_of
from drretail.llm.prompts.prompt import load_prompt
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.reading import COMPARISONS, SUPERLATIVES, JudgedKind, Pick, ReadValue, Relation, ValueKind

_OF_WORDS: tuple[ValueKind, ...] = ("brand", "place", "order_status", "property")
_NAMED = frozenset({"property", *COMPARISONS})
"""The kinds with a ``field``."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
DATE = re.compile(r"(?:19|20)\d\d(?:-\d\d){0,2}|\d\d-\d\d")
_PER_CENT = re.compile(rf"{_NUMBER.pattern} ?%?")
_NUMBER_OR_NONE = re.compile(rf"(?:{_NUMBER.pattern})?")
_ANY, _SOME_WORDS = re.compile(r".*", re.DOTALL), re.compile(r"(?<!\s)[^\S\n]*+\S.*")
MOST_TOLD = 8
"""The most problems that a judge is told of at once."""
_CURRENCY = re.compile(r"[A-Z]{3}")
_IN_DIGITS = "a number in digits"
_FORMS: dict[ValueKind, tuple[re.Pattern[str], str]] = {
    **dict.fromkeys((*SUPERLATIVES, *COMPARISONS), (_ANY, "words")),
    **dict.fromkeys(_OF_WORDS, (_SOME_WORDS, "words")),
    "date": (DATE, "a date"),
    "share": (_PER_CENT, _IN_DIGITS),
    "only_one": (_NUMBER_OR_NONE, _IN_DIGITS),
}
"""What amounts look like, in words too; those of other kinds are numbers."""


_REQUIRED: list[JsonValue] = ["kind", "amount", "amount_to", "currency", "relation", "of", "quote", "field", "than"]


class SaidValue(Record):
    """One value as a judge gives it."""

    kind: JudgedKind
    amount: str
    amount_to: str
    currency: str
    relation: Relation
    of: list[str]
    quote: str
    field: str = ""
    than: list[str] = Field(default_factory=list[str])

    # Answers from before may lack the last two; models are asked for all.
    model_config = ConfigDict(json_schema_extra={"required": _REQUIRED})


def value_problems(values: Iterable[SaidValue], report: str, known: Collection[str]) -> Iterable[str]:
    """What is wrong with values, in words for the judge; ``known`` are the run's evidence ids."""
    for value in values:
        form, words = _FORMS.get(value.kind, (_NUMBER, _IN_DIGITS))
        for amount in (value.amount, *([value.amount_to] if value.amount_to else [])):
            if not form.fullmatch(amount):
                yield f"the amount {amount!r} of the {value.kind} {value.quote!r} has to be {words}"
        # Of what is calculated it is a share of money.
        sides = ({source.strip("[]")[:2] for source in side} for side in (value.of, value.than))
        is_of_sums = value.kind == "share" and {"C:"} in sides
        if value.kind in _NAMED and not value.field.strip() and not is_of_sums:
            yield f"the {value.kind} {value.quote!r} has to name its field"
        if value.currency and not _CURRENCY.fullmatch(value.currency):
            yield f"the currency {value.currency!r} has to be three capital letters, or empty"
        than = (name for name in value.than if not _NUMBER.search(name) or ":" in name)
        yield from strange_ids((bare(each) for each in (*value.of, *than)), report, known)
        if value.quote.strip():
            yield from strange_quote(value.quote, report)


def joined_problems(problems: Sequence[str]) -> str | None:
    """Problems as one text for the judge; None without any."""
    more = f" … and {len(problems) - MOST_TOLD} more" if len(problems) > MOST_TOLD else ""
    return "; ".join(problems[:MOST_TOLD]) + more if problems else None


def strange_ids(names: Iterable[str], report: str, known: Collection[str]) -> Iterable[str]:
    """Problems for ids that are neither in the report nor in the run's ledger."""
    for name in dict.fromkeys(names):
        if name not in known and (name.partition(":")[2] or name) not in report:
            yield f"{name!r} is no id in the report"


def strange_quote(quote: str, report: str) -> Iterable[str]:
    """A problem for a quote that is not in the report."""
    if find_quote(report, quote) is None:
        yield f"the quote {quote!r} does not stand in the report: copy it exactly"


def as_values(
    values: Iterable[SaidValue], report: str, claim_quote: str, sentence: tuple[int, int]
) -> tuple[ReadValue, ...]:
    """The values with their places, not yet verified. A place is the value's own quote, else the claim's, else its
    sentence, narrowed to the amount if that occurs once.
    """
    whole = find_quote(report, claim_quote, sentence[0]) or (sentence if sentence[0] < sentence[1] else None)
    read: list[ReadValue] = []
    for typed in values:
        place = find_quote(report, typed.quote, sentence[0]) if typed.quote.strip() else whole
        if place is None:
            continue
        start, end = narrowed(report, *place, typed.kind, typed.amount)
        is_day = typed.kind == "date" and len(typed.amount) == 5
        amount = f"--{typed.amount}" if is_day else typed.amount
        read.append(
            ReadValue(
                kind=typed.kind,
                amount=(amount, typed.amount_to) if typed.amount_to else amount,
                currency=typed.currency or None,
                relation=typed.relation,
                of=tuple(map(bare, typed.of)),
                field=typed.field.strip() or None if typed.kind in (*_NAMED, "difference") else None,
                than=tuple(map(bare, typed.than)),
                start=start,
                end=end,
            )
        )
    return tuple(read)


def find_quote(report: str, quote: str, after: int = 0) -> tuple[int, int] | None:
    """The place of a quote, ignoring white space: the first at or after ``after``, else the first of all."""
    words = quote.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    match = pattern.search(report, after) or pattern.search(report)
    return None if match is None else match.span()


def bare(name: str) -> str:
    """An id without the brackets of its mark."""
    return name.strip("[] ")


def narrowed(report: str, start: int, end: int, kind: str, amount: str) -> tuple[int, int]:
    """The amount within a quote, if it occurs once."""
    text = report[start:end]
    number = _NUMBER.search(amount)
    if kind in ("date", "order_date"):
        dates = [*find_dates(text), *find_days(text, notation_of(report))]
        places = [(date.start, date.end) for date in dates if date.iso.lstrip("-") == amount]
    elif number is None or kind in ("brand", "place"):
        words = re.finditer(re.escape(amount.strip()), text, re.IGNORECASE)
        places = [match.span() for match in words if kind in ("brand", "place", "order_status")]
    else:
        figures = find_amounts(text)
        places = [(figure.start, figure.end) for figure in figures if figure.low == Decimal(number[0])]
    return (start + places[0][0], start + places[0][1]) if len(places) == 1 else (start, end)


PROMPTS = str(Path(__file__).parents[1] / "metrics" / "reading" / "judge.py")
"""Their prompts are beside the judge of readings; users override them under its name."""


class SaidPick(Record):
    product: str
    quantity: int
    alternatives: list[str]
    quote: str


class ReportPicks(Record):
    """What a report tells the shopper to buy."""

    picks: list[SaidPick]


def are_declared(subject: Subject) -> bool:
    return subject.run is not None and subject.run.picks is not None


def what_picks_are(*, is_imported: bool) -> str:
    """The definition of picks for prompts. Imported reports lack our marks, by whose ids picks could be named."""
    return load_prompt(PROMPTS, "picked_elsewhere" if is_imported else "picked").text


class PickReader:
    """Reads the picks that a judge gives for one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence], *, is_imported: bool) -> None:
        self._report = report
        self._known = frozenset(evidence)
        self._resolver = SourceResolver(report, evidence) if is_imported else None

    def problems(self, picks: Sequence[SaidPick]) -> Iterator[str]:
        """What is wrong with picks, in words for the judge: unknown ids, no quantity, quotes that don't occur."""
        names = dict.fromkeys(name for pick in picks for name in (pick.product, *pick.alternatives))
        if self._resolver is None:
            yield from strange_ids((f"P:{_id(name)}" for name in names), self._report, self._known)
        else:
            strange = (name for name in names if not self._resolver.is_in_report(name))
            yield from (f"{name!r} does not stand in the report" for name in strange)
        yield from (f"the quantity of {pick.product} has to be 1 or more" for pick in picks if pick.quantity < 1)
        for pick in picks:
            yield from strange_quote(pick.quote, self._report)

    def read(self, picks: Iterable[SaidPick]) -> list[dict[str, object]]:
        """The picks as the value of a verdict."""
        return [pick.model_dump(mode="json", exclude_none=True) for pick in map(self._pick, picks)]

    def _pick(self, reply: SaidPick) -> Pick:
        """For an imported report, products are the sources cited for them, else the report's own words."""
        names = (reply.product, *reply.alternatives)
        cited = [() if self._resolver is None else self._resolver.resolve([name]).sources for name in names]
        product, *others = (_id(sources[0] if sources else name) for name, sources in zip(names, cited, strict=True))
        start, end = find_quote(self._report, reply.quote) or (None, None)
        alternatives = tuple(other for other in others if other != product)
        return Pick(product=product, quantity=reply.quantity, alternatives=alternatives, start=start, end=end)


def _id(name: str) -> str:
    return bare(name).removeprefix("P:")
