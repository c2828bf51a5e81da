"""What a judge types of each answer of a shop's assistant: one question an answer, with what was said before. It is
told of variants and names of fields, and of no value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from drretail.eval.claims.typed_values import (
    MOST_TOLD,
    PROMPTS,
    BoundValue,
    as_values,
    bare,
    confirmed,
    joined_problems,
    value_problems,
)
from drretail.eval.judging.question import LEFT_OUT, JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import Reading, ReadValue
from drretail.records.score import Verdict
from drretail.records.shop import LIST_PRICE, OTHER_TITLES, STOCK, VARIANTS, offers_of
from drretail.shopping.verify.checks import read_report
from drretail.shopping.verify.parts import ReadAnswers, ReadTurn
from drretail.shopping.verify.records import Ledger

TURN = "turn"
"""The stage of what a judge typed of one answer; the items are turn-1, turn-2, …"""
_MOST_BEFORE = 6_000
"""The characters of the conversation before an answer that are shown, the last ones."""


class TurnValues(Record):
    """What one answer says of the shop's products and orders."""

    values: list[BoundValue]


def turn_prompt() -> Prompt:
    """The prompt for one answer, whose instructions are shared by all."""
    return load_prompt(PROMPTS, TURN).shared_until("{{sources}}")


def turn_questions(subject: Subject) -> Iterator[JudgeQuestion[TurnValues]]:
    """One question for each answer that says anything."""
    answers, report = subject.answers, subject.report or ""
    if answers is None:
        return
    tied = [(value.start, value.end) for value in subject.case.by_form if value.state != "underivable"]
    before = ""
    for number, turn in enumerate(answers.turns, 1):
        answer = report[turn.start : turn.end].strip()
        values = {
            "sources": tagged("sources", "\n".join(_source(name, answers.ledger) for name in turn.things)),
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
                TurnValues,
                partial(_turn_ruling, turn=turn, report=report),
                partial(_turn_problems, turn=turn, report=report, tied=tied),
                purpose="extraction",
            )


async def read_turns(subject: Subject, judge_session: JudgeSession) -> list[Verdict]:
    """The verdicts with what this judge types of each answer; the questions that it has not answered yet are asked.

    ``judge_session`` is that of the metric "reading".
    """
    return await judge_session.ask_and_record(*turn_questions(subject))


def _source(name: str, shop: Ledger) -> str:
    """One product or order as the judge is told of it: offers by their ids, and the names of its fields."""
    if name[:2] == "O:":
        return f"{name} Order {name[2:]}"
    item = shop.products.get(name[2:])
    if item is None:
        return f"{name} {shop.titles.get(name[2:], name[2:])}"
    title = f"{name} {' / '.join(item.titles.splitlines())}"
    offers = (f"P:{offer.offer_id} {_options(offer.options)}" for offer in offers_of(item) if offer.options)
    fields = (name for name in item.details if name not in (STOCK, LIST_PRICE, VARIANTS, OTHER_TITLES))
    return "; ".join(filter(None, (title, "variants: " + ", ".join(offers), "fields: " + ", ".join(fields))))


def _options(options: Mapping[str, str]) -> str:
    return f"({', '.join(f'{name}: {value}' for name, value in options.items())})"


def _turn_problems(
    answer: TurnValues, *, turn: ReadTurn, report: str, tied: Sequence[tuple[int, int]] = ()
) -> str | None:
    """Why an answer is sent back, in words for the judge. ``tied`` are the places that form ties to a record: a judge
    that marks none of them has not read.
    """
    words = report[turn.start : turn.end]
    ids = {value.of for value in answer.values if bare(value.of).partition("/")[0] in turn.things}
    problems = [*value_problems(answer.values, words, ids)]
    figures = [(start, end) for start, end in tied if turn.start <= start < turn.end]
    if figures and not problems:
        read = [(value.start + turn.start, value.end + turn.start) for value in as_values(answer.values, words)[0]]
        if not any(start < last and first < end for start, end in figures for first, last in read):
            shown = ", ".join(repr(report[start:end]) for start, end in figures[:MOST_TOLD])
            problems.append(f"none of the figures of products and orders is marked, such as {shown}")
    return joined_problems(problems)


def _turn_ruling(answer: TurnValues, *, turn: ReadTurn, report: str) -> Ruling:
    values, figureless = as_values(answer.values, report[turn.start : turn.end])
    moved = (
        value.model_copy(update={"start": value.start + turn.start, "end": value.end + turn.start}) for value in values
    )
    return Ruling({"values": [value.model_dump(mode="json") for value in moved], "figureless": figureless})


def reading_of_turns(slug: str, verdicts: Iterable[Verdict], turns: Sequence[ReadTurn]) -> Reading:
    """What a judge typed of the answers that it read."""
    read = [verdict for verdict in verdicts if verdict.stage == TURN and verdict.state == "scored"]
    values = (value for verdict in read for value in verdict.value["values"])
    numbers = (int(verdict.item.rpartition("-")[2]) for verdict in read)
    spans = ((turns[number - 1].start, turns[number - 1].end) for number in numbers if number <= len(turns))
    typed = tuple(map(ReadValue.model_validate, values))
    return Reading(reader=f"model:{slug}", values=typed, spans=tuple(spans), confirmed=())


async def read_by_judge(subject: Subject, answers: ReadAnswers, judge_session: JudgeSession) -> tuple[Reading, str]:
    """What this judge typed of an assistant's answers, with the denials that it confirms; and why it failed on one of
    them, empty if it failed on none. Where it failed, form reads.

    ``judge_session`` is that of the metric "reading".
    """
    verdicts = await read_turns(subject, judge_session)
    failed = (f"{verdict.item}: {verdict.error or LEFT_OUT}" for verdict in verdicts if verdict.state == "failed")
    typed = reading_of_turns(judge_session.judge.slug, verdicts, answers.turns)
    with_records = replace(subject.case, evidence=subject.with_records)
    looked = await confirmed(with_records, judge_session, read_report(subject.case, typed), answers.turns)
    return typed.model_copy(update=looked.applied), next(failed, looked.failed)
