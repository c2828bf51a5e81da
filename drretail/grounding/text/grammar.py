"""Articles, plurals and lists."""

import re
from collections.abc import Sequence

from drretail.grounding.text.words import PAIRS, singular

# Words that begin with a vowel letter and a consonant sound, and the other way round.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


def article(text: str) -> str:
    """ "a" or "an", by sound."""
    if _SPELLED_VOWEL.match(text):
        return "an"
    return "an" if text[:1].casefold() in "aeiou" and not _CONSONANT_SOUND.match(text) else "a"


def is_plural(word: str) -> bool:
    folded = word.casefold()
    return folded in PAIRS or singular(folded) != folded


def listed(parts: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
