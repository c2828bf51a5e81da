"""The six modes of paper Appendix G, and what is none of them."""

from typing import Literal, get_args

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
