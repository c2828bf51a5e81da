"""What judging is likely to take."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.spending import judging_costs
from drretail.eval.judging.subject import choose_pairs, meetings, pair_name
from drretail.eval.metric import Metric, is_judged
from drretail.eval.registry import FALSE_STATEMENTS, PAIRWISE, load_metrics
from drretail.experiments.experiment import read_definition, read_runs
from drretail.llm.estimates import Estimate, likely, typical
from drretail.records.run import Usage


def estimate_judging(
    experiment: Path,
    metrics: Sequence[str | Metric],
    judges: Sequence[Judge],
    again: Again,
    pairs: Sequence[str] = (),
    judge_repeats: int = 1,
) -> Iterator[Estimate]:
    """One estimate for each metric and model that judges, of the reports or pairs that it has not judged. A report that
    is judged ``judge_repeats`` times counts as so many.

    Raises UserError for an unknown metric or pair.
    """
    definition = read_definition(experiment)
    costs = {(cost.metric, cost.folder): (cost.cost.usage, cost.reports) for cost in judging_costs(experiment)}
    reports = {run.run_id: run.system for run in read_runs(experiment) if run.report}
    judged: dict[str, list[tuple[str, str]]] = {}
    # One without prompts is judged by code, by what others' judges said, but for a shop's answers: a judge reads these.
    for metric in (metric for metric in load_metrics(metrics) if metric.needs_judge):
        its = (pair for pair in reports.items() if is_judged(metric, definition.systems[pair[1]], floors=False))
        is_asked = bool(metric.prompt_hashes() - {""})
        if not is_asked:
            its = (pair for pair in its if metric.name == FALSE_STATEMENTS and definition.systems[pair[1]].is_of_shop)
        places = [(label, run_id.removeprefix(f"{label}/")) for run_id, label in its]
        judged |= {metric.name: places} if places or is_asked else {}
    if PAIRWISE in metrics:
        met = meetings(experiment, definition, choose_pairs(definition, pairs))
        judged[PAIRWISE] = [
            (pair_name(meeting.labels), meeting.run) for meeting in met if reports.keys() >= {*meeting.run_ids}
        ]

    def left(states: Mapping[int, set[str]]) -> int:
        """How often a report is still to be judged."""
        every = (states.get(repeat, set[str]()) for repeat in range(1, judge_repeats + 1))
        return sum(again == "everything" or not its or (again == "failed" and "failed" in its) for its in every)

    for metric, places in judged.items():
        for judge in judges:
            states = [_states(verdict_path(experiment, metric, judge.slug, *place)) for place in places]
            took, reports = costs.get((metric, judge.slug), (Usage(), 0))
            repeats = sum(map(len, states)) / max(1, sum(map(bool, states)))
            yield from likely_judging(metric, judge, sum(map(left, states)), took, round(reports * repeats))


def _states(path: Path) -> Mapping[int, set[str]]:
    """The states of a file's verdicts by the judge's repeat."""
    states: defaultdict[int, set[str]] = defaultdict(set)
    for verdict in VerdictFile(path).lasts():
        states[verdict.judge_repeat].add(verdict.state)
    return states


def likely_judging(metric: str, judge: Judge, count: int, took: Usage, pieces: int) -> Iterator[Estimate]:
    """The estimate of so many reports or pairs; none for a judge that is no model."""
    if judge.model is not None and judge.ref.kind != "rule_based":
        row = typical("judging").get(metric, typical("judging")["any"])
        what = "pairs" if metric == PAIRWISE else "reports"
        name = f"{metric} by {judge.ref.spec}"
        yield likely(name, count, [(judge.model, row)], what, took=took, pieces=pieces)
