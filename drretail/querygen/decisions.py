"""Which products keep the demands of a file's queries, as fields and a model decide by the products' records.

The questions, how far they are decided, and the answers of a model as decisions of the queries.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from drretail.env.offers import Offers
from drretail.records.base import Record
from drretail.records.criteria import OF_KIND, Decision, Gold, State
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.reports.text.serialisation import record_lines
from drretail.shopping.constraints import Decisions, DemandRuling, is_within, record_sha
from drretail.shopping.listing import Listing, pieces_in

Key = tuple[str, str, str, str]
"""The query's id, the want's name, the demand's label and the product's id."""


@dataclass(frozen=True)
class DemandQuestion:
    """Whether one product keeps one demand of a want."""

    query: Query
    want: Want
    listing: Listing
    ruling: DemandRuling
    """What is decided so far."""
    unwanted: bool = False

    @property
    def label(self) -> str:
        """The demand: "must: waterproof", "must not: soy", or ``OF_KIND``."""
        demand = self.ruling.demand
        return demand if demand == OF_KIND else f"must{' not' if self.unwanted else ''}: {demand}"

    @property
    def key(self) -> Key:
        return self.query.query_id, self.want.name, self.label, self.listing.product.product_id

    @property
    def is_decided(self) -> bool:
        """True if a field or a model that read the record has decided it; a model may leave it open."""
        return self.ruling.by != "code" and (self.ruling.by, self.ruling.state) != ("field", "open")

    @cached_property
    def record(self) -> str:
        """The lines of the record, by which it is decided."""
        return "\n".join(record_lines(self.listing.product))

    def has_words(self, quote: str) -> bool:
        """True if the record has these words; case and white space are ignored."""
        return " ".join(quote.casefold().split()) in " ".join(self.record.casefold().split())


def questions_of(queries: Iterable[Query], offers: Offers) -> Iterator[DemandQuestion]:
    """A question for every demand of every candidate, decided or not.

    Candidates keep the limits that need no reading, unknown values included.
    """
    for query in queries:
        yield from _of_query(query, offers)


def _of_query(query: Query, offers: Offers) -> Iterator[DemandQuestion]:
    wish, decisions = query.wish or Wish(), Decisions(query.gold)
    owned = {*wish.owned, *offers.bought(query.user_id)}
    for want in wish.wants:
        for listing in offers.could_be_for(want, decisions):
            key = listing.product.product_id
            is_left = not (want.not_owned and key in owned) and key not in decisions.excluded
            # The budget pays for the want's quantity, or the price is unknown; one pack is enough.
            currency, pieces = listing.product.currency, 1 if pieces_in(listing.product.title) > 1 else want.quantity
            price = listing.price if wish.budget is not None and wish.budget.currency == currency else None
            is_paid = wish.budget is None or price is None or price * pieces <= wish.budget.value
            if is_left and is_paid and is_within(want, listing, unknown_does=True):
                yield from _of_listing(query, want, listing, decisions)


def _of_listing(query: Query, want: Want, listing: Listing, decisions: Decisions) -> Iterator[DemandQuestion]:
    """The question of the kind, unless its path decides it, then those of the demands.

    Of what is not known to be of the kind no demand is asked. Most of it is something else, such as a filter.
    """
    kind = decisions.kind(want, listing)
    if kind.by != "code" or kind.state == "open":
        yield DemandQuestion(query, want, listing, kind)
    if kind.state == "met":
        rulings = decisions.rulings(want, listing)
        for place, ruling in enumerate(islice(rulings, len(want.demands))):  # options are a closed field
            yield DemandQuestion(query, want, listing, ruling, unwanted=place >= len(want.must))


@dataclass(frozen=True, slots=True)
class HowDecided:
    """How far one demand of a query's want is decided."""

    query_id: str
    want: str
    demand: str
    states: dict[State, int]
    """Candidates by state."""
    by: dict[str, int]
    """Candidates by who says so: "field", "model", or "code" for a kind."""
    undecided: int
    """Candidates whose record no model has read, and no field decides."""

    @property
    def document(self) -> dict[str, Any]:
        """The same for ``--json``."""
        return asdict(self)


def how_decided(questions: Iterable[DemandQuestion]) -> list[HowDecided]:
    """One entry per demand, in order."""
    by_demand: dict[tuple[str, str, str], list[DemandQuestion]] = {}
    for question in questions:
        by_demand.setdefault(question.key[:3], []).append(question)
    return [
        HowDecided(
            *demand,
            dict(Counter(question.ruling.state for question in of_demand)),
            dict(Counter(question.ruling.by.partition(":")[0] for question in of_demand)),
            sum(not question.is_decided for question in of_demand),
        )
        for demand, of_demand in by_demand.items()
    ]


