"""What follows from a comparison of two systems, in plain sentences that speak of A and B; how steady each is, if its
runs or their judgements were repeated; and what would let it conclude more, with the command that adds it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from statistics import fmean

from drretail.eval.compare.rows import Side
from drretail.eval.compare.wording import (
    Name,
    failed_judges,
    findings,
    judged_rows,
    name_of,
    naming,
    queries,
    rows_of,
    sample,
    shares,
    users,
)
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.metric import is_unrated
from drretail.eval.scores.gathering import Assessor, Gathered, is_panel
from drretail.grounding.text.wording import listed
from drretail.records.comparison import ComparedRow, Comparison, Missing, PairScore, Reliability
from drretail.records.score import CODE
from drretail.records.tables.figures import counted, number
from drretail.stats.intervals import noise, pass_power, worst_of
from drretail.stats.significance import fewest_users


def reliability(
    metric: str, variant: str, system: str, side: Side, *, k: int, bar: float | None, steady_judge: bool = False
) -> Reliability | None:
    """Noise by source, pass^k and worst of k; None if nothing was repeated or nothing has a value.

    ``k`` is how many repeats of the agent both systems planned, and ``bar`` the value from which a run passes (None:
    the variant has no bar). Noise between runs is the agent's only if the judge's noise can be subtracted, or if a
    ``steady_judge`` such as code has none.
    """
    if not any(
        (sum(bool(run) for run in query) > 1 or any(len(run) > 1 for run in query)) for query in side.nested.values()
    ):
        return None
    nested = list(side.nested.values())
    split = noise(nested)
    mixed = split.judge is None and not steady_judge
    made = Reliability(
        metric=metric,
        variant=variant,
        system=system,
        sd_queries=split.queries,
        sd_agent=None if mixed else split.agent,
        sd_judge=split.judge,
        sd_repeats=split.agent if mixed else None,
        bar=bar,
        k=k,
    )
    if k < 2 or bar is None:
        return made
    passed = [[value is not None and value >= bar for value in query] for query in side.outcomes.values()]
    known = [query for query in passed if len(query) >= k]
    values = [query for query in side.values.values() if len(query) >= k]
    figures = {
        "pass_1": pass_power(known, 1),
        "pass_k": pass_power(known, k),
        "mean": fmean(map(fmean, values)) if values else None,
        "worst_of_k": worst_of(values, k),
    }
    rounded = {name: None if figure is None else round(figure, 10) for name, figure in figures.items()}
    return made.model_copy(update={"n_queries": len(known), **rounded})


OF_PICKS = ("checks", "basket", "next_purchase")
"""The metrics that depend on the picks read from a report."""


def conclusions(
    comparison: Comparison,
    self_checked: Collection[str] = (),
    finding: Collection[str] = (),
    read_by: Sequence[str] = ("", ""),
    kin: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """Sentences: what each primary figure shows, or what it would take, then doubts and contradictions.

    ``self_checked`` names the systems that remove from their own reports what the metrics in ``finding`` find.
    ``read_by`` says how the picks of A's and of B's reports were read. ``kin`` are judges with the sides ("A and B")
    whose models are of their metric.
    """
    name = naming([comparison])
    every = [row for _, row in judged_rows(comparison)]
    primary = [row for row in every if row.is_primary]
    rated = [row for table in comparison.tables for row in table.rows if row.is_primary]
    if not every:
        yield "Nothing can be concluded: no judge has values of both systems."
    elif not primary:
        yield "Nothing is concluded: no figure that systems are chosen by was compared."
    planned = {name_of(row): row.tests for row in primary if row.is_planned}
    if planned:
        tests = counted(max(planned.values()), "such test")
        yield f"Asked for before anything was scored, and corrected over {tests}: {listed(planned)}."
    sides = {comparison.a: "A", comparison.b: "B"}
    primary_findings = findings(rows_of([comparison]), sides, by_judge=True)
    yield from (each.sentence for each in primary_findings)
    if any(row.outcome in ("higher", "lower") and row.n_users not in (None, row.n_pairs) for row in primary):
        yield "Equal systems look different more often if all questions of a user fail together."
    yield from failed_judges([comparison])
    if any(each.outcome == "undecided" for each in primary_findings):
        yield "Where no difference is shown, what was seen may be chance, but both may differ all the same."
    checking = dict.fromkeys(row.metric for row in rated if row.metric in finding)
    for label, side in sides.items():
        for metric in checking if label in self_checked else ():
            yield f"{side} removes from its own reports what the {metric} find, so they say little about it."
    a, b = read_by
    # A system that failed in all runs has no picks, which nobody read.
    if a and b and a != b and any(row.metric in OF_PICKS for row in rated):
        yield (
            f"The picks were read in different ways (A: {a}; B: {b}), which "
            f"may cause differences in {listed(OF_PICKS)}. Conclude nothing there."
        )
    yield from _on_pairs([pair for pair in comparison.pairs if pair.dimension == PRIMARY], name)
    for judge, side in kin:
        yield (
            f"{judge} and the models behind {side} are of one family, and models tend to prefer their "
            "own style: add a judge of another family."
        )
    yield from _contradictions(comparison, name)


def _contradictions(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences: that numbers of several judges are not comparable, and where judges contradict each other.

    Panels are left out, and code, which has no opinion, is not counted among the judges.
    """
    tables = [table for table in comparison.tables if table.judge != CODE and not is_panel(table.judge)]
    judges = list(dict.fromkeys(map(name, tables)))
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges have a table each: {listed(judges)}. Numbers of different judges are not comparable."
        )
    # Who concluded what: judges by figure and higher side. Of a dimension also side by side.
    higher: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: {"A": {}, "B": {}})
    for judged, row in judged_rows(comparison):
        if row.outcome in ("higher", "lower") and row.is_primary and not is_panel(judged.judge):
            about, whose = name_of(row), name(judged)
            if isinstance(judged, PairScore):
                about, whose = judged.dimension, f"{whose} side by side"
            higher[about]["A" if row.outcome == "higher" else "B"][whose] = None
    for about, sides in higher.items():
        if all(sides.values()):
            by = f"A by {listed(sides['A'])}, B by {listed(sides['B'])}"
            yield f"Judges contradict each other in {about}: {by}. Conclude nothing there."


