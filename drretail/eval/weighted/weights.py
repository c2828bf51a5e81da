"""The questions that make the weights and criteria of a query, before any report on it is judged."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from pydantic import Field

from drretail.eval.judging.criteria import STAGE
from drretail.eval.judging.external_wording import SHOPPER, USER
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Task
from drretail.eval.weighted.axis import Axis, Dimension, normalised, off
from drretail.llm.structured import Check
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.query import Query
from drretail.records.score import ProfileSummary

T = TypeVar("T", bound=Record)


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
    """All that is asked, in today's words."""
    return tuple(
        prompt
        for axis in axes
        for prompt in (_weights_prompt(axis), *(_criteria_prompt(axis, dimension) for dimension in axis.dimensions))
    )


def persona_of(query: Query, profile: ProfileSummary | None) -> str | None:
    """Who asks, as a judge of personalization is told: the user's profile and history, else what the query says."""
    return query.persona if profile is None else profile.text


def profile_block(persona: str | None, *, is_external: bool) -> str:
    """What is known of who asks, in a tag; empty where that is nothing."""
    who = USER if is_external else SHOPPER
    return "" if persona is None else f"\nWhat is known of the {who}:\n{tagged('profile', persona)}\n"


def _weights_prompt(axis: Axis) -> Prompt:
    return _prompt("weights", axis, dimensions=axis.prompt_text)


def _criteria_prompt(axis: Axis, dimension: Dimension) -> Prompt:
    siblings = "\n".join(each.prompt_text for each in axis.dimensions if each != dimension)
    return _prompt("subcriteria", axis, dimension=dimension.prompt_text, siblings=siblings)


def _prompt(name: str, axis: Axis, **filled: str) -> Prompt:
    """A question with an axis' own words filled in, so that its hash names them too."""
    shared, text = (load_prompt(__file__, each).text for each in ("shared", name))
    for placeholder, words in {"stance": axis.stance, **filled}.items():
        shared, text = (each.replace(f"{{{{{placeholder}}}}}", words) for each in (shared, text))
    return Prompt(name, text, shared)


async def made_criteria(family: str, axes: Sequence[Axis], task: Task, judge_session: JudgeSession) -> Criteria | str:
    """Weights and criteria of these axes for a query, or why there are none.

    An axis made for a shopper is left out where nothing is known of one.
    """
    known = persona_of(task.query, task.profile) is not None
    wanted = [axis for axis in axes if known or not axis.sees_profile]
    made = await judge_session.together(_groups(axis, task, judge_session) for axis in wanted)
    failed = [each for each in made if isinstance(each, str)]
    if failed:
        return f"no usable weights and criteria: {'; '.join(failed)}"
    return Criteria(
        family=family,
        query_id=task.query.query_id,
        groups=tuple(group for groups in made if not isinstance(groups, str) for group in groups),
        made_by=judge_session.judge.ref.spec,
        prompt_hash=sha256_of([prompt.hash for prompt in weights_prompts(wanted)])[:16],
    )


async def _groups(axis: Axis, task: Task, judge_session: JudgeSession) -> list[CriteriaGroup] | str:
    """The dimensions of an axis with weights and criteria, or what went wrong."""
    persona = persona_of(task.query, task.profile) if axis.sees_profile else None
    today = "not known" if task.now is None else task.now.date().isoformat()
    given = {
        "today": tagged("today", today),
        "query": tagged("query", task.query.text),
        "profile": profile_block(persona, is_external=task.is_external),
    }

    async def ask(item: str, prompt: Prompt, answer: type[T], check: Check[T]) -> T | str:
        reply = await judge_session.ask(STAGE, item, prompt, given, answer, check)
        if reply.answer is None:  # so that it is asked anew when that is wanted, and not served from the journal
            judge_session.record(STAGE, item, "failed", prompt_hash=reply.prompt_hash, error=reply.error)
            return f"{item}: {reply.error}"
        return reply.answer

    def check_weights(reply: DimensionWeights) -> str | None:
        given = sorted(weight.dimension for weight in reply.weights)
        if given != sorted(axis.keys):
            return f"weights: give each of {', '.join(axis.keys)} once; these were given: {', '.join(given)}"
        return off([weight.weight for weight in reply.weights])

    weighed = ask(f"{axis.name}_weights", _weights_prompt(axis), DimensionWeights, check_weights)
    made = [
        ask(dimension.key, _criteria_prompt(axis, dimension), SubCriteria, _unusable) for dimension in axis.dimensions
    ]
    weights, *criteria = await judge_session.together([weighed, *made])
    problems = [each for each in (weights, *criteria) if isinstance(each, str)]
    if problems or not isinstance(weights, DimensionWeights):
        return "; ".join(problems)
    by_key = {weight.dimension: weight.weight for weight in weights.weights}
    shares = normalised([by_key[key] for key in axis.keys])
    usable = [criterion for criterion in criteria if isinstance(criterion, SubCriteria)]
    return [_group(*each) for each in zip(axis.keys, shares, usable, strict=True)]


def _group(key: str, share: float, reply: SubCriteria) -> CriteriaGroup:
    weights = normalised([criterion.weight for criterion in reply.criteria])
    return CriteriaGroup(
        name=key,
        weight=share,
        criteria=tuple(
            Criterion(text=criterion.criterion.strip(), explanation=criterion.explanation.strip(), weight=weight)
            for criterion, weight in zip(reply.criteria, weights, strict=True)
        ),
    )


def _unusable(reply: SubCriteria) -> str | None:
    texts = Counter(criterion.criterion.strip().casefold() for criterion in reply.criteria)
    twice = next((text for text, times in texts.items() if times > 1), None)
    if twice is not None or "" in texts:
        return "criteria: an empty one" if twice is None else f"criteria: {twice!r} is there twice"
    return off([criterion.weight for criterion in reply.criteria])
