"""What people and judges said of the same things: votes, ratings and labels of an experiment, in one shape."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drretail.eval.ballots import read_votes
from drretail.eval.claims.claims import SUPPORT as SUPPORT_STAGE
from drretail.eval.family import Family
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.pairs import meetings, pair_id
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.registry import load_metric
from drretail.eval.scores.gathering import Gathered, Plan, gather
from drretail.eval.scores.pair_outcomes import read_outcomes
from drretail.eval.scores.panel import is_panel, name_of
from drretail.experiment import read_runs
from drretail.records.score import JudgeRef, Rules
from drretail.records.vote import CitedLabel, ClaimLabel, Rating, Vote
from drretail.stats.agreement import Level

Kind = Literal["person", "judge"]


@dataclass(frozen=True, slots=True)
class Scale:
    """What can be said, as numbers in their order."""

    name: str
    level: Level
    values: tuple[float, ...] = ()
    """All there are; empty where any number may be said."""
    tie: float | None = None


PREFERENCE = Scale("preference", "nominal", (-1, 0, 1), tie=0)
"""Which of two reports is better: 1 the first, by label, -1 the second."""
RATING = Scale("rating", "interval", tuple(range(11)))
SUPPORT = Scale("support", "ordinal", (0, 0.5, 1))
"""Whether sources bear out a claim: none (or contradicted), partial, full."""
SUPPORT_OF = {"full": 1.0, "partial": 0.5, "none": 0.0, "contradicted": 0.0}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every item: a scale, and of which dimension."""

    scale: Scale
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one rater said of one item."""

    question: Question
    rater: str
    kind: Kind
    item: str
    value: float
    query_id: str = ""
    system: str = ""
    """Whose report it is; empty where it is not about a single one."""
    judge: JudgeRef | None = None
    """Who that is; None of people, and of judges in files."""


def opinions_of(experiment: Path) -> list[Opinion]:
    """All that people said in ``view``, and what judges' verdicts say of the same reports, pairs and claims.

    A rule-based judge's ratings and preferences are no opinions, and a panel's are its members'. Raises UserError as
    ``read_votes`` and ``gather`` do.
    """
    quality, faithfulness = (load_metric(it) for it in ("quality", "faithfulness"))
    gathered = gather(experiment, [quality, faithfulness])
    return [
        *(_of_ballot(it) for it in read_votes(experiment) if not isinstance(it, CitedLabel)),
        *_ratings(gathered, quality),
        *_preferences(experiment, gathered),
        *_supports(experiment, gathered, faithfulness),
    ]


def _of_ballot(ballot: Vote | Rating | ClaimLabel) -> Opinion:
    rater, kind, query = ballot.annotator, "person", ballot.query_id
    if isinstance(ballot, Vote):
        won = {ballot.a: "a", ballot.b: "b"}
        first = min(ballot.a, ballot.b)
        value = 0.0 if ballot.choice == "tie" else 1.0 if won[first] == ballot.choice else -1.0
        return Opinion(Question(PREFERENCE, ballot.dimension), rater, kind, ballot.pair_id, value, query)
    system = ballot.run_id.partition("/")[0]
    if isinstance(ballot, Rating):
        item = f"{ballot.run_id} {ballot.report_sha}"
        return Opinion(Question(RATING, ballot.dimension), rater, kind, item, float(ballot.value), query, system)
    item = f"{ballot.run_id} {ballot.report_sha} {ballot.extracted_by} {ballot.claim_id}"
    return Opinion(Question(SUPPORT), rater, kind, item, SUPPORT_OF[ballot.label], query, system)


def _ratings(gathered: Gathered, quality: Family) -> Iterator[Opinion]:
    for assessor in gathered.assessors(quality.name):
        if not _has_opinions(assessor.judge):
            continue
        for plan, heard in gathered.judged_runs(quality.name, assessor):
            for dimension, value in heard.result.values.items():
                if value.value is not None and dimension not in quality.pooled:
                    item = f"{plan.run_id} {plan.report_sha}"
                    question = Question(RATING, dimension)
                    who = judge_name(assessor.judge, assessor.rules)
                    about = plan.query.query_id, plan.label
                    yield Opinion(question, who, "judge", item, value.value, *about, judge=assessor.judge)


def _has_opinions(judge: JudgeRef) -> bool:
    return judge.kind != "rule_based" and not is_panel(judge)


def _preferences(experiment: Path, gathered: Gathered) -> Iterator[Opinion]:
    reports = {run.run_id: run.report for run in read_runs(experiment)}
    for assessor, by_pair in read_outcomes(experiment, gathered).items():
        if not _has_opinions(assessor.judge):
            continue
        for labels, by_dimension in by_pair.items():
            met = meetings(experiment, gathered.definition, [labels])
            for dimension, outcomes in by_dimension.items():
                for meeting, outcome in zip(met, outcomes, strict=True):
                    if outcome.result is None:
                        continue
                    item = pair_id(meeting.run_ids, [reports.get(it) for it in meeting.run_ids])
                    value = float((outcome.result > 0.5) - (outcome.result < 0.5))
                    question = Question(PREFERENCE, dimension)
                    who = judge_name(assessor.judge, assessor.rules)
                    yield Opinion(question, who, "judge", item, value, outcome.query_id, judge=assessor.judge)


def _supports(experiment: Path, gathered: Gathered, faithfulness: Family) -> Iterator[Opinion]:
    prompts = in_all_wordings(experiment, faithfulness.prompt_hashes)
    folders = [it.name for it in sorted((experiment / "verdicts" / faithfulness.name).glob("*/"))]
    for plan in gathered.plans:
        for path in (verdict_path(experiment, faithfulness.name, it, plan.label, _run(plan)) for it in folders):
            for said in VerdictFile(path).living(plan.report_sha or "", prompts) if path.exists() else ():
                if (said.stage, said.state, said.judge_repeat) == (SUPPORT_STAGE, "scored", 1):
                    who = judge_name(said.judge, said.rules)
                    item = f"{plan.run_id} {plan.report_sha} {_by(said.judge, said.rules)} {said.item}"
                    about = plan.query.query_id, plan.label
                    yield Opinion(Question(SUPPORT), who, "judge", item, float(said.value), *about, judge=said.judge)


def _run(plan: Plan) -> str:
    return plan.run_id.partition("/")[2]


def _by(judge: JudgeRef, rules: Rules) -> str:
    """As ballots name the judge whose claims were labelled."""
    return name_of(judge) if rules == "default" else f"{name_of(judge)} under the rules of {rules}"


def judge_name(judge: JudgeRef, rules: Rules) -> str:
    """ "provider:model", and under which rules where they are not the default ones."""
    return name_of(judge) if rules == "default" else f"{name_of(judge)} ({rules})"


def named(question: Question) -> str:
    """ "rating: overall", "support"."""
    return ": ".join(filter(None, [question.scale.name, question.dimension.replace("_", " ")]))


def by_question(opinions: Iterable[Opinion]) -> dict[Question, list[Opinion]]:
    """Opinions by what was asked, in the order in which questions come first."""
    held: dict[Question, list[Opinion]] = {}
    for opinion in opinions:
        held.setdefault(opinion.question, []).append(opinion)
    return held
