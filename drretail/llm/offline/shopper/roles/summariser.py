"""A web page as an extract: the sentences that bear on a search, word for word."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.shopper.report.sayings import gives_orders, merit_of
from drretail.llm.offline.shopper.tags import read_tags
from drretail.llm.offline.shopper.words import content_stems
from drretail.offline.chat import Turn
from drretail.records.research import PageSummary

SCHEMA = "PageSummary"
MOST_SENTENCES = 8
MOST_QUOTES = 4
LONGEST_SUMMARY = 1500
ANSWERING = 3.0
"""The weight of a sentence with all that the search asks for; advice beside the point never reaches half of it."""
DISTRUSTED = "The page tells automated readers what to recommend, so nothing of it is repeated here."
EMPTY = "The page holds no text that bears on the search."
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)*")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"])")
_MARKUP = re.compile(r"[|`\[\]<>*_]|https?://")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    place: int
    weight: float


def play(turn: Turn) -> AIMessage:
    """The summary as the answer in its schema."""
    tags = read_tags(turn.messages)
    search = tags["search"].content if "search" in tags else ""
    page = tags.get("page")
    args = summarised(search, page.attributes.get("title", "") if page else "", page.content if page else "")
    if turn.forced_tool == SCHEMA:
        return AIMessage("", tool_calls=[tool_call(name=SCHEMA, args=args.model_dump(mode="json"), id=None)])
    return AIMessage(json.dumps(args.model_dump(mode="json"), ensure_ascii=False))


def summarised(search: str, title: str, text: str) -> PageSummary:
    """The page's best sentences in its own order, the best few of them as quotes.

    Of a page that gives machines orders nothing is repeated: the summary says so.
    """
    if gives_orders(text):
        return PageSummary(summary=DISTRUSTED)
    sentences = _weighed(search, title, text)
    best = sorted(sentences, key=lambda sentence: (-sentence.weight, sentence.place))[:MOST_SENTENCES]
    chosen: list[_Sentence] = []
    for sentence in best:
        if sum(len(other.text) + 1 for other in chosen) + len(sentence.text) <= LONGEST_SUMMARY:
            chosen.append(sentence)
    in_order = sorted(chosen, key=lambda sentence: sentence.place)
    summary = " ".join(sentence.text for sentence in in_order)
    return PageSummary(summary=summary or EMPTY, quotes=tuple(sentence.text for sentence in chosen[:MOST_QUOTES]))


def _weighed(search: str, title: str, text: str) -> list[_Sentence]:
    """The whole sentences of the page, each once, with how much they bear on the search and help a buyer."""
    wanted = set(content_stems(search)) or set(content_stems(title))
    sentences = list(dict.fromkeys(_sentences(text)))
    stems = [set(content_stems(sentence)) for sentence in sentences]
    worth = _worth(wanted, stems)
    whole = sum(worth.values()) or 1.0
    weights = [
        ANSWERING * sum(worth.get(word, 0.0) for word in sorted(wanted & own)) / whole + merit_of(sentence)
        for sentence, own in zip(sentences, stems, strict=True)
    ]
    return [
        _Sentence(sentence, place, round(weight, 9))
        for place, (sentence, weight) in enumerate(zip(sentences, weights, strict=True))
    ]


def _worth(wanted: set[str], sentences: Sequence[set[str]]) -> dict[str, float]:
    """How much each word of the search tells on this page: one that stands in every sentence tells little."""
    return {word: 1 / holding for word in sorted(wanted) if (holding := sum(word in stems for stems in sentences))}


def _sentences(text: str) -> list[str]:
    """Runs of the page's own characters that are sentences; headings, tables and links are none."""
    parts = [part.strip() for line in text.splitlines() for part in _END.split(_MARK.sub("", line))]
    return [part for part in parts if part[-1:] in (".", "!") and part[:1].isupper() and not _MARKUP.search(part)]
