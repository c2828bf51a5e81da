"""Do judges say what people say, and people what each other say? Every two raters, question by question."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations

from drretail.lab.opinions import PREFERENCE, Opinion, Question, Scale, by_question
from drretail.lab.people_findings import PEOPLE, Agreed, Agreement, Alignment, PeopleAgreed
from drretail.stats.agreement import (
    cohen_kappa,
    kappa_without_ties,
    kendall,
    krippendorff_alpha,
    mean_absolute_deviation,
    pairwise_comparison_accuracy,
    pearson,
    pearson_of_sums,
    pearson_sums,
    percent,
    ranking_agreement,
    soft_disagreement,
    spearman,
    weighted_kappa,
)
from drretail.stats.clusters import FEWEST
from drretail.stats.confusion import drawn_interval, kappa, tables_of
from drretail.stats.intervals import Interval
from drretail.stats.rank_correlation import ranks

Values = Mapping[str, float]
"""By item what one rater said."""


MOST_LABELS = 20
"""Of κ with an interval: each resample holds a table of all pairs of labels."""


def agreement_of(opinions: Sequence[Opinion]) -> Agreement:
    """Every two raters, all people together, and every judge beside them."""
    return Agreement(
        pairs=tuple(pair_agreements(opinions)),
        people=tuple(people_alphas(opinions)),
        alignments=tuple(alignments(opinions)),
    )


def pair_agreements(opinions: Sequence[Opinion]) -> list[Agreed]:
    """A row for every question and two raters with items in common: people first, then judges, by name.

    Where several people said something of a question, their consensus is one more rater beside the judges.
    """
    return [row for question, given in by_question(opinions).items() for row in _of_question(question, given)]


def people_alphas(opinions: Sequence[Opinion]) -> list[PeopleAgreed]:
    """Krippendorff's α over all people, a row for every question on which two or more said something."""
    rows: list[PeopleAgreed] = []
    for question, given in by_question(opinions).items():
        by_item: dict[str, list[float]] = defaultdict(list)
        people = [opinion for opinion in given if opinion.kind == "person"]
        for opinion in people:
            by_item[opinion.item].append(opinion.value)
        if len({opinion.rater for opinion in people}) > 1:
            rows.append(
                PeopleAgreed(
                    scale=question.scale.name,
                    dimension=question.dimension,
                    n_people=len({opinion.rater for opinion in people}),
                    n_items=sum(len(values) > 1 for values in by_item.values()),
                    level=question.scale.level,
                    alpha=krippendorff_alpha(by_item.values(), question.scale.level),
                )
            )
    return rows


def alignments(opinions: Sequence[Opinion]) -> list[Alignment]:
    """Every judge beside the people's mean: how far its ratings are, and how it orders reports and systems.

    Only of ratings that say on which query and of whose system they are.
    """
    rows: list[Alignment] = []
    for question, given in by_question(opinions).items():
        rated = [
            opinion for opinion in given if opinion.query_id and opinion.system and question.scale.level == "interval"
        ]
        human = _by_query(_consensus(question.scale, rated), rated)
        for judge in _raters(rated, "judge"):
            judged = _by_query(_values_by(rated, judge), rated)
            n = sum(len(human[query].keys() & judged[query].keys()) for query in human.keys() & judged.keys())
            if n:
                rows.append(
                    Alignment(
                        scale=question.scale.name,
                        dimension=question.dimension,
                        judge=judge,
                        n_reports=n,
                        mean_absolute_deviation=mean_absolute_deviation(judged, human),
                        pairwise_comparison_accuracy=pairwise_comparison_accuracy(judged, human),
                        ranking_agreement=ranking_agreement(judged, human),
                    )
                )
    return rows


