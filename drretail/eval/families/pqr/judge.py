"""What a judge is asked of PQR: weights and criteria of a query, a report's scores by them, its facts and support."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import field_validator

from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.material import report_and_sources
from drretail.eval.judging.session import JudgeAnswer, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.triplets.triplet_support import judge_triplets
from drretail.eval.weighted.axis import Axis, read_axes
from drretail.eval.weighted.matching import criterion_tags, matched, problems
from drretail.eval.weighted.shares import check_sums
from drretail.eval.weighted.weighing import persona_of, profile_block
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.criteria import Criteria

FAMILY = "pqr"
PERSONALIZATION, QUALITY = AXES = read_axes(Path(__file__).parent / "axes.toml")
SCORING = "scoring"
"""The stage of scores by criteria; its items are a dimension and the hash of the criteria."""
NO_PERSONA = "no profile of a user that the report could be made for"
NO_CRITERIA_FOR = "the query's criteria were made without a profile: remove their file to have them made with it"


class CriterionScore(Record):
    """How far a report meets one criterion, reasons first."""

    criterion: str
    analysis: str
    target_score: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    @field_validator("target_score", mode="before")
    @classmethod
    def _is_a_number(cls, score: object) -> object:
        if isinstance(score, bool):  # a Literal takes true for 1
            raise ValueError("it has to be a whole number from 0 to 10, not true or false")
        return score


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
    """The question of one axis, with its own words filled in."""
    text = load_prompt(__file__, "scoring").text
    return Prompt(axis.name, text.replace("{{stance}}", axis.stance).replace("{{dimensions}}", axis.told))


def item_of(key: str, criteria: Criteria) -> str:
    """The item of a dimension's verdict: by these criteria and no others."""
    return f"{key}@{criteria.hash}"


def held_criteria(subject: Subject) -> Criteria | None:
    """What reports on the query are held to; raises UserError where an edit left sums that are not 1."""
    criteria = criteria_of(subject, FAMILY)
    if criteria is not None:
        check_sums(criteria, AXES)
    return criteria


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's scores in seven dimensions, and its facts with their support.

    Without a profile, or criteria made with one, personalization is na; without criteria nothing is scored by them.
    """
    criteria = held_criteria(subject)
    if criteria is not None:
        for axis in AXES:
            await _score(axis, criteria, subject, judge_session)
    await judge_triplets(subject, judge_session)


async def _score(axis: Axis, criteria: Criteria, subject: Subject, judge_session: JudgeSession) -> None:
    persona = persona_of(subject.query, subject.profile) if axis.sees_profile else None
    if axis.sees_profile and (persona is None or not axis.is_in(criteria)):
        for key in axis.keys:
            if judge_session.existing(SCORING, item_of(key, criteria)) is None:
                reason = NO_PERSONA if persona is None else NO_CRITERIA_FOR
                judge_session.record(SCORING, item_of(key, criteria), "na", reason=reason)
        return
    prompt = scoring_prompt(axis)
    if all(judge_session.existing(SCORING, item_of(key, criteria), prompt.hash) for key in axis.keys):
        return
    heard: list[Scores] = []

    def check(answer: Scores) -> str | None:
        heard.append(answer)
        return problems(_by_dimension(axis, criteria, answer))

    item = item_of(axis.keys[0], criteria)
    given = _material(axis, criteria, subject, persona)
    said = await judge_session.ask(SCORING, item, prompt, given, _ANSWERS[axis.name], check)
    # A criterion that is missing to the last fails its dimension; the others of that answer were given.
    _record(axis, criteria, said, heard[-1] if heard else None, judge_session)


def _record(
    axis: Axis, criteria: Criteria, said: JudgeAnswer[Scores], answer: Scores | None, judge_session: JudgeSession
) -> None:
    found = {} if answer is None else _by_dimension(axis, criteria, answer)
    for key in axis.keys:
        scores = found.get(key, said.error or "")
        is_whole = not isinstance(scores, str)
        judge_session.record(
            SCORING,
            item_of(key, criteria),
            "scored" if is_whole else "failed",
            [it.model_dump(mode="json") for it in scores.values()] if is_whole else None,
            prompt_hash=said.prompt_hash,
            error=None if is_whole else scores,
        )


def _by_dimension(axis: Axis, criteria: Criteria, answer: Scores) -> dict[str, dict[str, CriterionScore] | str]:
    """By dimension the scores by criterion, under the criterion's own words, or what is wrong with them."""
    found: dict[str, dict[str, CriterionScore] | str] = {}
    for key in axis.keys:
        group = criteria.group(key)
        said: list[CriterionScore] = getattr(answer, key)
        scores = matched(group.criteria if group is not None else (), [(it.criterion, it) for it in said])
        found[key] = scores if isinstance(scores, str) else _in_own_words(scores)
    return found


def _in_own_words(scores: Mapping[str, CriterionScore]) -> dict[str, CriterionScore]:
    return {text: it.model_copy(update={"criterion": text}) for text, it in scores.items()}


def _material(axis: Axis, criteria: Criteria, subject: Subject, persona: str | None) -> dict[str, str]:
    report, sources = report_and_sources(subject)
    groups = [group for key in axis.keys if (group := criteria.group(key)) is not None]
    return {
        "today": subject.today,
        "query": tagged("query", subject.query.text),
        "profile": profile_block(persona, is_external=subject.is_external),
        "report": report,
        "sources": sources,
        "criteria": "\n".join(criterion_tags(group.name, group.criteria) for group in groups),
    }
