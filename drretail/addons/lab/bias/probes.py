"""All probes by name. Those defined here only read verdicts and ask nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from drretail.addons.lab.bias import drift, justification
from drretail.addons.lab.bias.probe import (
    HALF,
    TWICE,
    ByQuery,
    Case,
    Effects,
    Probe,
    Report,
    Reports,
    by_query,
    differences,
    entropy,
    length_label,
    number,
    over_dimensions,
    share,
    shares,
)
from drretail.addons.lab.findings import BiasFound, Figure
from drretail.addons.lab.opinions import RATING, opinions_of
from drretail.errors import UnknownName
from drretail.eval.compare.wording import family_of
from drretail.eval.registry import PAIRWISE
from drretail.eval.scores.gathering import Assessor, gather
from drretail.eval.scores.pair_rows import read_outcomes
from drretail.records.vote import about_report

NO_PAIR = "the reports are of one system, and no two can be compared"
NOT_COMPARED = "no two reports were compared in both orders"


def _position(case: Case) -> Effects | str:
    """The share of wins in first place minus that in second, and how often the winner changed with the order."""
    labels = {subject.label for subject in case.reports.subjects}
    if len(labels) < 2:
        return NO_PAIR
    by_pair = read_outcomes(case.folder, gather(case.folder, [])).get(Assessor(case.judge.ref, "default"), {})
    leaning: dict[str, list[tuple[str, float]]] = defaultdict(list)
    flips: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for pair, by_dimension in by_pair.items():
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
        *differences("first preferred minus second", first, case.clusters, unit="share"),
        *shares("flipped with the order", changed, case.clusters),
    ]


POSITION = Probe("position", "Does the report that is read first win?", (PAIRWISE,), _position)


NOT_RATED = "no copy was rated beside its report"


def _length(case: Case) -> Effects | str:
    """How much a copy's rating differs from that of the report itself."""
    changes: dict[str, dict[str, dict[str, list[float]]]] = {TWICE: {}, HALF: {}}
    for length, by_dimension in changes.items():
        copies = {subject.label: length_label(subject.label, length) for subject in case.reports.subjects}
        for dimension, rated in case.ratings.items():
            once = [(subject.label, subject.query.query_id) for subject in case.reports.subjects]
            by_dimension[dimension] = by_query(
                (query, rated[copies[label], query] - rated[label, query])
                for label, query in once
                if (copies[label], query) in rated and (label, query) in rated
            )
    if not any(values for by_dimension in changes.values() for values in by_dimension.values()):
        return NOT_RATED
    return [
        effect
        for length, by_dimension in changes.items()
        for effect in differences(f"{length} minus once", by_dimension, case.clusters)
    ]


LENGTH = Probe(
    "length", "Does it rate the same report higher when it is longer?", ("quality",), _length, with_lengths=True
)


