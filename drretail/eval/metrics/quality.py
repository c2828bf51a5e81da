"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2), and their plain
means.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from drretail.eval.judging.dimensions import (
    DIMENSIONS,
    PERSONALIZATION,
    criterion_of,
    published_prompt,
    unjustified,
    values_for,
)
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, combine, description_of, of_verdicts, value_of
from drretail.eval.metrics.readings import judge_context, picks_with_prices, report_as_read, report_material
from drretail.llm.prompt import Prompt, load_prompt, load_table
from drretail.records.base import Record
from drretail.records.reading import WHOLE_NUMBER
from drretail.records.score import Rules, Verdict

PROMPTS = str(Path(__file__).with_suffix("") / "quality.py")
"""Prompts are in the folder ``quality/prompts``; users override them under its name."""


def _criteria() -> dict[str, dict[str, str]]:
    """By dimension, ``title``, the ``text`` of the criterion, ``anchors``, and for some how ``picks`` count."""
    read = load_table(PROMPTS, "criteria")
    anchors = read["anchors"]["text"]
    return {dimension: {"anchors": anchors, **read[dimension]} for dimension in DIMENSIONS}


def rating_prompt(dimension: str, rules: Rules = "default") -> Prompt:
    """The dimension's prompt with its criterion filled in, so that its hash covers the criterion's text.

    A criterion about prices also shows the report's picks, except under a publication's rules, which show the report
    alone.
    """
    if rules != "default":
        name = "personalization_paper" if dimension == PERSONALIZATION else "rating_paper"
        return published_prompt(PROMPTS, name, dimension)
    criterion = _criteria()[dimension]
    text = load_prompt(PROMPTS, "rating").text.replace("{{criterion}}", criterion_of(criterion))
    text = text.replace("{{anchors}}", criterion["anchors"].strip())
    return Prompt(dimension, text, load_prompt(PROMPTS, "shared").text)


STAGE = "rating"


class CriterionRating(Record, title="Rating"):
    """What a report lacks under one criterion, and how good it is."""

    justification: str
    # The paper's section says 1 to 10, its prompts say 0 to 10; the prompts are what its judge read.
    rating: Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]


class PaperRating(Record, title="Rating"):
    """The same in the paper's order (Tables 11 and 12)."""

    rating: Annotated[Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], WHOLE_NUMBER]
    justification: str


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a rating from 0 to 10 for every dimension without one; without a profile, personalization is na."""
    rules = judge_session.rules

    # Cached functions: most often every verdict exists, and neither is called.
    @cache
    def material() -> dict[str, str]:
        context = judge_context(subject, rules)
        return context | (report_material(subject) if rules == "default" else {"report": report_as_read(subject)})

    picks = cache(lambda: picks_with_prices(subject, rules))
    begins_with = "report" if rules == "default" else ""
    rated = [dimension for dimension in DIMENSIONS if dimension != PERSONALIZATION or subject.profile is not None]

    schema = CriterionRating if rules == "default" else PaperRating

    def question(dimension: str) -> JudgeQuestion[CriterionRating | PaperRating]:
        prompt = rating_prompt(dimension, rules)

        def values() -> dict[str, str]:
            return values_for(prompt, material() | ({"picks": picks()} if "{{picks}}" in prompt.text else {}))

        def read(answer: CriterionRating | PaperRating) -> Ruling:
            return Ruling(answer.rating, answer.justification.strip())

        return JudgeQuestion(STAGE, dimension, prompt, values, schema, read, unjustified, begins_with=begins_with)

    await judge_session.ask_and_record(*map(question, rated))
    if subject.profile is None:
        reason = "no profile of a user to fit the report to"
        judge_session.record_if_missing(STAGE, PERSONALIZATION, "na", reason=reason)


AVERAGE = "average"
AVERAGE_OF_SIX = "average_6"
_WORDINGS: tuple[Rules, ...] = ("default", "paper")
"""The rules whose prompts differ; the others use the paper's."""
VARIANTS = (*DIMENSIONS, AVERAGE, AVERAGE_OF_SIX)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A report's ratings, ``average`` over all seven, and ``average_6`` over the six that need no profile.

    A mean is na if one of its ratings is na, and failed if one is failed or missing: it is never made of fewer ratings.
    """
    by_item = {verdict.item: verdict for verdict in verdicts}
    ratings = {dimension: value_of(dimension, by_item.get(dimension)) for dimension in DIMENSIONS}
    six = [dimension for dimension in DIMENSIONS if dimension != PERSONALIZATION]
    means = [
        combine(name, [ratings[dimension] for dimension in dimensions], lambda numbers: sum(numbers) / len(numbers))
        for name, dimensions in ((AVERAGE, DIMENSIONS), (AVERAGE_OF_SIX, six))
    ]
    return [*ratings.values(), *means]


def prompts() -> list[Prompt]:
    """The prompts of every dimension under all rules."""
    return [rating_prompt(dimension, rules) for dimension in DIMENSIONS for rules in _WORDINGS]


METRIC = Metric(
    "quality",
    1,
    judge,
    of_verdicts(values),
    VARIANTS,
    description_of("quality"),
    prompts,
    is_opinion=True,
    after=("reading",),
)
