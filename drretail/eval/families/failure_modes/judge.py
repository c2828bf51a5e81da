"""What the low ratings of a report are about: the judge that gave them sorts its own rationales."""

from typing import Literal, get_args

from pydantic import Field

from drretail.eval.judging.question import CodeVerdict, JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import load_metric
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict

Mode = Literal[
    "redundant",
    "shallow_analysis",
    "narrow_framing",
    "weak_synthesis",
    "constraint_violation",
    "poor_personalization",
    "other",
]
MODES: tuple[Mode, ...] = get_args(Mode)
MEANINGS: dict[Mode, str] = {
    "redundant": "well built and repetitive: parts say again what others said, and add nothing",
    "shallow_analysis": "no weighing of trade-offs, no reason why one option comes before another",
    "narrow_framing": "the question is taken for a mere purchase; its circumstances and consequences are passed over",
    "weak_synthesis": "suggestions stand alone, and are not brought together into one plan",
    "constraint_violation": "budget or another demand is not kept to, or things are offered from outside the shop",
    "poor_personalization": "what is known of the shopper is not used; the advice would suit anybody",
    "other": "something else is wrong",
}
"""The six modes of paper Appendix G, and what is none of them."""
FAMILY, VERSION = "failure_modes", 1
RATED = "quality"
"""The family whose ratings it sorts."""
LOW = 4
"""Ratings below it are low (Appendix G)."""
LISTED, SORTED = "low", "modes"
"""Stages: which ratings are low, without a question, and what each is about."""
REPORT = "report"
NOT_RATED = "this judge has not rated the report: score quality"


class Sorted(Record):
    """What a reviewer objects to."""

    reason: str
    modes: list[Mode] = Field(min_length=1)


def prompt() -> Prompt:
    """The question, with the modes filled in, so that its hash names their wording."""
    modes = "\n".join(f"- `{mode}`: {meaning}" for mode, meaning in MEANINGS.items())
    return Prompt(SORTED, load_prompt(__file__, SORTED).text.replace("{{modes}}", modes))


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records which of the report's ratings are low, and asks what each of them is about."""
    del subject
    scored = [verdict for verdict in judge_session.verdicts_of(load_metric(RATED)) if verdict.state == "scored"]
    low = [verdict for verdict in scored if verdict.value < LOW]
    listed = (
        CodeVerdict("scored", [item_of(verdict) for verdict in low]) if scored else CodeVerdict("na", None, NOT_RATED)
    )
    judge_session.record_if_changed(LISTED, REPORT, listed)
    await judge_session.ask_and_record(*map(_question, low))


def item_of(rating: Verdict) -> str:
    """ "depth@1a2b3c4d": the dimension and its rationale, so that another rationale is asked about anew."""
    return f"{rating.item}@{sha256_of([rating.value, rating.reason])[:8]}"


def _question(rating: Verdict) -> JudgeQuestion[Sorted]:

    def check(answer: Sorted) -> str | None:
        mixed = "other" in answer.modes and len(answer.modes) > 1
        return "modes: `other` stands alone, for what is about none of the rest" if mixed else None

    given = {
        "rating": str(rating.value),
        "dimension": rating.item.replace("_", " "),
        "rationale": tagged("rationale", rating.reason),
    }
    return JudgeQuestion(
        SORTED,
        item_of(rating),
        prompt(),
        given,
        Sorted,
        lambda answer: Ruling(list(dict.fromkeys(answer.modes)), answer.reason.strip()),
        check,
        begins_with="review",
    )
