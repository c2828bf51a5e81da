"""What a judge types of a report (figures, names, picks) and of each answer of a shop's assistant: schema, problems,
places. What records contradict of it is put to the same judge once more: only what it confirms is false.

The judge is told which products were named and what their records' fields are called, and no value of theirs: so it can
write down what is said, and only code can say whether it is so.

Whoever types a statement may misread it, and a comparison may not be what its sentence means. So the judge is shown
the sentence beside the record's line before anything is accused; what it does not confirm stays open.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from pathlib import Path

from pydantic import ConfigDict, Field, JsonValue

from drretail.eval.claims.claims import MOST_CLAIMS, Claim
from drretail.eval.claims.report_index import SourceResolver
from drretail.eval.judging.criteria import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.amounts import find_amounts, find_dates, find_days, notation_of
from drretail.grounding.text.layout import Sentence
from drretail.grounding.verify.checks import Case, read_report
from drretail.grounding.verify.product_statements import Records
from drretail.grounding.verify.turns import ReadTurn
from drretail.grounding.verify.typed import NUMBER, SHIPPING, Typed, TypedKind
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.reading import (
    COMPARISONS,
    SUPERLATIVES,
    JudgedKind,
    Pick,
    Reading,
    ReadValue,
    Relation,
    ValueKind,
)
from drretail.records.score import Verdict
from drretail.records.shop import LIST_PRICE, OTHER_TITLES, STOCK, VARIANTS, offers_of, product_of

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
_KEPT_REPORTS = 128
"""The size of the cache: a judge quotes from one report many times."""
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
    (text, places), wanted = _single_spaced(report), " ".join(words)
    start = text.find(wanted, bisect_left(places, after))
    start = text.find(wanted) if start < 0 else start
    return None if start < 0 else (places[start], places[start + len(wanted) - 1] + 1)


@lru_cache(_KEPT_REPORTS)  # a pattern for each quote takes longer to compile than all quotes of a report to find
def _single_spaced(text: str) -> tuple[str, list[int]]:
    """The text with each white space as one blank, and the places of its characters."""
    places = [at for at, sign in enumerate(text) if not (sign.isspace() and text[at - 1 : at].isspace())]
    return "".join(" " if text[at].isspace() else text[at] for at in places), places


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
            ids = (f"P:{product_of(bare(name).removeprefix('P:'))}" for name in names)
            yield from strange_ids(ids, self._report, self._known)
        else:
            strange = (name for name in names if not self._resolver.is_in_report(name))
            yield from (f"{name!r} does not stand in the report" for name in strange)
        yield from (f"the quantity of {pick.product} has to be 1 or more" for pick in picks if pick.quantity < 1)
        for pick in picks:
            yield from strange_quote(pick.quote, self._report)

    def read(self, picks: Iterable[SaidPick]) -> list[dict[str, object]]:
        """The picks as the value of a verdict. Those of an imported report are the sources cited for them, else the
        report's own words.
        """
        value: list[dict[str, object]] = []
        for said in picks:
            names = (said.product, *said.alternatives)
            cited = [() if self._resolver is None else self._resolver.resolve([name]).sources for name in names]
            meant = (ids[0] if ids else name for name, ids in zip(names, cited, strict=True))
            product, *others = (bare(name).removeprefix("P:") for name in meant)
            start, end = find_quote(self._report, said.quote) or (None, None)
            alternatives = tuple(other for other in others if other != product)
            pick = Pick(product=product, quantity=said.quantity, alternatives=alternatives, start=start, end=end)
            value.append(pick.model_dump(mode="json", exclude_none=True))
        return value


READING, READING_VERSION = "reading", 2
TURN = "turn"
"""The stage of what a judge typed of one answer; the items are turn-1, turn-2, …"""
_MOST_BEFORE = 6_000
"""The characters of the conversation before an answer that are shown, the last ones."""
_FIELD = re.compile(r"^\W{0,3}([^\W\d_][^\n:.;]{1,40}): ", re.MULTILINE)
_TURN_FORMS: dict[TypedKind, str] = {
    **dict.fromkeys(("price", "list_price", "total", "policy"), NUMBER),
    "stock": rf"yes|no|{NUMBER}",
    "property": r".*\S.*",
    "order_status": r"(?:not )?(?:Delivered|Shipped|Processing|Cancelled|Returned)",
    "order_date": DATE.pattern,
    "order_line": rf"(?:{NUMBER})?",
}


class SaidInTurn(Record):
    kind: TypedKind
    of: list[str]
    field: str
    amount: str
    amount_to: str
    currency: str
    relation: Relation
    quote: str


class TurnStatements(Record):
    """What one answer says of the shop's products and orders."""

    statements: list[SaidInTurn]


