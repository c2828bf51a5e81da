"""What a judge types of a report: places of figures. What records contradict of it is put to the same judge once
more: only what it confirms is false.

The judge says where something stands, of what kind it is, and of what: the amount is what code reads at that place. So
a judge can mistype no figure, and only code says whether one is right.

Whoever types a statement may misread it. So the judge is shown the sentence beside the record's line before anything is
accused; what it does not confirm stays open.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from drretail.eval.claims.claims import MOST_CLAIMS, Claim
from drretail.eval.judging.criteria import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import LEFT_OUT, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import CART, CLOSED, FIELDS, Kind, Pick, Reading, ReadValue
from drretail.records.score import Verdict, VerdictState
from drretail.reports.layout import Sentence
from drretail.reports.text.quotes import find_words, has_words
from drretail.shopping.verify.checks import Case
from drretail.shopping.verify.parts import ReadTurn
from drretail.shopping.verify.places import Passage, figures_at, value_at

MOST_TOLD = 8
"""The most problems that a judge is told of at once."""


class SaidValue(Record):
    """One value as a judge gives it: where it stands, what it is, and of what."""

    kind: Kind
    of: str
    field: str
    quote: str


class BoundValue(SaidValue):
    """The same, with what the figure is: the value itself, about it, the most or the least."""

    bound: Literal["is", "about", "at_most", "at_least"]


def value_problems(values: Iterable[SaidValue], text: str, ids: Collection[str]) -> Iterator[str]:
    """What is wrong with values, in words for the judge; ``known`` are the ids of the things that they may be of."""
    for value in values:
        fields = FIELDS.get(value.kind)
        if fields is not None and value.field not in fields:
            yield f"the field of the {value.kind} {value.quote!r} has to be one of {', '.join(map(repr, fields))}"
        if value.of not in ("", CART):
            yield from strange_ids([bare(value.of)], text, ids)


def as_values(
    values: Iterable[SaidValue], report: str, span: tuple[int, int] = (0, 0)
) -> tuple[tuple[ReadValue, ...], int]:
    """The values at their places, and how many were left out, since their quote stands nowhere, or no figure there.
    Quotes are searched from the claim's sentence on.
    """
    read: list[ReadValue] = []
    figureless = 0
    for value in values:
        place = find_words(report, value.quote, span[0])
        if place is None or not (value.kind in CLOSED or figures_at(value.kind, Passage.of(report, *place))):
            figureless += 1
            continue
        at = value_at(value.kind, report, *place, of=bare(value.of), field=value.field.strip())
        read.append(at.model_copy(update={"bound": value.bound}) if isinstance(value, BoundValue) else at)
    return tuple(read), figureless


def joined_problems(problems: Sequence[str]) -> str | None:
    """Problems as one text for the judge; None without any."""
    more = f" … and {len(problems) - MOST_TOLD} more" if len(problems) > MOST_TOLD else ""
    return "; ".join(problems[:MOST_TOLD]) + more if problems else None


def strange_ids(names: Iterable[str], report: str, ids: Collection[str]) -> Iterable[str]:
    """Problems for ids that are neither in the report nor in the run's ledger."""
    for name in dict.fromkeys(names):
        if name not in ids and (name.partition(":")[2] or name) not in report:
            yield f"{name!r} is no id in the report"


def bare(name: str) -> str:
    """An id without the brackets of its mark."""
    return name.strip("[] ")


PROMPTS = str(Path(__file__).parents[1] / "metrics" / "reading" / "judge.py")
"""Their prompts are beside the judge of readings; users override them under its name."""


READING, READING_VERSION = "reading", 4
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


class SecondLook(NamedTuple):
    """What a judge says of the denials that were put to it; those that it failed on are in neither."""

    confirmed: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    """Those that it does not confirm, with words of the report and a reason."""
    failed: str = ""
    """Why it failed on one; empty if it answered on all."""

    @property
    def applied(self) -> dict[str, Any]:
        """The fields of a reading that follow from it."""
        return {"confirmed": self.confirmed, "declined": self.declined}


