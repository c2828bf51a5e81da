"""What records contradict of a judge's typed values, put to the same judge once more: only what it confirms is false.

Whoever types a statement may misread it, and a comparison may not be what its sentence means. So the judge is shown
the sentence beside the record's line before anything is accused; what it does not confirm stays open.
"""

from collections.abc import Iterable, Iterator, Sequence

from drretail.eval.claims.claims import Claim
from drretail.eval.claims.support import MOST_CLAIMS
from drretail.eval.claims.typed_turns import READING, READING_VERSION
from drretail.eval.claims.typed_values import PROMPTS, joined_problems, strange_quote
from drretail.eval.judging.numbered import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.grounding.text.sentences import Sentence
from drretail.grounding.verify.answers.turns import ReadTurn
from drretail.grounding.verify.checks import Case, read_report
from drretail.llm.prompts.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import Pick, Reading, ReadValue
from drretail.records.score import Verdict

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
        check=lambda answer, _: strange_quotes(answer, case.report),
    )
    return confirmed_in(judge_session.verdicts())


def to_confirm(case: Case, reading: Reading, turns: Sequence[ReadTurn] = ()) -> list[NumberedItem]:
    """What has to be confirmed before it counts as false, each named by its denial."""
    return [NumberedItem(value.denial, _shown(value, case, turns)) for value in reading.values if value.is_unconfirmed]


def _shown(value: ReadValue, case: Case, turns: Iterable[ReadTurn]) -> str:
    lines = ((name, " ".join(text.split())) for name, text in _lines(value, case, turns))
    return "\n".join(f"{name}: {text}" for name, text in lines if text)


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
