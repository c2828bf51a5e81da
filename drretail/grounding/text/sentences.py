"""The sentences, list items and table rows of a report, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from drretail.grounding.report.citations import closing_marks, listed_sources
from drretail.grounding.report.markup import blanked, lines, page_text
from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.languages import month_numbers

SentenceKind = Literal["text", "item", "row", "heading", "table_head"]

_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S|[ \t]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*:?[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+)(?:\[[ xX]\][ \t]+)?")
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]*)+")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-{2,}+:?[ \t]*+)*\|?[ \t]*+$|[ \t]*+(?:[-*_][ \t]*+){3,}+$"
)
_MARK = "\ue000"
"""Replaces each character of a mark without square brackets while sentences are separated."""
# A stop, closing quotes or brackets, and following marks; a link with words begins the next sentence.
_STOP = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]++|[。！？])[\"'”’)\]*_»]*"
    r"(?:[ \t]*(?:[\[【](?:\^|\d|[a-z]{3,8}:|[POUWCFS]:)[^\[\]【】\n]*[\]】](?:\([^()\s]*\))?|\ue000+))*"
    r"(?=\s+[^\sa-z(\ue000]|\s*$|(?<=[。！？])\S)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|etc|incl|excl|no|nos|st|dr|mr|mrs|ms|prof|inc|ltd|co|corp|oz|lbs?|in|ft|sq|fl|qt|pt|gal"
    r"|min|max|avg|est|fig|vol|ed|p|pp|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|u\.s)|\b[A-Z])\.$",
    re.IGNORECASE,
)
# Units also end sentences; they are abbreviations only before a digit or a small letter.
_UNIT = re.compile(r"\b(?:oz|lbs?|in|ft|sq|fl|qt|pt|gal|etc|no|inc|ltd|co|corp|min|max|ed|p|[A-Z])\.$", re.IGNORECASE)
_OF_SENTENCES = frozenset({"may", "march"})
"""English months that begin a sentence; English writes no point after a day."""
_QUOTE = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")
# "am 14. März 2022": the point after a day does not end a sentence.
_DAY = re.compile(r"(?<![\d.,])\d{1,2}\.$")
_OF_DAY = re.compile(r"\s+(?P<month>[^\W\d_]{3,})\.?(?P<year>\s+(?:19|20)\d\d\b)?")


# Not a bare "or", as in "4 stars or more".
_BEFORE_A_CLAUSE = re.compile(r"[,;:] (?:(?:and|but|or) )?| (?:and|but) | [-–—] ")


@dataclass(frozen=True, slots=True)
class Sentence:
    """``report[start:end]``, without the list marker before it; a table's row is one sentence."""

    start: int
    end: int
    kind: SentenceKind
    head: tuple[int, int] | None = None
    """The span of the table's head, for a row of a table with one."""


def find_clauses(sentence: str) -> list[tuple[str, str]]:
    """The clauses of a sentence: what stands before each, such as ", and ", and its words.

    Joined they give the sentence without its stop. Nothing within quotes or an amount separates clauses.
    """
    text = sentence.rstrip(".!?… ")
    whole = [*((amount.start, amount.end) for amount in find_amounts(text)), *map(re.Match.span, _QUOTE.finditer(text))]
    breaks = [match for match in _BEFORE_A_CLAUSE.finditer(text) if not any(a < match.start() < b for a, b in whole)]
    ends = [*(match.start() for match in breaks), len(text)]
    words = [text[start:end] for start, end in zip([0, *(match.end() for match in breaks)], ends, strict=True)]
    return list(zip(["", *(match[0] for match in breaks)], words, strict=True))


def find_sentences(report: str) -> list[Sentence]:
    """All sentences in text order and without overlap, without reference lists and rules.

    A paragraph may span several lines. Linear in the length of the report.
    """
    text = blanked(page_text(report), listed_sources(report, None).spans)
    parts, position = list[str](), 0
    for start, end in closing_marks(report):
        parts += [text[position:start], _MARK * (end - start)]
        position = end
    return list(_sentences("".join([*parts, text[position:]])))


def _sentences(text: str) -> Iterator[Sentence]:
    block: tuple[int, int, SentenceKind] | None = None
    head: tuple[int, int] | None = None
    in_table = False
    for start, end in [*lines(text), (len(text), len(text))]:
        line = text[start:end].rstrip()
        kind = _kind(line)
        if block is not None and kind != "text":
            yield from _split(text, *block)
            block = None
        if kind == "row":
            # The first row is the head if a rule follows.
            following = text[end + 1 :].partition("\n")[0].rstrip() if not in_table else ""
            is_head = bool(following and _RULE.match(following))
            yield Sentence(*_trimmed(text, start, end), "table_head" if is_head else "row", head if in_table else None)
            head = head if in_table else (start, start + len(line))
        elif kind == "heading":
            yield Sentence(*_trimmed(text, start, end), kind)
        elif kind == "item":
            marker = _ITEM.match(text, start, end)
            block = (marker.end() if marker else start, end, "item")
        elif kind == "text" and block is None:
            quoted = _QUOTED.match(text, start, end)
            block = (quoted.end() if quoted else start, end, "text")
        elif block is not None:
            block = (block[0], end, block[2])
        in_table = kind == "row" or (in_table and kind == "rule")
    if block is not None:
        yield from _split(text, *block)


def _kind(line: str) -> Literal["text", "item", "row", "heading", "rule", "blank"]:
    if not line.strip():
        return "blank"
    if _RULE.match(line):
        return "rule"
    if _ROW.match(line):
        return "row"
    if _HEADING.match(line):
        return "heading"
    return "item" if _ITEM.match(line) else "text"


def _split(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    position = start
    for stop in _STOP.finditer(text, start, end):
        before = text[max(0, stop.end("stop") - 10) : stop.end("stop")]
        if stop["stop"] == "." and _ABBREVIATION.search(before):
            following = text[stop.end("stop") : min(end, stop.end("stop") + 40)].lstrip(" \t*_\"'”’)")
            if following and (not _UNIT.search(before) or following[0].isdigit() or following[0].islower()):
                continue
        month = _OF_DAY.match(text, stop.end("stop")) if _DAY.search(before) else None
        if month and (month["year"] or month["month"].casefold() in month_numbers().keys() - _OF_SENTENCES):
            continue
        yield from _sentence(text, position, stop.end(), kind)
        position = stop.end()
    yield from _sentence(text, position, end, kind)


def _sentence(text: str, start: int, end: int, kind: SentenceKind) -> Iterator[Sentence]:
    start, end = _trimmed(text, start, end)
    if any(character.isalnum() for character in text[start:end]):
        yield Sentence(start, end, kind)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))
