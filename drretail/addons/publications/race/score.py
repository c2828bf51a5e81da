"""RACE's and FACT's questions to a judge (two reports' scores by criteria, one report's citations) and their formulas,
which are pure functions; the metric.

drretail/addons/publications/README.md gives each with its reason, and says where the released rule differs.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import Field, ValidationError

from drretail.addons.publications import DESCRIPTIONS
from drretail.addons.publications.triplets.triplet_support import Fact, judge_triplets, judged_facts, triplet_prompts
from drretail.addons.publications.weighted import axis as weighted
from drretail.errors import UserError
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject, planned_runs, read_subject, resolve_name
from drretail.eval.metric import UNFETCHED_PAGES, Metric, Value, description_of, joined, lacking, pooled_share
from drretail.experiment import Definition
from drretail.files import read_jsonl, write_atomically
from drretail.grounding.report.render import render_report
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.records.base import Record, Rules, file_name, sha256_of
from drretail.records.criteria import Criteria, Criterion
from drretail.records.query import Query
from drretail.records.score import Verdict, VerdictState


def reference_file(experiment: Path, query_id: str) -> Path:
    return experiment / "references" / f"{file_name(query_id)}.md"


def reference_of(subject: Subject) -> str | None:
    """The reference report on the query of a run, or None."""
    if subject.folder is None:
        return None
    path = reference_file(subject.folder, subject.query.query_id)
    return path.read_text(encoding="utf-8") if path.exists() else None


def article_of(subject: Subject) -> str:
    """A run's report as it is scored, and kept if it is the reference: with numbered references and their list."""
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
(AXIS,) = weighted.read_axes(Path(__file__).parent / "axes.toml")
STAGE = "side_by_side"
"""The stage of scores by criteria; an item is an order with the hashes of criteria and reference."""
Order = Literal["target_first", "reference_first"]
BOTH: tuple[Order, Order] = ("target_first", "reference_first")
NO_REFERENCE = "no reference report on this query: `score --reference LABEL` takes a system's, and so does a file"
IS_REFERENCE = "it is the reference report itself"


class PairScore(weighted.CriterionAnswer):
    """How far two reports meet one criterion, reasons first."""

    analysis: str
    article_1_score: float = Field(ge=0, le=10)
    article_2_score: float = Field(ge=0, le=10)


ANSWER = weighted.answer_of(AXIS, "PairScores", "Two reports' scores by all criteria.", PairScore)


def prompt() -> Prompt:
    text = load_prompt(__file__, "both").text
    return Prompt("both", text.replace("{{dimensions}}", AXIS.prompt_text))


def orders(rules: Rules) -> tuple[Order, ...]:
    """The orders in which the two reports are read: both or, as released, the target always first."""
    return BOTH[:1] if rules == "drb" else BOTH


def item_of(order: Order, criteria: Criteria, reference: str | None) -> str:
    return f"{order}@{criteria.hash}-{'none' if reference is None else sha256_of(reference)[:8]}"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the scores of the report and of the reference in each order, and the report's facts with their support.

    The scores are na without a reference, and for the reference itself.
    """
    criteria = weighted.checked_criteria(subject, NAME, (AXIS,))
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
        "criteria": weighted.criterion_tags(AXIS, criteria),
    }

    def read(answer: Record) -> Ruling:
        """Each criterion in its own words, with the scores of target and reference."""
        is_first = order == "target_first"
        return Ruling(
            [
                {
                    "dimension": key,
                    "criterion": score.criterion,
                    "analysis": score.analysis,
                    "target": score.article_1_score if is_first else score.article_2_score,
                    "reference": score.article_2_score if is_first else score.article_1_score,
                }
                for key, scores in weighted.by_dimension(AXIS, criteria, answer).items()
                for score in scores
                if isinstance(score, PairScore)
            ]
        )

    def check(answer: Record) -> str | None:
        return weighted.problems(weighted.by_dimension(AXIS, criteria, answer))

    await judge_session.ask_and_record(JudgeQuestion(STAGE, item, prompt(), material, ANSWER, read, check))


def published_criteria(path: Path, queries: Sequence[Query]) -> list[Criteria]:
    """The criteria of the queries whose text equals a prompt of the file, with weights normalised to a sum of 1.

    Raises UserError for a file of another form.
    """
    found: list[Criteria] = []
    try:
        tasks = {" ".join(task["prompt"].split()): task for task in read_jsonl(path, forgives_a_cut=False)}
        for query in queries:
            task = tasks.get(" ".join(query.text.split()))
            if task is None or not {*AXIS.keys} <= {*task["criterions"]}:
                continue
            criteria = [
                [
                    Criterion(text=each["criterion"], explanation=each.get("explanation", ""), weight=each["weight"])
                    for each in task["criterions"][key]
                ]
                for key in AXIS.keys
            ]
            weights = [task["dimension_weight"].get(key, 0.0) for key in AXIS.keys]
            groups = weighted.weighted_groups(AXIS, weights, criteria)
            found.append(Criteria(metric=NAME, query_id=query.query_id, groups=groups, made_by="DeepResearch Bench"))
    except (KeyError, TypeError, AttributeError, ValidationError) as problem:
        wanted = "prompt, dimension_weight and criterions on each line"
        raise UserError(f"{path} does not hold DeepResearch Bench's criteria: it needs {wanted}.") from problem
    return found


VERSION = 1
RACE = "RACE"
BY_ORDER: Mapping[Order, str] = {"target_first": "RACE_first", "reference_first": "RACE_second"}
VALID, VALID_MEAN, CITATIONS, VALID_COUNT = "valid_rate", "valid_rate_mean", "citations", "valid_citations"
FACT = (VALID, VALID_MEAN, CITATIONS, VALID_COUNT)
VARIANTS = (RACE, *AXIS.keys, *BY_ORDER.values(), *FACT)
BOTH_NOUGHT = "report and reference both got nought"


def share(target: float, reference: float, *, of_nothing: float | None) -> float | None:
    """T / (T + R), which is 0.5 if both are equal; ``of_nothing`` if both are 0."""
    return target / (target + reference) if target + reference else of_nothing


def values(verdicts: Sequence[Verdict], criteria: Criteria | None, reference: str | None, rules: Rules) -> list[Value]:
    """A report's value in every variant, in the order of ``VARIANTS``."""
    value_of = {value.variant: value for value in _race(verdicts, criteria, reference, rules)}
    value_of |= {value.variant: value for value in _fact(judged_facts(verdicts), rules)}
    return [value_of[variant] for variant in VARIANTS if variant in value_of]


