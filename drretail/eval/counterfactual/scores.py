"""Rows of scores.json for every system of an experiment that saw other data than the users' own."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from drretail.eval.counterfactual.measure import Advice, QueryChanges, measured, read_advice
from drretail.eval.judging.subject import Planned, planned_runs, read_subject
from drretail.eval.scores.gathering import Assessor
from drretail.experiment import Definition, read_counterfactual, read_definition
from drretail.records.counterfactual import (
    DIMENSIONS,
    METRIC,
    CounterfactualKind,
    Dimension,
    factual_of,
    kind_of,
)
from drretail.records.query import Query
from drretail.records.run import System
from drretail.records.score import CODE, JudgeRef, Score
from drretail.records.wish import Wish
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import mean_interval, share_interval

VERSION = 3
NO_REPEATS = "without repeats (--repeats 2) nobody knows what changes by chance"
NO_FACTUAL = "the experiment holds no such system with the users' own data"
_OF_REPEATS = ("change", "repeats", "beyond", "ignored")
_BELOW_ZERO = ("beyond", "direction")
"""The only measures that may be below zero."""
_BY_CODE: Mapping[str, Any] = Assessor(JudgeRef(spec=CODE, kind="rule_based"), "default").columns


_Read = Callable[[QueryChanges], float | None]


def _of_dimension(dimension: Dimension, measure: str) -> _Read:
    return lambda query_changes: getattr(query_changes.changes[dimension], measure)


_MEASURES: Mapping[str, _Read] = {
    **{f"{name} {of}": _of_dimension(of, name) for of in DIMENSIONS for name in ("change", "repeats", "beyond")},
    "direction": attrgetter("direction.value"),
    **{name: attrgetter(name) for name in ("ignored", "overused", "overused_constraint", "overused_category")},
}
"""By variant, in the order of rows."""
_OF_ANOTHER_USER = "overused"
"""How the names of measures begin that need another user's data."""


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
    pairs = list(_pairs(definition.systems))
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


def _pairs(systems: Mapping[str, System]) -> Iterator[_SystemPair]:
    for label, system in sorted(systems.items()):
        kind = kind_of(system)
        if kind is None:
            continue
        wanted = factual_of(system)
        label_of_factual = next((name for name, other in sorted(systems.items()) if other == wanted), None)
        yield _SystemPair(label, label_of_factual or wanted.label(), kind, label_of_factual is not None)


def _queries(pair: _SystemPair, definition: Definition) -> list[Query]:
    """The queries asked of both systems; without a factual system, those asked of the counterfactual one."""
    others = definition.queries_of(pair.factual) if pair.has_factual else definition.queries
    ids = {query.query_id for query in others}
    return [query for query in definition.queries_of(pair.system) if query.query_id in ids]


def _rows(pair: _SystemPair, definition: Definition) -> Iterator[Score]:
    """Scores in queries: ``n_failed`` are those on which one of the two systems has no report."""
    planned = len(_queries(pair, definition))
    if not pair.has_factual:
        yield Score(
            metric=METRIC,
            version=VERSION,
            variant="change products",
            system=pair.system,
            **_BY_CODE,
            n_asked=planned,
            n_planned=planned,
            n_scored=0,
            n_failed=planned,
            note=NO_FACTUAL,
        )
        return
    for variant, read in _MEASURES.items():
        if pair.kind == "swap" or not variant.startswith(_OF_ANOTHER_USER):
            yield _row(pair, definition, variant, read)


def _row(pair: _SystemPair, definition: Definition, variant: str, read: _Read) -> Score:
    present = [outcome for _, outcome in sorted(pair.outcomes.items()) if outcome is not None]
    values = {
        query_id: float(value)
        for query_id, outcome in sorted(pair.outcomes.items())
        if outcome is not None and (value := read(outcome)) is not None
    }
    measure, clusters = variant.partition(" ")[0], Clusters.of(definition.queries)
    interval_of = mean_interval if measure in _BELOW_ZERO else share_interval
    interval = interval_of([*values.values()], clusters.groups(values))
    changes = [change for outcome in present for change in outcome.changes.values()]
    has_repeats = any(change.repeats is not None for change in changes)
    failed, planned = len(pair.outcomes) - len(present), len(_queries(pair, definition))
    return Score(
        metric=METRIC,
        version=VERSION,
        variant=variant,
        system=pair.system,
        **_BY_CODE,
        value=interval.value,
        **interval.ends,
        n_users=clusters.users(values),
        n_asked=planned,
        n_counted=len(values),
        n_planned=planned,
        n_scored=len(values),
        n_na=planned - failed - len(values),
        n_failed=failed,
        items=_items(variant, present, definition.queries),
        note=NO_REPEATS if measure in _OF_REPEATS and changes and not has_repeats else None,
    )


def _items(variant: str, outcomes: Sequence[QueryChanges], queries: Sequence[Query]) -> dict[str, float]:
    """The counts behind a value."""

    def names_purchases(wish: Wish | None) -> bool:
        """True if the wish names something that the shopper bought, which another user's orders don't have."""
        return wish is not None and (bool(wish.owned) or any(want.again for want in wish.wants))

    match variant:
        case "change products":
            return {"queries_of_own_history": sum(names_purchases(query.wish) for query in queries)}
        case "direction":
            counts = ("toward_other", "toward_own", "neither", "owned")
            return {name: sum(getattr(outcome.direction, name) for outcome in outcomes) for name in counts}
        case "overused_constraint":
            return {"the_reverse": sum(outcome.regained for outcome in outcomes)}
        case _:
            return {}
