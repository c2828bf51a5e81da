"""The lists of sources in a report.

What an entry looks like decides: a label at the beginning of a line, and an address. A heading that names sources also
makes the other lines with addresses below it entries.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.grounding.report.evidence_ids import bare_address
from drretail.grounding.report.marks import ADDRESS, BARE_ID, RAISED, SQUARE, Mark, find_marks
from drretail.grounding.report.page import lines

_HEADING = re.compile(r"[ \t>]*(?P<level>#{1,6})[ \t]|[ \t>]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_URL = re.compile(ADDRESS, re.IGNORECASE)
_SOURCE = re.compile(rf"{ADDRESS}|{BARE_ID}", re.IGNORECASE)
_SOURCE_WORDS = re.compile(
    r"(?:sources?|references?|r[eé]fs?|r[eé]f[eé]rences?|cit(?:ed|ations?)|footnotes|endnotes|notes?|links|bibliogra\w{1,9}"
    r"|belege?|(?:einzel)?nachweise?|quellen?\w{0,12}|literatur\w{0,12}|fuentes?|referencias?|referências?|citadas|fontes?"
    r"|fonti|bron(?:nen)?|kaynak\w{0,9}|источники?|\w{0,2}(?:参考|參考|来源|引用|出典|참고|출처)\w{0,2})$",
    re.IGNORECASE,
)
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[\[【]\^?\d|[:：][^\w:：]*\d|^\W*\w+\W*[:：]\s*\w")
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"[ \t>|+•:-]*+(?:(?P<sure>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|\^\w{{1,4}}\^?|[{RAISED}]{{1,4}})"
    # What also numbers steps: "1.", "(1)", "Source 1:", "web:1 =", "1 Title".
    r"|(?P<number>[(（]?(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}(?:[.)）、:：](?!\d)|[ \t]+[-–—=·](?=\s))"
    r"|\d{1,3}(?=[ \t]+\S)))[ \t]*[:：.,]?",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]*>|\(#[^()]*\)|[\[\]()（）^|]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>|\*", re.IGNORECASE)
_RULE = re.compile(
    r"[ \t>]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)++$|[ \t]*+(?:[-*_][ \t]*+){3,}+$|\s*(?:<(?!https?:)[^<>]*+>\s*+)*+$"
)
_LONGEST_TITLE, _LINES_BELOW = 80, 2
_OF_BOLD = 7
"""The level of a heading in bold letters, and of one without signs."""


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3``, ``⁰³``, ``3.`` → ``3``; ``Web-3`` → ``web3``."""
    label = unicodedata.normalize("NFKC", _SIGNS.sub(" ", label)).casefold().strip(" \t.:：=–—-,，、·#")
    label = re.sub(r"(?<=[^\W\d_])[\s:：._-]+(?=\w)", "", label)
    number = label.lstrip("".join(filter(str.isalpha, label)))
    is_number = number.isdecimal() and (number == label or _SOURCE_WORDS.match(label[: -len(number)]))
    return str(int(number)) if is_number else label


class Entry:
    """A line of a report, with the lines below that hold its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE))
        marker = _MARKER.match(plain)
        self.is_marked = marker is not None and marker["sure"] is not None
        """True if it begins like nothing else than an entry."""
        self.label = folded_label(marker["sure"] or marker["number"]) if marker else ""
        self.start = left + (len(plain[: marker.end()].rstrip()) if marker else 0)
        self.body = self.text[self.start - left :]
        """The text behind the label, from ``start`` on."""
        self.is_blank = _RULE.match(self.text) is not None
        self.has_source = _SOURCE.search(self.text) is not None
        self.has_url = _URL.search(self.text) is not None
        heading = _HEADING.match(self.text)
        self.level = 0 if heading is None else len(heading["level"] or "") or _OF_BOLD
        """The level of a heading; 0 for no heading."""

    @cached_property
    def marks(self) -> list[Mark]:
        """Its addresses and ids, which may lack brackets, by their places in ``body``."""
        return [mark for mark in find_marks(self.body, wide=True) if mark.kind in ("source", "ids", "perhaps")]

    @cached_property
    def sources(self) -> frozenset[str]:
        """All that it names, each in one form."""
        return frozenset(bare_address(name) or name for mark in self.marks for name in mark.names)

    def is_definition(self, cited: Counter[str]) -> bool:
        """True for a label of its own with an address; a word in brackets is one if it is cited."""
        begins = _SOURCE.match(self.body.lstrip("[( :,<")) is not None
        is_label = self.label[-1:].isdigit() or begins or cited[self.label] > 1
        return self.is_marked and self.has_source and is_label and not self.level


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    spans: tuple[tuple[int, int], ...]
    entries: dict[str, list[Entry]]
    """By their labels; those without one under ""."""

    @property
    def names(self) -> set[str]:
        """The first words of the entries in lower case, by which names without a capital cite them: (heise)."""
        bodies = (entry.body for entries in self.entries.values() for entry in entries)
        return {word.casefold() for body in bodies for word in re.findall(r"[^\W\d_]+", body)[:1]}

    def label_of(self, label: str) -> str | None:
        """The list's label that is written so."""
        return key if (key := folded_label(label)) and key in self.entries else None

    def entry(self, label: str) -> Entry | None:
        """The entry of a label of the list; None if several entries with other sources have it."""
        entries = self.entries[label]
        entries = [entry for entry in entries if entry.has_source] or entries
        return entries[0] if len({entry.sources for entry in entries}) == 1 else None

    def has_orphans(self, marks: Iterable[Mark]) -> bool:
        """True if there is an entry that none of the marks leads to, by label or by address."""
        labels = {label for mark in marks for label in map(self.label_of, mark.labels)}
        sources = [mark for mark in marks if mark.kind in ("source", "ids")]
        places = {bare_address(name) or name for mark in sources for name in mark.names}
        entries = (entry for label in self.entries if label not in labels for entry in self.entries[label])
        return any(entry.sources.isdisjoint(places) for entry in entries)


