"""The lists of sources in a report.

What an entry looks like decides: a marker at the beginning of a line, and an address. A heading that names sources also
makes the other lines with addresses below it entries.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.grounding.report.evidence_ids import address_of
from drretail.grounding.report.marks import ADDRESS, BARE_ID, ID, RAISED, SQUARE, YEAR, find_pieces
from drretail.grounding.report.page import lines

HEADING = re.compile(r"[ \t>]*(?P<level>#{1,6})[ \t]|[ \t>]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_URL = re.compile(ADDRESS, re.IGNORECASE)
_SOURCE = re.compile(rf"{ADDRESS}|{BARE_ID}", re.IGNORECASE)
_SOURCE_WORDS = re.compile(
    r"(?:sources?|references?|r[eé]fs?|r[eé]f[eé]rences?|cit(?:ed|ations?)|footnotes|endnotes|notes?|links|bibliogra\w{1,9}"
    r"|belege?|(?:einzel)?nachweise?|quellen?\w{0,12}|literatur\w{0,12}|fuentes?|referencias?|referências?|citadas|fontes?"
    r"|fonti|bron(?:nen)?|kaynak\w{0,9}|источники?|\w{0,2}(?:参考|參考|来源|引用|出典|참고|출처)\w{0,2})$",
    re.IGNORECASE,
)
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[\[【]\^?\d|[:：][^\w:：]*\d|^\W*\w+\W*[:：]\s*\w")
_LABEL = r"(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}|[^\W\d_](?!\w)|[ivx]{2,4}(?!\w)|[^\W\d_]{2,6}\d{2}[a-z]?"
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"[ \t>|+•:-]*+(?:(?P<own>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|※\d{{1,2}}|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|\^\w{{1,4}}\^?|[{RAISED}①-⑳]{{1,4}})"
    # What also numbers steps: "1.", "(1)", "a:", "A –", "| 1 |", "web:1 =", "1 https://…".
    rf"|(?P<number>(?:\d{{1,3}}|[^\W\d_])[ \t]*\||[(（]?(?:{_LABEL})"
    rf"(?:[.)）、:：](?!\d)|[ \t]+[-–—=·](?=\s)|(?=[ \t]+<?{ADDRESS}))))[ \t]*[:：.,]?",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]*>|\(#[^()]*\)|[\[\]()（）^※|]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>|\*", re.IGNORECASE)
_TITLE = re.compile(r"[\W_]*(?!https?:|www\.)(?P<title>[^\W\d_][^\[\]()<>|:：,.;«»\"“”„*–—]{2,50})")
_RULE = re.compile(
    r"[ \t>]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)++$|[ \t]*+(?:[-*_][ \t]*+){3,}+$|\s*(?:<(?!https?:)[^<>]*+>\s*+)*+$"
)
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[\^[^\[\]]+\][:：]")
_LONGEST_TITLE, _LINES_BELOW = 80, 2
_OF_BOLD = 7
"""The level of a heading in bold letters."""


def folded(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3`` → ``source3``, ``⁰³`` → ``3``, ``3.`` → ``3``."""
    label = unicodedata.normalize("NFKC", _SIGNS.sub(" ", label)).casefold().strip(" \t.:：=–—-,，、·#")
    label = re.sub(r"(?<=[^\W\d_])[\s:：._-]+(?=\w)", "", label)
    return str(int(label)) if label.isdecimal() else label


class Entry:
    """A line of a report, with the lines below that hold its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE))
        self.marker = _MARKER.match(
            plain.replace("\\[", " [").replace("\\]", "] ").replace("[ [", " [[").replace("] ]", "]] ")
        )
        self.is_marked = self.marker is not None and self.marker["own"] is not None
        self.start = left + (len(plain[: self.marker.end()].rstrip()) if self.marker else 0)
        """Where the text behind the marker begins."""
        self.label = folded(self.marker["own"] or self.marker["number"]) if self.marker else ""
        self.is_blank = not self.text.strip() or _RULE.match(self.text) is not None
        self.has_source = _SOURCE.search(self.text) is not None
        self.has_url = _URL.search(self.text) is not None
        heading = HEADING.match(self.text)
        self.level = 0 if heading is None else len(heading["level"] or "") or _OF_BOLD
        """The level of a heading; 0 for no heading."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """The addresses and ids that it names, each in one form."""
        pieces = find_pieces(self.text[self.start - self.left :], wide=True)
        sources = (piece.content for piece in pieces if piece.kind in ("source", "id") or ID.fullmatch(piece.content))
        return frozenset(map(address_of, sources))

    def is_definition(self, cited: Counter[str]) -> bool:
        """True for a footnote, and a line that begins with a marker of its own and holds an address. A word in brackets
        is a marker if it is cited.
        """
        if self.marker is not None and _FOOTNOTE.match(self.text):
            return True
        begins = _SOURCE.match(self.text[self.start - self.left :].lstrip("[( :,<")) is not None
        is_label = self.label[-1:].isdigit() or begins or cited[self.label] > 1
        return self.is_marked and self.has_source and is_label and not self.level


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    entries: tuple[Entry, ...]
    spans: tuple[tuple[int, int], ...]
    by_label: dict[str, list[Entry]]
    years: frozenset[tuple[str, str]]
    """The words with the years beside them in entries and lines with addresses, by which texts cite an author."""

    def own(self, label: str) -> str | None:
        """The list's label that is written so."""
        return key if (key := folded(label)) in self.by_label else None

    @cached_property
    def titles(self) -> frozenset[str]:
        """What the entries' titles begin with: "wirecutter" of "Wirecutter: The best mops, https://…"."""
        titles = (_TITLE.match(entry.text, entry.start - entry.left) for entry in self.entries)
        return frozenset(title["title"].strip().casefold() for title in titles if title)

    def entry(self, label: str) -> Entry | None:
        """The entry of a label of the list; None if several entries with other sources have it."""
        entries = self.by_label[label]
        return entries[0] if len({entry.sources for entry in entries}) == 1 else None


