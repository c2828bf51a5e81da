"""All numbers of an experiment as one long table, the means of it, and the slices of queries over which these are
taken: by category of what is wanted, by sort of need.

A row is one planned run in one variant by one judge. ``summary`` is the mean of some rows, with its interval over
users: of a system, over a slice of the queries, under a setting of a condition. ``contrast.py`` has the contrast of
two systems' rows.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from math import inf
from pathlib import Path
from statistics import fmean

from drretail.eval.metric import OPEN, Metric, Value, is_judged, is_unrated
from drretail.eval.numbers.gathering import (
    LACKS_IN_WORDS,
    NOT_JUDGED,
    Gathered,
    JudgedRun,
    PlannedRun,
    gather,
    means_by_query,
)
from drretail.eval.numbers.judges import Assessor, TableKey, judge_spec
from drretail.eval.registry import installed
from drretail.experiments.experiment import Definition
from drretail.records.base import Rules, sha256_of
from drretail.records.criteria import NEEDS
from drretail.records.query import Query, turns_until
from drretail.records.score import WHOLES, NeedFloor, Score, Scores, SliceBy, VerdictState, reasons_of
from drretail.stats.intervals import Clusters, Interval, Ratio, mean_interval, ratio_interval, share_interval

Runs = Sequence[tuple[PlannedRun, JudgedRun]]
NOT_RATED = "not rated (rule-based)"
MODELS_ALONE = "Numbers need a language model: --judge PROVIDER:MODEL."
NO_REPORT, NO_USAGE = "no_report", "usage_unknown"
OF_COSTS = {NO_REPORT: "no report", NO_USAGE: "usage unknown"}
"""Why a run has no words or costs, as ``LACKS_IN_WORDS``."""


@dataclass(frozen=True, slots=True)
class RunValue:
    """A row of the long table: one planned run in one variant by one judge."""

    metric: str
    variant: str
    rules: Rules
    judge: str
    """Its full name, with the hash of parameters that tell two judges of one model apart."""
    system: str
    query_id: str
    repeat: int
    run_id: str
    state: VerdictState
    """Why the run has no value, if it is not "scored"."""
    value: float | None
    """What the run counts in the mean: 0 for a failed run in a variant of success."""
    why: str
    """Why it has none, or is 0, in words; empty if nothing more is known than its state."""
    items: Mapping[str, float]
    name: str
    """The variant's name on the scoreboard."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One system's planned runs in one metric by one judge. Every number is a mean over some of them, or the contrast
    of two systems'.
    """

    metric: Metric
    system: str
    assessor: Assessor
    runs: Runs
    clusters: Clusters
    prompt_hash: str = ""
    """One hash for all prompts of the metric, by which all current verdicts were asked."""

    @property
    def results(self) -> list[JudgedRun]:
        return [judged for _, judged in self.runs]

    @property
    def table_key(self) -> TableKey:
        """What the facts of all systems in one table share."""
        return TableKey(self.metric.name, self.assessor)

    @property
    def is_hidden(self) -> bool:
        """True if the judge follows rules, so that its numbers would mean nothing."""
        return is_unrated(self.metric, self.assessor.judge)

    def among(self, query_ids: Collection[str]) -> "Facts":
        """Those about these queries."""
        return replace(self, runs=[run for run in self.runs if run[1].query_id in query_ids])

    def rows(self, variants: Iterable[str]) -> Iterator[RunValue]:
        """A row for each run and variant; none of pooled variants, since runs have no value in them."""
        wanted = [variant for variant in variants if variant not in self.metric.pooled]
        for (plan, judged), variant in product(self.runs, wanted):
            value = value_in(judged, variant)
            lacks = LACKS_IN_WORDS[judged.lacks] if judged.lacks else ""
            yield RunValue(
                self.metric.name,
                variant,
                self.assessor.rules,
                judge_spec(self.assessor.judge),
                self.system,
                plan.query.query_id,
                plan.repeat,
                plan.run_id,
                value.state,
                value.value,
                lacks or next(iter(reasons_of(value.items)), ""),
                value.items,
                self.metric.description.name_of(self.metric.name, variant),
            )


def facts_of(gathered: Gathered, metric: str, assessor: Assessor) -> dict[str, Facts]:
    """By label, what every system of the experiment has in one metric by one judge, in the order of the plan."""
    runs: dict[str, list[tuple[PlannedRun, JudgedRun]]] = {label: [] for label in gathered.definition.systems}
    for plan, judged in gathered.judged_runs(metric, assessor):
        runs[plan.label].append((plan, judged))
    of, clusters = gathered.metrics[metric], gathered.clusters
    hashes = sorted(of.prompt_hashes() - {""})
    wording = hashes[0] if len(hashes) == 1 else sha256_of(hashes)[:16] if hashes else ""
    return {label: Facts(of, label, assessor, its, clusters, wording) for label, its in runs.items()}


def all_facts(gathered: Gathered, asked: Collection[TableKey] = ()) -> Iterator[Facts]:
    """Each system's facts by each judge of each metric, in the order of the plan.

    A judge that was not ``asked`` has none of systems of which it knows nothing.
    """
    systems = gathered.definition.systems
    order = list(dict.fromkeys(plan.label for plan in gathered.plans))
    for name, metric in gathered.metrics.items():
        wanted = {key.assessor for key in asked if key.metric == name}
        for assessor in sorted({*gathered.assessors(name), *wanted}, key=lambda assessor: assessor.order):
            judged_here = gathered.tables_of_judges.get(TableKey(name, assessor), {})
            by_label = facts_of(gathered, name, assessor)
            for facts in (by_label[label] for label in order):
                is_asked = assessor in wanted and is_judged(metric, systems[facts.system], floors=False)
                known = (judged for plan, judged in facts.runs if plan.run_id in judged_here or is_valued(judged))
                if is_asked or any(judged.values or judged.lacks for judged in known):
                    yield facts


def is_valued(judged: JudgedRun) -> bool:
    return any(value.value is not None for value in judged.values.values())


def run_values(gathered: Gathered, asked: Collection[TableKey] = ()) -> Iterator[RunValue]:
    """The whole long table: a row for each planned run, variant and judge.

    Runs without a report, or without a verdict of this judge, are among them. Systems of which a judge knows nothing
    have no rows by it, unless it was ``asked``.
    """
    for _, of_table in groupby(all_facts(gathered, asked), key=lambda facts: facts.table_key):
        table = [facts for facts in of_table if not facts.is_hidden]
        valued = {variant for facts in table for result in facts.results for variant in result.values}
        for facts in table:
            yield from facts.rows(variant for variant in facts.metric.variants if variant in valued)


def summaries(every: Sequence[Facts]) -> Iterator[Score]:
    """The scores of each system by each judge, in the order of the metric's variants.

    Whether a variant was asked for follows from the system's own reports, or from all systems' in the table if it has
    none.
    """
    of_table: dict[TableKey, list[JudgedRun]] = defaultdict(list)
    for facts in every:
        of_table[facts.table_key] += [result for result in facts.results if result.lacks is None]
    for facts in every:
        counted = [result for result in facts.results if result.lacks is None]
        values = [result.values for result in counted or of_table[facts.table_key]]
        for variant in facts.metric.variants:
            left_out = any(variant not in its for its in values)
            is_unasked = left_out and all(variant not in its or its[variant].state == "na" for its in values)
            if not is_unasked:
                yield summary(facts, variant)


def summary(facts: Facts, variant: str) -> Score:
    """The mean of a variant with its interval over users, and what became of the runs."""
    metric, results, hidden = facts.metric, facts.results, facts.is_hidden
    unasked = [hidden and result.lacks == NOT_JUDGED for result in results]
    value_states = (value_in(result, variant).state for result in results)
    states = Counter("na" if is_unasked else state for is_unasked, state in zip(unasked, value_states, strict=True))
    is_pooled, n_queries = variant in metric.pooled, None
    if hidden:
        queries, interval = [], Interval(None)
    elif is_pooled:
        queries, parts = _parts(metric, variant, results)
        sums = (
            (above, below) for part in parts for above, below in zip(part.numerators, part.denominators, strict=True)
        )
        of_shares = is_share(metric, variant) and all(0 <= above <= below for above, below in sums)
        interval = ratio_interval(parts, facts.clusters.groups(queries), is_share=of_shares)
        if len(parts) > 1 and interval.lacks == "few":
            n_queries = min(sum(map(bool, part.denominators)) for part in parts)
    else:
        means = means_by_query((result.query_id, value_in(result, variant).value) for result in results)
        queries, interval = [*means], _mean_of(metric, variant, means, facts.clusters)
    row = Score(
        metric=metric.name,
        version=metric.version,
        variant=variant,
        system=facts.system,
        aggregation="micro" if is_pooled else "macro",
        value=interval.value,
        **interval.ends,
        n_users=facts.clusters.users(queries),
        n_queries=n_queries,
        n_planned=len(results),
        n_scored=states["scored"],
        n_na=states["na"],
        n_unverifiable=states["unverifiable"],
        n_failed=states["failed"],
        **facts.assessor.columns,
        prompt_hash=facts.prompt_hash,
        items={} if hidden else _items(variant, results),
        note=NOT_RATED if hidden else None,
    )
    assert row.n_planned == row.n_scored + row.n_na + row.n_unverifiable + row.n_failed
    return row


def part_score(facts: Facts, variant: str, by: str, part: str) -> Score:
    """The summary of facts that are a part of all, such as those about some of the queries."""
    valued = {result.query_id for result in facts.results if value_in(result, variant).value is not None}
    counts = {"n_asked": len({result.query_id for result in facts.results}), "n_counted": len(valued)}
    return summary(facts, variant).model_copy(update={"by": by, "part": part, **counts})


def value_in(report: JudgedRun, variant: str) -> Value:
    """The report's value in a variant; a missing one counts as failed."""
    return report.values.get(variant) or Value(variant, "failed")


