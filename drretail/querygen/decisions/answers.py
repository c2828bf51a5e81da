"""What several readers answered, and what is decided by that: the majority of those who answered a question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from drretail.env.offers import Offers
from drretail.grounding.constraints.decisions import record_sha
from drretail.querygen.decisions.questions import Key, Question
from drretail.records.criteria import OF_KIND, Decision, Gold, State
from drretail.records.query import Query
from drretail.stats.agreement import Agreement, Pair, agreement_on

Subject = tuple[str, str, str]
"""What a decision is about: a want's name, a demand and a product's id."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reader's answer to one question, with the record's words that it rests on."""

    state: State
    quote: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """All answers of one reader: "person:NAME", or "model:PROVIDER:MODEL"."""

    reader: str
    answers: Mapping[Key, Answer]


@dataclass(frozen=True, slots=True)
class Settled:
    """What the readers decide together."""

    decided: Mapping[Key, tuple[Answer, str]] = field(default_factory=dict[Key, tuple[Answer, str]])
    """By question the answer and the readers who gave it, joined by "+"."""
    disputed: Mapping[Key, Mapping[str, Answer]] = field(default_factory=dict[Key, Mapping[str, Answer]])
    """The questions on which no answer has a majority, with every reader's answer."""
    agreements: Sequence[Agreement] = ()


def problem_of(question: Question, answer: Answer) -> str | None:
    """What is wrong with an answer: its quote isn't in the record, or is missing. None if nothing is.

    Whether a product is of the kind needs no quote, since the whole record says so.
    """
    if answer.quote and not question.has_words(answer.quote):
        return f"the record does not have the words {answer.quote!r}"
    if not answer.quote and answer.state != "open" and question.ruling.demand != OF_KIND:
        return f"{answer.state} needs the record's words as its quote"
    return None


def settle(readings: Sequence[Reading]) -> Settled:
    """The majority of those who answered decides. If three or more have no majority, the last of them does."""
    decided: dict[Key, tuple[Answer, str]] = {}
    disputed: dict[Key, Mapping[str, Answer]] = {}
    for key in dict.fromkeys(key for reading in readings for key in reading.answers):
        replies = [(reading.reader, reading.answers[key]) for reading in readings if key in reading.answers]
        state, votes = Counter(answer.state for _, answer in replies).most_common(1)[0]
        if 2 * votes <= len(replies):
            if len(replies) == 2:
                disputed[key] = dict(replies)
                continue
            state = replies[-1][1].state
        agreeing = [(reader, answer) for reader, answer in replies if answer.state == state]
        quoted = next((answer for _, answer in agreeing if answer.quote), agreeing[0][1])
        decided[key] = quoted, "+".join(dict.fromkeys(reader for reader, _ in agreeing))
    agreed: list[Agreement] = []
    for first, second in combinations(readings, 2):  # a model may read twice under one name
        both = [key for key in first.answers if key in second.answers]
        states = ([each.answers[key].state for key in both] for each in (first, second))
        agreed.append(agreement_on(Pair(first.reader, second.reader, "state", *states)))
    return Settled(decided, disputed, agreed)


def with_decisions(
    queries: Iterable[Query], questions: Iterable[Question], settled: Settled, offers: Offers
) -> tuple[Query, ...]:
    """The queries with what is decided now, and with what was decided before, still holds and isn't disputed."""
    new: dict[str, dict[Subject, Decision | None]] = {}
    for question in questions:
        if question.key in settled.decided or question.key in settled.disputed:
            subject = (question.want.name, question.ruling.demand, question.listing.product.product_id)
            decision = _decision(question, *settled.decided[question.key]) if question.key in settled.decided else None
            for query_id in question.query_ids:
                new.setdefault(query_id, {})[subject] = decision
    return tuple(_decided(query, new.get(query.query_id, {}), offers) for query in queries)


def _decision(question: Question, answer: Answer, by: str) -> Decision:
    product = question.listing.product
    return Decision(
        want=question.want.name,
        demand=question.ruling.demand,
        product_id=product.product_id,
        record_sha=record_sha(product),
        state=answer.state,
        by=by,
        quote=answer.quote,
    )


def _decided(query: Query, new: Mapping[Subject, Decision | None], offers: Offers) -> Query:
    before = () if query.gold is None else query.gold.decisions
    dead = dead_decisions(query, offers)
    holding = {(each.want, each.demand, each.product_id): each for each in before if each not in dead}
    decisions = [
        decision for _, decision in sorted({**holding, **new}.items(), key=lambda item: item[0]) if decision is not None
    ]
    if query.gold is None and not decisions:
        return query
    gold = query.gold or Gold(query_id=query.query_id)
    return query.model_copy(update={"gold": gold.model_copy(update={"decisions": tuple(decisions)})})


def holds(decision: Decision, offers: Offers) -> bool:
    """True if the shop has the product with the record that was read."""
    return any(record_sha(listing.product) == decision.record_sha for listing in offers.listings([decision.product_id]))


def dead_decisions(query: Query, offers: Offers) -> list[Decision]:
    """The decisions that no longer hold, and those on a demand that the query no longer has."""
    wants = () if query.wish is None else query.wish.wants
    demands = {(want.name, demand) for want in wants for demand in (OF_KIND, *map(str, want.demands))}
    decided = () if query.gold is None else query.gold.decisions
    return [each for each in decided if (each.want, each.demand) not in demands or not holds(each, offers)]


def died_line(died: int) -> str:
    """How many decisions are dead, and why."""
    return f"Decisions that no longer hold, since the record or the query's demands have changed: {died}."
