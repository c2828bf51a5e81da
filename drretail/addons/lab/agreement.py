"""Agreement of judges with people, and of people with each other: every two raters, question by question."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import atanh, isfinite, tanh
from typing import Any

from drretail.addons.lab.findings import PEOPLE, Figure, RaterAgreement, summarised
from drretail.addons.lab.opinions import PREFERENCE, Aspect, Opinion, Scale, by_question, question_part
from drretail.addons.lab.raters import (
    agreement_interval,
    kappa,
    krippendorff_alpha,
    mean_absolute_deviation,
    pairwise_comparison_accuracy,
    ranking_agreement,
    tables_of,
)
from drretail.stats.agreement import (
    cohen_kappa,
    correlation,
    kappa_without_ties,
    percent_agreement,
    ranks,
    soft_disagreement,
)
from drretail.stats.intervals import FEWEST, Interval, numbered, student_interval


def agreement_of(opinions: Sequence[Opinion]) -> RaterAgreement:
    """For each question: every two raters, all people together (Krippendorff's α), and each judge against people."""
    rows: list[Figure] = []
    for question, of_question in by_question(_as_shown(opinions)).items():
        rows += _pairs(question, of_question)
        n_people, level = len(_raters(of_question, "person")), question.scale.level
        if n_people > 1:
            by_item: dict[str, list[float]] = defaultdict(list)
            queries: dict[str, str] = {}
            for opinion in of_question:
                if opinion.kind == "person":
                    by_item[opinion.item].append(opinion.value)
                    queries[opinion.item] = opinion.query_id or opinion.item
            alpha = krippendorff_alpha(by_item.values(), level, [queries[item] for item in by_item]).measured
            about: dict[str, Any] = {"name": "alpha", "of": PEOPLE, "part": question_part(question), "note": level}
            n_items = sum(len(values) > 1 for values in by_item.values())
            rows.append(Figure(**about, **alpha, n=n_items, items={"people": n_people}))
        rows += _alignments(question, of_question)
    return RaterAgreement(rows=tuple(rows))


def _as_shown(opinions: Sequence[Opinion]) -> list[Opinion]:
    """Preferences by the sides that the first person by name was shown of a pair: by labels, a system that most prefer
    would make agreement by chance likely, and κ low.
    """
    people = sorted((each for each in opinions if each.kind == "person"), key=lambda each: each.rater, reverse=True)
    turned = {(each.question, each.item): not each.is_first_left for each in people}
    return [replace(each, value=-each.value) if turned.get((each.question, each.item)) else each for each in opinions]


def _alignments(question: Aspect, opinions: Sequence[Opinion]) -> Iterable[Figure]:
    """Each judge against the people's mean: how far its ratings are off, and how it orders reports and systems.

    Only for ratings that name their query and system.
    """
    if question.scale.level != "interval":
        return
    rated = [opinion for opinion in opinions if opinion.query_id and opinion.system]
    human = _by_query(_consensus(question.scale, rated), rated)
    for judge in _raters(rated, "judge"):
        judged = _by_query(_values_by(rated, judge), rated)
        n = sum(len(human[query].keys() & judged[query].keys()) for query in human.keys() & judged.keys())
        if n:
            statistics = {
                "MAD": mean_absolute_deviation(judged, human),
                "PCA": pairwise_comparison_accuracy(judged, human),
                "same order": ranking_agreement(judged, human),
            }
            for name, value in statistics.items():
                yield Figure(name=name, of=judge, part=question_part(question), value=value, n=n)


def _pairs(question: Aspect, opinions: Sequence[Opinion]) -> Iterable[Figure]:
    """A row for every two raters with items in common: people first, then judges, by name.

    If several people answered the question, their consensus is a further rater, paired with each judge.
    """
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
            values = [ones[item] for item in both], [others[item] for item in both]
            figures = _statistics(question.scale, *values)
            main = summarised(name for name, value in figures.items() if value is not None)
            interval = _interval(main, question.scale, *values, [queries.get(item) or item for item in both])
            about: dict[str, Any] = {"of": first, "by": second, "part": question_part(question), "n": len(both)}
            about["items"] = {"dropped": len(ones.keys() ^ others.keys())}
            for name, value in figures.items():
                if value is not None or name == main:
                    yield Figure(name=name, **about, **(interval.ends if name == main else {}), value=value)


def _statistics(scale: Scale, ones: Sequence[float], others: Sequence[float]) -> dict[str, float | None]:
    figures: dict[str, float | None] = {"percent": percent_agreement(ones, others), "kappa": cohen_kappa(ones, others)}
    if scale.tie is not None:
        figures["kappa_without_ties"] = kappa_without_ties(ones, others, scale.tie)
        figures["soft_disagreement"] = soft_disagreement(ones, others, scale.tie)
    if scale.level == "nominal" and scale != PREFERENCE:
        return figures
    if scale.values and {*ones, *others} <= {*scale.values}:
        (table,) = tables_of([0] * len(ones), ones, others, scale.values)
        for name, power in (("kappa_linear", 1), ("kappa_quadratic", 2)):
            value = float(kappa(table, power=power))
            figures[name] = value if isfinite(value) else None
    return figures | {
        "pearson": correlation(ones, others, "pearson"),
        "spearman": correlation(ones, others, "spearman"),
        "kendall": correlation(ones, others, "kendall"),
    }


def _interval(
    statistic: str, scale: Scale, ones: Sequence[float], others: Sequence[float], clusters: Sequence[Hashable]
) -> Interval:
    """The interval of linear κ, ρ or κ over queries or, without them, over items."""
    if len({*clusters}) < FEWEST:
        return Interval(None)
    if statistic != "spearman":
        tables = tables_of(clusters, ones, others, sorted({*scale.values, *ones, *others}))
        power = int(statistic == "kappa_linear")
        return agreement_interval(tables, lambda drawn: kappa(drawn, power=power), "agree")
    # ρ is Pearson's r of ranks. Its interval is Student's of artanh ρ, by how much each item moves it. The variance of
    # artanh ρ is 1 / (n − 3), as Fisher has it, where that of a mean is 1 / (n − 1).
    x, y = ((places - places.mean()) / places.std() for places in (ranks(ones), ranks(others)))
    rho = float((x * y).mean())
    if 1 - abs(rho) < 1e-9:
        return Interval(rho, lacks="alike")
    moved = (x * y - rho * (x * x + y * y) / 2) / len(x) / (1 - rho * rho)
    n = len({*clusters})
    moved *= ((n - 1) / (n - 3)) ** 0.5
    interval = student_interval(atanh(rho), moved.tolist(), numbered(clusters))
    low, high = (None if end is None else tanh(end) for end in (interval.low, interval.high))
    return Interval(rho, low, high, interval.lacks)


def _raters(opinions: Iterable[Opinion], kind: str) -> list[str]:
    return sorted({opinion.rater for opinion in opinions if opinion.kind == kind})


def _values_by(opinions: Iterable[Opinion], rater: str) -> dict[str, float]:
    return {opinion.item: opinion.value for opinion in opinions if opinion.rater == rater}


def _consensus(scale: Scale, opinions: Iterable[Opinion]) -> dict[str, float]:
    """People's consensus on each item: the mean of ratings, or the most frequent label, and no value if two labels tie.

    For preferences a draw between two answers is a tie, since that is what people together say.
    """
    by_item: dict[str, list[float]] = defaultdict(list)
    for opinion in opinions:
        if opinion.kind == "person":
            by_item[opinion.item].append(opinion.value)
    if scale.level == "interval":
        return {item: sum(values) / len(values) for item, values in by_item.items()}
    consensus: dict[str, float] = {}
    for item, values in by_item.items():
        (most, count), *rest = Counter(values).most_common(2)
        if not rest or rest[0][1] < count:
            consensus[item] = most
        elif scale.tie is not None:
            consensus[item] = scale.tie
    return consensus


def _by_query(values: Mapping[str, float], opinions: Iterable[Opinion]) -> dict[str, dict[str, float]]:
    """By query, the mean over each system's reports."""
    places = {opinion.item: (opinion.query_id, opinion.system) for opinion in opinions}
    answers: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item, value in values.items():
        query, system = places[item]
        answers[query][system].append(value)
    return {
        query: {system: sum(numbers) / len(numbers) for system, numbers in by_system.items()}
        for query, by_system in answers.items()
    }