def _parts(metric: Metric, variant: str, reports: Sequence[JudgedRun]) -> tuple[list[str], list[Ratio]]:
    """The query ids, and the parts of a pooled variant with sums per query."""
    sums: dict[str, list[tuple[float, float]]] = {}
    for report in reports:
        if report.values:
            nothing = {name: Value(name, "na") for name in metric.variants}
            parts = metric.pooled[variant]({**nothing, **report.values})
            before = sums.get(report.query_id, [(0.0, 0.0)] * len(parts))
            sums[report.query_id] = [(a + c, b + d) for (a, b), (c, d) in zip(before, parts, strict=True)]
    if variant in metric.pooled_means:
        sums = {
            query: [(above / below, 1.0) if below else (0.0, 0.0) for above, below in parts]
            for query, parts in sums.items()
        }
    counted = sorted(sums)
    by_part = zip(*(sums[query_id] for query_id in counted), strict=True)
    return counted, [Ratio([above for above, _ in part], [below for _, below in part]) for part in by_part]


def missing_of(row: Score) -> dict[str, int]:
    """How many of a row's runs have no value, by reason in words; reports that were not judged are none that failed."""
    runs = {word: int(row.items.get(lack, 0)) for lack, word in (LACKS_IN_WORDS | OF_COSTS).items()}
    undecided = int(row.items.get(OPEN, 0))
    by_judge = {"n/a": row.n_na, OPEN: undecided, "unverifiable": row.n_unverifiable - undecided}
    by_judge["failed"] = row.n_failed - sum(runs.values())
    return {why: count for why, count in {**by_judge, **runs}.items() if count}


