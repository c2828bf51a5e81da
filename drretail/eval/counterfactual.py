"""How reports change when the profile changes: by code, from recorded runs alone (docs/scores.md).
The measures of one query, then the rows of scores.json for every system that saw other data than the users' own.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations, product
from operator import attrgetter
from pathlib import Path

from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Planned, Subject, planned_runs, read_subject
from drretail.eval.metric import Value, measured_metric
from drretail.eval.scores.facts import Facts, summary
from drretail.eval.scores.gathering import Assessor, JudgedRun, Plan
from drretail.experiment import Definition, read_counterfactual, read_definition
from drretail.grounding.constraints import Decisions, is_below, is_over_budget, is_too_dear
from drretail.grounding.listing import Listing, is_of_brand, listing_of
from drretail.records.query import (
    METRIC,
    Counterfactual,
    CounterfactualKind,
    ProfileTraits,
    Query,
    factual_of,
    kind_of,
)
from drretail.records.score import CODE, JudgeRef, MetricDescription, Score
from drretail.records.shop import Product
from drretail.records.wish import Want
from drretail.stats.intervals import Clusters


@dataclass(frozen=True, slots=True)
class Advice:
    """What a report recommends and breaks; products by id."""

    recommended: Mapping[str, Product]
    broken: frozenset[str]
    """The parts of the query's wish that the recommendations break; empty without a wish or recommendations."""


def read_advice(subject: Subject) -> Advice | None:
    """The advice of a report; None if its picks are not known. Pure: of the world, it reads only the ledger."""
    subject = replace(subject, store=None)
    picks = reading_of(subject).picks
    if picks is None:
        return None
    records = subject.case.ledger(picks).products
    ids = sorted({pick.product for pick in picks if pick.product in records})
    recommended = {product_id: records[product_id] for product_id in ids}
    wish, decisions = subject.query.wish, Decisions(subject.query.gold)
    # The budget, and each want's limits, named by the want.
    broken = {"budget"} if wish is not None and is_over_budget(wish, picks, records) else set[str]()
    listings = [listing_of(product) for product in recommended.values()]
    for want in () if wish is None else wish.wants:
        chosen = [listing for listing in listings if decisions.is_of_kind(want, listing)]
        broken |= {f"{want.name}: {limit}" for limit in _limits_broken(want, chosen, decisions)}
    return Advice(recommended, frozenset(broken))


def _limits_broken(want: Want, chosen: Sequence[Listing], decisions: Decisions) -> Iterator[str]:
    """The limits of a want that its recommended products ``chosen`` break.

    What records leave open breaks nothing, and neither do unknown stars, numbers of ratings and prices.
    """
    if not chosen:
        return
    if any(is_too_dear(want, listing) for listing in chosen):
        yield "price_max"
    if any(is_below(listing.product.average_rating, want.rating_min, unknown=False) for listing in chosen):
        yield "rating_min"
    if any(is_below(listing.product.rating_number, want.ratings_min, unknown=False) for listing in chosen):
        yield "ratings_min"
    if want.brands_wanted and not any(
        is_of_brand(listing, brand) for listing in chosen for brand in want.brands_wanted
    ):
        yield "brands_wanted"
    for brand in want.brands_unwanted:
        if any(is_of_brand(listing, brand) for listing in chosen):
            yield f"brands_unwanted {brand}"
    met, broken = ({d for each in chosen for d in decisions.of_state(want, each, state)} for state in ("met", "broken"))
    yield from (f"must_not {unwanted}" for unwanted in map(str, want.must_not) if unwanted in broken)
    yield from (f"must {demand}" for demand in map(str, want.must) if demand in broken - met)


def overridden(factual: Sequence[Advice], other: Sequence[Advice]) -> frozenset[str]:
    """The parts of the wish that most of the other reports break and most factual ones do not."""

    def broken_by_most(reports: Sequence[Advice]) -> set[str]:
        """The parts that more than half of the reports break, of those that recommend anything."""
        telling = [advice.broken for advice in reports if advice.recommended]
        counts = Counter(part for broken in telling for part in broken)
        return {part for part, count in counts.items() if 2 * count > len(telling)}

    return frozenset(broken_by_most(other) - broken_by_most(factual))


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one query's products; each number is from 0 (the same) to 1 (nothing in common)."""

    change: float | None
    """The mean over all pairs of a factual and a counterfactual report; None if no pair names anything."""
    repeats: float | None
    """The mean over all pairs of factual reports; None if there are fewer than two."""
    most: float | None
    """The largest distance between two factual reports."""

    @property
    def beyond(self) -> float | None:
        return None if self.change is None or self.repeats is None else self.change - self.repeats


