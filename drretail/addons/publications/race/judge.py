"""RACE's and FACT's questions to a judge: two reports' scores by criteria, and one report's citations."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from drretail.addons.publications.triplets.triplet_support import judge_triplets
from drretail.addons.publications.weighted.axis import (
    by_dimension,
    checked_criteria,
    criterion_tags,
    problems,
    read_axes,
)
from drretail.errors import UserError
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, planned_runs, read_subject, resolve_name
from drretail.experiment import Definition
from drretail.files import write_atomically
from drretail.grounding.report.render import render_report
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, file_name, sha256_of
from drretail.records.criteria import Criteria


def reference_file(experiment: Path, query_id: str) -> Path:
    return experiment / "references" / f"{file_name(query_id)}.md"


def reference_of(subject: Subject) -> str | None:
    """The reference report on the query of a run, or None."""
    if subject.folder is None:
        return None
    path = reference_file(subject.folder, subject.query.query_id)
    return path.read_text(encoding="utf-8") if path.exists() else None


def article_of(subject: Subject) -> str:
    """A run's report as it is scored, and as it is kept if it is the reference: with numbered references and their
    list.
    """
    return render_report(subject.report or "", subject.evidence.values(), style="plain").text


def keep_references(experiment: Path, definition: Definition, label: str) -> None:
    """Keeps the first report of a system on each query as that query's reference.

    Raises UnknownName for an unknown system, and UserError if it has no report, or if another reference of a query is
    kept.
    """
    label = resolve_name("system", label, definition.systems)
    articles: dict[str, str] = {}
    for planned in planned_runs(experiment, definition):
        if planned.label == label and planned.query.query_id not in articles:
            subject = read_subject(experiment, definition, planned, None)
            if subject.report is not None:
                articles[planned.query.query_id] = article_of(subject)
    if not articles:
        raise UserError(f"{label} has no report to compare others with: name another system with --reference.")
    for query_id, article in articles.items():
        path = reference_file(experiment, query_id)
        if path.exists() and path.read_text(encoding="utf-8") != article:
            raise UserError(f"{path} holds another reference than {label}'s: remove it, or leave --reference out.")
    for query_id, article in articles.items():
        if not (path := reference_file(experiment, query_id)).exists():
            write_atomically(path, article)


NAME = "race"
(AXIS,) = read_axes(Path(__file__).parent / "axes.toml")
STAGE = "side_by_side"
"""The stage of scores by criteria; an item is an order with the hashes of criteria and reference."""
Order = Literal["target_first", "reference_first"]
BOTH: tuple[Order, Order] = ("target_first", "reference_first")
NO_REFERENCE = "no reference report on this query: `score --reference LABEL` takes a system's, and so does a file"
IS_REFERENCE = "it is the reference report itself"


class PairScore(Record):
    """How far two reports meet one criterion, reasons first."""

    criterion: str
    analysis: str
    article_1_score: float = Field(ge=0, le=10)
    article_2_score: float = Field(ge=0, le=10)


class PairScores(Record):
    """Two reports' scores by all criteria."""

    comprehensiveness: list[PairScore]
    insight: list[PairScore]
    instruction_following: list[PairScore]
    readability: list[PairScore]


def prompt() -> Prompt:
    """The prompt, with the dimensions filled in."""
    text = load_prompt(__file__, "both").text
    return Prompt("both", text.replace("{{dimensions}}", AXIS.prompt_text))


def orders(rules: Rules) -> tuple[Order, ...]:
    """The orders in which the two reports are read: both or, as released, the target always first."""
    return BOTH[:1] if rules == "drb" else BOTH


def item_of(order: Order, criteria: Criteria, reference: str | None) -> str:
    """The item of a verdict by these criteria and this reference."""
    return f"{order}@{criteria.hash}-{'none' if reference is None else sha256_of(reference)[:8]}"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the scores of the report and of the reference in each order, and the report's facts with their support.

    The scores are na without a reference, and for the reference itself.
    """
    criteria = checked_criteria(subject, NAME, (AXIS,))
    if criteria is not None:
        reference = reference_of(subject)
        await judge_session.each(
            _score(order, criteria, reference, subject, judge_session) for order in orders(judge_session.rules)
        )
    await judge_triplets(subject, judge_session)


async def _score(
    order: Order, criteria: Criteria, reference: str | None, subject: Subject, judge_session: JudgeSession
) -> None:
    item = item_of(order, criteria, reference)
    article = article_of(subject)
    if reference is None or article.strip() == reference.strip():
        judge_session.record_if_missing(STAGE, item, "na", reason=NO_REFERENCE if reference is None else IS_REFERENCE)
        return
    first, second = (article, reference) if order == "target_first" else (reference, article)
    material = {
        "today": subject.today,
        "query": tagged("query", subject.query.text),
        "first": tagged("report", first, article="1"),
        "second": tagged("report", second, article="2"),
        "criteria": criterion_tags(AXIS, criteria),
    }
    await judge_session.ask_and_record(
        JudgeQuestion(
            STAGE,
            item,
            prompt(),
            material,
            PairScores,
            lambda answer: Ruling(_kept(order, criteria, answer)),
            lambda answer: problems(_by_dimension(criteria, answer)),
        )
    )


def _by_dimension(criteria: Criteria, answer: PairScores) -> dict[str, dict[str, PairScore] | str]:
    return by_dimension(AXIS, criteria, lambda key: getattr(answer, key))


def _kept(order: Order, criteria: Criteria, answer: PairScores) -> list[dict[str, object]]:
    """Each criterion in its own words, with the scores of target and reference."""
    first = order == "target_first"
    return [
        {
            "dimension": key,
            "criterion": text,
            "analysis": score.analysis,
            "target": score.article_1_score if first else score.article_2_score,
            "reference": score.article_2_score if first else score.article_1_score,
        }
        for key, scores in _by_dimension(criteria, answer).items()
        if not isinstance(scores, str)
        for text, score in scores.items()
    ]