def missing_in_words(row: Score) -> tuple[str, ...]:
    """ "2 n/a", "1 run failed"."""
    return tuple(f"{count} {why}" for why, count in missing_of(row).items())


def is_share(metric: Metric, variant: str) -> bool:
    """True if the variant is a share from 0 to 1, as the metric declares it and as all values are."""
    described = metric.description
    return described.scale == "share" and variant not in (*described.counts, *described.differences)


def whole_of(metric: Metric, variant: str) -> float:
    """The highest value, and so the largest difference; infinite if there is none."""
    described = metric.description
    return inf if variant in (*described.counts, *described.differences) else WHOLES[described.scale]


def _mean_of(metric: Metric, variant: str, means: Mapping[str, float], clusters: Clusters) -> Interval:
    """The mean of the queries' values with its interval over users, by one method for each variant."""
    values, groups = [*means.values()], clusters.groups(means)
    if is_share(metric, variant):
        return share_interval(values, groups)
    if variant in metric.description.differences:
        return mean_interval(values, groups)
    lowest = 0 if all(value >= 0 for value in values) else None
    return mean_interval(values, groups).within(lowest, whole_of(metric, variant))


def _items(variant: str, reports: Sequence[JudgedRun]) -> dict[str, float]:
    """Counts of items summed over reports, and of the runs without a value by what they lack."""
    counted: dict[str, float] = defaultdict(float)
    for report in reports:
        value = value_in(report, variant)
        for name, number in value.items.items():
            counted[name] += number
        if report.lacks is not None and value.state == "failed":
            counted[report.lacks] += 1
    return dict(sorted(counted.items()))


NO_CATEGORY = "none named"


