"""``score`` and ``estimate_score``: the scores of an experiment, and what judging it is likely to take.

Judges are opened by their specs, models and profiles.
"""

import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

from drretail.api.models import Opener, profile_of
from drretail.api.option import accepts
from drretail.api.options.score import ScoreOptions
from drretail.api.options.shared import folder_of, metrics_in, text_list
from drretail.api.recorded_scores import JudgingOutcome, RecordedScores
from drretail.api.settings import OFFLINE_MODEL, Settings, read_settings
from drretail.api.worlds import pages_by_label, recorded_world
from drretail.env.gold import add_gold
from drretail.env.named_products import NamedProducts
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.ballots import counted_votes, left_out_of_votes
from drretail.eval.baskets import references_of
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import allowance_for, judging_costs
from drretail.eval.judging.subject import choose_pairs, meetings
from drretail.eval.method import PACKAGED, read_wording
from drretail.eval.metric import Metric
from drretail.eval.numbers.file import account_stage, made_scores
from drretail.eval.numbers.judges import BY_CODE, Assessor, read_board
from drretail.eval.registry import PAIRWISE, load_metrics, usual_metrics
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.event_loop import run_loop
from drretail.experiments.experiment import GOLD, Experiment, changed_gold, read_definition
from drretail.llm.estimates import Estimate
from drretail.llm.registry import Model
from drretail.querygen.reading import read_queries
from drretail.records.models import ModelChoice
from drretail.records.query import Query
from drretail.records.score import CODE, JudgeRef, Scores
from drretail.reports.text.wording import listed
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.output import say
from drretail.viewer.tables.tallies import estimated

OFFLINE_NOTE = "No judge given: offline:judge judges. It decides by fields of records alone, and is no language model."
OFFLINE_JUDGE = "offline:judge"


def judges(specs: Sequence[str], opener: Opener, profile: str | None = None) -> list[Judge]:
    """The judges that these specs name, or else those of the profile, each once.

    If neither names any, offline:judge judges, and a note on stderr says so.
    """
    chosen = [ModelChoice(model=spec) for spec in specs]
    if not chosen and (profiled := profile_of(profile, opener.settings)) is not None:
        chosen = [*profiled.judges]
    if not chosen:
        say(OFFLINE_NOTE)
        chosen = [ModelChoice(model=OFFLINE_JUDGE)]
    for provider, _, name in (choice.model.partition(":") for choice in chosen):
        if provider == "offline" and name and f"offline:{name}" != OFFLINE_JUDGE:
            raise UnknownName("offline judge", name, ["judge"])
    try:
        return [Judge.of(model) for model in opener.open_all(dict.fromkeys(chosen))]
    except UnknownName:
        raise
    except UserError as problem:  # the opener suggests the offline model that answers, not the one that judges
        raise UserError(str(problem).replace(OFFLINE_MODEL, OFFLINE_JUDGE)) from problem


def judges_for(
    metrics: Sequence[str | Metric],
    chosen_judges: str | Model | Iterable[str | Model],
    opener: Opener,
    profile: str | None = None,
) -> list[Judge]:
    """The judges of these metrics: those of specs, then open models; without any, as ``judges`` of the profile.

    Empty if no metric needs a judge.
    """
    if PAIRWISE not in metrics and not any(metric.needs_judge for metric in load_metrics(metrics)):
        return []
    brought = [chosen_judges] if isinstance(chosen_judges, str | Model) else list(chosen_judges)
    if not brought:
        return judges([], opener, profile)
    specs = list(dict.fromkeys(spec for spec in brought if isinstance(spec, str)))
    by_name = judges(specs, opener) if specs else []
    return [*by_name, *(Judge.of(judge) for judge in brought if isinstance(judge, Model))]


