"""scores.json from what stands in the folder: all runs, and all verdicts of whichever judge."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from drretail.eval.aggregate import About, rows
from drretail.eval.agreement import agreements
from drretail.eval.gathering import NOT_JUDGED, Bench, Gathered, Heard, Seat, gather
from drretail.eval.metric import Metric
from drretail.eval.panel import with_panels
from drretail.eval.registry import METRICS
from drretail.records.base import sha256_of
from drretail.records.score import Judging, Score, Scores

SELF_CHECKED = "checks"
"""The family whose findings an agent may have taken out of its reports by itself."""


def derive_scores(experiment: Path, metrics: Sequence[Metric], asked: Collection[Bench] = ()) -> Scores:
    """The scores of these families by every judge that has verdicts in the folder. Pure: equal folders, equal bytes.

    ``asked`` names judges of a family that have rows even if there was nothing for them to judge. A judge that was
    not asked has no rows for systems of which it judged nothing.
    """
    gathered = with_panels(gather(experiment, sorted(metrics, key=_order)))
    scores: list[Score] = []
    judgings: list[Judging] = []
    for metric in gathered.families.values():
        wanted = {bench.seat for bench in asked if bench.metric == metric.name}
        for seat in sorted({*gathered.seats(metric.name), *wanted}, key=lambda seat: seat.order):
            for about, heard in _systems(gathered, metric, seat, everywhere=seat in wanted):
                scores += _marked(gathered, about, rows(about, [it.reported for it in heard]))
                judgings.append(_judging(about, heard))
    return Scores(scores=tuple(scores), judgings=tuple(judgings), agreements=tuple(agreements(gathered)))


def _order(metric: Metric) -> tuple[bool, int, str]:
    names = list(METRICS)
    known = metric.name in names
    return not known, names.index(metric.name) if known else 0, metric.name


def _systems(
    gathered: Gathered, metric: Metric, seat: Seat, *, everywhere: bool
) -> Iterator[tuple[About, list[Heard]]]:
    """What a judge said of each system's runs, in the order of the plan; ``everywhere`` or only where it said any."""
    wording = _wording(metric)
    by_run = gathered.benches.get(Bench(metric.name, seat), {})
    by_label: dict[str, list[Heard]] = defaultdict(list)
    named: set[str] = set()
    for plan, heard in gathered.heard(metric.name, seat):
        by_label[plan.label].append(heard)
        if everywhere or plan.run_id in by_run:
            named.add(plan.label)
    for label, heard in by_label.items():
        if label in named:
            yield About(metric, label, seat.judge, seat.rules, wording, gathered.definition.seed), heard


def _marked(gathered: Gathered, about: About, made: list[Score]) -> list[Score]:
    """The same rows; those by which a system checked its own reports say so."""
    itself = about.metric.name == SELF_CHECKED and gathered.definition.systems[about.system].self_checked
    return [row.model_copy(update={"self_checked": True}) for row in made] if itself else made


def _judging(about: About, runs: Sequence[Heard]) -> Judging:
    return Judging(
        metric=about.metric.name,
        system=about.system,
        rules=about.rules,
        judge=about.judge.spec,
        judge_params=about.judge.params_hash,
        verdicts=sum(heard.verdicts for heard in runs),
        failed=sum(heard.failed for heard in runs),
        stale=sum(heard.stale for heard in runs),
        not_judged=sum(heard.reported.lacks == NOT_JUDGED for heard in runs),
    )


def _wording(metric: Metric) -> str:
    """One hash for all prompts of a family: living verdicts were asked in these words."""
    hashes = sorted(metric.prompt_hashes() - {""})
    return hashes[0] if len(hashes) == 1 else sha256_of(hashes)[:16] if hashes else ""
