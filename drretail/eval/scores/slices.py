"""The slices of each query: by category of what is wanted, by sort of need, by the parts of its wish, by level."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import get_args

from drretail.eval.family import Family, is_unrated
from drretail.eval.scores.aggregate import About, Judged, mean_of
from drretail.eval.scores.gathering import Assessor, RunResult
from drretail.eval.scores.planned import counted, means_by_query
from drretail.experiment import Definition
from drretail.records.score import SliceBy, SliceScore
from drretail.records.wish import Want, Wish

NO_CATEGORY = "none named"
PLAIN = "none"
"""A wish for one of each thing, without limits."""
NOTHING_WANTED = "nothing to buy"
UNTYPED = "not typed"
OF_WANTS: Mapping[str, Callable[[Want], bool]] = {
    "price_max": lambda want: want.price_max is not None,
    "stars": lambda want: want.rating_min is not None,
    "ratings": lambda want: want.ratings_min is not None,
    "brands": lambda want: bool(want.brands_wanted or want.brands_unwanted),
    "must": lambda want: bool(want.must),
    "must_not": lambda want: bool(want.must_not),
    "quantity": lambda want: want.quantity > 1,
    "optional": lambda want: want.optional,
    "alternatives": lambda want: len(want.kinds) > 1,
    "again": lambda want: want.again,
}
OF_WISHES: Mapping[str, Callable[[Wish], bool]] = {
    "budget": lambda wish: wish.budget is not None,
    **{name: lambda wish, has=has: any(map(has, wish.wants)) for name, has in OF_WANTS.items()},
    "room": lambda wish: wish.room,
    "deadline": lambda wish: wish.deadline is not None,
}
"""The parts that a wish may have, in the order of tables; a want's part counts if any want has it."""


def query_slices(definition: Definition) -> dict[tuple[SliceBy, str], frozenset[str]]:
    """The query ids of each non-empty slice: categories and kinds by name, parts of wishes in order."""
    found: dict[tuple[SliceBy, str], set[str]] = defaultdict(set)
    for query in definition.queries:
        for name in tuple(definition.categories.get(query.query_id) or ()) or (NO_CATEGORY,):
            found["category", name].add(query.query_id)
        # The sort of need where somebody said, else how the query was made: its mode.
        found["kind", query.kind or query.mode].add(query.query_id)
        for name in parts_of(query.wish):
            found["constraint", name].add(query.query_id)
        if query.level is not None:
            found["level", f"level {query.level}"].add(query.query_id)
    return {key: frozenset(found[key]) for key in sorted(found, key=_place)}


def parts_of(wish: Wish | None) -> tuple[str, ...]:
    """The parts of a wish, or why it has none; the names of things and owned products do not count."""
    if wish is None:
        return (UNTYPED,)
    found = tuple(name for name, has in OF_WISHES.items() if has(wish))
    return found or (PLAIN if wish.wants else NOTHING_WANTED,)


def _place(key: tuple[SliceBy, str]) -> tuple[int, int, str]:
    by, name = key
    parts = list(OF_WISHES)
    return get_args(SliceBy).index(by), parts.index(name) if name in parts else len(parts), name


FIRST = 6
"""The number of headlines for a family that names none."""
Slices = Mapping[tuple[SliceBy, str], frozenset[str]]
"""Ids of queries by slice."""


def slice_scores(judged: Sequence[Judged], slices: Slices) -> list[SliceScore]:
    """Rows by judge, system, headline variant and slice, in that order.

    There are none for ratings of a rule-based judge, which mean nothing, nor for variants without any value.
    """
    rows = [row for about, reports in judged for row in _rows(about, reports, slices)]
    valued = {(row.metric, row.variant, Assessor.of(row)) for row in rows if row.n_counted}
    return [row for row in rows if (row.metric, row.variant, Assessor.of(row)) in valued]


def _rows(about: About, reports: Sequence[RunResult], slices: Slices) -> Iterator[SliceScore]:
    if is_unrated(about.metric, about.assessor.judge):
        return
    planned = Counter(report.query_id for report in reports)
    for variant in headlines(about.metric):
        values = [(report.query_id, counted(report, variant)) for report in reports]
        scored = Counter(query_id for query_id, value in values if value is not None)
        means = means_by_query(values)
        for (by, name), query_ids in slices.items():
            inside = {query_id: mean for query_id, mean in means.items() if query_id in query_ids}
            found = mean_of(about.metric, variant, inside, about.clusters)
            yield SliceScore(
                by=by,
                name=name,
                metric=about.metric.name,
                variant=variant,
                system=about.system,
                **about.assessor.columns,
                value=found.value,
                ci_low=found.low,
                ci_high=found.high,
                n_queries=len(query_ids & planned.keys()),
                n_counted=len(inside),
                n_users=about.clusters.users(inside),
                n_planned=sum(planned[query_id] for query_id in query_ids),
                n_scored=sum(scored[query_id] for query_id in query_ids),
            )


def headlines(metric: Family) -> tuple[str, ...]:
    """The variants of a family that are sliced, in the order of its tables."""
    return chosen_variants(metric, metric.description.headlines) or tuple(_plain(metric)[:FIRST])


def chosen_variants(metric: Family, chosen: Collection[str]) -> tuple[str, ...]:
    """The chosen variants that the family has, in its order, without pooled ones, which have no value per query."""
    return tuple(variant for variant in _plain(metric) if variant in chosen)


def _plain(metric: Family) -> list[str]:
    return [variant for variant in metric.variants if variant not in metric.pooled]