def how_far_decided(queries: Sequence[Query], offers: Offers) -> list[HowDecided]:
    """``how_decided`` of all ``questions_of`` these queries."""
    return how_decided(questions_of(queries, offers))


def decided_line(queries: Sequence[Query], demands: Sequence[HowDecided]) -> str:
    """In how many queries with demands every question about products is decided, and how, and by whom."""
    demanding = {query.query_id for query in queries if query.wish and any(want.demands for want in query.wish.wants)}
    if not any(query.wish for query in queries):
        return "No query has a typed wish, so there is nothing to decide."
    undecided = {demand.query_id for demand in demands if demand.undecided}
    decided = demanding & {demand.query_id for demand in demands if demand.demand != OF_KIND} - undecided
    states = sum((Counter(demand.states) for demand in demands), Counter[State]())
    by = sum((Counter(demand.by) for demand in demands), Counter[str]())
    how, whose = (", ".join(f"{name} {count}" for name, count in sorted(counts.items())) for counts in (states, by))
    tally = f" {counted(states.total(), 'decision')} about products: {how}; decided by: {whose}" if states else ""
    return (
        f"Of {counted(len(demanding), 'query')} that demand a property, every candidate's kind and demands are decided "
        f"in {len(decided)}.{tally}"
    )


Subject = tuple[str, str, str]
"""What a decision is about: a want's name, a demand and a product's id."""


# Models read the first line of the class below.
class DemandAnswer(Record):
    """The answer to one numbered demand."""

    number: int
    quote: str
    """The record's words that it rests on."""
    state: State


def problem_of(question: DemandQuestion, answer: DemandAnswer) -> str | None:
    """What is wrong with an answer: its quote isn't in the record, or is missing. None if nothing is.

    Whether a product is of the kind needs no quote, since the whole record says so.
    """
    if answer.state == "open":
        return None
    if answer.quote and not question.has_words(answer.quote):
        return f"the record does not have the words {answer.quote!r}"
    if not answer.quote and question.ruling.demand != OF_KIND:
        return f"{answer.state} needs the record's words as its quote"
    return None


def with_decisions(
    queries: Iterable[Query],
    questions: Iterable[DemandQuestion],
    answers: Mapping[Key, DemandAnswer],
    by: str,
    offers: Offers,
) -> tuple[Query, ...]:
    """The queries with what ``by`` answered, and with what was decided before and still holds."""
    new: dict[str, dict[Subject, Decision]] = {}
    for question in questions:
        if question.key in answers:
            product, answer = question.listing.product, answers[question.key]
            decision = Decision(
                want=question.want.name,
                demand=question.ruling.demand,
                product_id=product.product_id,
                record_sha=record_sha(product),
                state=answer.state,
                by=by,
                quote="" if answer.state == "open" else answer.quote,
            )
            new.setdefault(question.query.query_id, {})[_subject(decision)] = decision
    decided: list[Query] = []
    for query in queries:
        before, dead = () if query.gold is None else query.gold.decisions, dead_decisions(query, offers)
        every = {_subject(decision): decision for decision in before if decision not in dead} | new.get(
            query.query_id, {}
        )
        decisions = tuple(every[subject] for subject in sorted(every))
        if query.gold is not None or decisions:
            gold = query.gold or Gold(query_id=query.query_id)
            query = query.model_copy(update={"gold": gold.model_copy(update={"decisions": decisions})})
        decided.append(query)
    return tuple(decided)


def _subject(decision: Decision) -> Subject:
    return decision.want, decision.demand, decision.product_id


def holds(decision: Decision, offers: Offers) -> bool:
    """True if the shop has the product with the record that was read."""
    return any(record_sha(listing.product) == decision.record_sha for listing in offers.listings([decision.product_id]))


def dead_decisions(query: Query, offers: Offers) -> list[Decision]:
    """The decisions that no longer hold, and those on a demand that the query no longer has."""
    demands, decided = decidable(query.wish), () if query.gold is None else query.gold.decisions
    return [
        decision
        for decision in decided
        if (decision.want, decision.demand) not in demands or not holds(decision, offers)
    ]


def decidable(wish: Wish | None) -> set[tuple[str, str]]:
    """What may be decided of products: each want with each of its demands, and whether it is of the kind."""
    wants = () if wish is None else wish.wants
    return {(want.name, demand) for want in wants for demand in (OF_KIND, *map(str, want.demands))}


def died_line(died: int) -> str:
    """How many decisions are dead, and why."""
    return f"Decisions that no longer hold, since the record or the query's demands have changed: {died}."