@accepts(ScoreOptions)
def score(options: ScoreOptions) -> RecordedScores:
    """The scores of an experiment: ``.scores`` holds the rows, ``.by_system("FP")`` a variant by system,
    ``.scoreboard`` one row per system, and ``.to_pandas()`` a data frame of them, with ``by="query"`` of each run.

    Existing verdicts are reused. ``metrics`` are names, ``module:attribute`` places or Metric objects; without any, the
    usual metrics and those that apply to this experiment. ``judge`` is one model or several, by name or already open.
    The rule-based offline:judge, which judges if neither ``judge`` nor a profile names a model, gives no ratings.

    Raises UserError for a folder without an experiment, for a wrong name, for options that contradict each other, and
    while another process writes there.
    """
    if kinds := text_list(options.by):
        from drretail.viewer.sections import slice_kinds

        slice_kinds(kinds)  # raises for a wrong name before anything is judged
    plan, settings = _planned(options)
    folder = plan.experiment
    board_judges = [judge.partition(" ")[0] for judge in read_board(folder).judge]
    if plan.judges and not plan.takes_board and {*board_judges} - {OFFLINE_JUDGE}:
        say(f"The board stays with {listed(board_judges)}: --judge {OFFLINE_JUDGE} replaces it.")
    pages = pages_by_label(settings, read_definition(folder).systems) if options.fetch_sources else None
    models = [judge.model for judge in plan.judges if judge.model is not None]
    allowance = allowance_for([folder], models, options.max_tokens, options.max_dollars)
    printing = redirect_stdout(sys.stderr)  # what a metric of one's own prints is no result
    with recorded_world(folder, options.world) as shop, printing:
        if options.queries is not None:
            _add_gold(folder, read_queries(Path(options.queries)), shop)
        whole = replace(plan, allowance=allowance, missing=pages, progress=choose_progress())
        run_loop(score_experiment(_in_shop(whole, shop)))
        scores = made_scores(folder)
    if any(system.is_of_shop for system in read_definition(folder).systems.values()):
        say("Answers are held against the shop's records as of their import: import them again after a new ingest.")
    for sentence in left_out_of_votes(counted_votes(folder)[1]):
        say(sentence)
    closing = " ".join(filter(None, (allowance.closing, changed_gold(folder)))) or None
    judging = _outcome(plan, scores, closing)
    return RecordedScores.of(scores, folder, load_metrics(plan.metrics), judging, options)


def _in_shop(plan: ScoringPlan, shop: World | None) -> ScoringPlan:
    """The plan with what is looked up in the shop, if it is at hand."""
    if shop is None:
        return replace(plan, references=references_of(plan.experiment, None))
    offers = Offers(shop)
    return replace(
        plan,
        store=shop.store,
        offers=offers.would_do,
        look_up=NamedProducts(shop).named_by_run,
        references=references_of(plan.experiment, shop, offers),
    )


def _outcome(plan: ScoringPlan, scores: Scores, closing: str | None) -> JudgingOutcome:
    """What became of the judging; ``closing`` is the sentence on a cap that was reached or on gold that changed."""
    folder, names, definition = plan.experiment, _names(plan), read_definition(plan.experiment)
    compared = choose_pairs(definition, plan.pairs) if PAIRWISE in plan.metrics else []
    refs = [judge.with_wording(plan.wording.label).ref for judge in plan.judges]
    assessors = [BY_CODE, *(Assessor(ref, plan.rules) for ref in refs)]
    unfetched = {row.system: int(row.items.get("unfetched", 0)) for row in scores.scores if row.variant == "FP_web"}
    return JudgingOutcome(
        names,
        judging_costs(folder),
        frozenset(account_stage(metric, assessor) for metric in names for assessor in assessors),
        failed_answers(scores, names, refs, plan.rules, compared),
        PAIRWISE in plan.metrics and not meetings(folder, definition, compared),
        sum(unfetched.values()),
        closing,
    )


@accepts(ScoreOptions)
def estimate_score(options: ScoreOptions) -> Result[Sequence[Estimate]]:
    """What is left to judge, and the calls, tokens and dollars that it is likely to take, for each metric and judge.

    Takes the options of ``score``. Nothing is sent, and no key is needed. Raises as ``score`` does.
    """
    from drretail.eval.estimate import estimate_judging

    plan, _ = _planned(options, keyless=True)
    judges = [judge.with_wording(plan.wording.label) for judge in plan.judges]
    parts = [*estimate_judging(plan.experiment, plan.metrics, judges, plan.again, plan.pairs, options.repeats)]
    return estimated(f"What is left to judge in {plan.experiment}", parts)


