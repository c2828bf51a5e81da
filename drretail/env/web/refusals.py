"""Pages that came and are no evidence: not found, denied, a bot check, a question of consent, a login, repairs.

A page that refuses speaks to its visitor, in few words: "this page doesn't exist", "verify that you are human". What it
would say stands in refusals.toml, a few expressions a language. A page about such words describes them, or is longer.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from unicodedata import normalize

REFUSES = (
    "The page says that it is not there or not for us: not found, denied, a bot check, a question of consent, a login."
)
LONGEST = 900
"""The most characters of a page that only refuses; the walls of consent are the longest."""
SHORT = 250
"""Of a page with fewer characters, the text is looked at too, and not only the title and the heading."""
_PART = re.compile(r"(?<!\s)\s++[|\-–—·•»:]+\s+|\n")


def refuses(title: str, heading: str, text: str) -> bool:
    """True if a short page says that its visitor can't have what it is about."""
    if len(text) > LONGEST:
        return False
    heads = _folded(f"{title}\n{heading}")
    spoken = heads if len(text) >= SHORT else _folded(f"{title}\n{heading}\n{text}")
    names = (part.strip(" .!…。！") for part in _PART.split(heads))
    return bool(_expressions("says").search(spoken)) or any(map(_expressions("is_called").fullmatch, names))


def _folded(text: str) -> str:
    return normalize("NFKC", text).casefold().replace("’", "'")


@cache
def _expressions(kind: str) -> re.Pattern[str]:
    """Those of a kind in all languages."""
    languages = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8")).values()
    return re.compile("|".join(expression for language in languages for expression in language[kind]))
