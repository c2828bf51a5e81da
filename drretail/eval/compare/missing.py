"""What would let a comparison conclude more, each with the command that adds it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from drretail.eval.compare.wording import queries, sample, users
from drretail.eval.metric import is_unrated
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.panel import is_panel
from drretail.records.comparison import ComparedRow, Comparison, Missing, PairScore
from drretail.records.score import CODE
from drretail.records.tables.figures import counted
from drretail.stats.significance import fewest_users

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
    run = f"drretail run --to {experiment} --queries MORE …"
    yield from _too_few(
        comparison, f"drretail import FORMAT MORE --to {experiment}" if any(are_imported.values()) else run
    )
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