def turn_prompt() -> Prompt:
    """The prompt for one answer, whose instructions are shared by all."""
    return load_prompt(PROMPTS, TURN).shared_until("{{sources}}")


def turn_questions(subject: Subject) -> Iterator[JudgeQuestion[TurnStatements]]:
    """One question for each answer that says anything."""
    answers, report = subject.answers, subject.report or ""
    before = ""
    for number, turn in enumerate(() if answers is None else answers.turns, 1):
        answer = report[turn.start : turn.end].strip()
        values = {
            "sources": tagged("sources", "\n".join(_source(name, subject.shop) for name in turn.known)),
            "context": tagged("context", before[-_MOST_BEFORE:]),
            "question": tagged("question", turn.question),
            "answer": tagged("answer", answer),
        }
        before += f"Asked: {turn.question}\nAnswered: {answer}\n\n"
        if answer:
            yield JudgeQuestion(
                TURN,
                f"{TURN}-{number}",
                turn_prompt(),
                values,
                TurnStatements,
                partial(_ruling, turn=turn, report=report),
                partial(_problems, turn=turn, report=report),
                purpose="extraction",
            )


async def read_turns(subject: Subject, judge_session: JudgeSession) -> list[Verdict]:
    """The verdicts with what this judge types of each answer; the questions that it has not answered yet are asked.

    ``judge_session`` is that of the metric "reading".
    """
    return await judge_session.ask_and_record(*turn_questions(subject))


def _source(name: str, shop: Records) -> str:
    """One product or order as the judge is told of it."""
    if name[:2] == "O:":
        return f"{name} Order {name[2:]}"
    item = shop.products.get(name)
    if item is None:
        return f"P:{name} {shop.titles.get(name, name)}"
    title = f"P:{name} {' / '.join(item.titles.splitlines())}"
    variants = ", ".join(f"{at} {offer.name}" for at, offer in enumerate(offers_of(item), 1) if offer.name)
    own = (name for name in item.details if name not in (STOCK, LIST_PRICE, VARIANTS, OTHER_TITLES))
    texts = (match[1] for text in (*item.features, *item.description) for match in _FIELD.finditer(text))
    fields = dict.fromkeys(name for name in (*own, *texts) if name not in item.titles.splitlines())
    return "; ".join([title, *([f"variants: {variants}"] * bool(variants)), f"fields: {', '.join(fields)}"])


def _problems(answer: TurnStatements, *, turn: ReadTurn, report: str) -> str | None:
    """Why an answer is sent back, in words for the judge."""
    text = report[turn.start : turn.end]
    known = {name if name[:2] == "O:" else f"P:{name}" for name in turn.known}
    problems: list[str] = []
    for statement in answer.statements:
        if not re.fullmatch(_TURN_FORMS.get(statement.kind, ".*"), statement.amount) or (
            statement.amount_to and not re.search(r"\d", statement.amount_to)
        ):
            problems.append(f"{statement.amount!r} is no amount of a {statement.kind}")
        for name in statement.of:
            if name.partition("#")[0] not in known and name != SHIPPING and name not in text:
                problems.append(f"{name!r} is neither the id of a source nor a name in the answer")
        if statement.kind != "policy" and not statement.of:
            problems.append(f"the {statement.kind} {statement.amount!r} has to say what it is of")
        problems += strange_quote(statement.quote, text)
    return joined_problems(problems)


def _ruling(answer: TurnStatements, *, turn: ReadTurn, report: str) -> Ruling:
    return Ruling([typed.model_dump(mode="json") for typed in placed(answer.statements, turn, report)])


def placed(statements: Sequence[SaidInTurn], turn: ReadTurn, report: str) -> Iterator[Typed]:
    """The statements at their places in the report, narrowed to the figure if it occurs once in the quote."""
    known = {name if name[:2] == "O:" else f"P:{name}" for name in turn.known}
    for statement in statements:
        place = find_quote(report[turn.start : turn.end], statement.quote)
        if place is None:
            continue
        start, end = narrowed(report, turn.start + place[0], turn.start + place[1], statement.kind, statement.amount)
        of = [name if name.partition("#")[0] in known or name == SHIPPING else f"P:{name}" for name in statement.of]
        fields = statement.model_dump(exclude={"quote", "of"})
        yield Typed.model_validate({**fields, "of": tuple(of), "start": start, "end": end})


CONFIRM = "confirm"
"""The stage of these answers; the items are the denials."""


class Confirmation(Record):
    claim_id: int
    quote: str
    justification: str
    confirmed: bool


class Confirmations(Record):
    """Whether each of the sentences says what its record contradicts."""

    confirmations: list[Confirmation]


