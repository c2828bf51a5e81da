"""What would make a comparison say more, each with the command that makes it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from drretail.eval.compare.wording import queries, sample, users
from drretail.eval.family import is_unrated
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.panel import is_panel
from drretail.records.comparison import ComparedRow, Comparison, Missing
from drretail.records.pairs import PairScore
from drretail.records.score import CODE
from drretail.stats.significance import fewest_users
from drretail.tables.figures import counted

A_JUDGE = "PROVIDER:MODEL"
REPEATS = 3


def missing(
    gathered: Gathered,
    comparison: Comparison,
    experiment: str,
    families: Sequence[str],
    assessors: Sequence[Assessor],
    pairs: Sequence[PairScore] | None,
) -> Iterator[Missing]:
    """Runs and judgements without which values are missing or of one side alone, then queries, then repeats, which
    would tell how much of a difference is noise. ``pairs`` are all rows of these two systems, None where nobody asks
    for them."""
    yield from _runs(gathered, comparison, experiment)
    yield from _judgements(gathered, comparison, experiment, families, assessors)
    if pairs is not None:
        yield from _comparisons(comparison, pairs, experiment, assessors)
    yield from _too_few(gathered, comparison, experiment)
    yield from _agent_repeats(gathered, comparison, experiment)
    yield from _judge_repeats(gathered, experiment, families, assessors)


def _runs(gathered: Gathered, comparison: Comparison, experiment: str) -> Iterator[Missing]:
    for side, label in _sides(comparison):
        plans = [plan for plan in gathered.plans if plan.label == label]
        again = f"drretail run --to {experiment} …"
        for status, what, command in (
            ("not_imported", "imported reports are empty", None),
            ("failed", "runs failed", f"{again} --retry failed"),
            ("spoiled", "runs were lost because a server did not answer", f"{again} --retry failed"),
            ("pending", "runs are not made yet", again),
        ):
            count = sum(plan.status == status for plan in plans)
            if count:
                yield Missing(what=f"{side}: {count:,} of {len(plans):,} {what}", command=command)


def _judgements(
    gathered: Gathered, comparison: Comparison, experiment: str, families: Sequence[str], assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    for name in families:
        metric = gathered.families[name]
        judged = [assessor for assessor in assessors if assessor in gathered.assessors(name)]
        shown = [assessor for assessor in judged if not is_unrated(metric, assessor.judge)]
        if not shown:
            why = "only a rule-based judge rated, whose ratings are not shown" if judged else "nobody judged"
            judge = f" --judge {A_JUDGE}" if metric.needs_judge else ""
            yield Missing(what=f"{name}: {why}", command=f"drretail score {experiment} --metrics {name}{judge}")
        for assessor in shown:
            if not is_panel(assessor.judge.spec):
                # Reports of these two systems that this judge, who judged others, has not judged, and where it failed.
                by = "" if assessor.judge.spec == CODE else f" by {assessor.judge.spec}"
                command = f"drretail score {experiment} --metrics {name}{flags(assessor)}"
                for side, label in _sides(comparison):
                    its = [judged for plan, judged in gathered.judged_runs(name, assessor) if plan.label == label]
                    count = sum(judged.result.lacks == "not_judged" for judged in its)
                    failed = sum(len(judged.errors) for judged in its)
                    if count:
                        yield Missing(
                            what=f"{side}: {counted(count, 'report')} not judged in {name}{by}", command=command
                        )
                    if failed:
                        what = f"{side}: {counted(failed, 'question')} in {name} without a usable answer{by}"
                        yield Missing(what=what, command=f"{command} --retry failed")


def _agent_repeats(gathered: Gathered, comparison: Comparison, experiment: str) -> Iterator[Missing]:
    once = [
        side
        for side, label in _sides(comparison)
        if not gathered.definition.systems[label].is_imported
        and len({plan.repeat for plan in gathered.plans if plan.label == label}) < 2
    ]
    if once:
        yield Missing(
            what=f"{' and '.join(once)} ran each query once: the agent's noise, pass^k and worst of k are unknown",
            command=f"drretail run --to {experiment} … --repeats {REPEATS}",
        )


def _judge_repeats(
    gathered: Gathered, experiment: str, families: Sequence[str], assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    """A rule-based judge says the same each time, so repeats would say nothing of it."""
    for assessor in assessors:
        if assessor.judge.kind == "rule_based" or is_panel(assessor.judge.spec):
            continue
        once = [
            name
            for name in families
            if assessor in gathered.assessors(name)
            and not any(len(judged.result.by_repeat) > 1 for _, judged in gathered.judged_runs(name, assessor))
        ]
        if once:
            yield Missing(
                what=f"{assessor.judge.spec} judged each report once in {', '.join(once)}: its noise is unknown",
                command=f"drretail score {experiment} --metrics {','.join(once)}{flags(assessor)} "
                f"--judge-repeats {REPEATS}",
            )


def _too_few(gathered: Gathered, comparison: Comparison, experiment: str) -> Iterator[Missing]:
    """The family that lacks most queries."""
    are_imported = any(gathered.definition.systems[label].is_imported for _, label in _sides(comparison))
    run = f"drretail run --to {experiment} --queries MORE …"
    more = f"drretail import FORMAT MORE --to {experiment}" if are_imported else run
    few: list[tuple[ComparedRow, int]] = []
    for table in comparison.tables:
        for name in dict.fromkeys(row.metric for row in table.rows):
            rows = [row for row in table.rows if row.metric == name and row.p_holm is not None]
            short = [row for row in rows if row.outcome == "too_few"]
            if short:
                # With the fewest that could show anything.
                needed = fewest_users(max(row.tests for row in rows))
                few.append((max(short, key=lambda row: row.n_pairs), needed))
    if few:
        row, needed = max(few, key=lambda pair: pair[1])
        whom = queries if row.n_users is None else users
        yield Missing(
            what=f"{row.metric}: {sample(row.n_pairs, row.n_users)}, but a test needs at least {whom(needed)}",
            command=more,
        )


def _sides(comparison: Comparison) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("A", comparison.a), ("B", comparison.b)


def flags(assessor: Assessor) -> str:
    """The flags that name a judge and its rules, with a space before them."""
    judge = "" if assessor.judge.spec == CODE else f" --judge {assessor.judge.spec}"
    return judge + ("" if assessor.rules == "default" else f" --rules {assessor.rules}")


def _comparisons(
    comparison: Comparison, rows: Sequence[PairScore], experiment: str, assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    """Side by side; one of ``assessors``, who judged single reports, may be asked."""
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
