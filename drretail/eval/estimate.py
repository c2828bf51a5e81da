"""What judging is likely to take: from what this experiment's judging took, else from the demo's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from drretail.eval.judge import Judge, judging_usage
from drretail.eval.registry import load_metric
from drretail.eval.subject import planned_runs
from drretail.eval.verdicts import verdict_path
from drretail.experiment import read_definition, read_run, run_folder
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.prices import BATCH
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Report:
    """What judging one report takes."""

    calls: Range
    input: Range
    output: Range
    basis: str


# Measured with offline:judge on the demo's three reports of 460 to 710 words (17 to 24 calls, 14,000 to 20,000 and
# 3,700 to 5,700 tokens; 7 calls, 14,000 to 18,000 tokens), with room for longer sources and for judges that explain.
DEMO = {
    "faithfulness": Report(Range(15, 50), Range(14_000, 80_000), Range(3_500, 15_000), "the demo's reports"),
    "quality": Report(Range(7, 10), Range(14_000, 40_000), Range(700, 5_000), "the demo's reports"),
}
UNKNOWN_METRIC = "faithfulness"
"""Whose figures stand in for a family that nothing is known of: the dearest."""


def estimate_judging(
    experiment: Path, metrics: Sequence[str], judges: Sequence[Judge], *, anew: bool = False
) -> list[Estimate]:
    """One estimate for each family that needs a model and each judge, over reports without a verdict of theirs.

    ``anew`` counts reports that have one as well. Raises UserError as ``load_metric`` and ``read_definition`` do.
    """
    reports = list(_reports(experiment))
    families = [metric for metric in map(load_metric, dict.fromkeys(metrics)) if metric.needs_judge]
    return [_estimate(experiment, family.name, judge, reports, anew) for family in families for judge in judges]


def _reports(experiment: Path) -> Iterator[tuple[str, str]]:
    """(label, run) of every report that there is."""
    for planned in planned_runs(experiment, read_definition(experiment)):
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        if (folder / "run.json").exists() and read_run(folder).report is not None:
            yield planned.label, folder.name


def _estimate(experiment: Path, metric: str, judge: Judge, reports: Sequence[tuple[str, str]], anew: bool) -> Estimate:
    missing = [run for run in reports if anew or not verdict_path(experiment, metric, judge.slug, *run).exists()]
    one, count = _one_report(experiment, metric, judge), len(missing)
    price = None if judge.model is None else judge.model.price
    if price is not None and judge.in_batches:
        price = price.times(BATCH)
    money = dollars_of(one.input, one.output, [] if price is None else [price])
    return Estimate(
        f"{metric} by {judge.ref.spec}",
        count,
        one.calls.times(count),
        one.input.times(count),
        one.output.times(count),
        None if money is None else money.times(count),
        one.basis + (", at half the price in batches" if judge.in_batches else ""),
        () if price is not None else (judge.ref.spec,),
    )


def _one_report(experiment: Path, metric: str, judge: Judge) -> Report:
    """As this judge's reports here, else as those of another, else as the demo's."""
    folder = experiment / "verdicts" / metric
    others = sorted(path.name for path in folder.glob("*/") if path.name != judge.slug)
    for slug in (judge.slug, *others):
        used = [judging_usage(path) for path in sorted((folder / slug).glob("*/*.journal.jsonl"))]
        if used:
            return _measured(used, f"{len(used):,} reports judged here by {slug}")
    if metric in DEMO:
        return DEMO[metric]
    stand_in = DEMO[UNKNOWN_METRIC]
    return Report(stand_in.calls, stand_in.input, stand_in.output, f"nothing known of {metric}; {stand_in.basis}")


def _measured(used: Sequence[Usage], basis: str) -> Report:
    read = [usage.input_uncached + usage.cache_read + usage.cache_creation for usage in used]
    calls, written = [usage.calls for usage in used], [usage.output for usage in used]
    return Report(_range(calls), _range(read), _range(written), basis)


def _range(values: Sequence[int]) -> Range:
    """Mean ± standard deviation; of a single report, ± half of it."""
    deviation = stdev(values) if len(values) > 1 else values[0] / 2
    return Range.around(mean(values), deviation)