def confirm_prompt() -> Prompt:
    """The prompt, whose instructions are shared by all reports."""
    return load_prompt(PROMPTS, CONFIRM).shared_until("{{query}}")


def reading_by(slug: str, claims: Iterable[Claim], picks: Verdict | None, denials: Sequence[str] = ()) -> Reading:
    """What a judge read: the values of its claims, of which it confirmed these ``denials``, and its picks."""
    return Reading(
        reader=f"model:{slug}",
        picks=tuple(map(Pick.model_validate, picks.value)) if picks and picks.state == "scored" else None,
        values=tuple(value for claim in claims for value in claim.values),
        confirmed=tuple(denials),
    )


async def confirmed_reading(
    case: Case, judge_session: JudgeSession, claims: Sequence[Claim], picks: Verdict | None = None
) -> Reading:
    """What this judge read, with the denials that it confirms; a rule-based judge's typing needs no confirmation."""
    reading = reading_by(judge_session.judge.slug, claims, picks)
    if judge_session.judge.ref.kind == "rule_based":
        return reading.model_copy(update={"confirmed": None})
    with judge_session.beside(READING, READING_VERSION) as reading_session:
        denials = await confirmed(case, reading_session, read_report(case, reading))
    return reading.model_copy(update={"confirmed": denials})


async def confirmed(
    case: Case, judge_session: JudgeSession, reading: Reading, turns: Sequence[ReadTurn] = ()
) -> tuple[str, ...]:
    """The denials that the judge confirms, of those that ``reading`` leaves open; missing answers are asked for.

    ``judge_session`` is that of the metric "reading".
    """
    await ask_numbered(
        judge_session,
        QuestionBatch(CONFIRM, confirm_prompt(), MOST_CLAIMS, "claim"),
        to_confirm(case, reading, turns),
        {"query": tagged("query", case.query.text)},
        Confirmations,
        rulings,
        check=lambda answer: strange_quotes(answer, case.report),
    )
    return confirmed_in(judge_session.verdicts())


def to_confirm(case: Case, reading: Reading, turns: Sequence[ReadTurn] = ()) -> list[NumberedItem]:
    """What has to be confirmed before it counts as false, each named by its denial."""
    items: list[NumberedItem] = []
    for value in reading.values:
        if value.is_unconfirmed:
            lines = ((name, " ".join(text.split())) for name, text in _lines(value, case, turns))
            items.append(NumberedItem(value.denial, "\n".join(f"{name}: {text}" for name, text in lines if text)))
    return items


def _lines(value: ReadValue, case: Case, turns: Iterable[ReadTurn]) -> Iterator[tuple[str, str]]:
    """A value in its sentence, with what stands around that, how it was read, and the record's line."""
    sentences, at = case.layout.sentences, case.layout.sentence_at(value.start)
    own, titles = sentences[at], {entry.id: entry.title for entry in case.evidence.values()}

    def text(sentences: Iterable[Sentence]) -> str:
        return " ".join(case.report[sentence.start : sentence.end] for sentence in sentences)

    yield "asked", next((turn.question for turn in turns if turn.start <= value.start < turn.end), "")
    yield "heading", text([before for before in sentences[:at] if before.kind == "heading"][-1:])
    yield "before", text(sentences[max(at - 1, 0) : at])
    yield "table's head", "" if own.head is None else case.report[slice(*own.head)]
    yield "sentence", text([own])
    yield "after", text(sentences[at + 1 : at + 2])
    yield "its words", case.report[value.start : value.end]
    words = " ".join(filter(None, (value.kind, value.field, value.relation, value.amount_in_words)))
    yield "read as", words.replace("_", " ")
    for name, sources in (("of", value.of), ("than", value.than)):
        yield name, ", ".join(f"{source} {titles.get(source, '')}".strip() for source in sources)
    yield "record", value.derivation or ""


def strange_quotes(answer: Confirmations, report: str) -> str | None:
    """Quotes that are not in the report, in words for the judge."""
    quotes = (confirmation.quote for confirmation in answer.confirmations if confirmation.confirmed)
    return joined_problems([problem for quote in quotes for problem in strange_quote(quote, report)])


def rulings(answer: Confirmations) -> list[tuple[int, Ruling]]:
    return [(one.claim_id, Ruling(one.confirmed, one.justification, one.quote)) for one in answer.confirmations]


def confirmed_in(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The confirmed denials; a failed answer confirms none."""
    wording = confirm_prompt().hash
    own = (verdict for verdict in verdicts if (verdict.stage, verdict.prompt_hash) == (CONFIRM, wording))
    return tuple(sorted(verdict.item for verdict in own if verdict.value is True))
