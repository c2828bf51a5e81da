"""PQR's questions to a judge: a query's weights and criteria, a report's scores by them, its facts and
their support.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from drretail.addons.publications.triplets.triplet_support import judge_triplets
from drretail.addons.publications.weighted.axis import (
    Axis,
    by_dimension,
    checked_criteria,
    criterion_tags,
    persona_of,
    problems,
    profile_block,
    read_axes,
)
from drretail.eval.judging.question import REASON
from drretail.eval.judging.readings import report_material
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria
from drretail.records.reading import WHOLE_NUMBER

NAME = "pqr"
PERSONALIZATION, QUALITY = AXES = read_axes(Path(__file__).parent / "axes.toml")
SCORING = "scoring"
"""The stage of scores by criteria; an item is a dimension with the hash of the criteria."""
NO_PERSONA = "no profile of a user that the report could be made for"
NO_CRITERIA_FOR = "the query's criteria were made without a profile: remove their file to have them made with it"


class CriterionScore(Record):
    """How far a report meets one criterion, reasons first."""

    criterion: str
    analysis: Annotated[str, REASON]
    target_score: Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


class PersonalizationScores(Record):
    """A report's scores by the criteria of personalization."""

    goal_alignment: list[CriterionScore]
    content_alignment: list[CriterionScore]
    presentation_fit: list[CriterionScore]
    actionability_practicality: list[CriterionScore]


class QualityScores(Record):
    """A report's scores by the criteria of quality."""

    depth_insight: list[CriterionScore]
    logical_coherence: list[CriterionScore]
    clarity_readability: list[CriterionScore]


Scores = PersonalizationScores | QualityScores
_ANSWERS: Mapping[str, type[Scores]] = {PERSONALIZATION.name: PersonalizationScores, QUALITY.name: QualityScores}


def scoring_prompt(axis: Axis) -> Prompt:
    """The prompt of one axis, with its own words filled in."""
    text = load_prompt(__file__, "scoring").text
    return Prompt(axis.name, text.replace("{{stance}}", axis.stance).replace("{{dimensions}}", axis.prompt_text))


def item_of(key: str, criteria: Criteria) -> str:
    """The item of a dimension's verdict by these criteria."""
    return f"{key}@{criteria.hash}"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's scores in seven dimensions, and its facts with their support.

    Without a profile, or without criteria made for one, personalization is na; without criteria nothing is scored.
    """
    criteria = checked_criteria(subject, NAME, AXES)
    if criteria is not None:
        for axis in AXES:
            await _score(axis, criteria, subject, judge_session)
    await judge_triplets(subject, judge_session)


async def _score(axis: Axis, criteria: Criteria, subject: Subject, judge_session: JudgeSession) -> None:
    persona = persona_of(subject.query, subject.profile) if axis.sees_profile else None
    if axis.sees_profile and (persona is None or not axis.is_in(criteria)):
        reason = NO_PERSONA if persona is None else NO_CRITERIA_FOR
        for key in axis.keys:
            judge_session.record_if_missing(SCORING, item_of(key, criteria), "na", reason=reason)
        return
    prompt = scoring_prompt(axis)
    if all(judge_session.existing(SCORING, item_of(key, criteria), prompt.hash) for key in axis.keys):
        return
    answers: list[Scores] = []

    def check(answer: Scores) -> str | None:
        answers.append(answer)
        return problems(_by_dimension(axis, criteria, answer))

    item = item_of(axis.keys[0], criteria)
    material = {
        **report_material(subject),
        "profile": profile_block(persona, is_external=subject.is_external),
        "criteria": criterion_tags(axis, criteria),
    }
    reply = await judge_session.ask(SCORING, item, prompt, material, _ANSWERS[axis.name], check)
    # A criterion that the last answer still lacks fails its dimension only; the other dimensions are kept.
    answer = answers[-1] if answers else None
    by_dimension_key = {} if answer is None else _by_dimension(axis, criteria, answer)
    with judge_session.file.at_once():
        for key in axis.keys:
            scores = by_dimension_key.get(key, reply.error or "")
            is_whole = not isinstance(scores, str)
            judge_session.record(
                SCORING,
                item_of(key, criteria),
                "scored" if is_whole else "failed",
                [score.model_dump(mode="json") for score in scores.values()] if is_whole else None,
                prompt_hash=reply.prompt_hash,
                error=None if is_whole else scores,
            )


def _by_dimension(axis: Axis, criteria: Criteria, answer: Scores) -> dict[str, dict[str, CriterionScore] | str]:
    """By dimension, the scores by criterion under the criterion's own text, or what is wrong with them."""
    checked: dict[str, dict[str, CriterionScore] | str] = by_dimension(axis, criteria, lambda key: getattr(answer, key))
    for key, scores in checked.items():
        if not isinstance(scores, str):
            checked[key] = {text: score.model_copy(update={"criterion": text}) for text, score in scores.items()}
    return checked
