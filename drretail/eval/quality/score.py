"""Values of answer quality per report: the seven ratings and their plain means."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value
from drretail.eval.quality.judge import DIMENSIONS, PERSONALIZATION, judge, prompt_for
from drretail.records.score import MetricDescription, Rules, Verdict, VerdictState
from drretail.records.scoreboard import BoardColumn

HIGH = 8
"""From here on a rating says that nothing is left to wish for."""

_LIMIT = r"(?:budget|price limit|constraints?|requirements?|limits?|restrictions?|demands?|conditions?|specifications?)"
_FAILED = re.compile(
    rf"""
      \bexceed(?:s|ed|ing)?\b
    | \b(?:over|above|beyond|outside)\s+(?:of\s+)?(?:the\s+|its\s+|their\s+)?(?:\w+\s+){{0,2}}(?:budget|price\ limit)\b
    | \b(?:violat|breach|disregard|break)(?:s|es|ed|ing|ion|ions)?\b
    | \bignor(?:es|ed|ing)\b(?:\s+[\w'’$]+){{0,4}}\s+{_LIMIT}\b
    | \bfail(?:s|ed|ing)?\s+to\s+(?:meet|respect|keep|follow|obey|stay|honou?r|satisfy|comply)\b
    | \b(?:does|do|did|is|are)(?:\s+not|n['’]t)\s+(?:meet|respect|keep|follow|obey|stay|honou?r|satisfy|comply|adhere)\b
    | \bnot\s+(?:from|in|part\s+of|within|sold\s+by|available\s+in)\s+(?:the|this)\s+(?:shop|catalog|internal|budget)
    | \boutside\s+(?:of\s+)?(?:the|this)\s+(?:shop|catalog)
    | \bfrom\s+(?:an\s+)?(?:external|other|another)\s+(?:shops?|stores?|sources?|retailers?|sellers?)\b
    | \b(?:excluded|unwanted|forbidden)\s+brands?\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Within a few words before the match, inside its clause: "does not exceed", "no violation", "without breaking".
_DENIED = re.compile(
    r"(?:\b(?:no|not|never|without|nothing|none|neither|nor|nowhere|avoids|avoiding|cannot)\b|n['’]t\b)(?:\s+\S+){0,3}\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.;!?\n:]\s+|,\s+(?:but|yet|while|although|though)\s+|\s+(?:but|however|although)\s+", re.IGNORECASE
)


def failed_constraints(justification: str) -> list[str]:
    """The clauses of a justification that say that a hard constraint is broken, in text order."""
    return [clause.strip() for clause in _CLAUSE.split(justification) if _blames(clause)]


def contradicts(rating: int, justification: str) -> bool:
    """True for a rating of 8 or more whose justification names a failed hard constraint."""
    return rating >= HIGH and bool(failed_constraints(justification))


def _blames(clause: str) -> bool:
    return any(not _DENIED.search(clause[: found.start()]) for found in _FAILED.finditer(clause))


AVERAGE = "Avg"
AVERAGE_OF_SIX = "Avg_6"
VARIANTS = (*DIMENSIONS, AVERAGE, AVERAGE_OF_SIX)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """A report's ratings, ``Avg`` over all seven, and ``Avg_6`` over the six that need no profile.

    A mean is na when a rating of it is na, and failed when one failed or is missing: it is never made of fewer.
    """
    by_item = {verdict.item: verdict for verdict in verdicts}
    ratings = {dimension: _rated(dimension, by_item.get(dimension)) for dimension in DIMENSIONS}
    six = [dimension for dimension in DIMENSIONS if dimension != PERSONALIZATION]
    means = [_mean(AVERAGE, ratings, DIMENSIONS), _mean(AVERAGE_OF_SIX, ratings, six)]
    return [*ratings.values(), *means]


def _rated(dimension: str, verdict: Verdict | None) -> Value:
    if verdict is None:
        return Value(dimension, "failed")
    if verdict.state != "scored":
        return Value(dimension, verdict.state)
    flagged = contradicts(verdict.value, verdict.reason)
    return Value(dimension, "scored", float(verdict.value), {"contradictions": 1} if flagged else {})


def _mean(variant: str, ratings: Mapping[str, Value], dimensions: Sequence[str]) -> Value:
    parts = [ratings[dimension] for dimension in dimensions]
    lacking: tuple[VerdictState, ...] = ("failed", "unverifiable", "na")
    for state in lacking:
        if any(part.state == state for part in parts):
            return Value(variant, state)
    numbers = [part.value for part in parts if part.value is not None]
    return Value(variant, "scored", sum(numbers) / len(numbers))


DESCRIPTION = MetricDescription(
    title="Answer quality",
    headlines=("constraint_following", PERSONALIZATION, "overall", AVERAGE, AVERAGE_OF_SIX),
    compared=(*DIMENSIONS, AVERAGE),
    summaries=("overall", AVERAGE),
    primary=("overall",),
    scoreboard=(BoardColumn(variant="overall", name="quality", meaning="the judge's overall rating, 0 to 10"),),
    correlated=(AVERAGE,),
    scale="rating",
    named_by_variant=True,
)


@dataclass(frozen=True, slots=True)
class Quality:
    """Seven ratings and their means; the same under all rules."""

    name: str = "quality"
    version: int = 1
    needs_judge: bool = True
    is_opinion: bool = True
    description: MetricDescription = DESCRIPTION

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return frozenset({"", *(prompt_for(dimension).hash for dimension in DIMENSIONS)})

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        del subject, rules
        return values(verdicts)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        raise KeyError(variant)

    def pooled_variants(self) -> frozenset[str]:
        return frozenset()


METRIC: Metric = Quality()
