"""A reading model: its opinion of queries, and its decisions which products keep their demands.

An opinion says if a query makes sense, if text and wish agree, and if the text keeps its writer's privacy.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, islice
from typing import Literal

from drretail.grounding.text.untrusted import harmless
from drretail.grounding.text.wording import AGAIN, format_money, may_be_shown, wish_lines
from drretail.llm.prompt import load_prompt, tagged
from drretail.querygen.by_model.prompt import NOTHING, filled, owned_by
from drretail.querygen.by_model.session import Answers, Ask, ModelSession, ask_all
from drretail.querygen.checks.case import finding
from drretail.querygen.checks.privacy import Mask
from drretail.querygen.decisions import Answer as ReaderAnswer
from drretail.querygen.decisions import Key, Question, problem_of
from drretail.querygen.lint import OPINIONS, Linter
from drretail.records.base import Record, sha256_of
from drretail.records.criteria import State
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.tables.figures import counted

# More orders tell nothing new about whether a question fits; more titles nothing about a kind.
_MOST_OWNED, _MOST_TITLES, _LONGEST_TITLE = 100, 4, 90
_AGAIN = "what the shopper has may be bought again"
"""The prompt's words for AGAIN. Other words would change the prompt, so that each model would be asked again."""


opinion_prompt = partial(load_prompt, __file__, "opinion")


# Models read the first lines of the classes below.
class Answer(Record):
    """One sentence of reason, and then the answer."""

    reason: str
    answer: Literal["yes", "no"]


class Opinion(Record):
    """What you make of the question."""

    sensible: Answer
    same: Answer
    anonymous: Answer

    def findings(self) -> Iterator[Finding]:
        for code, answer in zip(OPINIONS, (self.sensible, self.same, self.anonymous), strict=True):
            if answer.answer == "no":
                yield finding(code, "the question", answer.reason, severity="warning")


