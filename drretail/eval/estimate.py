"""What judging is likely to take: from what this experiment's judging took, else from the demo's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import mean, stdev

from drretail.eval.judge import Judge, judging_usage
from drretail.eval.pairwise.dimensions import DIMENSIONS
from drretail.eval.pairwise.pairs import choose_pairs, meetings, pair_name
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.subject import planned_runs
from drretail.eval.verdicts import verdict_path
from drretail.experiment import read_definition, read_run, run_folder
from drretail.files import read_jsonl
from drretail.llm.estimates import Estimate, Range, dollars_of
from drretail.llm.prices import BATCH
from drretail.records.counterfactual import kind_of
from drretail.records.rules import Rules
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Report:
    """What judging one report takes, or reading one pair of reports."""

    calls: Range
    input: Range
    output: Range
    basis: str


# Measured with offline:judge on the demo's three reports of 460 to 710 words (17 to 24 calls, 14,000 to 20,000 and
# 3,700 to 5,700 tokens; 7 calls, 14,000 to 18,000 tokens), with room for longer sources and for judges that explain.
# To read two reports of some 350 words in one order took 7 calls and 16,500 tokens.
DEMO = {
    "faithfulness": Report(Range(15, 50), Range(14_000, 80_000), Range(3_500, 15_000), "the demo's reports"),
    "quality": Report(Range(7, 10), Range(14_000, 40_000), Range(700, 5_000), "the demo's reports"),
    PAIRWISE: Report(Range(7, 10), Range(16_000, 60_000), Range(700, 4_000), "the demo's reports"),
}
UNKNOWN_METRIC = "faithfulness"
"""Whose figures stand in for a family that nothing is known of: the dearest."""


Place = tuple[str, str]
"""A system's label, or a pair's, and the name of the run there."""


def estimate_judging(
    experiment: Path,
    metrics: Sequence[str],
    judges: Sequence[Judge],
    *,
    anew: bool = False,
    judge_repeats: int = 1,
    rules: Rules = "default",
    pairs: Sequence[str] = (),
) -> list[Estimate]:
    """One estimate for each family that needs a model and each judge, over reports without a verdict of theirs.

    A report counts once for each of the ``judge_repeats`` that is missing. ``anew`` counts those that are there as
    well. Of "pairwise", which compares ``pairs``, two reports of one query count as one. Raises UserError as
    ``load_metric``, ``choose_pairs`` and ``read_definition`` do.
    """
    reports = list(_reports(experiment))
    singles = {metric.name: reports for metric in load_metrics(metrics) if metric.needs_judge}
    compared = {PAIRWISE: _pairs(experiment, pairs)} if PAIRWISE in metrics else {}
    return [
        _estimate(experiment, name, judge, places, _Asking(judge_repeats, anew, _readings(name, rules)))
        for name, places in (singles | compared).items()
        for judge in judges
    ]


@dataclass(frozen=True, slots=True)
class _Asking:
    """How a judge is to be asked: ``readings`` are the orders in which it reads a pair, 1 of a single report."""

    judge_repeats: int
    anew: bool
    readings: int

    def missing(self, done: int) -> int:
        """How many times a judge has yet to read what it has read ``done`` times."""
        wanted = self.judge_repeats * self.readings
        return wanted if self.anew else max(0, wanted - done)


def _readings(metric: str, rules: Rules) -> int:
    return 2 if metric == PAIRWISE and rules != "paper" else 1


def _pairs(experiment: Path, named: Sequence[str]) -> list[Place]:
    """Every pair of reports that a judge is to compare."""
    definition, there = read_definition(experiment), set(_all_reports(experiment))
    found = meetings(experiment, definition, choose_pairs(definition, named))
    return [(pair_name(it.labels), it.run) for it in found if {(label, it.run) for label in it.labels} <= there]


def _reports(experiment: Path) -> Iterator[Place]:
    """Every report that a model is to judge by itself."""
    systems = read_definition(experiment).systems
    return (place for place in _all_reports(experiment) if kind_of(systems[place[0]]) is None)


def _all_reports(experiment: Path) -> Iterator[Place]:
    for planned in planned_runs(experiment, read_definition(experiment)):
        folder = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat)
        if (folder / "run.json").exists() and read_run(folder).report is not None:
            yield planned.label, folder.name


def _estimate(
    experiment: Path,
    metric: str,
    judge: Judge,
    places: Sequence[Place],
    asking: _Asking,
) -> Estimate:
    paths = [verdict_path(experiment, metric, judge.slug, *place) for place in places]
    one = _one_report(experiment, metric, judge)
    missing = sum(asking.missing(_times(metric, path)) for path in paths)
    price = None if judge.model is None else judge.model.price
    if price is not None and judge.in_batches:
        price = price.times(BATCH)
    money = dollars_of(one.input, one.output, [] if price is None else [price])
    return Estimate(
        f"{metric} by {judge.ref.spec}",
        ceil(missing / asking.readings),
        one.calls.times(missing),
        one.input.times(missing),
        one.output.times(missing),
        None if money is None else money.times(missing),
        one.basis + (", at half the price in batches" if judge.in_batches else ""),
        () if price is not None else (judge.ref.spec,),
    )


def _one_report(experiment: Path, metric: str, judge: Judge) -> Report:
    """As this judge's reports here, else as those of another, else as the demo's."""
    folder = experiment / "verdicts" / metric
    others = sorted(path.name for path in folder.glob("*/") if path.name != judge.slug)
    for slug in (judge.slug, *others):
        paths = sorted((folder / slug).glob("*/*.journal.jsonl"))
        if paths:
            what = "pairs of reports compared" if metric == PAIRWISE else "reports judged"
            basis = f"{len(paths):,} {what} here by {slug}"
            times = [_times(metric, _verdicts(path)) for path in paths]
            return _measured([judging_usage(path) for path in paths], times, basis)
    if metric in DEMO:
        return DEMO[metric]
    stand_in = DEMO[UNKNOWN_METRIC]
    return Report(stand_in.calls, stand_in.input, stand_in.output, f"nothing known of {metric}; {stand_in.basis}")


def _verdicts(journal: Path) -> Path:
    """The verdict file that a judge's journal stands beside."""
    return journal.with_name(journal.name.replace(".journal.jsonl", ".jsonl"))


def _times(metric: str, path: Path) -> int:
    """How many times a report was judged, or a pair read; 0 without a verdict file."""
    lines = read_jsonl(path) if path.exists() else ()
    if metric == PAIRWISE:  # an order may be drawn for each dimension, so that half of both is one reading
        return len({(it.get("judge_repeat", 1), it["item"], it["order"]) for it in lines}) // len(DIMENSIONS)
    return len({it.get("judge_repeat", 1) for it in lines})


def _measured(used: Sequence[Usage], repeats: Sequence[int], basis: str) -> Report:
    """What judging once took; a journal holds all repeats of its judge."""
    each = list(zip(used, [max(1, times) for times in repeats], strict=True))
    read = [(it.input_uncached + it.cache_read + it.cache_creation) / times for it, times in each]
    calls, written = [it.calls / times for it, times in each], [it.output / times for it, times in each]
    return Report(_range(calls), _range(read), _range(written), basis)


def _range(values: Sequence[float]) -> Range:
    """Mean ± standard deviation; of a single report, ± half of it."""
    deviation = stdev(values) if len(values) > 1 else values[0] / 2
    return Range.around(mean(values), deviation)
