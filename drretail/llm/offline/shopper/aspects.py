"""By what the shopper wants things compared: "compared on grip size and spare parts"."""

import re

_NOUNS = r"[a-z-]+(?: [a-z-]+){0,2}?"
_COMPARED = re.compile(
    r"\b(?:compar\w+(?: [\w']+){0,3}? (?:on|by|in|for)|differ in|above all on|paying attention to|care most about"
    r"|look(?:ing)? at"
    rf"|show me [\w ]{{1,30}}? with their) (?P<one>{_NOUNS})(?: and (?:(?:on|by|in) )?(?P<two>{_NOUNS}))?"
    r"(?= for |[.,;:?!]|$| and | before | too\b)",
    re.IGNORECASE,
)
_NO_ASPECT = re.compile(r"\b(?:it|them|me|my|your|you|that|this|what|which|how|everything|each)\b", re.IGNORECASE)


def read_aspects(query: str) -> tuple[str, ...]:
    """The aspects as written, in lower case, each once."""
    found = [part for match in _COMPARED.finditer(query) for part in (match["one"], match["two"]) if part]
    return tuple(dict.fromkeys(part.casefold() for part in found if not _NO_ASPECT.search(part)))
