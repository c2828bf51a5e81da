"""A language model decides which products keep the demands of queries, by their records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path

from drretail.journal import read_effects
from drretail.llm.estimates import Estimate, Range, estimate_by_length
from drretail.llm.prompts.prompt import load_prompt, tagged
from drretail.llm.registry import Model
from drretail.querygen.by_model.session import Ask, ModelSession, ask_all
from drretail.querygen.decisions.answers import Answer, Reading, problem_of
from drretail.querygen.decisions.questions import Key, Question
from drretail.records.base import Record, sha256_of
from drretail.records.criteria import State
from drretail.records.tables.figures import counted

RECORDS = 20
"""The most records in one call."""
ANSWER = Range(300, 1_500)
"""Tokens of one answer: a line per record."""


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
    reading: int
    _is_sent_back: bool = False

    def ask(self) -> Ask[Numbers]:
        first = self.questions[0]
        key = f"{first.query.query_id}~{sha256_of(self.message)[:12]}#decides{self.reading}"
        return Ask(key, self.message, Numbers, self.check, name=key)

    @property
    def message(self) -> str:
        first = self.questions[0]
        return decide_prompt().render(
            want=first.want.name, question=tagged("question", first.query.text), products="\n".join(self._products())
        )

    def _products(self) -> Iterator[str]:
        numbered = enumerate(self.questions, 1)
        for _, of_product in groupby(numbered, lambda each: each[1].listing.product.product_id):
            pairs = list(of_product)
            demands = "\n".join(f"{number}. {question.label}" for number, question in pairs)
            yield f"{tagged('record', pairs[0][1].record)}\n{demands}\n"

    def check(self, numbers: Numbers) -> str | None:
        """What is wrong with the answers, for the first time. The second time what is right of them is taken."""
        if self._is_sent_back:
            return None
        self._is_sent_back = True
        return "; ".join(self._faults(numbers)) or None

    def _faults(self, numbers: Numbers) -> Iterator[str]:
        given = [each.number for each in numbers.answers]
        for number in range(1, len(self.questions) + 1):
            if given.count(number) != 1:
                yield f"number {number} is answered {given.count(number)} times"
        for each in numbers.answers:
            if not 0 < each.number <= len(self.questions):
                yield f"there is no number {each.number}"
            elif problem := problem_of(self.questions[each.number - 1], _answer(each)):
                yield f"number {each.number}: {problem}"

    def answers(self, numbers: Numbers) -> Iterator[tuple[Key, Answer]]:
        """The usable answers; the last one if a number has several."""
        given = {each.number: _answer(each) for each in numbers.answers}
        for number, question in enumerate(self.questions, 1):
            answer = given.get(number)
            if answer is not None and problem_of(question, answer) is None:
                yield question.key, answer


def _answer(numbered: Numbered) -> Answer:
    return Answer(numbered.state, "" if numbered.state == "open" else numbered.quote)


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """A model's readings, the number of questions that it gave no usable answer to, and why calls failed, by query
    id.
    """

    readings: Sequence[Reading]
    unanswered: int
    failed: dict[str, str] = field(default_factory=dict[str, str])


def read_records(
    questions: Sequence[Question], session: ModelSession, readers: int, on_end: Callable[[], object] = lambda: None
) -> ReadByModel:
    """The model's answers to all questions, given ``readers`` times; every second time it reads in reverse order.

    Failures are counted, never raised.
    """
    batches = [batch for reading in range(1, readers + 1) for batch in _batches(questions, reading)]
    asks = {batch.ask().key: batch for batch in batches}
    given = ask_all(session, [batch.ask() for batch in batches], on_end)
    answers: list[dict[Key, Answer]] = [{} for _ in range(readers)]
    for key, numbers in given.found.items():
        answers[asks[key].reading - 1].update(asks[key].answers(numbers))
    failed = {asks[key].questions[0].query.query_id: reason for key, reason in given.failed.items()}
    readings = [Reading(f"model:{session.model.spec}", of_reading) for of_reading in answers]
    return ReadByModel(readings, readers * len(questions) - sum(map(len, answers)), failed)


def calls_for(questions: Sequence[Question], readers: int) -> int:
    """How many calls the questions take."""
    return readers * len(_batches(questions, 1))


def estimate_reading(questions: Sequence[Question], readers: int, model: Model, journal: Path) -> Estimate:
    """The likely usage of the calls that the journal lacks. Sends nothing."""
    begun = {effect.scope.rpartition("#")[0] for effect in read_effects(journal)} if journal.exists() else set[str]()
    asks = [batch.ask() for reading in range(1, readers + 1) for batch in _batches(questions, reading)]
    lengths = [len(ask.message) for ask in asks if ask.name not in begun]
    basis = f"{counted(len(questions), 'question')}, up to {RECORDS} records a call"
    return estimate_by_length(model.spec, lengths, ANSWER, model.spec, model.price, basis=basis, unit="batches")


def _batches(questions: Sequence[Question], reading: int) -> list[_Batch]:
    """The questions in calls of up to ``RECORDS`` products of one want."""
    by_want: dict[tuple[str, str], dict[str, list[Question]]] = {}
    for question in questions:
        query_id, want, _, product_id = question.key
        by_want.setdefault((query_id, want), {}).setdefault(product_id, []).append(question)
    batches: list[_Batch] = []
    for products in by_want.values():
        ordered = list(products.values())[:: 1 if reading % 2 else -1]
        for start in range(0, len(ordered), RECORDS):
            some = ordered[start : start + RECORDS]
            batches.append(_Batch([question for of_product in some for question in of_product], reading))
    return batches
