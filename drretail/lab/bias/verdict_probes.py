"""The probes that read a judge's verdicts and ask nothing of their own: position, length, own family, scale use."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.eval.compare.wording import family_of
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.gathering import Assessor, gather
from drretail.eval.scores.pair_outcomes import read_outcomes
from drretail.lab.bias.effects import ByQuery, by_query, differences, drawn, number, over_dimensions, share, shares
from drretail.lab.bias.probe import Case, Effects, Probe, Report
from drretail.lab.bias.probed_reports import HALF, TWICE, length_label
from drretail.lab.opinions import RATING, opinions_of
from drretail.lab.trial_findings import BiasEffect
from drretail.records.vote import about_report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NO_PAIR = "the reports are of one system, and no two can be compared"
NOT_COMPARED = "no two reports were compared in both orders"


def _position(case: Case) -> Effects | str:
    """The share of first minus that of second places that won, and how often the winner changed with the order."""
    labels = {subject.label for subject in case.reports.subjects}
    if len(labels) < 2:
        return NO_PAIR
    found = read_outcomes(case.folder, gather(case.folder, [])).get(Assessor(case.judge.ref, "default"), {})
    leaning: dict[str, list[tuple[str, float]]] = defaultdict(list)
    flips: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for pair, by_dimension in found.items():
        for dimension, outcomes in by_dimension.items() if labels.issuperset(pair) else ():
            for outcome in outcomes:
                if outcome.flipped is not None and outcome.first_preferred is not None:
                    flips[dimension].append((outcome.query_id, outcome.flipped))
                    leaning[dimension].append((outcome.query_id, 2 * outcome.first_preferred - 1))
    if not flips:
        return NOT_COMPARED
    first = {dimension: by_query(values) for dimension, values in leaning.items()}
    changed = {dimension: by_query(values) for dimension, values in flips.items()}
    return [
        *differences("first preferred minus second", first, unit="share"),
        *shares("flipped with the order", changed),
    ]


POSITION = Probe("position", "Does the report that is read first win?", (PAIRWISE,), _position)


NOT_RATED = "no copy was rated beside its report"


def _length(case: Case) -> Effects | str:
    """By how much the rating changes against that of the report itself."""
    changes = {length: _changes(case, length) for length in (TWICE, HALF)}
    if not any(values for by_dimension in changes.values() for values in by_dimension.values()):
        return NOT_RATED
    return [
        effect
        for length, by_dimension in changes.items()
        for effect in differences(f"{length} minus once", by_dimension)
    ]


def _changes(case: Case, length: str) -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = {}
    for dimension, rated in case.ratings.items():
        pairs = (
            (subject.query.query_id, rated.get((length_label(subject.label, length), subject.query.query_id)), subject)
            for subject in case.reports.subjects
        )
        found[dimension] = by_query(
            (query, changed - rated[pair.label, query])
            for query, changed, pair in pairs
            if changed is not None and (pair.label, query) in rated
        )
    return found


LENGTH = Probe(
    "length", "Does it rate the same report higher when it is longer?", ("quality",), _length, with_lengths=True
)


def _own_family(case: Case) -> Effects | str:
    """How much more than others the judge gives its own family's reports, minus the same of all other reports."""
    family = family_of(case.judge.ref.spec)
    own = {
        subject.label: any(family_of(model.spec) == family for model in subject.system.models.values())
        for subject in case.reports.subjects
    }
    if len({*own.values()}) < 2:
        which = "every system is" if any(own.values()) else "no system is"
        return f"{which} on a model of {family}, the judge's own family"
    others = _others(case, family)
    if not others:
        return f"nobody else rated these reports: neither people nor a judge that is not of {family}"
    gaps = {
        dimension: by_query(_gaps(rated, others.get(dimension, {}), own)) for dimension, rated in case.ratings.items()
    }
    if not any(gaps.values()):
        return "on no query were reports of both kinds rated by the judge and by others"
    return differences(f"{family}'s reports above the others'", gaps)


