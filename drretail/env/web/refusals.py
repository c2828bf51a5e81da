"""Pages that came and are no evidence: not found, denied, blocked, a bot check, a question of consent, a login.

They say so in their title, their heading or their first sentence, and these consist of such words alone. A page about
such words has others beside them. The words stand in refusals.toml: phrases that refuse, and what may stand in the same
sentence.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from unicodedata import normalize

REFUSES = (
    "The page says that it is not there or not for us: not found, denied, a bot check, a question of consent, a login."
)
MOST_BESIDE = 80
"""The most letters of other words on a page of which the head alone refuses."""
SHARE_BELOW_HEAD = 0.6
"""The most of such a page's letters that are of other words."""
SHARE_BESIDE = 0.3
"""The same, where the title or the heading names a subject."""
LONGEST_NAME = 3
"""The most words of a title beside its refusal: the name of a site has so many, and a subject has more."""
LONGEST = 5_000
"""The first characters of a page that are looked at."""
_PART = re.compile(r"\s+[|\-–—·•»:]+\s+|:\s")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_ENDED = re.compile(r"[.!?…。！？]$")
_LETTER = re.compile(r"[^\W\d_]")
_HOST = re.compile(r"\b(?:[\w-]+\.)+[a-z]{2,}\b")
"""Names of hosts are no words."""
_UNSPACED = "\u2e80"
"""From here on, scripts write words without spaces between them."""


def refuses(title: str, heading: str, text: str) -> bool:
    """True if a page refuses to show its content: two of its title, its heading and its first sentence say so in
    different words, or one of them does and little else stands on the page.
    """
    parts = [part for part in _PART.split(title) if _LETTER.search(part)]
    others = [part for part in parts if not _is_refusal(part)]
    names_subject = sum(len(part.split()) for part in others) > LONGEST_NAME
    name = next((part for part in parts if part not in others), "") if not names_subject else ""
    lines = (line.strip(" #*>-|\t") for line in _SENTENCE.split(text[:LONGEST]))
    body = [line for line in lines if _LETTER.search(line) and line not in (title, heading)]
    # What does not end as a sentence may be the site's menu.
    sentence = next((line for line in body if _ENDED.search(line)), body[0] if body else "")
    said = [line for line in dict.fromkeys((name, heading, sentence)) if _is_refusal(line)]
    if len(said) != 1:
        return bool(said)
    letters, beside = len(_LETTER.findall(" ".join(body))), len(_other_letters(" ".join(body)))
    # A wall may keep the title of the page behind it, and a page may begin with what is not to be had.
    if names_subject or said == [sentence]:
        return beside <= SHARE_BESIDE * letters
    return beside <= min(MOST_BESIDE, SHARE_BELOW_HEAD * letters)


def _is_refusal(line: str) -> bool:
    return bool(_words("says").search(_folded(line))) and not _other_letters(line)


def _other_letters(text: str) -> list[str]:
    """The letters of the words that a refusal would not have."""
    return _LETTER.findall(_words("beside").sub(" ", _words("says").sub(" ", _folded(text))))


def _folded(text: str) -> str:
    return _HOST.sub(" ", normalize("NFKC", text).casefold().replace("’", "'"))


@cache
def _words(kind: str) -> re.Pattern[str]:
    """All phrases of a kind in all languages, the longest first."""
    languages = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")).values()
    phrases = sorted({_folded(phrase) for language in languages for phrase in language[kind]}, key=len, reverse=True)
    spaced = "|".join(re.escape(phrase) for phrase in phrases if phrase[0] < _UNSPACED)
    unspaced = "|".join(re.escape(phrase) for phrase in phrases if phrase[0] >= _UNSPACED)
    return re.compile(rf"(?<![^\W{_UNSPACED}-\uffff])(?:{spaced})(?![^\W{_UNSPACED}-\uffff])|{unspaced}")
