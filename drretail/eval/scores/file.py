"""scores.json from the contents of the folder: all runs, and the verdicts of all judges."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from pathlib import Path

from pydantic import ValidationError

from drretail import __version__
from drretail.conditions.shop import INJECTED_CONDITION
from drretail.errors import UserError
from drretail.eval.claims.claims import FAITHFULNESS as FAITHFULNESS
from drretail.eval.compare.ablations import ablation_tables, all_ablations
from drretail.eval.compare.differences import primary_tests, with_primary
from drretail.eval.compare.twins import twin_rows_of
from drretail.eval.counterfactual.scores import counterfactual_rows
from drretail.eval.judging.pairs import Labels
from drretail.eval.judging.subject import planned_runs
from drretail.eval.judging.verdicts import verdict_files
from drretail.eval.metric import Metric
from drretail.eval.registry import METRICS, installed
from drretail.eval.scores.correlation import agreements, correlations
from drretail.eval.scores.facts import Facts, all_facts, summaries
from drretail.eval.scores.gathering import NOT_JUDGED, Assessor, Gathered, JudgedRun, TableKey
from drretail.eval.scores.pair_rows import derive_pairs
from drretail.eval.scores.planned import headline_variants, read_judgements
from drretail.eval.scores.scoreboard import scoreboard
from drretail.eval.scores.slices import query_slices, slice_scores
from drretail.eval.scores.version_1 import as_today
from drretail.experiment import read_definition, read_discarded, run_folder
from drretail.files import read_json
from drretail.llm.prices import PriceTable, read_prices
from drretail.records.base import sha256_of
from drretail.records.score import Judging, MadeOf, Scores, SettingTable
from drretail.stats.noise import run_variance

UNDER_ATTACK = {"basket": ["feasible"], "robustness": ["obeyed"]}
"""The headline whose loss is measured, whether the agent still picks what the shopper wanted and nothing else, and the
share of the hostile texts read that took effect.
"""


def _noise(metric: Metric, runs: Sequence[JudgedRun]) -> dict[str, float]:
    """Standard deviations of headlines between repeats of the judge on one report; empty without repeats."""
    made: dict[str, float] = {}
    for variant in sorted(headline_variants(metric)):
        values = [[repeat.get(variant) for repeat in run.by_repeat.values()] for run in runs]
        numbers = [[value.value for value in its if value and value.value is not None] for its in values]
        if (variance := run_variance(numbers)) is not None:
            made[variant] = round(sqrt(variance), 10)
    return made


def _judging(facts: Facts) -> Judging:
    """How far one judge has come with one system in one metric."""
    runs = facts.results
    errors = Counter(error for run in runs for error in run.errors)
    return Judging(
        metric=facts.metric.name,
        system=facts.system,
        rules=facts.assessor.rules,
        judge=facts.assessor.judge.spec,
        judge_params=facts.assessor.judge.params_hash,
        verdicts=sum(run.verdicts for run in runs),
        failed=errors.total(),
        error=errors.most_common(1)[0][0] if errors else "",
        stale=sum(run.stale for run in runs),
        not_judged=sum(run.lacks == NOT_JUDGED for run in runs),
        repairs=sum(run.repairs for run in runs),
        prompts=tuple(sorted(frozenset[str]().union(*(run.prompts for run in runs)))),
        repeats=max((len(run.by_repeat) for run in runs), default=0) or 1,
        noise=_noise(facts.metric, runs),
    )


def attack_tables(gathered: Gathered) -> list[SettingTable]:
    """Systems that ran both with hostile texts and without: their utility in both settings, and what they obey."""
    assessors = gathered.assessors("basket")[:1]
    return [*ablation_tables(gathered, INJECTED_CONDITION, assessors, UNDER_ATTACK)]


def derive_scores(
    experiment: Path,
    metrics: Sequence[Metric],
    asked: Collection[TableKey] = (),
    asked_of_pairs: Sequence[tuple[Assessor, Labels]] = (),
    prices: PriceTable | None = None,
    judge_notes: Mapping[str, str] | None = None,
) -> Scores:
    """The scores of these metrics by every judge with verdicts in the folder. Pure: equal folders give equal bytes.

    ``asked`` names judges of a metric that get rows even if there was nothing to judge, and ``asked_of_pairs`` judges
    of two systems. A judge that was not asked gets no rows for systems of which it judged nothing. The scoreboard's
    dollars use ``prices``, or the packaged ones. ``judge_notes`` are shown beside faithfulness, by the judge's key.
    """
    gathered = read_judgements(experiment, sorted(metrics, key=_order), asked)
    every = [*all_facts(gathered, asked)]
    pairs, ranks = derive_pairs(experiment, gathered, asked_of_pairs)
    assessors = {Assessor.of(row) for row in pairs} | {table_key.assessor for table_key in gathered.tables_of_judges}
    primary = primary_tests(gathered, [], sorted(assessors, key=lambda assessor: assessor.order), pairs)
    pairs = with_primary(pairs, primary)
    # Rows by which a system checked its own reports say so.
    itself = {label for label, system in gathered.definition.systems.items() if system.self_checked}
    scores = tuple(
        row.model_copy(update={"self_checked": True})
        if row.system in itself and gathered.metrics[row.metric].description.self_checked
        else row
        for row in summaries(every)
    )
    # Later, nobody can tell the values of a metric that is not installed.
    of_others = [facts for facts in every if installed(facts.metric.name) is None]
    described = {facts.metric.name: facts.metric.description for facts in every}
    if FAITHFULNESS in described and judge_notes:
        described[FAITHFULNESS] = described[FAITHFULNESS].model_copy(update={"judges": dict(judge_notes)})
    return Scores(
        scores=scores,
        metrics=described,
        judgings=tuple(_judging(facts) for facts in every if not facts.is_hidden),
        audits=tuple(gathered.audits.values()),
        pairs=pairs,
        ranks=ranks,
        slices=tuple(slice_scores(of_others, query_slices(gathered.definition))),
        agreements=tuple(agreements(gathered)),
        correlations=tuple(correlations(gathered)),
        counterfactuals=tuple(counterfactual_rows(experiment)),
        attacks=tuple(attack_tables(gathered)),
        ablations=tuple(all_ablations(gathered)),
        twins=tuple(twin_rows_of(gathered)),
        scoreboard=scoreboard(gathered, scores, described, pairs, prices or read_prices(), primary),
        made_of=made_of(experiment),
        systems=gathered.definition.systems,
    )


def made_of(experiment: Path) -> MadeOf:
    """What scores that are made now are made of."""
    definition = read_definition(experiment)
    runs, files = Counter(discarded.system for discarded in read_discarded(experiment)), dict[str, str]()
    for planned in planned_runs(experiment, definition):
        path = run_folder(experiment, planned.label, planned.query.query_id, planned.repeat) / "run.json"
        files[planned.run_id] = sha256_of(path.read_text(encoding="utf-8")) if path.exists() else ""
        runs[planned.label] += path.exists()
    lines = Counter[str]()
    for path in verdict_files(experiment):
        lines[path.parent.relative_to(experiment / "verdicts").as_posix()] += path.read_bytes().count(b"\n")
    return MadeOf(version=__version__, runs=runs, content=sha256_of(files), verdicts=dict(sorted(lines.items())))


def taken_out(experiment: Path) -> frozenset[str]:
    """The systems, and the folders of verdicts, of which there is less than when scores.json was made."""
    try:
        scores = read_scores(experiment)
    except UserError:  # a damaged one fails a check of its own
        return frozenset()
    before = None if scores is None else scores.made_of
    return frozenset(() if before is None else before.taken_out(made_of(experiment)))


def _order(metric: Metric) -> tuple[bool, int, str]:
    names = list(METRICS)
    known = metric.name in names
    return not known, names.index(metric.name) if known else 0, metric.name


def read_scores(experiment: Path) -> Scores | None:
    """The scores in an experiment's folder, or None. Raises UserError for those of another version."""
    path = experiment / "scores.json"
    if not path.exists():
        return None
    try:
        scores = Scores.model_validate(as_today(read_json(path)))
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: run drretail score again.") from problem
    known = {"systems": read_definition(experiment).systems}
    board = scores.scoreboard and scores.scoreboard.model_copy(update=known)
    return scores.model_copy(update=known | {"scoreboard": board})


def made_scores(experiment: Path) -> Scores:
    """The same. Raises UserError if nothing was scored yet."""
    scores = read_scores(experiment)
    if scores is None:
        raise UserError(f"{experiment} has no scores yet: drretail score {experiment} makes them.")
    return scores