def _race(verdicts: Sequence[Verdict], criteria: Criteria | None, reference: str | None, rules: Rules) -> list[Value]:
    if criteria is None:
        state: VerdictState = "na" if reference is None else "failed"
        return [
            lacking(each, state, NO_REFERENCE)
            for each in (RACE, *AXIS.keys, *(BY_ORDER[order] for order in orders(rules)))
        ]
    by_item = {each.item: each for each in verdicts if each.stage == STAGE}
    by_order = {order: by_item.get(item_of(order, criteria, reference)) for order in orders(rules)}
    # In the released code, two zeros give 0, although that does not say which is better.
    of_nothing = 0.0 if rules == "drb" else None
    shares = {order: _shares(verdict, criteria, of_nothing) for order, verdict in by_order.items()}
    # A mean needs both orders, since one alone does not control for position.
    means = [joined(each, [by_name[each] for by_name in shares.values()], fmean) for each in (RACE, *AXIS.keys)]
    return [*means, *(joined(BY_ORDER[order], [shares[order][RACE]], fmean) for order in BOTH if order in shares)]


def _shares(verdict: Verdict | None, criteria: Criteria, of_nothing: float | None) -> dict[str, Value]:
    """The final score and that of each dimension, in one order."""
    if verdict is None or verdict.state != "scored":
        state: VerdictState = "failed" if verdict is None else verdict.state
        why = "" if verdict is None else verdict.reason
        return {each: lacking(each, state, why) for each in (RACE, *AXIS.keys)}
    target, reference = totals(verdict.value, criteria)
    values_by_name: dict[str, Value] = {}
    for name in (RACE, *AXIS.keys):
        value = share(target[name], reference[name], of_nothing=of_nothing)
        values_by_name[name] = lacking(name, "na", BOTH_NOUGHT) if value is None else Value(name, "scored", value)
    return values_by_name


def totals(
    scores: Sequence[Mapping[str, object]], criteria: Criteria
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The scores of target and reference, overall and by dimension, 0 to 10.

    dim = Σ w_c · s_c over a dimension's criteria, total = Σ w_d · dim.
    """
    by_criterion = {(score["dimension"], score["criterion"]): score for score in scores}
    sides: list[dict[str, float]] = []
    for side in ("target", "reference"):
        groups = [group for key in AXIS.keys if (group := criteria.group(key)) is not None]
        dims = {
            group.name: weighted.weighted_mean(
                (criterion.weight, float(str(by_criterion[group.name, criterion.text][side])))
                for criterion in group.criteria
            )
            for group in groups
        }
        sides.append({**dims, RACE: weighted.weighted_mean((group.weight, dims[group.name]) for group in groups)})
    target, reference = sides
    return target, reference


def _fact(facts: Sequence[Fact] | None, rules: Rules) -> list[Value]:
    """Citations of a report: each reference of each unique fact, except those with an unknown verdict."""
    pairs = [reference for fact in facts or () for reference in fact.references]
    if facts is None or any(reference.state is None for reference in pairs):
        return [Value(literal, "failed") for literal in FACT]
    if not any(fact.sources or fact.unresolved for fact in facts):
        return [lacking(literal, "na", "the report cites nothing") for literal in FACT]
    known = [reference for reference in pairs if reference.state == "scored" and not reference.is_unknown]
    if not known and any(reference.state == "failed" for reference in pairs):
        return [Value(literal, "failed") for literal in FACT]
    supported = float(sum(reference.support > 0 if rules == "drb" else reference.support == 1 for reference in known))
    items = {"supported": supported, "known": float(len(known)), "cited": float(len(pairs))}
    rate = supported / len(known) if known else None
    without: VerdictState = "unverifiable" if any(reference.state != "na" for reference in pairs) else "na"
    if rate is None:
        items |= lacking(VALID, without, UNFETCHED_PAGES).items
    return [
        *(Value(literal, without if rate is None else "scored", rate, items) for literal in (VALID, VALID_MEAN)),
        Value(CITATIONS, "scored", float(len(known))),
        Value(VALID_COUNT, "scored", supported),
    ]


DESCRIPTION = description_of("race", DESCRIPTIONS)


METRIC = Metric(
    NAME,
    VERSION,
    judge,
    lambda subject, verdicts, rules: values(
        verdicts, weighted.checked_criteria(subject, NAME, (AXIS,)), reference_of(subject), rules
    ),
    VARIANTS,
    DESCRIPTION,
    lambda: [*triplet_prompts(), prompt(), *weighted.weights_prompts((AXIS,))],
    rules=("default", "drb"),
    is_opinion=True,
    pooled={VALID: pooled_share(VALID, "supported", "known")},
    prepare=partial(weighted.made_criteria, NAME, (AXIS,)),
    published=published_criteria,
    inputs={"reference": keep_references},
)
