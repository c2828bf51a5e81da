"""The marks by which a report refers to sources, as written: links, URLs, ids, numbers, footnotes.

What a mark covers is one rule, in what_a_mark_covers.md: prompts for writers and judges quote it word for word, and
text/layout.py follows it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from drretail.grounding.report.evidence_ids import FILE_ID, parse_evidence_id
from drretail.grounding.report.hidden import CARD
from drretail.grounding.report.markup import CITE_TAG, URL_START, closing_brackets, url_end, url_run
from drretail.grounding.report.reference_list import NAMED

_RULE = Path(__file__).with_name("what_a_mark_covers.md")
_START = re.compile(r"(?i:https?)://(?=[^\W_])|[\[【［〔]")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
_TARGET_OPENS = re.compile(r"\([ \t]*<?")
_NO_TARGET = re.compile(r"\([ \t]*\)")
_TARGET_CLOSES = re.compile(r">?(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)")
_ID = re.compile(rf"[POUWCS]:[A-Za-z0-9][A-Za-z0-9_@-]{{0,140}}|{FILE_ID}")
_SEPARATORS = re.compile(r"[\s,;|，；、]+")
_RANGE = r"\d{1,4}(?:[ \t]*[-–—~⁻][ \t]*\d{1,4})?"
_NUMBERS = re.compile(rf"[ \t]*{_RANGE}(?:[ \t]*[,;，；、][ \t]*{_RANGE})*[ \t]*")
_NAMED_NUMBER = re.compile(rf"(?<!\w){NAMED}(?=\d)", re.IGNORECASE)
# A link within the page is a mark if its words are only a label: [[2]](#ref-2), [S3](#s3).
_IN_PAGE = re.compile(r"#[^\s()]{0,200}\)")
# [^1^][3]: the second number is the reference, the first the one that is shown.
_FOOTNOTE_AND_LINK = re.compile(r"\[\^(?:(?P<number>\d{1,4})\^?\]\[(?P=number)|\d{1,4}\^\]\[(?P<key>\d{1,4}))\]")
# What products' exports have instead of an address: OpenAI's tokens, with or without private characters, and cards
# of Grok.
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,3}"
_EXPORTED = re.compile(
    rf"\ue200?(?:file)?cite(?:\ue202?{_TURN})+\ue201?|{CARD}"
    r"|:contentReference\[oaicite:(?P<reference>\d{1,4})\]\{index=\d{1,4}\}"
)
_SURELY_NAMED = re.compile(r"\s*(?:cit(?:ation|e)|web|file|post):", re.IGNORECASE)  # [citation:3], Perplexity's [web:3]
_RUN = r"(?:\[[1-9]\d{0,2}(?:[ ]?[,–-][ ]?\d{1,3}){0,9}\][ ]?){1,9}"
_BESIDE_END = re.compile(
    rf"[.!?…。！？][\"”’)*_]{{0,3}}[ ]?{_RUN}(?=[\s|]|(?<=[ ])\S|$)"
    rf"|[\w%)\"”’*`][ ]?{_RUN}(?=[ \t]*(?:[.,;:!?。，；、|\n]|$))"
)
_FEWEST_UNLISTED = 3
_DOUBLED = re.compile(r"\[[^\[\]]{1,80}\]")  # [[1]], without an address
_ONLY_LABEL = re.compile(r"\[?\^?(?P<label>[A-Za-z]?\d{1,4})\]?")
UNRESOLVED = "unresolved: "
_LABELS = re.compile(r"(?<!\w)[A-Za-z]\d{1,4}(?!\w)")  # [S2, S3]
_LONGEST_RANGE = 50
_LONGEST_CONTENT = 400


@cache
def what_a_mark_covers() -> str:
    """The rule with its examples, for prompts."""
    return _RULE.read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True)
class Target:
    """A URL, an evidence id, or the label of an entry ("3", "^note", "foo")."""

    kind: Literal["url", "id", "label"]
    value: str


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` refers to the targets; an uncertain mark counts only if a target is known."""

    start: int
    end: int
    targets: tuple[Target, ...]
    certain: bool = True


def link_words(marker: str, source: str) -> str:
    """The words of a link, which belong to the sentence; none for ``[[3]](url)``, or if they are the source."""
    words, arrow, _ = marker[1:].partition("](")
    return words if arrow and source not in words and not _ONLY_LABEL.fullmatch(words) else ""


def find_marks(text: str, *, wide: bool = False) -> Iterator[Mark]:
    """Every mark in text order, none inside another; ``wide`` allows ideographs in plain URLs."""
    closing = closing_brackets(text)
    position = 0
    while start := _START.search(text, position):
        begin = start.start()
        if len(start[0]) == 1:
            mark = _bracket(text, begin, closing)
        elif begin and text[begin - 1] == "<" and (match := _AUTOLINK.match(text, begin - 1)):
            mark = Mark(match.start(), match.end(), (Target("url", match[1]),))
        else:
            end = url_end(text, begin, wide=wide)
            mark = Mark(begin, end, (Target("url", text[begin:end]),))
        if mark is not None:
            yield mark
        position = mark.end if mark else begin + 1


