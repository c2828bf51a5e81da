"""What has to be read to decide which products keep a query's demands."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from drretail.env.offers import Offers
from drretail.grounding.constraints.decisions import Decisions, Ruling
from drretail.grounding.constraints.fits import is_within, priced_in
from drretail.grounding.constraints.kinds import is_named_by_both
from drretail.grounding.constraints.listing import Listing, pieces_in
from drretail.grounding.text.serialisation import record_lines
from drretail.records.criteria import OF_KIND, State
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.tables.figures import counted
from drretail.records.wish import Want

Key = tuple[str, str, str, str]
"""The ids of query and product with the want's name and the demand, as a sheet names them."""


@dataclass(frozen=True)
class Question:
    """Whether one product keeps one demand of a want."""

    query: Query
    want: Want
    listing: Listing
    ruling: Ruling
    """What is decided so far."""
    query_ids: tuple[str, ...]
    """The query, and its twins that demand the same."""
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
        """True if a field or somebody who read the record has decided it; whoever reads may leave it open."""
        return self.ruling.is_sure and (self.ruling.by, self.ruling.state) != ("field", "open")

    @cached_property
    def record(self) -> str:
        """The lines of the record, by which it is decided."""
        return "\n".join(record_lines(self.listing.product))

    def has_words(self, quote: str) -> bool:
        """True if the record has these words; case and white space are ignored."""
        return " ".join(quote.casefold().split()) in " ".join(self.record.casefold().split())


def questions_of(
    queries: Sequence[Query], offers: Offers, picks: Mapping[str, Collection[str]] | None = None
) -> Iterator[Question]:
    """A question for every demand of every candidate, decided or not; queries of one task ask it only once.

    Candidates keep the limits that need no reading, unknown values included. ``picks`` are more of them, by query id.
    """
    by_task: dict[str, list[Query]] = {}
    for query in queries:
        by_task.setdefault(query.task_id or query.query_id, []).append(query)
    for twins in by_task.values():
        seen = set[Key]()
        for query in twins:
            for question in _of_query(query, offers, twins, (picks or {}).get(query.query_id, ())):
                if question.key not in seen:
                    seen.add(question.key)
                    yield question


def _asking(twins: Iterable[Query], want: Want, demand: str, *, unwanted: bool) -> tuple[Query, ...]:
    """The queries that make this demand on such a want."""
    return tuple(
        twin
        for twin in twins
        for same in (() if twin.wish is None else twin.wish.wants)
        if (same.name, same.kinds) == (want.name, want.kinds)
        and (demand == OF_KIND or demand in map(str, same.must_not if unwanted else same.must))
    )


def _loosest(twins: Iterable[Query]) -> Money | None:
    """The largest budget of the queries of a task; None if one has none."""
    budgets = [None if twin.wish is None else twin.wish.budget for twin in twins]
    known = [budget for budget in budgets if budget is not None]
    return max(known, key=lambda budget: budget.value) if len(known) == len(budgets) else None


def _of_query(query: Query, offers: Offers, twins: Sequence[Query], picks: Collection[str]) -> Iterator[Question]:
    wish, decisions, budget = query.wish, Decisions(query.gold), _loosest(twins)
    if wish is None:
        return
    owned = {*wish.owned, *offers.bought(query.user_id)}
    could_be = [offers.could_be_for(want, decisions) for want in wish.wants]
    of_some_kind = {listing.product.product_id for of_want in could_be for listing in of_want}
    # What was picked and could be of no kind by its words may still be one: a mug that is called a cup.
    strange = [listing for listing in offers.listings(sorted(picks)) if listing.product.product_id not in of_some_kind]
    for want, listings in zip(wish.wants, could_be, strict=True):
        asked = _Asked(want, twins)
        for listing in (*listings, *strange):
            key = listing.product.product_id
            is_left = (want.again or key not in owned) and key not in decisions.excluded
            is_candidate = is_left and is_within(want, listing, unknown_does=True) and _is_paid(want, listing, budget)
            if is_candidate or key in picks:
                yield from asked.of(listing, decisions)


def _is_paid(want: Want, listing: Listing, budget: Money | None) -> bool:
    """True if the budget pays for the want's quantity, or the price is unknown; one pack is enough."""
    price = None if budget is None else priced_in(listing, budget.currency)
    pieces = 1 if pieces_in(listing.product.title) > 1 else want.quantity
    return budget is None or price is None or price * pieces <= budget.value


