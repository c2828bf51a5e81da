"""Where two pages contradict each other: another number for the same thing, or a "never" against a "should"."""

import re
from itertools import combinations

from drretail.llm.offline.shopper.report.naming import cite
from drretail.llm.offline.shopper.tokens import NUMBER_WORDS
from drretail.llm.offline.shopper.words import content_stems

Said = tuple[str, str, str]
"""(sentence, evidence id, title of the page)."""
SHARED_WORDS = 3
_MEASURE = re.compile(
    r"\b(?P<number>(?:two|three|four|five|six|eight|ten|twelve|\d+(?:\.\d+)?(?:\s*(?:-|–|to)\s*\d+(?:\.\d+)?)?))\s*(?P<unit>inch(?:es)?|feet|foot|ft|days?|weeks?|months?"
    r"|years?|hours?|minutes?|degrees|percent|%|mg|iu|pounds?|ounces?)(?!\w)",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:never|avoid|do not|don't|should not|shouldn't|must not)\b", re.IGNORECASE)
_IN_FAVOUR = re.compile(r"\b(?:should|always|recommend\w*|best to|can safely|is safe|are safe)\b", re.IGNORECASE)


def disagreements(sayings: list[Said], most: int = 2) -> list[str]:
    """One sentence for each pair of pages that disagree."""
    found: list[str] = []
    for a, b in combinations(sayings, 2):
        if a[1] != b[1] and len(found) < most and (reason := _conflict(a[0], b[0])):
            found.append(f"Here the pages disagree: {reason[0]} {cite(a[1])}, {reason[1]} {cite(b[1])}.")
    return found


def _conflict(a: str, b: str) -> tuple[str, str] | None:
    shared = set(content_stems(a)) & set(content_stems(b))
    if len(shared) < SHARED_WORDS:
        return None
    numbers = _measures(a), _measures(b)
    for unit in sorted(numbers[0].keys() & numbers[1].keys()):
        if not numbers[0][unit] & numbers[1][unit]:
            return f"one says {sorted(numbers[0][unit])[0]}", f"another {sorted(numbers[1][unit])[0]}"
    for one, two, order in (
        (a, b, ("one advises against it", "another for it")),
        (b, a, ("one advises for it", "another against it")),
    ):
        if _AGAINST.search(one) and _IN_FAVOUR.search(two) and not _AGAINST.search(two):
            return order
    return None


def _measures(text: str) -> dict[str, set[str]]:
    """The quantities of a sentence by unit, as written."""
    found: dict[str, set[str]] = {}
    for match in _MEASURE.finditer(text):
        unit = match["unit"].casefold().removesuffix("es").removesuffix("s")
        found.setdefault({"foot": "feet", "ft": "feet", "%": "percent"}.get(unit, unit), set()).add(_digits(match[0]))
    return found


def _digits(text: str) -> str:
    return " ".join(str(NUMBER_WORDS.get(word.casefold(), word)) for word in text.split())
