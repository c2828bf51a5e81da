"""Where two pages contradict each other: another number for the same thing, or a "never" against a "should"."""

import re
from collections.abc import Sequence
from itertools import product

from drretail.llm.offline.shopper.report.naming import cite
from drretail.llm.offline.shopper.report.sayings import ADVICE_VERBS, Saying
from drretail.llm.offline.shopper.tokens import NUMBER_WORDS
from drretail.llm.offline.shopper.words import content_stems, word_set

SHARED_WORDS = 2
_SAME_UNITS = {"foot": "feet", "ft": "feet", "%": "percent"}
_UNITS = word_set("inch feet foot ft day week month year hour minute degree percent mg iu pound ounce")
_FREQUENCY = re.compile(
    r"\b(?:(?:once a|every) (?P<unit>day|week|month|year)|(?P<ly>dai|week|month|year)ly)\b", re.IGNORECASE
)
_MEASURE = re.compile(
    r"\b(?:every\s+)?(?P<number>(?:two|three|four|five|six|eight|ten|twelve|\d+(?:\.\d+)?(?:\s*(?:-|–|to)\s*\d+(?:\.\d+)?)?))\s*(?P<unit>inch(?:es)?|feet|foot|ft|days?|weeks?|months?"
    r"|years?|hours?|minutes?|degrees|percent|%|mg|iu|pounds?|ounces?)(?!\w)",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:never|avoid|do not|don't|should not|shouldn't|must not)\b", re.IGNORECASE)
_IN_FAVOUR = re.compile(r"\b(?:should|always|recommend\w*|best to|can safely|is safe|are safe)\b", re.IGNORECASE)


def disagreements(said: Sequence[Saying], others: Sequence[Saying], most: int = 2) -> list[tuple[str, Saying]]:
    """A sentence for each page that contradicts what is ``said``, with its own sentence; one for a pair of pages."""
    found: dict[frozenset[str], tuple[str, Saying]] = {}
    for a, b in product(said, others):
        pages = frozenset({a.evidence, b.evidence})
        reason = _conflict(a.text, b.text) if len(pages) == 2 and pages not in found else None
        if reason is not None:
            sentence = f"Here the pages disagree: {reason[0]} {cite(a.evidence)}, {reason[1]} {cite(b.evidence)}."
            found[pages] = sentence, b
    return list(found.values())[:most]


def _conflict(a: str, b: str) -> tuple[str, str] | None:
    shared = set(content_stems(a)) & set(content_stems(b)) - _UNITS
    if len(shared) < SHARED_WORDS or not shared & ADVICE_VERBS:
        return None
    one, two = _measures(a), _measures(b)
    for unit in sorted(one.keys() & two.keys()):
        if not one[unit] & two[unit]:
            return f"one says {sorted(one[unit])[0]}", f"another {sorted(two[unit])[0]}"
    if len(shared) <= SHARED_WORDS or bool(_AGAINST.search(a)) == bool(_AGAINST.search(b)):
        return None
    if _AGAINST.search(a):
        return ("one advises against it", "another for it") if _IN_FAVOUR.search(b) else None
    return ("one advises for it", "another against it") if _IN_FAVOUR.search(a) else None


def _measures(text: str) -> dict[str, set[str]]:
    """The quantities of a sentence by unit, as written; "weekly" is every week."""
    found: dict[str, set[str]] = {}
    for match in _MEASURE.finditer(text):
        unit = match["unit"].casefold().removesuffix("es").removesuffix("s")
        found.setdefault(_SAME_UNITS.get(unit, unit), set()).add(_digits(match[0]))
    for match in _FREQUENCY.finditer(text):
        unit = match["unit"] or {"dai": "day"}.get(match["ly"].casefold(), match["ly"])
        found.setdefault(unit.casefold(), set()).add(f"every {unit.casefold()}")
    return found


def _digits(text: str) -> str:
    return " ".join(str(NUMBER_WORDS.get(word.casefold(), word)) for word in text.split())
