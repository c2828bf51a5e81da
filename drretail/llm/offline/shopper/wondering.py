"""Clauses of a query that ask to know something: "find out which fabrics stay cool", "I wonder how dry it gets"."""

import re

_WH = r"(?:(?:in|on|at|for|from) )?(?:what|which|how|whether|when|where|why)\b"
# "find out which fabrics stay cool", "I want to know what volume is safe"
_WANTS_TO_KNOW = re.compile(
    r"\b(?:find out|to know|tell me|(?:to|me) understand|look up|advice on|a word on|to learn|know|wonder|wondering"
    rf"|explain|curious(?: about)?|find|unsure|not sure)\s+(?:clearly |exactly |about )?(?P<question>{_WH}[^.!?;:\n]*)",
    re.IGNORECASE,
)
# Where the question ends and the sentence goes on to something else.
_GOES_ON = re.compile(
    r"(?:,|,? (?:and|but|so))(?: then| also| please)* (?:show|tell|find|look|recommend|suggest|pick|give|compare|help"
    r"|work|then|i|we)\b.*$|,? (?:too|please|before i|before we|then)\b.*$|, as well(?! as)\b.*$",
    re.IGNORECASE,
)
_NEXT_QUESTION = re.compile(rf",? and (?={_WH}(?: [\w'’-]+){{3}})", re.IGNORECASE)
# "Tell me what to buy instead" is no such clause: that is for the shop to answer.
_ABOUT_CHOOSING = re.compile(
    r"^(?:what|which|whether|why)(?: \w+){0,3}? (?:(?:to|i should|should i|you'd|you would|would you)"
    r" (?:buy|get|choose|pick|order|take|recommend|replace)|way to go|suits? me)\b|^what else\b|^which you\b|"
    r"^which ones?\b|^(?:what|which) (?:it|that|they|each) costs?\b",
    re.IGNORECASE,
)
_SHORTEST = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def wondering_clauses(query: str) -> list[str]:
    """The clauses behind "find out", "I wonder" and the like; "how …, and which …" are two."""
    return [clause for match in _WANTS_TO_KNOW.finditer(query) for clause in _clauses(match)]


def without_wondering(query: str) -> str:
    """The query with every word of such clauses replaced by "the", so that all other words keep their places."""
    for match in reversed(list(_WANTS_TO_KNOW.finditer(query))):
        clauses = _clauses(match)
        if clauses:
            start = match.start("question")
            end = query.index(clauses[-1], start) + len(clauses[-1])
            query = query[:start] + _WORD.sub("the", query[start:end]) + query[end:]
    return query


def _clauses(match: re.Match[str]) -> list[str]:
    parts = _NEXT_QUESTION.split(_GOES_ON.sub("", match["question"]))
    clauses = [part.strip(" ,") for part in parts]
    return [clause for clause in clauses if len(clause.split()) >= _SHORTEST and not _ABOUT_CHOOSING.search(clause)]