def _planned(options: ScoreOptions, *, keyless: bool = False) -> tuple[ScoringPlan, Settings]:
    """What these options ask for, with its judges opened. Raises UserError if they contradict each other, UnknownName
    for a wrong name.
    """
    folder = folder_of(options.experiment)
    metrics = metrics_in(options.metrics) or [*usual_metrics(folder)]
    for metric in load_metrics(metrics):
        if metric.lacks is not None and (reason := metric.lacks(folder)):
            say(f"{folder} {reason}.")
    _check(options, metrics)
    settings = read_settings(web=options.web)
    asked = judges_for(
        metrics, options.judge, Opener(settings, options.base_url, keyless=keyless), options.model_profile
    )
    wording = PACKAGED
    if options.prompts is not None:
        from drretail.api.prompts import all_prompt_files  # which loads the agents and LangChain

        wording = read_wording(Path(options.prompts), all_prompt_files())
    plan = ScoringPlan(
        folder,
        metrics,
        asked,
        rules=options.rules or read_definition(folder).preset or "default",
        judge_repeats=options.repeats,
        pairs=text_list(options.pairs),
        rate_floors=options.rate_floors,
        again=options.retry or "nothing",
        # If neither judges nor rules are named, offline:judge leaves the board to the judges before it.
        takes_board=bool(options.judge or options.rules) or any(judge.ref.spec != OFFLINE_JUDGE for judge in asked),
        wording=wording,
        criteria=_path(options.criteria),
        gold=_path(options.gold),
        packs=True,
    )
    return plan, settings


def _names(plan: ScoringPlan) -> frozenset[str]:
    """The metrics by the names that their rows have, also those requested as ``module:attribute``."""
    names = {metric for metric in plan.metrics if isinstance(metric, str)}
    return frozenset({*names, *(metric.name for metric in load_metrics(plan.metrics))})


def _check(options: ScoreOptions, metrics: Collection[str | Metric]) -> None:
    """Raises UserError for options that contradict each other."""
    if options.pairs and PAIRWISE not in metrics:
        raise UserError("--pairs says what pairwise compares: add it to the metrics, as in --metrics pairwise.")
    if options.retry == "everything" and (options.max_tokens is not None or options.max_dollars is not None):
        raise UserError(
            "--retry everything asks everything again each time, so it might never end under a cap: "
            "leave one of the two out."
        )


def _add_gold(folder: Path, queries: Sequence[Query], shop: World | None) -> None:
    """Adds gold to the queries that an experiment asks. Raises UserError without its world, and if they are others, or
    those before have changed.
    """
    if shop is None:
        raise UserError(f"Gold is added with the world of {folder} at hand: name it with --world.")
    if changed := changed_gold(folder):  # which would be sealed with what is added
        raise UserError(f"{changed} Remove {folder / GOLD}, and --queries brings all of it anew.")
    definition = read_definition(folder)
    query_ids = {query.query_id for query in definition.queries}
    with Experiment(folder, definition) as experiment:
        add_gold(experiment, shop, [query for query in queries if query.query_id in query_ids])


def failed_answers(
    scores: Scores,
    metrics: Collection[str],
    judges: Collection[JudgeRef],
    rules: str,
    compared: Sequence[tuple[str, str]],
) -> int:
    """How many questions of these metrics, rules, pairs and judges have no usable answer; no other judge was asked."""
    judged_by = {(judge.spec, judge.params_hash, rules) for judge in judges} | {(CODE, "", "default")}
    judged = (row for row in scores.judgings if row.metric in metrics)
    paired = (row for row in scores.pairs if (row.a, row.b) in compared or (row.b, row.a) in compared)
    failed = [(row, row.failed) for row in judged] + [(row, row.failed_verdicts) for row in paired]
    return sum(count for row, count in failed if (row.judge, row.judge_params, row.rules) in judged_by)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)
