"""Personalization and quality: dimensions that are weighed against each other for a query, and scored by criteria.

``axes.toml`` describes the dimensions. A model makes the weights and criteria of a query before any report on it is
judged.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, create_model

from drretail.errors import UserError
from drretail.eval.judging.criteria import STAGE, criteria_by, criteria_of
from drretail.eval.judging.dimensions import SHOPPER, USER
from drretail.eval.judging.question import REASON
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import CriteriaTask, Subject
from drretail.llm.prompt import Prompt, load_prompt, tagged
from drretail.llm.structured import Check
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query
from drretail.records.reading import WHOLE_NUMBER
from drretail.records.shop import ProfileSummary

NAME = "pqr"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One aspect of a report, with a score of its own."""

    key: str
    """Its name in files and in a judge's answer: ``goal_alignment``."""
    title: str
    variant: str
    """The name of its column: ``GOAL``."""
    text: str
    """What it covers."""

    @property
    def prompt_text(self) -> str:
        return f"- `{self.key}` ({self.title}): {self.text.strip()}"


@dataclass(frozen=True, slots=True)
class Axis:
    """Dimensions whose weights add up to 1."""

    name: str
    sees_profile: bool
    """True if weights and criteria are made for this shopper, not for anybody who asks the question."""
    stance: str
    """The beginning of all questions about it."""
    dimensions: tuple[Dimension, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dimension.key for dimension in self.dimensions)

    @property
    def prompt_text(self) -> str:
        return "\n".join(dimension.prompt_text for dimension in self.dimensions)

    def is_in(self, criteria: Criteria) -> bool:
        return all(criteria.group(key) is not None for key in self.keys)


def _read_axes() -> tuple[Axis, ...]:
    tables = tomllib.loads(Path(__file__).with_name("axes.toml").read_text(encoding="utf-8"))
    return tuple(
        Axis(
            name,
            sees_profile=axis["sees_profile"],
            stance=axis["stance"].strip(),
            dimensions=tuple(Dimension(key, **fields) for key, fields in axis["dimensions"].items()),
        )
        for name, axis in tables.items()
    )


PERSONALIZATION, QUALITY = AXES = _read_axes()
TOLERANCE = 0.01
"""How far a sum may be from 1; so much is rounding and is corrected."""
_NOTHING = 1e-9


def off(weights: Sequence[float]) -> str | None:
    """What is wrong with a model's weights; None if they add up to 1, within ``TOLERANCE``."""
    total = sum(weights)
    if any(weight < 0 for weight in weights):
        return "a weight is below 0"
    if not abs(total - 1) <= TOLERANCE + _NOTHING:  # also true of NaN
        return f"the weights add up to {total:g} and have to add up to 1"
    return None


def scaled_to_one(weights: Sequence[float]) -> list[float]:
    """The weights scaled to add up to 1; unchanged if they already do."""
    total = sum(weights)
    return list(weights) if abs(total - 1) <= _NOTHING else [weight / total for weight in weights]


def weighted_groups(
    axis: Axis, weights: Sequence[float], criteria: Iterable[Sequence[Criterion]]
) -> tuple[CriteriaGroup, ...]:
    """A group for each dimension, with the weights of dimensions and of criteria scaled to add up to 1."""
    groups: list[CriteriaGroup] = []
    for key, weight, of_key in zip(axis.keys, scaled_to_one(weights), criteria, strict=True):
        shares = zip(of_key, scaled_to_one([criterion.weight for criterion in of_key]), strict=True)
        scaled = tuple(criterion.model_copy(update={"weight": share}) for criterion, share in shares)
        groups.append(CriteriaGroup(name=key, weight=weight, criteria=scaled))
    return tuple(groups)


def weighted_mean(parts: Iterable[tuple[float, float]]) -> float:
    """Σ weight · value over pairs (weight, value); the weights add up to 1 except for rounding, which is corrected."""
    pairs = list(parts)
    weights = scaled_to_one([weight for weight, _ in pairs])
    return sum(weight * value for weight, (_, value) in zip(weights, pairs, strict=True))


def checked_criteria(subject: Subject) -> Criteria | None:
    """The criteria for reports on the query, None if there are none. Raises as ``check_sums``."""
    criteria = criteria_of(subject, NAME)
    if criteria is not None:
        check_sums(criteria)
    return criteria


