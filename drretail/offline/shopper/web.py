"""What the web is searched for, and sentences of its pages, chosen by the words that they share with the search.

Nothing else of a page is used: a page that tells its readers what to recommend is at most quoted where it answers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from drretail.grounding.text.words import content_stems, content_words
from drretail.offline.shopper.conversation import WEB
from drretail.offline.shopper.needs import Study
from drretail.records.evidence import PageSummary

MOST_SEARCHES = 3
MOST_QUOTES = 4
MOST_SENTENCES = 8
LONGEST_SUMMARY = 1500
_LEAST_SHARED = 2
_LONGEST_SEARCH_WORDS = 10
_LONGEST_QUOTE = 260
_CHOOSING = frozenset(content_stems("how to choose"))
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"])")
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)*")
_MARKUP = re.compile(r"[|`\[\]<>*_]|https?://")


@dataclass(frozen=True, slots=True)
class Quote:
    """One sentence of a page that answers a search."""

    text: str
    evidence: str
    search: str
    shared: int
    date: str | None = None


def web_searches(study: Study) -> list[str]:
    """The questions of the query in their telling words; how to choose the thing where it asks none."""
    told = [words for question in study.asked.questions if (words := search_for(study, question))]
    advice = [] if study.situation.of_a_team else [f"how to choose {thing}" for thing in _things(study)]
    return list(dict.fromkeys(told))[:MOST_SEARCHES] or advice


def search_for(study: Study, question: str) -> str:
    """The telling words of one question, after the things asked for where it names none of them; empty of one word."""
    words = _telling(question)
    if " " not in words:
        return ""
    # Of the likeliest tier alone: a lower one may hold a word of the question itself, such as "speaks".
    likeliest = next((tier for tier in study.tiers if tier), ())
    things, stems = [phrase.words for phrase in likeliest][:2], set(content_stems(question))
    names_one = any(stems & set(content_stems(thing)) for thing in things)
    return words if names_one else " ".join([*things, words])


def _telling(question: str) -> str:
    return " ".join(content_words(question)[:_LONGEST_SEARCH_WORDS])


def _things(study: Study) -> list[str]:
    """The likeliest things to buy, two at most."""
    return [phrase.words for tier in study.tiers[:3] for phrase in tier][:2]


def quotes(study: Study) -> list[Quote]:
    """For each web search the sentence that shares most with it, then the best of the others; each page once."""
    found: list[Quote] = []
    # A page about the thing is no answer yet to what is asked of it: what a search adds to a question counts for none.
    own = {search_for(study, question): _telling(question) for question in study.asked.questions}
    for lookup in study.situation.found(WEB):
        search = str(lookup.args.get("query", ""))
        wanted = set(content_stems(own.get(search, search))) - _CHOOSING
        ranked = [
            Quote(text, str(page.get("evidence", "")), search, shared, page.get("date"))
            for page in lookup.value.get("results", [])
            if isinstance(page, dict)
            for text in sentences_of(str(page.get("summary") or page.get("snippet") or ""))
            if (shared := len(wanted & set(content_stems(text))))
            >= max(min(_LEAST_SHARED, len(wanted)), len(wanted) / 3)
            and len(text) <= _LONGEST_QUOTE
        ]
        ranked.sort(key=lambda it: -it.shared)
        taken: dict[str, Quote] = {}
        for quote in ranked:
            taken.setdefault(quote.evidence, quote)
        found += list(taken.values())[:2]
    return list({quote.text: quote for quote in found}.values())


def summarised(search: str, title: str, text: str) -> PageSummary:
    """The page's sentences that share most with the search, in its own order; the best few of them as quotes."""
    wanted = set(content_stems(search)) or set(content_stems(title))
    sentences = list(dict.fromkeys(sentences_of(text)))
    weights = [len(wanted & set(content_stems(it))) for it in sentences]
    order = sorted(range(len(sentences)), key=lambda at: (-weights[at], at))
    chosen: list[int] = []
    for at in (at for at in order[:MOST_SENTENCES] if weights[at]):
        if sum(len(sentences[it]) + 1 for it in chosen) + len(sentences[at]) <= LONGEST_SUMMARY:
            chosen.append(at)
    summary = " ".join(sentences[at] for at in sorted(chosen))
    quotes = tuple(sentences[at] for at in chosen[:MOST_QUOTES])
    return PageSummary(relevant=bool(summary), summary=summary, quotes=quotes)


def sentences_of(text: str) -> Sequence[str]:
    """Runs of the page's own characters that are sentences; headings, tables and links are none."""
    parts = [part.strip() for line in text.splitlines() for part in _END.split(_MARK.sub("", line))]
    return [part for part in parts if part[-1:] in (".", "!") and part[:1].isupper() and not _MARKUP.search(part)]