@dataclass(slots=True)
class _Asked:
    """What is asked of each candidate for a want, and by which queries."""

    want: Want
    twins: Sequence[Query]
    _asking: dict[tuple[str, bool], tuple[Query, ...]] = field(
        default_factory=dict[tuple[str, bool], tuple[Query, ...]]
    )

    def of(self, listing: Listing, decisions: Decisions) -> Iterator[Question]:
        """The question of the kind, unless title and leaf category both name it, then those of the demands.

        Of what is not of the kind, as far as is known, no demand is asked. Most of it is something else, such as a
        filter.
        """
        kind = decisions.kind(self.want, listing)
        if kind.is_sure or not listing.once(is_named_by_both, self.want.kinds):
            yield self._question(listing, kind)
        if kind.state == "met":
            for place, ruling in enumerate(decisions.rulings(self.want, listing)):
                yield self._question(listing, ruling, unwanted=place >= len(self.want.must))

    def _question(self, listing: Listing, ruling: Ruling, *, unwanted: bool = False) -> Question:
        key = ruling.demand, unwanted
        if key not in self._asking:
            self._asking[key] = _asking(self.twins, self.want, ruling.demand, unwanted=unwanted)
        asking = self._asking[key]
        return Question(asking[0], self.want, listing, ruling, tuple(twin.query_id for twin in asking), unwanted)


@dataclass(frozen=True, slots=True)
class HowDecided:
    """How far one demand of a query's want is decided."""

    query_ids: tuple[str, ...]
    """The query, and its twins that demand the same."""
    want: str
    demand: str
    states: dict[State, int]
    """Candidates by state."""
    by: dict[str, int]
    """Candidates by who says so: "field", "model", "person" or "words"."""
    undecided: int
    """Candidates whose record nobody has read, and no field decides."""

    @property
    def document(self) -> dict[str, Any]:
        """The same for ``--json``."""
        of_all = {name: value for name, value in asdict(self).items() if name != "query_ids"}
        return {"query_id": self.query_ids[0], **of_all}


def how_decided(questions: Iterable[Question]) -> list[HowDecided]:
    """One entry per demand, in order."""
    by_demand: dict[tuple[tuple[str, ...], str, str], Counter[tuple[State, str, bool]]] = {}
    for question in questions:
        demand, ruling = (question.query_ids, question.want.name, question.label), question.ruling
        by_demand.setdefault(demand, Counter())[ruling.state, ruling.by.partition(":")[0], question.is_decided] += 1
    decided: list[HowDecided] = []
    for demand, counts in by_demand.items():
        states, by = Counter[State](), Counter[str]()
        for (state, who, _), times in counts.items():
            states[state] += times
            by[who] += times
        undecided = sum(times for (*_, is_decided), times in counts.items() if not is_decided)
        decided.append(HowDecided(*demand, dict(states), dict(by), undecided))
    return decided


def graded_line(queries: Sequence[Query], demands: Sequence[HowDecided]) -> str:
    """For how many queries with demands a field or a reader has decided every demand of every candidate, and for how
    many also whether each candidate is of the kind: these are graded. One without a candidate is neither.
    """
    demanding = {query.query_id for query in queries if query.wish and any(want.demands for want in query.wish.wants)}
    of_products = [each for each in demands if each.demand != OF_KIND]
    decided = demanding & _query_ids(of_products) - _query_ids(of_products, undecided=True)
    graded = decided - _query_ids(demands, undecided=True)
    states, by = Counter[str](), Counter[str]()
    for each in demands:
        states.update(each.states)
        by.update(each.by)
    how, whose = (", ".join(f"{name} {count}" for name, count in sorted(counts.items())) for counts in (states, by))
    questions = states.total()
    tally = f" {counted(questions, 'question')} about products: {how}; decided by: {whose}" if questions else ""
    return (
        f"Of {counted(len(demanding), 'query')} that demand a property, fields and readers decide every demand in "
        f"{len(decided)}, and every candidate's kind, too, in {len(graded)} (graded).{tally}"
    )


def _query_ids(demands: Iterable[HowDecided], *, undecided: bool = False) -> set[str]:
    """The ids of the queries that demand these, or only what is undecided."""
    return {key for each in demands if each.undecided or not undecided for key in each.query_ids}