def check_sums(criteria: Criteria) -> None:
    """Raises UserError if an edit left weights that don't add up to 1, or a dimension without criteria.

    The message names the file.
    """
    place = f"rubrics/{criteria.metric}/{criteria.query_id}.json"
    for axis in AXES:
        groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
        if not groups:
            continue
        lacking = [key for key in axis.keys if criteria.group(key) is None]
        if lacking:
            raise UserError(f"{place} has no group {lacking[0]!r}: add it, or remove the whole axis.")
        sets = {f"the dimensions of {axis.name}": [group.weight for group in groups]}
        sets |= {group.name: [criterion.weight for criterion in group.criteria] for group in groups}
        for name, weights in sets.items():
            if problem := off(weights):
                raise UserError(f"{place}, {name}: {problem}.")


class CriterionScore(Record):
    """How far a report meets one criterion, reasons first."""

    criterion: str
    analysis: Annotated[str, REASON]
    target_score: Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


def axis_schema(axis: Axis) -> type[Record]:
    """The schema of an answer about all criteria of an axis: a field for each dimension, with a list of scores."""
    fields: dict[str, Any] = dict.fromkeys(axis.keys, (list[CriterionScore], ...))
    name, doc = f"{axis.name.capitalize()}Scores", f"A report's scores by the criteria of {axis.name}."
    return create_model(name, __base__=Record, __doc__=doc, __module__=__name__, **fields)


def matched(criteria: Sequence[Criterion], answers: Iterable[CriterionScore]) -> list[CriterionScore] | str:
    """The answer to each criterion, in its own words; or what is wrong: one is missing, given twice, or unknown.

    Words are compared exactly, then without regard to case. Nothing is guessed: a score under other words is not used.
    """
    exact = {criterion.text: criterion.text for criterion in criteria}
    folded = {criterion.text.strip().casefold(): criterion.text for criterion in criteria}
    by_text: dict[str, CriterionScore] = {}
    for answer in answers:
        text = exact.get(answer.criterion) or folded.get(answer.criterion.strip().casefold())
        if text is None:
            return f"{answer.criterion!r} is no criterion: copy the criteria word for word"
        if text in by_text:
            return f"{text!r} is there twice"
        by_text[text] = answer.model_copy(update={"criterion": text})
    missing = [criterion.text for criterion in criteria if criterion.text not in by_text]
    return f"{missing[0]!r} is missing" if missing else [*by_text.values()]


def by_dimension(axis: Axis, criteria: Criteria, answer: Record) -> dict[str, list[CriterionScore] | str]:
    """By dimension, what an answer in the schema ``axis_schema`` says of its criteria, or what is wrong with that."""
    groups = {key: criteria.group(key) for key in axis.keys}
    return {
        key: matched(() if group is None else group.criteria, getattr(answer, key)) for key, group in groups.items()
    }


def problems(by_dimension_key: Mapping[str, object]) -> str | None:
    """What is wrong with the scores of dimensions, worded for a judge; None if nothing is."""
    messages = [f"{key}: {problem}" for key, problem in by_dimension_key.items() if isinstance(problem, str)]
    return "; ".join(messages) or None


def criterion_tags(axis: Axis, criteria: Criteria) -> str:
    """The criteria of an axis for a prompt, each in a tag. The judge who scores does not see their weights."""
    groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
    return "\n".join(
        tagged(
            "criterion",
            f"{criterion.text}\n({criterion.explanation})" if criterion.explanation else criterion.text,
            dimension=group.name,
        )
        for group in groups
        for criterion in group.criteria
    )


A = TypeVar("A", bound=Record)


class DimensionWeight(Record):
    dimension: str
    weight: float


class DimensionWeights(Record):
    """How much each dimension weighs for a task, reasons first."""

    analysis: str
    weights: list[DimensionWeight]


class SubCriterion(Record):
    criterion: str = Field(min_length=1)
    explanation: str
    weight: float


class SubCriteria(Record):
    """What a report is looked at for in one dimension, reasons first."""

    analysis: str
    criteria: list[SubCriterion] = Field(min_length=1)


def weights_prompts(axes: Sequence[Axis]) -> tuple[Prompt, ...]:
    """All prompts as they are worded now: for each axis the weights, then the criteria of each dimension.

    An axis' own words are filled in, so that a prompt's hash covers them, too.
    """
    prompts: list[Prompt] = []
    shared = load_prompt(__file__, "shared").text
    for axis in axes:
        fields = [("weights", {"dimensions": axis.prompt_text})]
        for dimension in axis.dimensions:
            siblings = "\n".join(sibling.prompt_text for sibling in axis.dimensions if sibling != dimension)
            fields.append(("subcriteria", {"dimension": dimension.prompt_text, "siblings": siblings}))
        for name, filled in fields:
            both = [shared, load_prompt(__file__, name).text]
            for placeholder, words in {"stance": axis.stance, **filled}.items():
                both = [text.replace(f"{{{{{placeholder}}}}}", words) for text in both]
            prompts.append(Prompt(name, both[1], both[0]))
    return tuple(prompts)