def query_slices(definition: Definition) -> dict[tuple[SliceBy, str], frozenset[str]]:
    """The query ids of each non-empty slice: categories, kinds, needs, by name, and turns."""
    ids: dict[tuple[SliceBy, str], set[str]] = defaultdict(set)
    for query in definition.queries:
        for name in tuple(definition.categories.get(query.query_id) or ()) or (NO_CATEGORY,):
            ids["category", name].add(query.query_id)
        # The sort of need where somebody said, else how the query was made: its mode.
        ids["kind", query.kind or query.mode].add(query.query_id)
        if (needs := query.needs) is not None:
            ids["needs", " and ".join(needs.proved) or "neither"].add(query.query_id)
    for query_id, turns in turns_until(definition.queries).items():
        ids["turn", str(len(turns))].add(query_id)
    in_order = sorted(ids, key=lambda key: (key[0], int(key[1]) if key[0] == "turn" else 0, key[1]))
    return {key: frozenset(ids[key]) for key in in_order}


def need_floors(queries: Iterable[Query]) -> Iterator[NeedFloor]:
    """The mean luck without each source, and what one search gets, over the questions that want something; none if
    nothing is proved of any. A turn of a conversation is left out.
    """
    asked = [query.needs for query in queries if query.wants_something and query.after is None]
    proved = [needs for needs in asked if needs is not None]
    for source in NEEDS if proved else ():
        luck = [needs.luck(source) for needs in proved]
        its = [needs.luck(source) for needs in proved if source in needs.proved]
        needing = {"needing": fmean(its)} if its else {}
        name, of_all = f"without the {source}", fmean(luck)
        yield NeedFloor(name=name, value=of_all, n=len(luck), n_asked=len(asked), **needing, n_needing=len(its))
    if right := [needs.one_search for needs in proved if needs.one_search is not None]:
        yield NeedFloor(name="one search", value=fmean(right), n=len(right), n_asked=len(asked))


FIRST = 6
"""The number of headlines for a metric that names none."""
Slices = Mapping[tuple[SliceBy, str], frozenset[str]]
"""Ids of queries by slice."""


def with_slices(experiment: Path, scores: Scores) -> Scores:
    """These scores with the slices of all their metrics, judges and systems, made of the folder's verdicts.

    What the scores hold already stays: slices of metrics that are not installed.
    """
    held = {row.metric for row in scores.slices}
    shown = {(row.metric, row.system, Assessor.of(row)) for row in scores.scores if row.metric not in held}
    # All metrics, since whether the systems are assistants shows in one of them.
    every = map(installed, dict.fromkeys(row.metric for row in scores.scores))
    metrics = [metric for metric in every if metric is not None]
    names = {metric.name for metric in metrics}
    judges = {TableKey(metric, judge) for metric, _, judge in shown if metric in names}
    gathered = gather(experiment, metrics)
    every = all_facts(gathered, judges)
    every = [facts for facts in every if (facts.metric.name, facts.system, facts.assessor) in shown]
    slices = slice_scores(every, query_slices(gathered.definition))
    return scores.model_copy(update={"slices": (*scores.slices, *slices)})


def slice_scores(every: Sequence[Facts], slices: Slices) -> list[Score]:
    """Scores by judge, system, headline variant and slice, in that order, never of pooled variants.

    A query may be in several slices of a kind, so these don't add up to all queries. There are none for ratings of a
    rule-based judge, which mean nothing, nor for variants without any value.
    """
    rows: list[Score] = []
    for facts in (facts for facts in every if not facts.is_hidden):
        parts = {key: facts.among(query_ids) for key, query_ids in slices.items()}
        rows += [part_score(of, variant, *key) for variant in headlines(facts.metric) for key, of in parts.items()]
    valued = {(row.metric, row.variant, Assessor.of(row)) for row in rows if row.n_counted}
    return [row for row in rows if (row.metric, row.variant, Assessor.of(row)) in valued]


def headlines(metric: Metric) -> tuple[str, ...]:
    """The variants of a metric that are sliced, in the order of its tables."""
    return chosen_variants(metric, metric.description.headlines) or tuple(_plain(metric)[:FIRST])


def chosen_variants(metric: Metric, chosen: Collection[str]) -> tuple[str, ...]:
    """The chosen variants that the metric has, in its order, without pooled ones, which have no value per query."""
    return tuple(variant for variant in _plain(metric) if variant in chosen)


def _plain(metric: Metric) -> list[str]:
    return [variant for variant in metric.variants if variant not in metric.pooled]
