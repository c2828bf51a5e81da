"""What a shopper complains of in the thing that they have: "the glitter ends up on my cheeks"."""

import re

_COMPLAINT = re.compile(
    r"\b(?:annoy\w*(?: me)?|fed up with [\w' -]+?|tired of [\w' -]+?|disappoint\w*(?: me)?|bother\w*(?: me)?)"
    r"\s*(?:[:;–—-]|because|since)\s*(?:that )?(?:the|its|their) "
    r"(?P<thing>[a-z-]+) (?:[a-z]+s|won't|doesn't)\b",
    re.IGNORECASE,
)
COMPLAINS = re.compile(
    r"\b(?:(?:started to |begun to |begins? to )?annoy\w* me|fed up with|tired of (?:my|the)"
    r"|disappointed (?:by|in|with) (?:my|the))\b",
    re.IGNORECASE,
)


def complained_of(query: str) -> tuple[str, ...]:
    """The parts or traits of which the query complains, as written; a complaint of the thing itself names none."""
    return tuple(dict.fromkeys(match["thing"].casefold() for match in _COMPLAINT.finditer(query)))