def asker_text(query: Query, profile: ProfileSummary | None) -> str | None:
    """The asker as a judge of personalization sees them.

    That is the user's profile and history or, without one, the query's persona.
    """
    return query.persona if profile is None else profile.text


def asker_block(persona: str | None, *, is_external: bool) -> str:
    """What is known of the asker, in a tag; empty if nothing is known."""
    who = USER if is_external else SHOPPER
    return "" if persona is None else f"\nWhat is known of the {who}:\n{tagged('profile', persona)}\n"


async def made_criteria(task: CriteriaTask, judge_session: JudgeSession) -> Criteria | str:
    """The weights and criteria of both axes for a query, or why there are none.

    An axis made for a shopper is left out if nothing is known of the shopper.
    """
    has_persona = asker_text(task.query, task.profile) is not None
    wanted = [axis for axis in AXES if has_persona or not axis.sees_profile]
    made_groups = await judge_session.together(_groups(axis, task, judge_session) for axis in wanted)
    failed = [problem for problem in made_groups if isinstance(problem, str)]
    if failed:
        return f"no usable weights and criteria: {'; '.join(failed)}"
    groups = (group for groups in made_groups if not isinstance(groups, str) for group in groups)
    return criteria_by(judge_session, task, NAME, groups, *weights_prompts(wanted))


async def _groups(axis: Axis, task: CriteriaTask, judge_session: JudgeSession) -> tuple[CriteriaGroup, ...] | str:
    """An axis' dimensions with weights and criteria, or why there are none."""
    persona = asker_text(task.query, task.profile) if axis.sees_profile else None
    today = "not known" if task.now is None else task.now.date().isoformat()
    material = {
        "today": tagged("today", today),
        "query": tagged("query", task.query.text),
        "profile": asker_block(persona, is_external=task.is_external),
    }

    async def ask(item: str, prompt: Prompt, answer: type[A], check: Check[A]) -> A | str:
        reply = await judge_session.ask(STAGE, item, prompt, material, answer, check)
        if reply.answer is None:  # so that a retry asks again instead of reading the journal
            judge_session.record(STAGE, item, "failed", prompt_hash=reply.prompt_hash, error=reply.error)
            return f"{item}: {reply.error}"
        return reply.answer

    def check_weights(reply: DimensionWeights) -> str | None:
        names = sorted(weight.dimension for weight in reply.weights)
        if names != sorted(axis.keys):
            return f"weights: give each of {', '.join(axis.keys)} once; these were given: {', '.join(names)}"
        return off([weight.weight for weight in reply.weights])

    def check_criteria(reply: SubCriteria) -> str | None:
        texts = Counter(criterion.criterion.strip().casefold() for criterion in reply.criteria)
        twice = next((text for text, times in texts.items() if times > 1), None)
        if twice is not None or "" in texts:
            return "criteria: an empty one" if twice is None else f"criteria: {twice!r} is there twice"
        return off([criterion.weight for criterion in reply.criteria])

    of_weights, *of_dimensions = weights_prompts([axis])
    weighed = ask(f"{axis.name}_weights", of_weights, DimensionWeights, check_weights)
    by_key = zip(axis.keys, of_dimensions, strict=True)
    criteria_asks = [ask(key, prompt, SubCriteria, check_criteria) for key, prompt in by_key]
    weights, *criteria = await judge_session.together([weighed, *criteria_asks])
    problems = [problem for problem in (weights, *criteria) if isinstance(problem, str)]
    if problems or not isinstance(weights, DimensionWeights):
        return "; ".join(problems)
    weight_of = {weight.dimension: weight.weight for weight in weights.weights}
    of_dimensions = (
        [
            Criterion(text=sub.criterion.strip(), explanation=sub.explanation.strip(), weight=sub.weight)
            for sub in reply.criteria
        ]
        for reply in criteria
        if isinstance(reply, SubCriteria)
    )
    return weighted_groups(axis, [weight_of[key] for key in axis.keys], of_dimensions)
