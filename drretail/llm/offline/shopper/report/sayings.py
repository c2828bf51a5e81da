"""Sentences of web pages that can stand on their own, and how much they help a buyer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from drretail.llm.offline.shopper.situation import WEB, Situation
from drretail.llm.offline.shopper.words import STOP_WORDS, content_stems, stems_of, word_set, words_of

LONGEST_SENTENCE = 45
FRESH_YEARS = 3
AGEING = 0.1
"""Merit lost for every further year."""
ADVICE_VERBS = word_set(
    """aim allow ask avoid boil buy change check choose clean compare cover dilute dust empty fill fit fix hang inspect
    keep leave look make measure mount never pick place plant put replace rinse rotate scrub sharpen sit soak sow store
    take test use wash wipe"""
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
_TALE = re.compile(r"\b(?:I|my|My)\b")
_POINTS_BACK = re.compile(
    r"(?:It|They|This|That|These|Those|He|She|Both|Such|Then|But|And|So|Mine|Ours|A good one"
    r"|The (?:former|latter|same))\b"
)
# What a page reports is often what it goes on to contradict.
_REPORTS = re.compile(r"\b(?:usual advice|often told|people say|some say|they say|myth|supposedly)\b", re.IGNORECASE)
# What is left of a table or a list: "Buy 5/8", "30 % of it", "Steel blade you can take apart".
_FRAGMENT = re.compile(
    r"\b\d+/\d+\b(?!\s*(?:inch|-inch|in\b|cup|teaspoon|\"))|\bof (?:it|them|these|those)\b|^\w+(?: \w+){0,2} you can\b"
    r"|\b(?:that|this|those)(?=[,;.]|$)|^(?:At (?:least|most)|About|Up to) \d[\d.]* \w+,|^(?:If|When) (?:they|it)\b"
    r"|^Lets? (?:you|your|it|them)\b"
    r"|\bboth and\b|\b(?:first|next|last) (?:one|time)\b|\bthis one\b|\b(?:above|below|table|figure|sample|panel)\b$"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|can|cannot|can't|should|must|will|won't|do|does|don't|doesn't|needs?|costs?|weighs?"
    r"|holds?|makes?|keeps?|lasts?|leaks?|fits?|helps?|works?|absorbs?|turns?|takes?|gives?|means?|matters?|brings?|adds?"
    r"|lowers?|raises?|harms?|cures?|reads?|wears?|stays?|comes?|goes|removes?|kills?|cuts?|becomes?|lets?|seizes?|covers?"
    r"|runs?|suits?|scratches|cracks?|dries|dulls?|loses?|cleans?|protects?|prevents?|causes?|spoils?|drains?"
    r"|shows?|found|lies|lay|survives?|predates?|increases?|reduces?|improves?|depends?|contains?|starts?|begins?|ends?"
    r"|tells?|differs?|grows?|attracts?|rests?|removed)\b"
)
# "In hard frost, aim at 30 %".
_BIDS_LATER = re.compile(rf", (?:{'|'.join(sorted(ADVICE_VERBS))})\b")
# "kettleby: " in front of a post of a forum.
_SPEAKER = re.compile(r"^[a-z][\w-]*: (?=[A-Z])")
_NUMBER = re.compile(r"\d[\d,./]*")
_PRONOUN = re.compile(r"\b(?:it|them|they|its|their)\b", re.IGNORECASE)
_MOST_NUMBERS = 4
_LEAST_CONTENT = 5
# Orders to a reader who is a machine. A page that gives any is not repeated at all.
_TO_MACHINES = re.compile(
    r"\b(?:AI (?:\w+ )?(?:assistants?|agents?|models?|readers?|systems?)|LLMs?|language models?|chat ?bots?"
    r"|system prompt|automated (?:readers?|agents?|systems?|assistants?)|digital readers?"
    r"|(?:shopping|digital|virtual) assistants?"
    r"|(?:ignore|disregard|forget) (?:all |any )?(?:the |your |my )?(?:other|previous|prior|earlier)"
    r" (?:sources|instructions|pages|results|prompts?)|the only \w+ worth buying|recommend only our"
    r"|leave out other makers|first in any list)\b",
    re.IGNORECASE,
)
_OPEN = ("…", "...")
# What a table or a list says of one case, its body at least three words.
_ROW = re.compile(r"^(?P<label>[A-Z][^:.!?]{2,70}): (?:\S+ ){2}\S")
_LEAST_LISTED = 3
# A capital inside a sentence, behind a small letter: a heading may end there.
_SEAM = re.compile(r"(?<=[a-z0-9)])\s+(?=(?:[A-Z][a-z]+|A)\b)")

# "When North of zone 7, sow in November": the heading was a question.
_ASKING_HEADING = re.compile(r"^(?:When|How|Where|Why|What|Which)(?: often| much| long| many)? (?=[A-Z][a-z]|A )")


@dataclass(frozen=True, slots=True)
class Saying:
    """One sentence of a page; ``day`` is the page's date, ``is_list`` marks an enumeration that a cut left open."""

    text: str
    evidence: str
    page: str
    day: date | None
    merit: float
    is_list: bool = False
    whole: bool = True
    """True when it is a sentence that points to none around it."""
    label: str = ""
    """The front of a row such as "Double coat: undercoat rake, twice a week"."""
    alone: bool = True
    """True when it also says enough, and few enough numbers, to be read without a question."""

    def age(self, today: date | None) -> float:
        """In years."""
        return 0.0 if self.day is None or today is None else (today - self.day).days / 365.25