def _own_family(case: Case) -> Effects | str:
    """How far the judge rates its own family's reports above others' ratings, minus the same for all other reports."""
    family = family_of(case.judge.ref.spec)
    own = {
        subject.label: any(family_of(model.spec) == family for model in subject.system.models.values())
        for subject in case.reports.subjects
    }
    if len({*own.values()}) < 2:
        which = "every system is" if any(own.values()) else "no system is"
        return f"{which} on a model of {family}, the judge's own family"
    # By dimension, the ratings of each report by people and by judges of other metrics.
    others: dict[str, dict[Report, list[float]]] = defaultdict(lambda: defaultdict(list))
    reports = {about_report(subject.run_id, subject.report_sha or "") for subject in case.reports.subjects}
    for opinion in opinions_of(case.experiment):
        is_other = opinion.kind == "person" or family_of(opinion.rater.partition(" ")[0]) != family
        if opinion.question.scale == RATING and is_other and opinion.item in reports:
            others[opinion.question.dimension][opinion.system, opinion.query_id].append(opinion.value)
    if not others:
        return f"nobody else rated these reports: neither people nor a judge that is not of {family}"
    gaps: dict[str, dict[str, list[float]]] = {}
    for dimension, rated in case.ratings.items():
        above: dict[str, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
        rated_by_others = others.get(dimension, {})
        for (label, query), value in rated.items():
            if label in own and (label, query) in rated_by_others:
                above[query][own[label]].append(value - fmean(rated_by_others[label, query]))
        gaps[dimension] = by_query(
            (query, fmean(by_kind[True]) - fmean(by_kind[False]))
            for query, by_kind in above.items()
            if by_kind[True] and by_kind[False]
        )
    if not any(gaps.values()):
        return "on no query were reports of both kinds rated by the judge and by others"
    return differences(f"{family}'s reports above the others'", gaps, case.clusters)


OWN_FAMILY = Probe(
    "own_family", "Does it rate its own family's reports higher than others do?", ("quality",), _own_family
)


# Ratings are 0 to 10.
STEPS = 11
HIGH = 8


def _scale_use(case: Case) -> Effects | str:
    """How evenly the scale is used, how often its commonest value and 8 or more; how far systems are above floors."""
    labels = {subject.label for subject in case.reports.subjects}
    rated = {
        dimension: by_query((query, value) for (label, query), value in of.items() if label in labels)
        for dimension, of in case.ratings.items()
    }
    groups = [(dimension, values) for dimension, values in over_dimensions(rated) if values]
    if not groups:
        return "no report was rated"
    most_used, high, used = list[Figure](), list[Figure](), list[Figure]()
    for dimension, values in groups:
        ratings = Counter(value for inside in values.values() for value in inside)
        ((most, _),) = ratings.most_common(1)
        is_most = {query: [float(value == most) for value in its] for query, its in values.items()}
        is_high = {query: [float(value >= HIGH) for value in its] for query, its in values.items()}
        most_used.append(share("of its most used value", is_most, case.clusters, dimension=dimension))
        high.append(share(f"{HIGH} or more", is_high, case.clusters, dimension=dimension))
        used.append(number("values used", values, case.clusters, dimension, len(ratings)))
    evenness = [entropy(values, case.clusters, STEPS, case.seed, dimension) for dimension, values in groups]
    # How much higher systems are rated than floors on the same query; empty if no floor was rated.
    floors = {subject.label for subject in case.reports.floors}
    above: dict[str, ByQuery] = {}
    for dimension, ratings_of in case.ratings.items():
        of_systems, of_floors = (
            by_query((query, value) for (label, query), value in ratings_of.items() if label in wanted)
            for wanted in (labels, floors)
        )
        above[dimension] = {q: [fmean(of_systems[q]) - fmean(of_floors[q])] for q in of_systems if q in of_floors}
    above_floors = differences("systems above floors", above, case.clusters) if any(above.values()) else []
    return [*evenness, *most_used, *high, *used, *above_floors]


SCALE_USE = Probe("scale_use", "Does it use the whole scale?", ("quality",), _scale_use, with_floors=True)


PROBES = {
    probe.name: probe
    for probe in (
        POSITION,
        LENGTH,
        OWN_FAMILY,
        justification.PROBE,
        drift.PROBE,
        SCALE_USE,
    )
}
FOLLOWS_RULES = (
    "it follows rules and has no opinions: what it can be probed for is its labels of claims, by lab card and lab plant"
)


def named_probes(names: str | None) -> list[Probe]:
    """The probes named in a comma-separated list; all without a name. Raises UnknownName."""
    wanted = [part.strip().replace("-", "_") for part in (names or "").split(",") if part.strip()] or [*PROBES]
    for name in wanted:
        if name not in PROBES:
            raise UnknownName("probe", name, PROBES)
    return [probe for name, probe in PROBES.items() if name in wanted]


def metrics_of(probes: Iterable[Probe], *, with_pairs: bool) -> list[str]:
    """The metrics whose verdicts these probes read, each once; pairwise only ``with_pairs``."""
    metrics = dict.fromkeys(metric for probe in probes for metric in probe.metrics)
    return [metric for metric in metrics if with_pairs or metric != PAIRWISE]


def has_opinions(case: Case) -> bool:
    """False for a rule-based judge, which is not asked for ratings or preferences."""
    return case.judge.ref.kind != "rule_based"


def probe_found(case: Case, probe: Probe) -> list[Figure]:
    """The rows of a probe, from existing verdicts alone: what it lacks, then its effects or why there are none."""
    whole = Figure(of=probe.name, by=case.name)
    if not has_opinions(case):
        return [whole.model_copy(update={"note": FOLLOWS_RULES})]
    effects, (failed, unasked) = probe.find(case), case.unanswered(probe)
    whole = whole.model_copy(update={"failed": failed, "unasked": unasked})
    if isinstance(effects, str):
        return [whole.model_copy(update={"note": effects})]
    return [whole, *(effect.model_copy(update={"of": probe.name, "by": case.name}) for effect in effects)]


def bias_found(reports: Reports, rows_now: Sequence[Figure], earlier: BiasFound | None) -> BiasFound:
    """The new results, with earlier results on the same reports by other judges and other probes."""
    probed = {(row.by, row.of) for row in rows_now}
    earlier_rows = [
        row
        for row in (earlier.rows if earlier is not None and earlier.reports == reports.sha else ())
        if row.of in PROBES and (row.by, row.of) not in probed
    ]
    order = [*PROBES]
    rows = sorted([*earlier_rows, *rows_now], key=lambda row: (row.by, order.index(row.of)))
    return BiasFound(reports=reports.sha, rows=tuple(rows))