def read_opinions(
    linter: Linter, queries: Sequence[Query], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> Answers[Opinion]:
    """Opinions by query id, for queries that have a wish, one call each. Failures are counted, never raised."""
    asks: list[Ask[Opinion]] = []
    for query in queries:
        if query.wish is not None:
            # The question's name in the journal differs for each version of a query.
            name = f"{query.query_id}~{version_of(query)[:12]}#opinion"
            asks.append(Ask(query.query_id, opinion_message(linter, query), Opinion, name=name))
    return ask_all(session, asks, on_end)


def opinion_message(linter: Linter, query: Query) -> str:
    """The prompt for one query. Personal data in its texts is blanked out, except for some ids of records."""
    case = linter.case(query)
    assert query.wish is not None, "what nobody has typed is not compared"
    shopper = case.shopper
    mask = Mask.of([query.text, query.rationale], None if shopper is None else shopper.profile)
    offers: list[str] = []
    for want, listings in case.offered:
        # Such as "- bird feeder: 34 products, $9.99 to $89.00; such as …".
        prices = sorted(listing.price for listing in listings if listing.price is not None)
        currency = listings[0].product.currency if listings else ""
        ends = [format_money(price, currency) for price in (*prices[:1], *prices[-1:])]
        shown = (each.product for each in listings if may_be_shown(each.product, query.text))
        titles = "; ".join(harmless(product.title[:_LONGEST_TITLE]) for product in islice(shown, _MOST_TITLES))
        size = f"{counted(len(listings), 'product')}, {' to '.join(ends) or 'no prices'}"
        offers.append(f"- {want.name}: {size}; such as {titles or 'none'}")
    return filled(
        opinion_prompt(),
        today=case.now.date().isoformat(),
        owned=tagged("owned", owned_by(shopper, query.text, _MOST_OWNED) if shopper else NOTHING),
        shelf=tagged("shelf", "\n".join(offers) or "Nothing is to be bought."),
        wish=tagged("wish", mask.text("\n".join(wish_lines(query.wish)).replace(AGAIN, _AGAIN), keep_ids=True)),
        rationale=tagged("rationale", mask.text(query.rationale, keep_ids=True) or "None is given."),
        question=tagged("question", mask.text(query.text, keep_ids=bool(query.wish.orders))),
    )


RECORDS = 20
"""The most records in one call."""


decide_prompt = partial(load_prompt, __file__, "decide")


# Models read the first lines of the classes below.
class Numbered(Record):
    """The answer to one numbered demand."""

    number: int
    quote: str
    state: State


class Numbers(Record):
    """The answers to all numbered demands."""

    answers: tuple[Numbered, ...]


@dataclass(slots=True)
class _Batch:
    """The questions of one call: those about some products for one want, by their numbers."""

    questions: Sequence[Question]
    _is_sent_back: bool = False

    def ask(self) -> Ask[Numbers]:
        first = self.questions[0]
        key = f"{first.query.query_id}~{sha256_of(self.message)[:12]}#decides"
        return Ask(key, self.message, Numbers, self.check, name=key)

    @property
    def message(self) -> str:
        first, products = self.questions[0], list[str]()
        for _, of_product in groupby(enumerate(self.questions, 1), lambda each: each[1].listing.product.product_id):
            pairs = list(of_product)
            demands = "\n".join(f"{number}. {question.label}" for number, question in pairs)
            products.append(f"{tagged('record', pairs[0][1].record)}\n{demands}\n")
        question = tagged("question", first.query.text)
        return decide_prompt().render(want=first.want.name, question=question, products="\n".join(products))

    def check(self, numbers: Numbers) -> str | None:
        """What is wrong with the answers, for the first time. The second time what is right of them is taken."""
        if self._is_sent_back:
            return None
        self._is_sent_back = True
        given, count = [each.number for each in numbers.answers], len(self.questions)
        times = {number: given.count(number) for number in range(1, count + 1)}
        faults = [f"number {number} is answered {often} times" for number, often in times.items() if often != 1]
        for each in numbers.answers:
            if each.number not in times:
                faults.append(f"there is no number {each.number}")
            elif problem := problem_of(self.questions[each.number - 1], _answer(each)):
                faults.append(f"number {each.number}: {problem}")
        return "; ".join(faults) or None

    def answers(self, numbers: Numbers) -> Iterator[tuple[Key, ReaderAnswer]]:
        """The usable answers; the last one if a number has several."""
        given = {each.number: _answer(each) for each in numbers.answers}
        for number, question in enumerate(self.questions, 1):
            answer = given.get(number)
            if answer is not None and problem_of(question, answer) is None:
                yield question.key, answer


def _answer(numbered: Numbered) -> ReaderAnswer:
    return ReaderAnswer(numbered.state, "" if numbered.state == "open" else numbered.quote)


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """A model's usable answers, and why calls failed, by query id."""

    answers: dict[Key, ReaderAnswer]
    failed: dict[str, str] = field(default_factory=dict[str, str])


def read_records(
    questions: Sequence[Question], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> ReadByModel:
    """The model's answers. Failures are counted, not raised."""
    batches = _batches(questions)
    asks = {batch.ask().key: batch for batch in batches}
    given = ask_all(session, [batch.ask() for batch in batches], on_end)
    answers = dict(pair for key, numbers in given.found.items() for pair in asks[key].answers(numbers))
    failed = {asks[key].questions[0].query.query_id: reason for key, reason in given.failed.items()}
    return ReadByModel(answers, failed)


def calls_for(questions: Sequence[Question]) -> int:
    """How many calls the questions take."""
    return len(_batches(questions))


def _batches(questions: Sequence[Question]) -> list[_Batch]:
    """The questions in calls of up to ``RECORDS`` products of one want."""
    by_want: dict[tuple[str, str], dict[str, list[Question]]] = {}
    for question in questions:
        query_id, want, _, product_id = question.key
        by_want.setdefault((query_id, want), {}).setdefault(product_id, []).append(question)
    batches: list[_Batch] = []
    for products in by_want.values():
        ordered = list(products.values())
        for start in range(0, len(ordered), RECORDS):
            some = ordered[start : start + RECORDS]
            batches.append(_Batch([question for of_product in some for question in of_product]))
    return batches
