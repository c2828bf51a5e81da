"""The seven dimensions of answer quality, by which reports are rated and compared (paper Table 2)."""

from typing import Any

from drretail.prompts import tagged
from drretail.records.base import Rules

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
PRIMARY = "overall"
"""The dimension by which systems are selected."""


def criterion_of(criterion: dict[str, str], rules: Rules) -> str:
    """The criterion in a tag, followed by a placeholder for the picks if they count."""
    block = tagged("criterion", f"{criterion['title']}\n{criterion['text'].strip()}")
    shows_picks = "picks" in criterion and rules == "default"
    return f"{block}\n{criterion['picks'].strip()}\n{{{{picks}}}}" if shows_picks else block


def unjustified(answer: Any) -> str | None:
    """What is wrong with an answer without a reason, or None."""
    return None if answer.justification.strip() else "justification: it is empty; name what your decision rests on"