def _on_pairs(pairs: Sequence[PairScore], name: Name) -> Iterator[str]:
    """What a missing report, length and the order of two reports have to do with overall preferences."""
    flips: list[str] = []
    for pair in pairs:
        # Only of enough queries for a test: with two queries, often all or none flip.
        if pair.contrast.outcome == "not_read" or pair.contrast.clusters < fewest_users():
            continue
        if pair.forfeits and pair.queries_read is not None:
            yield (
                f"Side by side, a missing report decided {pair.forfeits:,} of {counted(pair.n_scored, 'pair')}: where "
                f"{name(pair)} read both, A won {pair.read_won:,} of {queries(pair.queries_read)} and lost "
                f"{pair.read_lost:,}."
            )
        if pair.longer_won is not None:
            even = pair.length_controlled
            ends = "" if even.ci_low is None else f" ({even.ci_low:.2f} to {even.ci_high:.2f})"
            between = (
                "one system's reports are nearly always the longer ones, so length and system can't be told apart"
                if even.value is None
                else f"between reports of one length, A's rate would be {number(even.value)}{ends} instead of "
                f"{number(pair.win_rate.value)}"
            )
            longer = f"the longer report won {shares([pair.longer_won])} of overall"
            yield f"Side by side, by {name(pair)}, {longer}; {between}."
        flips += [f"{shares([pair.flip_rate])} of pairs (by {name(pair)})"] if pair.flip_rate is not None else []
    if flips:
        yield (
            f"Side by side, the order of the two reports changed the result in {'; in '.join(flips)}. "
            "A coin toss would change it in 50%, a judge that looks only at the order in 100%."
        )


A_JUDGE = "PROVIDER:MODEL"
REPEATS = 3
"""The repeats that the advice names."""


def missing(
    gathered: Gathered,
    comparison: Comparison,
    experiment: str,
    metrics: Sequence[str],
    assessors: Sequence[Assessor],
    pairs: Sequence[PairScore] | None,
) -> Iterator[Missing]:
    """Missing runs and judgements, then queries, then repeats, which tell how much of a difference is noise.

    ``pairs`` are all pairwise rows of these two systems; None if side-by-side preferences are not asked for.
    """
    sides = (("A", comparison.a), ("B", comparison.b))
    again = f"drretail run --to {experiment} …"
    for side, label in sides:
        plans = [plan for plan in gathered.plans if plan.label == label]
        for status, what, command in (
            ("not_imported", "imported reports are empty", None),
            ("failed", "runs failed", f"{again} --retry failed"),
            ("spoiled", "runs were lost (no answer of a server, or a damaged file)", f"{again} --retry spoiled"),
            ("pending", "runs are not made yet", again),
        ):
            count = sum(plan.status == status for plan in plans)
            if count:
                yield Missing(what=f"{side}: {count:,} of {len(plans):,} {what}", command=command)
        if count := gathered.incomplete[label]:
            what = f"{side}: {count:,} of {len(plans):,} runs finished without an answer that a provider did not give"
            yield Missing(what=what, command=f"{again} --retry spoiled")
    yield from _judgements(gathered, sides, experiment, metrics, assessors)
    if pairs is not None:
        yield from _comparisons(comparison, pairs, experiment, assessors)
    are_imported = {side: gathered.definition.systems[label].is_imported for side, label in sides}
    run, more = f"drretail run --to {experiment} --queries MORE …", f"drretail import FORMAT MORE --to {experiment}"
    yield from _too_few(comparison, more if any(are_imported.values()) else run)
    once = [
        side
        for side, label in sides
        if not are_imported[side] and len({plan.repeat for plan in gathered.plans if plan.label == label}) < 2
    ]
    if once:
        yield Missing(
            what=f"{' and '.join(once)} ran each query once: the agent's noise, pass^k and worst of k are unknown",
            command=f"{again} --repeats {REPEATS}",
        )
    yield from _judge_repeats(gathered, experiment, metrics, assessors)


