"""A reading model decides which products keep the demands of queries, by their records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from drretail.llm.prompt import load_prompt, tagged
from drretail.querygen.by_model.session import Ask, ModelSession, ask_all
from drretail.querygen.decisions import DemandAnswer, DemandQuestion, Key, problem_of
from drretail.records.base import Record, sha256_of

RECORDS = 20
"""The most records in one call."""


decide_prompt = partial(load_prompt, __file__, "decide")


# Models read the first line of the class below.
class Numbers(Record):
    """The answers to all numbered demands."""

    answers: tuple[DemandAnswer, ...]


@dataclass(slots=True)
class _Batch:
    """The questions of one call: those about some products for one want, by their numbers."""

    questions: Sequence[DemandQuestion]
    _is_sent_back: bool = False

    def ask(self) -> Ask[Numbers]:
        first = self.questions[0]
        key = f"{first.query.query_id}~{sha256_of(self.message)[:12]}#decides"
        return Ask(key, self.message, Numbers, self.check, name=key)

    @property
    def message(self) -> str:
        first, products = self.questions[0], list[str]()
        for _, of_product in groupby(enumerate(self.questions, 1), lambda pair: pair[1].listing.product.product_id):
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
        numbers_read, count = [answer.number for answer in numbers.answers], len(self.questions)
        times = {number: numbers_read.count(number) for number in range(1, count + 1)}
        faults = [f"number {number} is answered {often} times" for number, often in times.items() if often != 1]
        for answer in numbers.answers:
            if answer.number not in times:
                faults.append(f"there is no number {answer.number}")
            elif problem := problem_of(self.questions[answer.number - 1], answer):
                faults.append(f"number {answer.number}: {problem}")
        return "; ".join(faults) or None

    def answers(self, numbers: Numbers) -> Iterator[tuple[Key, DemandAnswer]]:
        """The usable answers; the last one if a number has several."""
        answers = {answer.number: answer for answer in numbers.answers}
        for number, question in enumerate(self.questions, 1):
            answer = answers.get(number)
            if answer is not None and problem_of(question, answer) is None:
                yield question.key, answer


@dataclass(frozen=True, slots=True)
class ReadByModel:
    """A model's usable answers, and why calls failed, by query id."""

    answers: dict[Key, DemandAnswer]
    failed: dict[str, str] = field(default_factory=dict[str, str])


def read_records(
    questions: Sequence[DemandQuestion], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> ReadByModel:
    """The model's answers. Failures are counted, not raised."""
    batches = _batches(questions)
    asks = {batch.ask().key: batch for batch in batches}
    replies = ask_all(session, [batch.ask() for batch in batches], on_end)
    answers = dict(pair for key, numbers in replies.found.items() for pair in asks[key].answers(numbers))
    failed = {asks[key].questions[0].query.query_id: reason for key, reason in replies.failed.items()}
    return ReadByModel(answers, failed)


def calls_for(questions: Sequence[DemandQuestion]) -> int:
    """How many calls the questions take."""
    return len(_batches(questions))


def _batches(questions: Sequence[DemandQuestion]) -> list[_Batch]:
    """The questions in calls of up to ``RECORDS`` products of one want."""
    by_want: dict[tuple[str, str], dict[str, list[DemandQuestion]]] = {}
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
