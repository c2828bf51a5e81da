"""Whether a query speaks of what its writer bought before: before another profile it speaks of what nobody finds."""

import re

_OWN_HISTORY = re.compile(
    r"\b(?:i|we)(?:['’]ve|\s+have|\s+had|\s+once|\s+already|\s+last|\s+just|\s+recently){0,2}\s+"
    r"(?:bought|ordered|purchased|re-?ordered|got\s+(?:it\s+|them\s+)?from\s+you|own(?:ed)?|had\s+my)\b"
    r"|\b(?:my|our)\s+(?:\w+\s+){0,2}(?:orders?|purchases?|order\s+history|history|records?|profile|usual|statistics)\b"
    r"|\bthe\s+last\s+order\b|\b(?:used\s+to\s+buy|bought\s+(?:here|before|so\s+far|from\s+you)|as\s+usual)\b",
    re.IGNORECASE,
)


def speaks_of_own_history(text: str) -> bool:
    """True for "the hose I bought in May", "go by my orders", "as usual"."""
    return _OWN_HISTORY.search(text) is not None