def _others(case: Case, family: str) -> dict[str, dict[Report, float]]:
    """By dimension the mean of what people and judges of other families gave each report."""
    given: dict[str, dict[Report, list[float]]] = defaultdict(lambda: defaultdict(list))
    reports = {about_report(subject.run_id, subject.report_sha or "") for subject in case.reports.subjects}
    for opinion in opinions_of(case.experiment):
        is_other = opinion.kind == "person" or family_of(opinion.rater.partition(" ")[0]) != family
        if opinion.question.scale == RATING and is_other and opinion.item in reports:
            given[opinion.question.dimension][opinion.system, opinion.query_id].append(opinion.value)
    return {dimension: {report: fmean(values) for report, values in of.items()} for dimension, of in given.items()}


def _gaps(rated: dict[Report, float], others: dict[Report, float], own: dict[str, bool]) -> Iterator[tuple[str, float]]:
    above: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for (label, query), value in rated.items():
        if label in own and (label, query) in others:
            above[query][own[label]].append(value - others[label, query])
    yield from (
        (query, fmean(by_kind[True]) - fmean(by_kind[False]))
        for query, by_kind in above.items()
        if by_kind[True] and by_kind[False]
    )


OWN_FAMILY = Probe(
    "own_family", "Does it rate its own family's reports higher than others do?", ("quality",), _own_family
)


STEPS = 11
HIGH = 8


def _scale_use(case: Case) -> Effects | str:
    """How evenly the eleven values are used, how often the same, and how often 8 or more; systems above floors."""
    labels = {subject.label for subject in case.reports.subjects}
    rated = {
        dimension: by_query((query, value) for (label, query), value in of.items() if label in labels)
        for dimension, of in case.ratings.items()
    }
    groups = [(dimension, values) for dimension, values in over_dimensions(rated) if values]
    if not groups:
        return "no report was rated"
    return [
        *(_entropy(values, case.seed, dimension) for dimension, values in groups),
        *(_often("of its most used value", values, dimension, _most_used(values)) for dimension, values in groups),
        *(_often(f"{HIGH} or more", values, dimension, lambda rating: rating >= HIGH) for dimension, values in groups),
        *(number("values used", values, dimension, len({*_all(values)})) for dimension, values in groups),
        *_above_floors(case),
    ]


def _entropy(values: ByQuery, seed: str, dimension: str) -> BiasEffect:
    """How evenly the values are used. Entropy of a sample is too low, and as much lower again that of a sample of it:
    so the ends are what the draws say, mirrored at the value.
    """
    counts = {query: [float([*inside].count(step)) for step in range(STEPS)] for query, inside in values.items()}
    found = drawn("entropy in bits, 3.46 at most", counts, _bits, seed, dimension=dimension, n_items=len(_all(values)))
    if found.value is None or found.low is None or found.high is None:
        return found
    low, high = (2 * found.value - end for end in (found.high, found.low))
    return found.model_copy(update={"low": max(0.0, low), "high": min(log2(STEPS), high)})


def _bits(counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    shares = counts / counts.sum(-1, keepdims=True)
    return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1) + 0.0


def _most_used(values: ByQuery) -> Callable[[float], bool]:
    ((most, _),) = Counter(_all(values)).most_common(1)
    return lambda value: value == most


def _often(name: str, values: ByQuery, dimension: str, is_counted: Callable[[float], bool]) -> BiasEffect:
    return share(
        name, {query: [float(is_counted(value)) for value in its] for query, its in values.items()}, dimension=dimension
    )


def _all(values: ByQuery) -> list[float]:
    return [value for inside in values.values() for value in inside]


def _above_floors(case: Case) -> list[BiasEffect]:
    """By how much systems are rated above floors on the same query; nothing where no floor was rated."""
    labels, floors = ({subject.label for subject in its} for its in (case.reports.subjects, case.reports.floors))
    above: dict[str, ByQuery] = {}
    for dimension, rated in case.ratings.items():
        of_systems, of_floors = (
            by_query((q, verdict) for (label, q), verdict in rated.items() if label in its) for its in (labels, floors)
        )
        above[dimension] = {q: [fmean(of_systems[q]) - fmean(of_floors[q])] for q in of_systems if q in of_floors}
    return differences("systems above floors", above) if any(above.values()) else []


SCALE_USE = Probe("scale_use", "Does it use the whole scale?", ("quality",), _scale_use, with_floors=True)
