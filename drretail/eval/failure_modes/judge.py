"""What the low ratings of a report are about: the judge that gave them sorts its own rationales."""

from pydantic import Field

from drretail.eval.failure_modes.modes import MEANINGS, Mode
from drretail.eval.judging.session import ClaimVerdict, JudgeSession, Step
from drretail.eval.judging.subject import Subject
from drretail.eval.quality import METRIC as QUALITY
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record, sha256_of
from drretail.records.score import Verdict

FAMILY, VERSION = "failure_modes", 1
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
    told = "\n".join(f"- `{mode}`: {meaning}" for mode, meaning in MEANINGS.items())
    return Prompt(SORTED, load_prompt(__file__, SORTED).text.replace("{{modes}}", told))


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records which of the report's ratings are low, and asks what each of them is about."""
    del subject
    rated = judge_session.said_in(QUALITY.name, QUALITY.version, QUALITY.prompt_hashes())
    scored = [it for it in rated if it.state == "scored"]
    low = [it for it in scored if it.value < LOW]
    _list(judge_session, low if scored else None)
    missing = [it for it in low if judge_session.standing(SORTED, item_of(it), prompt().hash) is None]
    await judge_session.side_by_side([_step(it, judge_session) for it in missing])


def item_of(rating: Verdict) -> str:
    """ "depth@1a2b3c4d": the dimension and its rationale, so that another rationale is asked about anew."""
    return f"{rating.item}@{sha256_of([rating.value, rating.reason])[:8]}"


def _list(judge_session: JudgeSession, low: list[Verdict] | None) -> None:
    state = "na" if low is None else "scored"
    value = None if low is None else [item_of(it) for it in low]
    standing = judge_session.standing(LISTED, REPORT)
    if standing is None or (standing.state, standing.value) != (state, value):
        judge_session.record(LISTED, REPORT, state, value, reason=NOT_RATED if low is None else "")


def _step(rating: Verdict, judge_session: JudgeSession) -> Step[Sorted]:
    given = {
        "rating": str(rating.value),
        "dimension": rating.item.replace("_", " "),
        "rationale": tagged("rationale", rating.reason),
    }

    def record(said: ClaimVerdict[Sorted]) -> None:
        answer = said.answer
        judge_session.record(
            SORTED,
            item_of(rating),
            said.state,
            None if answer is None else list(dict.fromkeys(answer.modes)),
            reason="" if answer is None else answer.reason.strip(),
            prompt_hash=said.prompt_hash,
            error=said.error,
        )

    async def ask() -> ClaimVerdict[Sorted]:
        return await judge_session.ask(SORTED, item_of(rating), prompt(), given, Sorted, _objection)

    return Step("review", ask, record)


def _objection(answer: Sorted) -> str | None:
    if "other" in answer.modes and len(answer.modes) > 1:
        return "modes: `other` stands alone, for what is about none of the rest"
    return None
