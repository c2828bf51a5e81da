"""What each answer of a shop's assistant says, as a judge types it: the question, its answer's problems, the places.

The judge is told which products were named and what their records' fields are called, and no value of theirs: so it can
write down what is said, and only code can say whether it is so.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from drretail.eval.claims.typed_values import DATE, PROMPTS, find_quote, joined_problems, narrowed, strange_quote
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.verify.answers.shop_records import Records
from drretail.grounding.verify.answers.turns import ReadTurn
from drretail.grounding.verify.answers.typed import NUMBER, SHIPPING, Typed, TypedKind
from drretail.llm.prompts.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import Relation
from drretail.records.score import Verdict
from drretail.records.shop import LIST_PRICE, OTHER_TITLES, STOCK, VARIANTS, Product, offers_of

READING, READING_VERSION = "reading", 2
TURN = "turn"
"""The stage of what a judge typed of one answer; the items are turn-1, turn-2, …"""
_MOST_BEFORE = 6_000
"""The characters of the conversation before an answer that are shown, the last ones."""
_FIELD = re.compile(r"^\W{0,3}([^\W\d_][^\n:.;]{1,40}): ", re.MULTILINE)
_FORMS: dict[TypedKind, str] = {
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


def typed_in(verdict: Verdict) -> list[Typed]:
    """The statements of a verdict on one answer; none if it failed."""
    return [Typed.model_validate(statement) for statement in verdict.value or ()] if verdict.state == "scored" else []


def _source(name: str, shop: Records) -> str:
    """One product or order as the judge is told of it."""
    if name[:2] == "O:":
        return f"{name} Order {name[2:]}"
    item = shop.products.get(name)
    if item is None:
        return f"P:{name} {shop.titles.get(name, name)}"
    title = f"P:{name} {' / '.join(item.titles.splitlines())}"
    variants = ", ".join(f"{at} {offer.name}" for at, offer in enumerate(offers_of(item), 1) if offer.name)
    return "; ".join([title, *([f"variants: {variants}"] * bool(variants)), f"fields: {', '.join(_fields(item))}"])


def _fields(item: Product) -> Iterable[str]:
    own = (name for name in item.details if name not in (STOCK, LIST_PRICE, VARIANTS, OTHER_TITLES))
    texts = (match[1] for text in (*item.features, *item.description) for match in _FIELD.finditer(text))
    return dict.fromkeys(name for name in (*own, *texts) if name not in item.titles.splitlines())


def _problems(answer: TurnStatements, *, turn: ReadTurn, report: str) -> str | None:
    """Why an answer is sent back, in words for the judge."""
    answer_text = report[turn.start : turn.end]
    return joined_problems(
        [problem for statement in answer.statements for problem in _problems_of(statement, turn, answer_text)]
    )


def _problems_of(statement: SaidInTurn, turn: ReadTurn, text: str) -> Iterator[str]:
    if not re.fullmatch(_FORMS.get(statement.kind, ".*"), statement.amount) or (
        statement.amount_to and not re.search(r"\d", statement.amount_to)
    ):
        yield f"{statement.amount!r} is no amount of a {statement.kind}"
    known = {name if name[:2] == "O:" else f"P:{name}" for name in turn.known}
    for name in statement.of:
        if name.partition("#")[0] not in known and name != SHIPPING and name not in text:
            yield f"{name!r} is neither the id of a source nor a name in the answer"
    if statement.kind != "policy" and not statement.of:
        yield f"the {statement.kind} {statement.amount!r} has to say what it is of"
    yield from strange_quote(statement.quote, text)


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