def read_references(text: str, cited: Counter[str]) -> References:
    """The lists of a text; ``cited`` counts what may be labels in its brackets, whatever they mean."""
    parts = _parts(text)
    listed = _headed(parts, cited)
    listed |= _numbered(parts, listed, cited)
    labels = {parts[index].label for index in listed}
    for index, part in enumerate(parts):  # what lacks its address
        body = part.body.strip(" .,\r")
        is_new = part.is_marked and part.label not in labels and not part.level and not part.has_source
        if is_new and ((labels and not body) or (cited[part.label] > 1 and not re.search(r"[\[【]\d", body))):
            listed.add(index)
    entries: dict[str, list[Entry]] = {}
    for part in (parts[index] for index in sorted(listed)):
        if not part.level and (part.label or part.has_source):
            entries.setdefault(part.label, []).append(part)
    spans = tuple((parts[index].left, parts[index].end) for index in sorted(listed))
    return References(spans, entries)


def _headed(parts: Sequence[Entry], cited: Counter[str]) -> set[int]:
    """The entries by their look; and the lines with addresses below a heading of sources, with the heading, up to one
    of the same level.
    """
    listed: set[int] = set()
    waiting: list[int] = []
    """What belongs to a list if an entry follows: its heading and blank lines."""
    opened = 0
    """The level of the heading of sources above; 0 without one."""
    for index, part in enumerate(parts):
        names_sources = not part.has_source and not _ITEM.match(part.text) and is_source_heading(part.text)
        is_heading = names_sources or bool(part.level and not part.has_source)
        if is_heading and not 0 < opened < (part.level or _OF_BOLD):
            opened = (part.level or _OF_BOLD) if names_sources else 0
        is_entry = part.is_definition(cited)
        if opened and not is_heading:
            is_entry |= part.is_marked or part.has_url or (part.has_source and _ITEM.match(part.text) is not None)
            is_entry |= bool(part.label) and index - 1 in listed and not parts[index - 1].is_blank
        if is_entry:
            listed |= {index, *(waiting if opened else ())}
        if is_entry or not (opened or part.is_blank):
            waiting = []
        elif is_heading or part.is_blank:
            waiting.append(index)
    return listed


def _numbered(parts: Sequence[Entry], listed: Collection[int], cited: Collection[str]) -> set[int]:
    """The last run of lines that begin with labels and hold addresses, if the text cites most of these labels, and
    no other entry has them or nothing but other entries stands below.
    """
    run: list[int] = []
    is_open, is_last = False, True
    for index, part in enumerate(parts):
        if part.label and part.has_url and not part.is_marked and index not in listed:
            run = run if is_open else []
            run.append(index)
            is_open = is_last = True
        elif not part.is_blank:
            is_open, is_last = False, is_last and part.is_marked
    labels = {parts[index].label for index in run}
    is_free = is_last or labels.isdisjoint(parts[index].label for index in listed)
    is_cited = [label in cited or re.sub(r"^\D+", "", label) in cited for label in labels]  # "(see source 1)"
    return {*run} if is_free and 2 * sum(is_cited) >= len(labels) else set()


def _parts(text: str) -> list[Entry]:
    """Every line; a label with its title and the address below them are one, and an entry with an indented address."""
    parts: list[Entry] = []
    lacking = 0
    for start, end in lines(text):
        line = Entry(text, start, end)
        if line.has_source and text.startswith("  ", start) and parts and parts[-1].is_marked and not line.label:
            parts[-1] = Entry(text, parts[-1].left, end)
            continue
        if not lacking or line.is_blank or line.label or line.level or _ITEM.match(line.text):
            lacking = _LINES_BELOW if line.label and not line.has_source and not line.level else 0
        elif line.has_source:
            above = parts[-1 - _LINES_BELOW + lacking :]
            parts[-len(above) :], lacking = [Entry(text, above[0].left, end)], 0
            continue
        else:
            lacking -= 1
        parts.append(line)
    return parts


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    words = re.sub(r"[(（][^()（）]*+[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    words = re.findall(r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]", words)
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(text)
    return is_line and any(map(_SOURCE_WORDS.match, (words[0], words[-1])))