def reading_by(slug: str, claims: Iterable[Claim], picks: Verdict | None, seen: SecondLook | None = None) -> Reading:
    """What a judge read: the values of its claims, what it confirmed of them, and its picks."""
    return Reading(
        reader=f"model:{slug}",
        picks=tuple(map(Pick.model_validate, picks.value)) if picks and picks.state == "scored" else None,
        values=tuple(value for claim in claims for value in claim.values),
        spans=tuple((claim.start, claim.end) for claim in claims if claim.start is not None and claim.end is not None),
        **(seen or SecondLook()).applied,
    )


async def confirmed(
    case: Case, judge_session: JudgeSession, reading: Reading, turns: Sequence[ReadTurn] = ()
) -> SecondLook:
    """What the judge says of the denials that ``reading`` leaves open; missing answers are asked for.

    ``judge_session`` is that of the metric "reading".
    """
    items = to_confirm(case, reading, turns)
    await ask_numbered(
        judge_session,
        QuestionBatch(CONFIRM, confirm_prompt(), MOST_CLAIMS, "claim"),
        items,
        {"query": tagged("query", case.query.text)},
        Confirmations,
        rulings,
    )
    verdicts = judge_session.verdicts()
    wanted = {item.item for item in items}
    failed = (verdict.error or LEFT_OUT for verdict in _second_looks(verdicts, "failed") if verdict.item in wanted)
    return second_look(verdicts, case.report)._replace(failed=next(failed, ""))


def to_confirm(case: Case, reading: Reading, turns: Sequence[ReadTurn] = ()) -> list[NumberedItem]:
    """What has to be confirmed before it counts as false, each named by its denial."""
    items: list[NumberedItem] = []
    for value in reading.values:
        if value.is_contested:
            lines = ((name, " ".join(text.split())) for name, text in _lines(value, case, turns))
            items.append(NumberedItem(value.denial, "\n".join(f"{name}: {text}" for name, text in lines if text)))
    return items


def _lines(value: ReadValue, case: Case, turns: Iterable[ReadTurn]) -> Iterator[tuple[str, str]]:
    """A value in its sentence, with what stands around that, how it was read, and the record's line."""
    sentences, at = case.layout.sentences, case.layout.sentence_at(value.start)
    sentence, titles = sentences[at], {entry.id: entry.title for entry in case.evidence.values()}

    def text(sentences: Iterable[Sentence]) -> str:
        return " ".join(case.report[sentence.start : sentence.end] for sentence in sentences)

    yield "asked", next((turn.question for turn in turns if turn.start <= value.start < turn.end), "")
    yield "heading", text([before for before in sentences[:at] if before.kind == "heading"][-1:])
    yield "before", text(sentences[max(at - 1, 0) : at])
    yield "table's head", "" if sentence.head is None else case.report[slice(*sentence.head)]
    yield "sentence", text([sentence])
    yield "after", text(sentences[at + 1 : at + 2])
    yield "its words", case.report[value.start : value.end]
    bound = "" if value.bound == "is" else value.bound
    words = " ".join(filter(None, (value.kind, value.field, bound, value.amount)))
    yield "read as", words.replace("_", " ")
    yield "of", f"{value.of} {titles.get(value.of.partition('/')[0], '')}".strip()
    yield "record", value.derivation or ""


def rulings(answer: Confirmations) -> list[tuple[int, Ruling]]:
    return [(item.claim_id, Ruling(item.confirmed, item.justification, item.quote)) for item in answer.confirmations]


def second_look(verdicts: Iterable[Verdict], report: str) -> SecondLook:
    """What was confirmed and what was declined, each with words of the report; a failed answer does neither."""
    said = [look for look in _second_looks(verdicts, "scored") if has_words(report, look.quote or "")]
    return SecondLook(
        tuple(sorted(look.item for look in said if look.value is True)),
        tuple(sorted(look.item for look in said if look.value is False and look.reason)),
    )


def _second_looks(verdicts: Iterable[Verdict], state: VerdictState) -> Iterator[Verdict]:
    wording = confirm_prompt().hash
    looks = (verdict for verdict in verdicts if (verdict.stage, verdict.prompt_hash) == (CONFIRM, wording))
    return (verdict for verdict in looks if verdict.state == state)