def _of_question(question: Question, opinions: Sequence[Opinion]) -> Iterable[Agreed]:
    people, judges = _raters(opinions, "person"), _raters(opinions, "judge")
    by_rater = {rater: _values_by(opinions, rater) for rater in (*people, *judges)}
    queries = {opinion.item: opinion.query_id for opinion in opinions}
    pairs = [*combinations((*people, *judges), 2)]
    if len(people) > 1:
        by_rater[PEOPLE] = _consensus(question.scale, opinions)
        pairs += [(PEOPLE, judge) for judge in judges]
    for first, second in pairs:
        ones, others = by_rater[first], by_rater[second]
        both = [item for item in ones if item in others]
        if both:
            dropped = len(ones.keys() ^ others.keys())
            values = [ones[run_id] for run_id in both], [others[run_id] for run_id in both]
            row = _statistics(question.scale, *values)
            interval = _interval(row, question.scale, *values, [queries.get(item) or item for item in both])
            yield Agreed(
                scale=question.scale.name,
                dimension=question.dimension,
                first=first,
                second=second,
                n=len(both),
                n_dropped=dropped,
                low=interval.low,
                high=interval.high,
                **row,
            )


def _statistics(scale: Scale, ones: Sequence[float], others: Sequence[float]) -> dict[str, float | None]:
    figures: dict[str, float | None] = {"percent": percent(ones, others), "kappa": cohen_kappa(ones, others)}
    if scale.tie is not None:
        figures["kappa_without_ties"] = kappa_without_ties(ones, others, scale.tie)
        figures["soft_disagreement"] = soft_disagreement(ones, others, scale.tie)
    if scale.level == "nominal" and scale != PREFERENCE:
        return figures
    if scale.values and {*ones, *others} <= {*scale.values}:
        figures["kappa_linear"] = weighted_kappa(ones, others, scale.values, "linear")
        figures["kappa_quadratic"] = weighted_kappa(ones, others, scale.values, "quadratic")
    return figures | {
        "pearson": pearson(ones, others),
        "spearman": spearman(ones, others),
        "kendall": kendall(ones, others),
    }


def _interval(
    row: Mapping[str, float | None],
    scale: Scale,
    ones: Sequence[float],
    others: Sequence[float],
    clusters: Sequence[Hashable],
) -> Interval:
    """Of linear κ, else ρ, else κ: clusters, which are queries or else items, are drawn again."""
    import numpy as np

    if len({*clusters}) < FEWEST:
        return Interval(None)
    if row.get("kappa_linear") is not None or row.get("spearman") is None:
        labels = [*map(str, sorted({*map(float, scale.values), *map(float, ones), *map(float, others)}))]
        if len(labels) > MOST_LABELS:
            return Interval(None)
        tables = tables_of(
            clusters, [str(float(item)) for item in ones], [str(float(other)) for other in others], labels
        )
        linear = row.get("kappa_linear") is not None
        return drawn_interval(tables, lambda drawn: kappa(drawn, linear=linear), "agree")
    # ρ is Pearson's r of ranks; those of the whole sample are kept, and sums over clusters are drawn.
    sums = pearson_sums(zip(clusters, ranks(ones), ranks(others), strict=True))
    return drawn_interval(np.array([*sums.values()]), pearson_of_sums, "agree")


def _raters(opinions: Iterable[Opinion], kind: str) -> list[str]:
    return sorted({opinion.rater for opinion in opinions if opinion.kind == kind})


def _values_by(opinions: Iterable[Opinion], rater: str) -> dict[str, float]:
    return {opinion.item: opinion.value for opinion in opinions if opinion.rater == rater}


def _consensus(scale: Scale, opinions: Iterable[Opinion]) -> dict[str, float]:
    """The mean of what people said; of labels what most said, and nothing where two are level.

    Of preferences that are level it is a tie: that is what people together say.
    """
    by_item: dict[str, list[float]] = defaultdict(list)
    for opinion in opinions:
        if opinion.kind == "person":
            by_item[opinion.item].append(opinion.value)
    if scale.level == "interval":
        return {item: sum(values) / len(values) for item, values in by_item.items()}
    found: dict[str, float] = {}
    for item, values in by_item.items():
        (most, count), *rest = Counter(values).most_common(2)
        if not rest or rest[0][1] < count:
            found[item] = most
        elif scale.tie is not None:
            found[item] = scale.tie
    return found


def _by_query(values: Values, opinions: Iterable[Opinion]) -> dict[str, dict[str, float]]:
    """By query the mean of each system's reports."""
    places = {opinion.item: (opinion.query_id, opinion.system) for opinion in opinions}
    answers: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item, value in values.items():
        query, system = places[item]
        answers[query][system].append(value)
    return {
        query: {system: sum(numbers) / len(numbers) for system, numbers in by_system.items()}
        for query, by_system in answers.items()
    }
