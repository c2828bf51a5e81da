"""One question to the judge for each dimension of answer quality."""

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import field_validator

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.render import render_report
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.shop import SHOP_URL

PERSONALIZATION = "personalization"
DIMENSIONS = (
    "clarity",
    "depth",
    "breadth",
    "insightfulness",
    "constraint_following",
    PERSONALIZATION,
    "overall",
)
"""In the order of the paper's Table 2."""


@cache
def prompt_for(dimension: str) -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash names the criterion's wording too."""
    if dimension == PERSONALIZATION:
        return load_prompt(__file__, PERSONALIZATION)
    criterion = tomllib.loads((Path(__file__).parent / "criteria.toml").read_text(encoding="utf-8"))[dimension]
    text = tagged("criterion", f"{criterion['title']}\n{criterion['text'].strip()}")
    return Prompt(dimension, load_prompt(__file__, "rating").text.replace("{{criterion}}", text))


STAGE = "rating"
NO_PROFILE = "Nothing is known of this shopper."


class Rating(Record):
    """How good a report is under one criterion, and why it is no better."""

    # The paper's section speaks of 1 to 10 and its prompts of 0 to 10; the prompts are what its judge read.
    rating: Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    justification: str

    @field_validator("rating", mode="before")
    @classmethod
    def _is_a_number(cls, rating: object) -> object:
        if isinstance(rating, bool):  # a Literal takes true for 1
            raise ValueError("it has to be a whole number from 0 to 10, not true or false")
        return rating


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a rating 0 to 10 for every dimension that has none; without a profile personalization is na."""
    material = cache(lambda: _material(subject))  # most often every verdict stands, and nothing is asked
    await judge_session.each(_rate(dimension, material, subject, judge_session) for dimension in DIMENSIONS)


async def _rate(
    dimension: str, material: Callable[[], dict[str, str]], subject: Subject, judge_session: JudgeSession
) -> None:
    if dimension == PERSONALIZATION and subject.profile is None:
        if judge_session.standing(STAGE, dimension) is None:
            judge_session.record(STAGE, dimension, "na", reason="no profile of a user to fit the report to")
        return
    if judge_session.standing(STAGE, dimension, prompt_for(dimension).hash) is not None:
        return
    given = dict(material())
    if dimension != PERSONALIZATION:
        given["shop_url"] = SHOP_URL
    claim_verdict = await judge_session.ask(STAGE, dimension, prompt_for(dimension), given, Rating, _unjustified)
    judge_session.record(
        STAGE,
        dimension,
        claim_verdict.state,
        None if claim_verdict.answer is None else claim_verdict.answer.rating,
        reason="" if claim_verdict.answer is None else claim_verdict.answer.justification.strip(),
        prompt_hash=claim_verdict.prompt_hash,
        error=claim_verdict.error,
    )


def _material(subject: Subject) -> dict[str, str]:
    """What every judge reads, in tags. References are numbers with a list: evidence ids would only puzzle it."""
    report = render_report(subject.report or "", subject.evidence.values(), style="plain")
    profile = NO_PROFILE if subject.profile is None else subject.profile.text
    return {
        "today": subject.today,
        "query": tagged("query", subject.query.text),
        "profile": tagged("profile", profile),
        "report": tagged("report", report.text),
    }


def _unjustified(rating: Rating) -> str | None:
    return None if rating.justification.strip() else "justification: it is empty; name what the rating rests on"