def _judgements(
    gathered: Gathered,
    sides: Iterable[tuple[str, str]],
    experiment: str,
    metrics: Sequence[str],
    assessors: Sequence[Assessor],
) -> Iterator[Missing]:
    for name in metrics:
        metric = gathered.metrics[name]
        judged = [assessor for assessor in assessors if assessor in gathered.assessors(name)]
        shown = [assessor for assessor in judged if not is_unrated(metric, assessor.judge)]
        if not shown:
            why = "only a rule-based judge rated, whose ratings are not shown" if judged else "nobody judged"
            judge = f" --judge {A_JUDGE}" if metric.needs_judge else ""
            yield Missing(what=f"{name}: {why}", command=f"drretail score {experiment} --metrics {name}{judge}")
        for assessor in shown:
            if not is_panel(assessor.judge.spec):
                # This judge judged some reports: count those of the two systems that it has not, and its failures.
                by = "" if assessor.judge.spec == CODE else f" by {assessor.judge.spec}"
                command = f"drretail score {experiment} --metrics {name}{flags(assessor)}"
                for side, label in sides:
                    its = [judged for plan, judged in gathered.judged_runs(name, assessor) if plan.label == label]
                    count = sum(judged.lacks == "not_judged" for judged in its)
                    failed = sum(len(judged.errors) for judged in its)
                    if count:
                        yield Missing(
                            what=f"{side}: {counted(count, 'report')} not judged in {name}{by}", command=command
                        )
                    if failed:
                        what = f"{side}: {counted(failed, 'question')} in {name} without a usable answer{by}"
                        yield Missing(what=what, command=f"{command} --retry failed")


def _judge_repeats(
    gathered: Gathered, experiment: str, metrics: Sequence[str], assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    """Names judges that judged each report once. A rule-based judge is left out: its repeats are always equal."""
    for assessor in assessors:
        if assessor.judge.kind == "rule_based" or is_panel(assessor.judge.spec):
            continue
        once = [
            name
            for name in metrics
            if assessor in gathered.assessors(name)
            and not any(len(judged.by_repeat) > 1 for _, judged in gathered.judged_runs(name, assessor))
        ]
        if once:
            yield Missing(
                what=f"{assessor.judge.spec} judged each report once in {', '.join(once)}: its noise is unknown",
                command=f"drretail score {experiment} --metrics {','.join(once)}{flags(assessor)} --repeats {REPEATS}",
            )


def _too_few(comparison: Comparison, command: str) -> Iterator[Missing]:
    """The metric that lacks the most queries, and the command that adds some."""
    few: list[tuple[ComparedRow, int]] = []
    for table in comparison.tables:
        for name in dict.fromkeys(row.metric for row in table.rows):
            rows = [row for row in table.rows if row.metric == name and row.p_holm is not None]
            short = [row for row in rows if row.outcome == "too_few"]
            if short:
                # The fewest users with which any of the tests could be significant.
                needed = fewest_users(max(row.tests for row in rows))
                few.append((max(short, key=lambda row: row.n_pairs), needed))
    if few:
        row, needed = max(few, key=lambda pair: pair[1])
        whom = queries if row.n_users is None else users
        yield Missing(
            what=f"{row.metric}: {sample(row.n_pairs, row.n_users)}, but a test needs at least {whom(needed)}",
            command=command,
        )


def flags(assessor: Assessor) -> str:
    """The command-line flags that name a judge and its rules, with a leading space."""
    judge = "" if assessor.judge.spec == CODE else f" --judge {assessor.judge.spec}"
    return judge + ("" if assessor.rules == "default" else f" --rules {assessor.rules}")


def _comparisons(
    comparison: Comparison, rows: Sequence[PairScore], experiment: str, assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    """Missing side-by-side judgements. If no model compared the two, the command names a model among ``assessors``."""
    named = f"{comparison.a}~{comparison.b}"
    command = f"drretail score {experiment} --metrics pairwise --pairs {named}"
    rated = [row for row in rows if row.note is None and not is_panel(row.judge)]
    for assessor, its in groupby(rated, key=Assessor.of):
        theirs, spec, again = list(its), assessor.judge.spec, f"{command}{flags(assessor)}"
        if failed := sum(row.failed_verdicts for row in theirs):
            nothing = "" if any(row.n_scored for row in theirs) else ", so its preference is unknown"
            what = f"{spec} gave no usable answer to {counted(failed, 'question')} side by side{nothing}"
            yield Missing(what=what, command=f"{again} --retry failed")
        if unasked := sum(row.not_judged for row in theirs):
            what = f"{counted(unasked, 'comparison')} side by side not asked of {spec} yet"
            yield Missing(what=what, command=again)
    if not rated:
        judges = [
            assessor.judge.spec
            for assessor in assessors
            if assessor.judge.kind == "llm" and not is_panel(assessor.judge.spec)
        ]
        rules = ": a rule-based judge did, whose preferences are not shown" if rows else ""
        yield Missing(
            what=f"No language model compared the two side by side (pairwise){rules}",
            command=f"{command} --judge {judges[0] if judges else A_JUDGE}",
        )
