"""Information recall: which insights that are known beforehand a reader of the report learns."""

from collections.abc import Callable, Mapping
from typing import Literal

from drretail.eval.judging.numbered import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.prompts import Prompt, load_prompt
from drretail.records.base import Record, Rules
from drretail.records.criteria import GOLD_PARTS, Gold, GoldInsight, GoldPart

STAGE = "insights"
MOST = 10
"""Of one question, as released."""
Material = Callable[[], Mapping[str, str]]
Label = Literal["full", "partial", "none"]
_VALUES: Mapping[Label, float] = {"full": 1.0, "partial": 0.5, "none": 0.0}


class FoundInsight(Record):
    insight_id: int
    found: str
    missing: str
    label: Label


class FoundInsights(Record):
    """How far the report tells each insight."""

    insights: list[FoundInsight]


class MarkedInsight(Record):
    insight_id: int
    found: str
    score: float


class MarkedInsights(Record):
    """How far each insight can be taken out of the report."""

    insights: list[MarkedInsight]


def insights_prompt(rules: Rules) -> Prompt:
    name = "insights_released" if rules == "dr3" else "insights"
    return Prompt(name, load_prompt(__file__, name).text, load_prompt(__file__, "shared").text)


def insight_item(part: GoldPart, insight: GoldInsight) -> str:
    return f"{part}/{insight.item}"


async def judge_insights(gold: Gold, judge_session: JudgeSession, material: Material) -> None:
    """Records 1, 0.5 or 0 of every insight that has no verdict; those of files and sandbox are asked apart."""
    batch = QuestionBatch(STAGE, insights_prompt(judge_session.rules), MOST)
    for part in GOLD_PARTS:
        things = [NumberedItem(insight_item(part, insight), insight.text) for insight in gold.part(part).insights]
        if judge_session.rules == "dr3":
            await ask_numbered(judge_session, batch, things, material, MarkedInsights, marked, repairs_numbers=False)
        else:
            await ask_numbered(judge_session, batch, things, material, FoundInsights, _found)


def _found(answer: FoundInsights) -> list[tuple[int, Ruling]]:
    return [
        (
            insight.insight_id,
            Ruling(_VALUES[insight.label], insight.missing.strip() or insight.label, insight.found.strip()),
        )
        for insight in answer.insights
    ]


def marked(answer: MarkedInsights) -> list[tuple[int, Ruling]]:
    """As released: odd numbers are snapped at 0.75 and 0.25, the first of two counts, and what is left out is 0."""

    def snapped(score: float) -> float:
        return score if score in (0.0, 0.5, 1.0) else 1.0 if score >= 0.75 else 0.5 if score >= 0.25 else 0.0

    given = [(insight.insight_id, Ruling(snapped(insight.score), insight.found.strip())) for insight in answer.insights]
    return [*given, *((number, Ruling(0.0, "left out")) for number in range(1, MOST + 1))]