def changes(factual: Sequence[Advice], other: Sequence[Advice]) -> Change:
    """How the products of a query's reports differ; each side holds that query's repeats."""
    ours, theirs = ([frozenset(advice.recommended) for advice in reports] for reports in (factual, other))
    apart = [jaccard for one, two in product(ours, theirs) if (jaccard := distance(one, two)) is not None]
    by_chance = [jaccard for one, two in combinations(ours, 2) if (jaccard := distance(one, two)) is not None]
    return Change(
        change=sum(apart) / len(apart) if apart else None,
        repeats=sum(by_chance) / len(by_chance) if by_chance else None,
        most=max(by_chance, default=None),
    )


def distance(one: frozenset[str], two: frozenset[str]) -> float | None:
    """One minus the Jaccard index; None for two empty sets."""
    either = one | two
    return 1 - len(one & two) / len(either) if either else None


@dataclass(frozen=True, slots=True)
class Direction:
    """Products that one of two reports recommends and the other does not, over all pairs of reports."""

    toward_other: int
    toward_own: int
    neither: int
    owned: int = 0
    """Products that are not counted, because either user has bought them."""

    @property
    def value(self) -> float | None:
        """From -1 (all towards the user's own profile) to 1 (all away from it); None if nothing changed."""
        changed = self.toward_other + self.toward_own + self.neither
        return (self.toward_other - self.toward_own) / changed if changed else None


def direction(
    factual: Sequence[Advice], other: Sequence[Advice], own: ProfileTraits, partner: ProfileTraits
) -> Direction:
    """Gained products count by whom they fit, lost ones the other way round, so that chance alone averages 0."""
    owned = frozenset((*own.products, *partner.products))
    leans: list[int] = []
    left_out = 0
    for first, second in product(factual, other):
        gained, lost = (
            [each for name, each in some.recommended.items() if name not in others.recommended]
            for some, others in ((second, first), (first, second))
        )
        left_out += sum(each.product_id in owned for each in (*gained, *lost))
        leans += [lean(each, own, partner) for each in gained if each.product_id not in owned]
        leans += [-lean(each, own, partner) for each in lost if each.product_id not in owned]
    return Direction(leans.count(1), leans.count(-1), leans.count(0), left_out)


def lean(product: Product, own: ProfileTraits, partner: ProfileTraits) -> int:
    """1 if the product agrees with more of the partner's traits than of the user's own, -1 for the reverse, or 0.

    The traits: its brand was bought, its leaf category was bought.
    """
    brand, category = product.brand, product.leaf_category
    balance = (brand in partner.brands) - (brand in own.brands)
    balance += (category in partner.categories) - (category in own.categories)
    return (balance > 0) - (balance < 0)


@dataclass(frozen=True, slots=True)
class QueryChanges:
    """The measures of one query; unknown ones are None."""

    products: Change
    direction: Direction
    ignored: bool | None
    overused_constraint: bool | None


def measured(
    query: Query,
    frozen: Counterfactual,
    kind: CounterfactualKind,
    factual: Sequence[Advice],
    other: Sequence[Advice],
) -> QueryChanges:
    """The measures of a query from its reports by both systems, at least one of each."""
    partner = ProfileTraits(user_id=frozen.user_id, orders=0)
    if kind == "swap" and frozen.partner is not None:
        partner = frozen.partner
    change = changes(factual, other)
    both_recommend = all(any(each.recommended for each in reports) for reports in (factual, other))
    can_override = kind == "swap" and query.wish is not None and both_recommend
    return QueryChanges(
        products=change,
        direction=direction(factual, other, frozen.own, partner),
        ignored=is_ignored(change) if frozen.own.orders or partner.orders else None,
        overused_constraint=bool(overridden(factual, other)) if can_override else None,
    )


def is_ignored(products: Change) -> bool | None:
    """True if the products change by no more than the factual repeats differ among themselves.

    The limit is the largest distance between two repeats, 0 without repeats. None if nothing can be told: no product is
    named, or two repeats already have nothing in common.
    """
    most = products.most or 0.0
    return None if products.change is None or most >= 1 else products.change <= most


NO_REPEATS = "without repeats (--repeats 2) nobody knows what changes by chance"
NO_FACTUAL = "the experiment holds no such system with the users' own data"
_OF_REPEATS = ("change", "repeats", "beyond", "ignored")
_OF_ANOTHER_USER = "overused_constraint"
"""The measure that needs another user's data."""
MEASURES: Mapping[str, Callable[[QueryChanges], float | None]] = {
    **{name: attrgetter(f"products.{name}") for name in ("change", "repeats", "beyond")},
    "direction": attrgetter("direction.value"),
    **{name: attrgetter(name) for name in ("ignored", _OF_ANOTHER_USER)},
}
"""By variant, in the order of rows."""
_MEASURED = measured_metric(
    METRIC,
    4,
    tuple(MEASURES),
    MetricDescription(title=METRIC, differences=("beyond", "direction")),
    lambda subject, judge_session: None,
)
_BY_CODE = Assessor(JudgeRef(spec=CODE, kind="rule_based"), "default")


