"""One system's values in one variant before one judge, by query and repeat, and why queries have none."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.gathering import FAILED_RUNS, NOT_JUDGED, Gathered, Heard, Plan, Reported, Seat

_WHY = ("not judged", "run failed or missing", "judge failed", "sources unreadable", "na")
"""Why a run has no value; of a query's runs the first of these counts."""
_BY_STATE = {"failed": "judge failed", "unverifiable": "sources unreadable", "na": "na"}


@dataclass(frozen=True, slots=True)
class Side:
    """By query id, all queries that were planned."""

    values: Mapping[str, Sequence[float]]
    """Of each repeat of the agent with a value: the mean over repeats of the judge."""
    nested: Mapping[str, Sequence[Sequence[float]]]
    """The same values, each repeat of the judge apart."""
    outcomes: Mapping[str, Sequence[float | None]]
    """Of each repeat of the agent that ended in a value, or (None) in no report."""
    why: Mapping[str, str]
    """Of the queries without any value."""


Runs = Sequence[tuple[Plan, Heard]]


def runs_of(gathered: Gathered, metric: str, seat: Seat) -> dict[str, list[tuple[Plan, Heard]]]:
    """Every planned run by label, with what this judge said of it."""
    runs: dict[str, list[tuple[Plan, Heard]]] = defaultdict(list)
    for plan, heard in gathered.heard(metric, seat):
        runs[plan.label].append((plan, heard))
    return runs


def side_of(runs: Runs, variant: str) -> Side:
    """One system's values in one variant."""
    queries: dict[str, list[Reported]] = defaultdict(list)
    for _, heard in runs:
        queries[heard.reported.query_id].append(heard.reported)
    values = {query: list(_values(reports, variant)) for query, reports in queries.items()}
    return Side(
        values=values,
        nested={query: list(_nested(reports, variant)) for query, reports in queries.items()},
        outcomes={query: list(_outcomes(reports, variant)) for query, reports in queries.items()},
        why={query: _why(reports, variant) for query, reports in queries.items() if not values[query]},
    )


def _value(reported: Reported, variant: str) -> float | None:
    found = reported.values.get(variant)
    return None if found is None else found.value


def _values(reports: Iterable[Reported], variant: str) -> Iterator[float]:
    for reported in reports:
        value = _value(reported, variant)
        if value is not None:
            yield value


def _nested(reports: Iterable[Reported], variant: str) -> Iterator[list[float]]:
    """Without repeats of the judge, as of a panel, the one value stands alone."""
    for reported in reports:
        repeats = list(reported.by_repeat.values()) or [reported.values]
        found = [values[variant].value for values in repeats if variant in values]
        yield [value for value in found if value is not None]


def _outcomes(reports: Iterable[Reported], variant: str) -> Iterator[float | None]:
    for reported in reports:
        value = _value(reported, variant)
        if value is not None or reported.lacks == FAILED_RUNS:
            yield value


def _why(reports: Iterable[Reported], variant: str) -> str:
    reasons = {_reason(reported, variant) for reported in reports}
    return next(why for why in _WHY if why in reasons)


def _reason(reported: Reported, variant: str) -> str:
    if reported.lacks is not None:
        return {FAILED_RUNS: "run failed or missing", NOT_JUDGED: "not judged"}[reported.lacks]
    found = reported.values.get(variant)
    return _BY_STATE["failed" if found is None else found.state]