def read_references(text: str, cited: Counter[str]) -> References:
    """The lists of a text; ``cited`` counts what may be labels in its brackets, whatever they mean."""
    own = _parts(text)
    listed = _headed(own) | {index for index, line in enumerate(own) if line.is_definition(cited)}
    listed |= _numbered(own, listed, cited)
    labels = {own[index].label for index in listed}
    for index, line in enumerate(own):  # what lacks its address
        body = line.text[line.start - line.left :].strip(" .,\r")
        is_new = line.is_marked and line.label not in labels and not line.level and not line.has_source
        if is_new and ((labels and not body) or (cited[line.label] > 1 and not re.search(r"[\[【]\d", body))):
            listed.add(index)
    lists = [own[index] for index in sorted(listed)]
    entries = tuple(line for line in lists if not line.level and (line.marker or line.has_source))
    by_label: dict[str, list[Entry]] = {}
    for entry in entries:
        by_label.setdefault(entry.label, []).append(entry)
    by_label = {
        label: [entry for entry in same if entry.has_source] or same for label, same in by_label.items() if label
    }
    years = (
        (line.text, year[0]) for line in own if line.has_url or line in entries for year in YEAR.finditer(line.text)
    )
    authors = frozenset((word, year[:4]) for line, year in years for word in re.findall(r"[^\W\d_]{3,}", line))
    return References(entries, tuple((line.left, line.end) for line in lists), by_label, authors)


def _parts(text: str) -> list[Entry]:
    """Every line; a marker with its title and the address below them are one."""
    parts: list[Entry] = []
    lacking = 0
    for start, end in lines(text):
        line = Entry(text, start, end)
        if lacking and not (line.is_blank or line.marker or line.level or ITEM.match(line.text)):
            lacking -= 1
            if line.has_source:
                parts[-_LINES_BELOW + lacking :] = [Entry(text, parts[-_LINES_BELOW + lacking].left, end)]
                lacking = 0
                continue
        else:
            lacking = _LINES_BELOW if line.marker and not line.has_source and not line.level else 0
        parts.append(line)
    return parts


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    words = re.findall(
        r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]", re.sub(r"[(（][^()（）]*+[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    )
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(text)
    return is_line and any(_SOURCE_WORDS.match(word) for word in (words[0], words[-1]))


def _is_frame(line: Entry) -> bool:
    """True for a line of a list without a source: a heading, a blank, the head of a table."""
    return bool(line.is_blank or line.level or line.text.lstrip().startswith("|") or is_source_heading(line.text))


def _headed(entries: Sequence[Entry]) -> set[int]:
    """The lines from a heading of sources to the last entry below it, up to a heading of the same level."""
    listed: set[int] = set()
    for title, heading in enumerate(entries):
        if heading.has_source or not is_source_heading(heading.text):
            continue
        below: list[int] = []
        for index in range(title + 1, len(entries)):
            line = entries[index]
            is_title = line.level or is_source_heading(line.text)
            if is_title and not line.has_source and (line.level or _OF_BOLD) <= (heading.level or _OF_BOLD):
                break
            is_entry = line.is_marked or line.has_url or (line.has_source and ITEM.match(line.text))
            if is_entry or (line.marker and below[-1:] == [index - 1]):
                below.append(index)
        while below and title and entries[title - 1].is_blank:
            title -= 1
        inside = range(title, below[-1] if below else title)  # what else stands between entries may have marks
        listed |= {index for index in inside if _is_frame(entries[index])}.union(below)
    return listed


def _numbered(entries: Sequence[Entry], listed: Collection[int], cited: Collection[str]) -> set[int]:
    """The last run of lines that begin with markers and hold addresses, if the text cites most of these labels, and
    no other entry has them or nothing but other lists stands below.
    """
    runs: list[list[int]] = [[]]
    for index, line in enumerate(entries):
        if line.marker is not None and not line.is_marked and line.has_url and index not in listed:
            runs[-1].append(index)
        elif not line.is_blank:
            runs.append([])
    run = next((run for run in reversed(runs) if run), [])
    labels = {entries[index].label for index in run}
    is_last = bool(run) and all(line.is_marked or line.is_blank for line in entries[run[-1] + 1 :])
    is_free = is_last or labels.isdisjoint(entries[index].label for index in listed)
    return set(run) if is_free and 2 * len(labels & set(cited)) >= len(labels) else set()
