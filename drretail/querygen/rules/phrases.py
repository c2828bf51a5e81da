"""Noun phrases as a shopper says them, and the grammar around them."""

import re
from dataclasses import dataclass

from drretail.grounding.text.words import PAIRS, singular

_WORD = re.compile(r"[a-zà-ÿ0-9']+")
# Words that begin with a vowel letter and a consonant sound, and the other way round.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without an article, such as "bird feeder" or "hair clips"."""

    text: str
    plural: bool

    @property
    def some(self) -> str:
        """ "a bird feeder", "hair clips"."""
        return self.text if self.plural else f"{article(self.text)} {self.text}"


def phrase_of(text: str) -> Phrase:
    return Phrase(text, is_plural(text.rsplit(" ", 1)[-1]))


def article(text: str) -> str:
    """ "a" or "an", by sound."""
    if _SPELLED_VOWEL.match(text):
        return "an"
    return "an" if text[:1].casefold() in "aeiou" and not _CONSONANT_SOUND.match(text) else "a"


def is_plural(word: str) -> bool:
    folded = word.casefold()
    return folded in PAIRS or singular(folded) != folded


def folded_words(text: str) -> list[str]:
    """The words of a text, in small letters and in the singular."""
    return [singular(word) for word in _WORD.findall(text.casefold())]


def listed(parts: list[str], last: str = "and") -> str:
    """ "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
