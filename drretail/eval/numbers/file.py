"""scores.json from the contents of the folder: all runs, and the verdicts of all judges, and what judges agree on.
A selection holds the rows of some metrics.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from shlex import quote

from pydantic import ValidationError

from drretail import __version__
from drretail.errors import UserError, shortened
from drretail.eval.ballots import read_votes
from drretail.eval.claims.claims import FAITHFULNESS as FAITHFULNESS
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.question import verdict_files
from drretail.eval.judging.subject import Labels, planned_runs, research_labels
from drretail.eval.metric import Metric
from drretail.eval.numbers.ablations import all_ablations
from drretail.eval.numbers.facts import NOT_RATED, Facts, all_facts, query_slices, slice_scores, summaries
from drretail.eval.numbers.family import assessors_of, chosen_pairs, family_of, floors_of, with_conclusions
from drretail.eval.numbers.gathering import (
    DAMAGED_RUNS,
    LACKS_IN_WORDS,
    NOT_JUDGED,
    Gathered,
    JudgedRun,
    gather,
)
from drretail.eval.numbers.judges import Assessor, TableKey, judge_spec
from drretail.eval.numbers.pairs import derive_pairs
from drretail.eval.numbers.scoreboard import VOTES, scoreboard
from drretail.eval.registry import METRICS, PAIRWISE, USUAL, installed
from drretail.experiments.experiment import read_definition, read_discarded
from drretail.experiments.packs import data_of
from drretail.experiments.run_file import read_members
from drretail.files import read_json
from drretail.records.account import Account
from drretail.records.base import sha256_of
from drretail.records.comparison import PairScore
from drretail.records.figures import counted
from drretail.records.score import CODE, Agreement, Judging, MadeOf, Scores, reasons_of
from drretail.records.vote import Vote
from drretail.stats.agreement import correlation
from drretail.stats.intervals import run_variance


def agreements(gathered: Gathered) -> list[Agreement]:
    """One row for each variant and pair of models that judged by the same rules, whoever was asked last.

    Floors and the oracle are left out. The paper's Appendix E does not say whether
    its ρ is over systems or over reports: both are given.
    """
    return [
        _agreement(gathered, metric, variant, first, second)
        for metric in gathered.metrics.values()
        for first, second in combinations(gathered.assessors(metric.name), 2)
        if first.rules == second.rules and "rule_based" not in (first.judge.kind, second.judge.kind)
        for variant in metric.variants
        if variant not in metric.pooled
    ]


def _agreement(gathered: Gathered, metric: Metric, variant: str, first: Assessor, second: Assessor) -> Agreement:
    ones, others = (gathered.tables_of_judges[TableKey(metric.name, assessor)] for assessor in (first, second))
    by_label: dict[str, list[tuple[float, float]]] = defaultdict(list)
    dropped = 0
    systems = frozenset(research_labels(gathered.definition))
    for plan in gathered.plans:
        if plan.label not in systems:
            continue
        a, b = _value(ones, plan.run_id, variant), _value(others, plan.run_id, variant)
        if a is not None and b is not None:
            by_label[plan.label].append((a, b))
        elif a is not None or b is not None:
            dropped += 1
    pairs = [pair for of_system in by_label.values() for pair in of_system]
    means = [(sum(a for a, _ in its) / len(its), sum(b for _, b in its) / len(its)) for its in by_label.values()]
    n = len(pairs)
    return Agreement(
        metric=metric.name,
        variant=variant,
        rules=first.rules,
        first=judge_spec(first.judge),
        second=judge_spec(second.judge),
        n_reports=n,
        n_dropped=dropped,
        rho_report=_rho(pairs),
        n_systems=len(means),
        rho_system=_rho(means),
        exact=round(sum(a == b for a, b in pairs) / n, 10) if n else None,
        difference=round(sum(abs(a - b) for a, b in pairs) / n, 10) if n else None,
    )


def _value(judged: Mapping[str, JudgedRun], run_id: str, variant: str) -> float | None:
    if run_id not in judged:
        return None
    value = judged[run_id].values.get(variant)
    return None if value is None else value.value


def _rho(pairs: list[tuple[float, float]]) -> float | None:
    rho = correlation([a for a, _ in pairs], [b for _, b in pairs], "spearman")
    return None if rho is None else round(rho, 10)


def rows_of_metrics(scores: Scores, names: Collection[str]) -> Scores:
    """The scores with the rows of these metrics only."""
    by_metric = ("scores", "judgings", "slices", "agreements", "ablations")
    chosen = {table: tuple(row for row in getattr(scores, table) if row.metric in names) for table in by_metric}
    without = {} if PAIRWISE in names else {"pairs": (), "ranks": ()}
    return scores.model_copy(update=chosen | without)


def without_board_metrics(scores: Scores) -> Scores:
    """The scores without the usual metrics that have a scoreboard column, or of which the board says that they are not
    rated, and without rows of no metric.

    Other metrics stay, since one column is not all that was asked for.
    """
    board = scores.scoreboard
    shown = set[str]() if board is None else {column.metric for column in board.columns}
    if board is not None and board.absent:
        rated = {row.metric for row in scores.scores if row.note != NOT_RATED}
        shown |= {name for name, metric in scores.metrics.items() if metric.scoreboard} - rated
    left = rows_of_metrics(scores, {row.metric for row in scores.scores} - (shown & {*USUAL}))
    paired = {"pairs": scores.pairs, "ranks": scores.ranks}
    return left.model_copy(update={**paired, "agreements": ()})


def other_metrics(scores: Scores, names: Collection[str]) -> list[str]:
    """The metrics of these scores besides the named ones, in their order."""
    present = [*(row.metric for row in scores.scores), *([PAIRWISE] if scores.pairs else [])]
    return [name for name in dict.fromkeys(present) if name not in names]


def _judging(facts: Facts) -> Judging:
    runs = facts.results
    errors = Counter(error for run in runs for error in run.errors)
    # Standard deviations of the headlines between repeats of the judge on one report; empty without repeats.
    noise: dict[str, float] = {}
    for variant in sorted(facts.metric.description.primary):
        values = [[repeat.get(variant) for repeat in run.by_repeat.values()] for run in runs]
        numbers = [[value.value for value in its if value and value.value is not None] for its in values]
        if (variance := run_variance(numbers)) is not None:
            noise[variant] = round(sqrt(variance), 10)
    return Judging(
        metric=facts.metric.name,
        system=facts.system,
        **facts.assessor.columns,
        verdicts=sum(run.verdicts for run in runs),
        failed=errors.total(),
        error=errors.most_common(1)[0][0] if errors else "",
        stale=sum(run.stale for run in runs),
        not_judged=sum(run.lacks == NOT_JUDGED for run in runs),
        repairs=sum(run.repairs for run in runs),
        prompts=tuple(sorted(frozenset[str]().union(*(run.prompts for run in runs)))),
        repeats=max((len(run.by_repeat) for run in runs), default=0) or 1,
        noise=noise,
    )


def account_stage(metric: str, assessor: Assessor) -> str:
    """What the account of a metric by a judge is called: "false_statements by offline:judge"."""
    by = "" if assessor.judge.spec == CODE else f" by {judge_spec(assessor.judge)}"
    return f"{metric}{by}{'' if assessor.rules == 'default' else f' (rules of {assessor.rules})'}"


def _accounts(every: Iterable[Facts], pairs: Iterable[PairScore], unit: str) -> tuple[Account, ...]:
    """What became of the reports in each metric by each judge, and of the pairs that were compared overall. Used are
    those with a value, and without a judgement that failed.
    """
    accounts: dict[str, Account] = {}
    for facts in every:
        stage = account_stage(facts.metric.name, facts.assessor)
        account = accounts.setdefault(stage, Account(stage, unit))
        for plan, judged in facts.runs:
            account.take()
            states = {value.state for value in judged.values.values()}
            if judged.lacks is not None:
                is_asked = judged.lacks in (NOT_JUDGED, DAMAGED_RUNS)
                account.leave_out(LACKS_IN_WORDS[judged.lacks], plan.run_id, failed=is_asked)
            elif "failed" in states or not states:
                error = shortened(next(iter(judged.errors), ""), LONGEST_ERROR)
                reason = "the judge failed" if judged.errors else "not judged to the end"
                account.leave_out(reason, f"{plan.run_id}{error and f', {error}'}", failed=True)
            elif "scored" in states:
                account.use()
            else:
                reasons = (reason for value in judged.values.values() for reason in reasons_of(value.items))
                account.leave_out(next(reasons, NOTHING_TO_SCORE), plan.run_id)
    for row in pairs:
        stage = account_stage(PAIRWISE, Assessor.of(row))
        account = accounts.setdefault(stage, Account(stage, "comparison"))
        account.take(row.n_planned)
        account.use(row.n_scored)
        account.leave_out(NOTHING_TO_SCORE, count=row.n_na)
        place, left = f"{row.a} ~ {row.b}{row.error and f', {shortened(row.error, LONGEST_ERROR)}'}", row.n_failed
        for reason, count in ((NO_REPORT, row.runs_failed), ("not judged", row.not_judged), ("the judge failed", left)):
            part = min(count, left)
            account.leave_out(reason, place, part, failed=reason != NO_REPORT)
            left -= part
    return tuple(accounts.values())


def _failed_judgements(judgings: Iterable[Judging], pairs: Iterable[PairScore]) -> Iterator[str]:
    """A sentence for each judge of whose judgements some failed."""
    counts = defaultdict[Assessor, list[tuple[int, int, str]]](list)
    for judging in judgings:
        counts[Assessor.of(judging)].append((judging.failed, judging.verdicts, judging.error))
    for row in pairs:
        counts[Assessor.of(row)].append((row.failed_verdicts, row.n_scored + row.failed_verdicts, row.error))
    for assessor, its in counts.items():
        if failed := sum(count for count, _, _ in its):
            _, _, error = max(its)
            of = counted(sum(verdicts for _, verdicts, _ in its), "judgement")
            again = "" if assessor.judge.follows_rules else " `drretail score … --retry failed` repeats them."
            why = f" ({shortened(error, LONGEST_ERROR)})" if error else ""
            yield f"{failed:,} of {of} by {judge_spec(assessor.judge)} failed{why}.{again}"


LONGEST_ERROR = 100
"""The characters of an error in an account."""
NOTHING_TO_SCORE, NO_REPORT = "nothing to score", "a report is missing"


def derive_scores(
    experiment: Path,
    metrics: Sequence[Metric],
    asked: Collection[TableKey] = (),
    asked_of_pairs: Sequence[tuple[Assessor, Labels]] = (),
    judge_notes: Mapping[str, str] | None = None,
) -> Scores:
    """The scores of these metrics by every judge with verdicts in the folder. Pure: equal folders give equal bytes.

    ``asked`` names judges of a metric that get rows even if there was nothing to judge, and ``asked_of_pairs`` judges
    of two systems. A judge that was not asked gets no rows for systems of which it judged nothing. ``judge_notes``
    are shown beside faithfulness, by the judge's key.
    """
    gathered = gather(experiment, sorted(metrics, key=_order), counts_words=True)
    every = [*all_facts(gathered, asked)]
    pairs, ranks = derive_pairs(experiment, gathered, asked_of_pairs)
    # On the board, corrections count the tests of those who were asked last alone.
    shown = gathered.shown
    shown_pairs = [row for row in pairs if gathered.board.has(*Assessor.of(row))]
    is_alone = len(research_labels(gathered.definition)) < 2
    family = (
        {}
        if is_alone
        else family_of(shown, chosen_pairs(gathered.definition)[1], assessors_of(shown, shown_pairs), shown_pairs)
    )
    pairs = with_conclusions(pairs, family)
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
    judgings = tuple(_judging(facts) for facts in every if not facts.is_hidden)
    board = scoreboard(
        shown,
        [row for row in scores if gathered.board.has(*Assessor.of(row))],
        described,
        family,
        floors_of(shown),
        [vote for vote in read_votes(experiment) if isinstance(vote, Vote)],
    )
    if board is not None:
        asked_last = (judging for judging in judgings if gathered.board.has(*Assessor.of(judging)))
        first = (*board.not_read, *_failed_judgements(asked_last, shown_pairs))
        board = board.model_copy(update={"not_read": first})
    unit = "answer" if gathered.are_answers else "report"
    compared = (row for row in pairs if row.dimension == PRIMARY and row.note is None)
    return Scores(
        scores=scores,
        metrics=described,
        judgings=judgings,
        audits=tuple(gathered.audits.values()),
        pairs=pairs,
        ranks=ranks,
        slices=tuple(slice_scores(of_others, query_slices(gathered.definition))),
        agreements=tuple(agreements(gathered)),
        ablations=tuple(all_ablations(gathered)),
        scoreboard=board,
        accounts=_accounts((facts for facts in every if not facts.is_hidden), compared, unit),
        made_of=made_of(experiment),
        systems=gathered.definition.systems,
    )


def made_of(experiment: Path) -> MadeOf:
    """What scores that are made now are made of."""
    definition = read_definition(experiment)
    runs, files = Counter(discarded.system for discarded in read_discarded(experiment)), dict[str, str]()
    for planned in planned_runs(experiment, definition):
        path = planned.path_in(experiment)
        try:
            files[planned.run_id] = sha256_of(read_members(path, "run")["run"][0]) if path.exists() else ""
        except UserError as problem:  # ended_run counts it as failed
            files[planned.run_id] = str(problem)
        runs[planned.label] += path.exists()
    lines = Counter[str]()
    for path in verdict_files(experiment):
        lines[path.parent.relative_to(experiment / "verdicts").as_posix()] += data_of(path).count(b"\n")
    if voted := sum(path.read_bytes().count(b"\n") for path in (experiment / VOTES).glob("*.jsonl")):
        lines[VOTES] = voted
    return MadeOf(version=__version__, runs=runs, content=sha256_of(files), verdicts=dict(sorted(lines.items())))


def outdated(experiment: Path, scores: Scores | None = None) -> str:
    """What has changed since the experiment was scored, in words; empty if nothing has, or if it was not scored."""
    scores = scores or read_scores(experiment)
    return "" if scores is None or scores.made_of is None else scores.made_of.changes(made_of(experiment))


def outdated_note(experiment: Path, changes: str) -> str:
    """A sentence on what ``outdated`` found, with the command that makes the scores again."""
    again = f"drretail score {quote(str(experiment))} makes them again"
    return f"The scores are older than the runs ({changes}): {again}."


def _order(metric: Metric) -> tuple[bool, int, str]:
    names = list(METRICS)
    is_listed = metric.name in names
    return not is_listed, names.index(metric.name) if is_listed else 0, metric.name


def read_scores(experiment: Path) -> Scores | None:
    """The scores in an experiment's folder, or None. Raises UserError for those of another version."""
    path = experiment / "scores.json"
    if not path.exists():
        return None
    try:
        scores = Scores.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is not as this version writes it: run drretail score again.") from problem
    systems = {"systems": read_definition(experiment).systems}
    board = scores.scoreboard and scores.scoreboard.model_copy(update=systems)
    return scores.model_copy(update=systems | {"scoreboard": board})


def made_scores(experiment: Path) -> Scores:
    """The same. Raises UserError if nothing was scored yet."""
    scores = read_scores(experiment)
    if scores is None:
        raise UserError(f"{experiment} has no scores yet: drretail score {experiment} makes them.")
    return scores
