"""Sentences of web pages that can stand on their own, and how much they help a buyer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from drretail.llm.offline.shopper.situation import WEB, Situation
from drretail.llm.offline.shopper.words import STOP_WORDS, word_set, words_of

LONGEST_SENTENCE = 45
FRESH_YEARS = 3
AGEING = 0.1
"""Merit lost for every further year."""
ADVICE_VERBS = word_set(
    """aim allow avoid buy change check choose clean cover dust empty fill fit fix hang inspect keep leave look make
    measure mount never pick place plant put replace rinse rotate scrub soak store take test use wash wipe"""
)
_ADVISES = re.compile(
    rf"\b(?:should|must|always|never|at least|at most|no more than|every (?:\w+ )?(?:day|week|month)s?|recommend\w*"
    rf"|safe\w*|{'|'.join(sorted(ADVICE_VERBS))})\b",
    re.IGNORECASE,
)
_MEASURES = re.compile(
    r"\d\s*(?:to \d+ )?(?:inch|feet|foot|ft|days|weeks|hours|minutes|degrees|percent|%|°|pounds|mg|lumens|decibels)"
)
_FIRST_PERSON = re.compile(r"\b(?:I|my|we|our|us|ours)\b")
_POINTS_BACK = re.compile(
    r"(?:It|They|This|That|These|Those|He|She|Both|Such|Then|But|And|So|Mine|Ours|A good one"
    r"|The (?:former|latter|same))\b"
)
# What a page reports is often what it goes on to contradict.
_REPORTS = re.compile(r"\b(?:usual advice|often told|people say|some say|they say|myth|supposedly)\b", re.IGNORECASE)
_OPEN = ("…", "...")
_LEAST_LISTED = 3
# A capital inside a sentence, behind a small letter: a heading may end there.
_SEAM = re.compile(r"(?<=[a-z0-9)])\s+(?=(?:[A-Z][a-z]+|A)\b)")


@dataclass(frozen=True, slots=True)
class Saying:
    """One sentence of a page; ``day`` is the page's date, ``is_list`` marks an enumeration that a cut left open."""

    text: str
    evidence: str
    page: str
    day: date | None
    merit: float
    is_list: bool = False

    def age(self, today: date | None) -> float:
        """In years."""
        return 0.0 if self.day is None or today is None else (today - self.day).days / 365.25


def read_sayings(situation: Situation, *, with_lists: bool = False) -> list[Saying]:
    """All usable sentences that the web searches brought, each once."""
    found: dict[tuple[str, str], Saying] = {}
    for lookup in situation.found(WEB):
        for rank, result in enumerate(lookup.value.get("results", [])):
            for saying in _of_page(result, rank, with_lists):
                # What is old may be superseded, on safety above all: it needs far better reasons to be repeated.
                aged = AGEING * max(0.0, saying.age(situation.today) - FRESH_YEARS)
                found.setdefault((saying.evidence, saying.text), replace(saying, merit=saying.merit - aged))
    return list(found.values())


def _of_page(result: dict[str, Any], rank: int, with_lists: bool) -> Iterator[Saying]:
    page, day = str(result.get("title", "")), _day(result.get("date"))
    for raw in _split(str(result.get("summary") or result.get("snippet") or "")):
        is_list = raw.endswith(_OPEN)
        text = _without_heading(raw)
        if is_list:
            if not with_lists or text.count(",") < _LEAST_LISTED:
                continue
            text = text.rpartition(",")[0] + " …"
        if text and text[0].isupper() and 5 <= len(text.split()) <= LONGEST_SENTENCE:
            yield Saying(text, str(result["evidence"]), page, day, _merit(text) - 0.05 * rank, is_list)


def _merit(text: str) -> float:
    """Advice and figures help; tales, seams of headings and long sentences do not."""
    advises = 0.6 * (_ADVISES.search(text) is not None) + 0.2 * (_MEASURES.search(text) is not None)
    tale = 0.6 * (_FIRST_PERSON.search(text) is not None)
    seams = 0.5 * any(True for _ in _SEAM.finditer(" ".join(text.split()[:7])))
    # What a sentence points back to is not on the page any more.
    hangs = 0.5 * (_POINTS_BACK.match(text) is not None or _REPORTS.search(text) is not None)
    # "Shampoo: per ounce" is a row of a table.
    row = 0.4 * (":" in " ".join(text.split()[:3]))
    return advises - tale - hangs - row - seams - 0.2 * (len(text.split()) > 30)


def _split(text: str) -> list[str]:
    """Sentences; one that the snippet's cut left open keeps its mark, one that it began within is left out."""
    plain = " ".join(re.sub(r"\s*[#*_`>|]+\s*", " ", text).split())
    begun_within = plain.startswith(_OPEN)
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z0-9“\"])", plain.lstrip("… "))
    whole = parts[1:] if begun_within and parts and not parts[0][:1].isupper() else parts
    return [part for part in whole if part and part[-1] in ".!…"]


def _without_heading(sentence: str) -> str:
    """The sentence behind a heading that lost its line: "Placing it Hang it high." is "Hang it high."."""
    for seam in _SEAM.finditer(sentence):
        front, rest = sentence[: seam.start()], sentence[seam.end() :]
        if len(front.split()) > 7:
            break
        first = words_of(rest)[0]
        if first in ADVICE_VERBS or first in STOP_WORDS:
            return rest
    return sentence


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10]) if text else None
    except ValueError:
        return None