def exported_marks(report: str, text: str) -> Iterator[Mark]:
    """The marks of products' exports, which number sources in their own way; ``text`` is the report's prose."""
    index = None
    for tag in CITE_TAG.finditer(report):
        if tag["close"] and index and text.startswith("</", tag.start()):
            numbers = dict.fromkeys(re.findall(r"(\d+)(?:-\d+)?", index))
            yield Mark(*tag.span(), tuple(Target("label", number) for number in numbers))
        index = tag["index"]
    for token in _EXPORTED.finditer(text):
        names = re.findall(_TURN, token[0]) or [token["card"] or token["reference"] or "card"]
        yield Mark(*token.span(), tuple(Target("label", name) for name in dict.fromkeys(names)))


def unlisted_numbers(text: str) -> list[int]:
    """The bracketed numbers that can only be marks in a report without a list: several, at the ends of clauses."""
    runs = _BESIDE_END.findall(text)
    numbers = [int(number) for run in runs for number in re.findall(r"\d+", run[1:])]
    return numbers if len(runs) >= _FEWEST_UNLISTED and len({*numbers}) > 1 and 1 in numbers else []


def _bracket(text: str, start: int, closing: dict[int, int]) -> Mark | None:
    close = closing.get(start)
    if close is None:
        return None
    link = _link(text, start, close)
    if link is not None:
        return link
    if close - start > _LONGEST_CONTENT:
        return None
    content = text[start + 1 : close]
    if "](" in content or URL_START.search(content):  # [[1](https://…)], [https://…]: what is within is the mark
        return None
    if _DOUBLED.fullmatch(content):
        content = content[1:-1]
    if content.endswith("\\") and text.endswith("\\", 0, start):  # \[1\], as editors escape what is pasted
        start, content = start - 1, content[:-1]
    targets, certain = _content(content)
    if both := _FOOTNOTE_AND_LINK.match(text, start):
        return Mark(start, both.end(), (Target("label", both["key"]),) if both["key"] else targets)
    return Mark(start, close + 1, targets, certain) if targets else None


def _link(text: str, start: int, close: int) -> Mark | None:
    """``[text](url)`` or ``[text](P:…)``; ids in the text take precedence over the URL.

    ``[text]()`` refers to the entry of that label, or to nothing.
    """
    opens = _TARGET_OPENS.match(text, close + 1)
    if opens is None:
        return None
    label = text[start + 1 : min(close, start + _LONGEST_CONTENT)].strip()
    if label and (empty := _NO_TARGET.match(text, close + 1)):
        return Mark(start, empty.end(), (Target("label", label.casefold()),))
    if URL_START.match(text, opens.end()):
        target, end = "url", url_run(text, opens.end(), wide=True)
    elif match := _ID.match(text, opens.end()):
        target, end = "id", match.end()
    elif (in_page := _IN_PAGE.match(text, opens.end())) and (named := _ONLY_LABEL.fullmatch(label)):
        return Mark(start, in_page.end(), (Target("label", named["label"].casefold()),), certain=False)
    else:
        return None
    closes = _TARGET_CLOSES.match(text, end)
    if closes is None:
        return None
    ids, certain = _ids(text[start + 1 : min(close, start + _LONGEST_CONTENT)])
    if ids and certain:
        return Mark(start, closes.end(), ids)
    return Mark(start, closes.end(), (Target(target, text[opens.end() : end]),))


def _content(content: str) -> tuple[tuple[Target, ...], bool]:
    """The targets of a bracket's content, and whether it can mean nothing else."""
    if content.startswith("^") and len(content) > 1 and " " not in content:
        return (Target("label", content.casefold()),), True
    if content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
        return (Target("id", content.removeprefix(UNRESOLVED)),), True
    numbers, dagger, _ = _NAMED_NUMBER.sub("", content).partition("†")
    if _NUMBERS.fullmatch(numbers):
        return numbered_targets(numbers), bool(dagger or _SURELY_NAMED.match(content))
    ids, certain = _ids(content)
    if ids:
        return ids, certain
    labels = _LABELS.findall(content) if _LABELS.sub("", content).strip(" \t,;，；、") == "" else [content.strip()]
    return tuple(Target("label", label.casefold()) for label in labels if label), False


def numbered_targets(content: str) -> tuple[Target, ...]:
    """The labels that numbers and ranges name, each once; none for a range that runs backwards or too far."""
    numbers: dict[int, None] = {}
    for part in re.findall(_RANGE, content):
        first, *last = [int(number) for number in re.findall(r"\d+", part)]
        if last and not first < last[0] <= first + _LONGEST_RANGE:
            return ()
        numbers |= dict.fromkeys(range(first, (last[0] if last else first) + 1))
    return tuple(Target("label", str(number)) for number in numbers)


def _ids(content: str) -> tuple[tuple[Target, ...], bool]:
    """The ids in a bracket; certain if it has nothing else, so that invented ids are found too."""
    parts = [part for part in _SEPARATORS.split(content) if part]
    ids = [part for part in parts if _ID.fullmatch(part)]
    certain = len(ids) == len(parts)
    known = ids if certain else [part for part in ids if parse_evidence_id(part)]
    return tuple(Target("id", part) for part in dict.fromkeys(known)), certain