@dataclass(slots=True)
class _SystemPair:
    """A system that saw other data, and the system that is otherwise the same."""

    system: str
    factual: str
    kind: CounterfactualKind
    has_factual: bool
    outcomes: dict[str, QueryChanges | None] = field(default_factory=dict[str, QueryChanges | None])
    """By query; None if one of the two systems has no report.

    A query has no entry if the measure does not apply, or if picks are unknown.
    """


def counterfactual_rows(experiment: Path) -> list[Score]:
    """Rows by system and measure; empty if the experiment has no such systems. Pure: equal folders give equal rows."""
    definition = read_definition(experiment)
    pairs: list[_SystemPair] = []
    for label, system in sorted(definition.systems.items()):
        if (kind := kind_of(system)) is not None:
            wanted = factual_of(system)
            factual = next((name for name, other in sorted(definition.systems.items()) if other == wanted), None)
            pairs.append(_SystemPair(label, factual or wanted.label(), kind, factual is not None))
    if not pairs:
        return []
    planned: dict[tuple[str, str], list[Planned]] = defaultdict(list)
    for run in planned_runs(experiment, definition):
        planned[run.label, run.query.query_id].append(run)
    for query in definition.queries:  # one at a time: the ledgers of all runs would not fit into memory
        frozen = read_counterfactual(experiment, query.user_id)
        read: dict[str, list[Advice | None]] = {}
        for pair in pairs if frozen is not None else ():
            if query not in _queries(pair, definition):
                continue
            for label in (pair.factual, pair.system):
                runs = planned[label, query.query_id] if label not in read else ()
                subjects = (read_subject(experiment, definition, run, None) for run in runs)
                read.setdefault(label, [read_advice(each) for each in subjects if each.report is not None])
            if not read[pair.factual] or not read[pair.system]:
                pair.outcomes[query.query_id] = None
                continue
            factual, other = (
                [advice for advice in read[label] if advice is not None] for label in (pair.factual, pair.system)
            )
            if frozen is not None and factual and other:
                pair.outcomes[query.query_id] = measured(query, frozen, pair.kind, factual, other)
    return [row for pair in pairs for row in _rows(pair, definition)]


def _queries(pair: _SystemPair, definition: Definition) -> list[Query]:
    """The queries asked of both systems; without a factual system, those asked of the counterfactual one."""
    others = definition.queries_of(pair.factual) if pair.has_factual else definition.queries
    ids = {query.query_id for query in others}
    return [query for query in definition.queries_of(pair.system) if query.query_id in ids]


def _rows(pair: _SystemPair, definition: Definition) -> Iterator[Score]:
    """Scores in queries: ``n_failed`` are those on which one of the two systems has no report."""
    queries = _queries(pair, definition)
    wanted = [name for name in MEASURES if pair.kind == "swap" or name != _OF_ANOTHER_USER]
    judged = [
        (
            Plan(pair.system, query, 1, "", None),
            JudgedRun(query.query_id, {name: _value(pair, query, name) for name in wanted}),
        )
        for query in queries
    ]
    facts = Facts(_MEASURED, pair.system, _BY_CODE, judged, Clusters.of(definition.queries))
    present = [outcome for outcome in pair.outcomes.values() if outcome is not None]
    is_once = bool(present) and all(outcome.products.repeats is None for outcome in present)
    for variant in wanted if pair.has_factual else wanted[:1]:
        row = summary(facts, variant, "answered")
        note = NO_FACTUAL if not pair.has_factual else NO_REPEATS if is_once and variant in _OF_REPEATS else None
        yield row.model_copy(update={"n_asked": len(queries), "n_counted": row.n_scored, "note": note})


def _value(pair: _SystemPair, query: Query, variant: str) -> Value:
    """The measure on one query, with the counts behind it."""
    outcome, wish = pair.outcomes.get(query.query_id), query.wish
    items: dict[str, float] = {}
    if variant == "change" and pair.has_factual:
        # True if the wish names something that the shopper bought, which another user's orders don't have.
        names_purchase = wish is not None and (bool(wish.owned) or any(want.again for want in wish.wants))
        items["queries_of_own_history"] = float(names_purchase)
    if outcome is None:
        is_failed = query.query_id in pair.outcomes or not pair.has_factual
        return Value(variant, "failed" if is_failed else "na", None, items)
    if variant == "direction":
        items |= {field.name: float(getattr(outcome.direction, field.name)) for field in fields(Direction)}
    value = MEASURES[variant](outcome)
    return Value(variant, "na" if value is None else "scored", None if value is None else float(value), items)
