"""Justifications that blame what their rating overlooks: a high rating, and a failed hard constraint named under it.

Such a rating is flagged and left as it is: the judge alone decides, and the reader sees that it contradicts itself.
"""

import re

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