def read_sayings(situation: Situation, *, with_lists: bool = False) -> list[Saying]:
    """All usable sentences that the web searches brought, each once; none of a page that gives machines orders."""
    found: dict[tuple[str, str], Saying] = {}
    distrusted = pages_that_give_orders(situation)
    for lookup in situation.found(WEB):
        for rank, result in enumerate(lookup.value.get("results", [])):
            if str(result["evidence"]) in distrusted:
                continue
            for saying in _of_page(result, rank, with_lists):
                # What is old may be superseded, on safety above all: it needs far better reasons to be repeated.
                aged = AGEING * max(0.0, saying.age(situation.today) - FRESH_YEARS)
                found.setdefault((saying.evidence, saying.text), replace(saying, merit=saying.merit - aged))
    return list(found.values())


def pages_that_give_orders(situation: Situation) -> dict[str, tuple[str, str]]:
    """Evidence id with title and text of each page on which a sentence tells machines what to say."""
    return {
        str(result["evidence"]): (
            str(result.get("title", "")),
            str(result.get("summary") or result.get("snippet") or ""),
        )
        for lookup in situation.found(WEB)
        for result in lookup.value.get("results", [])
        if gives_orders(str(result.get("summary") or result.get("snippet") or ""))
    }


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
            merit = merit_of(text) - 0.05 * rank
            evidence = str(result["evidence"])
            whole, alone = _is_whole(text), _stands_alone(text)
            yield Saying(text, evidence, page, day, merit, is_list, whole, _label(text), alone)


def gives_orders(text: str) -> bool:
    """True where a text tells readers that are machines what to say."""
    return _TO_MACHINES.search(text) is not None


def merit_of(text: str) -> float:
    """How much a sentence helps a buyer: advice and figures do; tales, seams of headings and long sentences do not."""
    advises = 0.6 * (_ADVISES.search(text) is not None) + 0.2 * (_MEASURES.search(text) is not None)
    tale = 0.6 * (_FIRST_PERSON.search(text) is not None)
    seams = 0.5 * any(True for _ in _SEAM.finditer(" ".join(text.split()[:7])))
    # What a sentence points back to is not on the page any more.
    hangs = 0.5 * (_POINTS_BACK.match(text) is not None or _REPORTS.search(text) is not None)
    # "Shampoo: per ounce" is a row of a table.
    row = 0.4 * (":" in " ".join(text.split()[:3]))
    return advises - tale - hangs - row - seams - 0.2 * (len(text.split()) > 30)


def _label(text: str) -> str:
    row = _ROW.match(text)
    return row["label"] if row and not _FRAGMENT.search(text) else ""


def _is_whole(text: str) -> bool:
    """False for what lacks a verb and for what points back."""
    first = words_of(text)[0]
    first_bids = first in ADVICE_VERBS or first in ("do", "don't", "always", "if", "when")
    bids = first_bids or _BIDS_LATER.search(text) is not None
    says = bids or _FINITE.search(text) is not None
    hangs = _POINTS_BACK.match(text) or _FRAGMENT.search(text) or _speaks_of_something_unnamed(text, bids=bids)
    return says and not hangs


def _stands_alone(text: str) -> bool:
    """False also for rows of figures, and for what has too few words to say something."""
    few_numbers = len(_NUMBER.findall(text)) <= _MOST_NUMBERS
    return _is_whole(text) and not _TALE.search(text) and few_numbers and len(content_stems(text)) >= _LEAST_CONTENT


def _speaks_of_something_unnamed(text: str, *, bids: bool) -> bool:
    """True for "You can't stop it": the pronoun comes before anything it could mean."""
    found = _PRONOUN.search(text)
    return found is not None and not bids and len(content_stems(text[: found.start()])) < 3


def _split(text: str) -> list[str]:
    """Sentences; one that the snippet's cut left open keeps its mark, one that it began within is left out."""
    plain = " ".join(re.sub(r"\s*[#*_`>|]+\s*", " ", text).split())
    begun_within = plain.startswith(_OPEN)
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z0-9“\"]|[a-z][\w-]+: )", plain.lstrip("… "))
    whole = parts[1:] if begun_within and parts and not parts[0][:1].isupper() else parts
    return [_SPEAKER.sub("", part) for part in whole if part and part[-1] in ".!…"]


def _without_heading(sentence: str) -> str:
    """The sentence behind a heading that lost its line: "Placing it Hang it high." is "Hang it high."."""
    sentence = _ASKING_HEADING.sub("", sentence)
    for seam in _SEAM.finditer(sentence):
        front, rest = sentence[: seam.start()], sentence[seam.end() :]
        if len(front.split()) > 7:
            break
        first = words_of(rest)[0]
        # "Files Glass files can be washed": the heading is said again.
        again = set(stems_of(front)) <= set(stems_of(rest)[:5])
        if first in ADVICE_VERBS or first in STOP_WORDS or again:
            return rest
    return sentence


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10]) if text else None
    except ValueError:
        return None
