"""The lists of sources in a report, and the labels by which marks lead there.

What an entry looks like decides: a label at the beginning of a line, and an address. A heading that names sources also
makes the other lines with addresses below it entries, and items below these.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from drretail.grounding.report.evidence_ids import bare_address
from drretail.grounding.report.marks import RAISED, SQUARE, Mark, find_marks
from drretail.grounding.report.page import HEADING, line_kind, lines

_WORDS = (
    r"(?:sources?|belege?|(?:einzel)?nachweise?|quellen?|fuentes?|fontes?|fonti|bron(?:nen)?|kilder?|källa|källor|źródł[oa]"
    r"|kaynak|riferimenti|источники?|\w{0,2}(?:来源|出典|출처)\w{0,2}|references?|r[eé]fs?|r[eé]f[eé]rences?|cit(?:ed?|ations?)"
    r"|footnotes|endnotes|quellen\w{1,12}|referencias?|referências?|citadas|kaynak\w{1,9}"
    r"|\w{0,2}(?:参考|參考|引用|참고)\w{0,2})"
)
_SOURCE_WORDS = re.compile(_WORDS, re.IGNORECASE)
_HEADING_WORDS = re.compile(rf"(?:{_WORDS}|notes?|links|bibliogra\w{{1,9}}|literatur\w{{0,12}})$", re.IGNORECASE)
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[^\W\d_].{0,80}\d|[\[【]\^?\d|^\W*\w+\W*[:：]\s*\w")
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"[ \t>|+•:-]*+(?:(?P<sure>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|\^\w{{1,4}}\^?|[{RAISED}]{{1,4}})"
    # What also numbers steps: "1.", "(1)", "Source 1:", "web:1 =", "1 Title", "Q1 Title", "A.".
    r"|(?P<number>[(（]?(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}(?:[.)）、:：](?!\d)|[ \t]+[-–—=·](?=\s))"
    r"|[A-Z]?\d{1,3}(?=[ \t]+\S)|[A-Z][.)](?=[ \t])))[ \t]*[:：.,]?",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]*>|\(#[^()]*\)|[\[\]()（）^|]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>|\*", re.IGNORECASE)
_LONGEST_TITLE, _LINES_BELOW = 80, 2
_OF_BOLD = 7
"""The level of a heading in bold letters, and of one without signs."""
_LABEL = re.compile(r"[^\W\d_]{0,3}\d{1,3}")
_RANGE = re.compile(r"(?P<word>[^\W\d_]{0,3})(?P<first>\d{1,3})\s*[-‐‑–—~⁻−]\s*(?:[^\W\d_]{0,3})(?P<last>\d{1,3})")
_BETWEEN = re.compile(r"[,;/|&，；、・]|\s(?:and|und|et|y|og|och|en)\s")
_PLACE = re.compile(r"†.*|(?:,\s*|\s)(?:§|[^\W\d_]{1,5}\.)[^;]*")
"""In the source: 1†L3, 1, p. 4."""
_LONGEST_RANGE = 50
_KEY = re.compile(r"\^\S|@\w|\d.*†")
"""What stands in square brackets for nothing else: [^e], [@roe, p. 4], 【4:0†file】."""


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3``, ``⁰³``, ``3.`` → ``3``; ``Web-3`` → ``web3``."""
    label = unicodedata.normalize("NFKC", _SIGNS.sub(" ", label)).casefold().strip(" \t.:：=–—-,，、·#")
    label = re.sub(r"(?<=[^\W\d_])[\s:：._-]+(?=\w)", "", label)
    number = label.lstrip("".join(filter(str.isalpha, label)))
    is_number = number.isdecimal() and (number == label or _SOURCE_WORDS.fullmatch(label[: -len(number)]))
    return str(int(number)) if is_number else label


class Entry:
    """A line of a report, with the lines below that hold its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE))
        marker = _MARKER.match(plain)
        self.is_sure = marker is not None and marker["sure"] is not None
        """True if it begins like nothing else than an entry."""
        self.label = folded_label(marker["sure"] or marker["number"]) if marker else ""
        self.start = left + (len(plain[: marker.end()].rstrip()) if marker else 0)
        self.body = self.text[self.start - left :]
        """The text behind the label, from ``start`` on."""
        self.marks = [mark for mark in find_marks(self.body, wide=True) if mark.names]
        """Its addresses and ids, which may lack brackets, by their places in ``body``."""
        self.has_url = any(mark.kind == "source" for mark in self.marks)
        self.kind = line_kind(self.text)
        self.is_blank = self.kind in ("blank", "rule")
        heading = HEADING.match(self.text) if self.kind == "heading" else None
        self.level = 0 if heading is None else len(heading["level"] or "") or _OF_BOLD
        """The level of a heading; 0 for no heading."""

    @cached_property
    def sources(self) -> frozenset[str]:
        """All that it names, each in one form."""
        return frozenset(bare_address(name) or name for mark in self.marks for name in mark.names)

    def is_entry(self, cited: Counter[str], headed: Collection[str]) -> bool:
        """True for a label with an address: one that is cited and has no entry among the ``headed``, or one that begins
        like nothing else; and for a note without an address, whose label is cited.
        """
        if self.level or not self.label:
            return False
        if not self.is_sure:
            return self.has_url and self.label in cited and self.label not in headed
        if not self.marks:
            return self.label not in headed and cited[self.label] > 1 and not re.search(r"[\[【]\d", self.body)
        is_before = not self.body[: self.marks[0].start].strip("[( :,<")
        return self.label[-1].isdigit() or is_before or cited[self.label] > 1  # its own label is one


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    spans: tuple[tuple[int, int], ...]
    entries: dict[str, list[Entry]]
    """By their labels; those without one under ""."""

    @cached_property
    def every(self) -> list[Entry]:
        return [entry for entries in self.entries.values() for entry in entries]

    def label_of(self, label: str) -> str | None:
        """The list's label that is written so."""
        return key if (key := folded_label(label)) and key in self.entries else None

    def entry(self, label: str) -> Entry | None:
        """The entry of a label of the list; None if several entries with other sources have it."""
        entries = self.entries[label]
        return entries[0] if len({entry.sources for entry in entries}) == 1 else None

    def labelled(self, mark: Mark) -> Mark:
        """The mark with its labels; not read if these stand among other words."""
        if mark.names or mark.reason or mark.kind == "round":
            return mark
        labels = tuple(self.labels_in(mark.content)) or (mark.labels if self.entries else ())
        words = filter(None, re.split(r"[\s,;:()–-]+", mark.content))
        is_unclear = not labels and (_KEY.match(mark.content) or any(map(self.label_of, words)))
        return mark._replace(labels=labels, reason="no_entry" if is_unclear else None)

    def labels_in(self, content: str) -> list[str]:
        """The labels that a bracket is made of: a group, a range, or one with a place behind it; none of anything else.
        Those of the lists, or of the form of labels.
        """
        if label := self.label_of(content):
            return [label]
        labels: dict[str, None] = {}
        for member in map(str.strip, _BETWEEN.split(_PLACE.sub("", content).removeprefix("^"))):
            if not self.label_of(member):
                member = re.sub(r"^[a-z]{2,10}:(?=\d+$)", "", member)  # web:1
            run, folded = _RANGE.fullmatch(member), folded_label(member)
            if folded and folded in self.entries:
                labels[folded] = None
            elif run and 0 < int(run["first"]) <= int(run["last"]) < int(run["first"]) + _LONGEST_RANGE:
                names = (f"{run['word']}{number}" for number in range(int(run["first"]), int(run["last"]) + 1))
                labels |= dict.fromkeys(self.label_of(name) or name for name in names)
            elif _LABEL.fullmatch(label := folded if folded.isdecimal() else member) and label.strip("0"):
                labels[label] = None
            else:
                return []
        return [*labels]


def read_references(text: str, marks: Iterable[Mark]) -> References:
    """The lists of a text, which has these marks."""
    contents = (mark.content for mark in marks if not mark.names)
    words = ({*map(str.strip, _BETWEEN.split(content)), *re.split(r"\W+", content)} for content in contents)
    cited = Counter(label for of_mark in words for label in {*map(folded_label, of_mark)} if label)
    parts = _parts(text)
    listed = _headed(parts)
    headed = {parts[index].label for index in listed}
    for index, part in enumerate(parts):
        is_next = index - 1 in listed and bool(part.label) and part.has_url and not part.level
        listed |= {index} if is_next or part.is_entry(cited, headed) else set()
    entries: dict[str, list[Entry]] = {}
    for part in (parts[index] for index in sorted(listed)):
        if not (part.level or part.is_blank):
            entries.setdefault(part.label, []).append(part)
    for index in reversed(range(len(parts))):  # with the blank lines above
        listed |= {index} if index + 1 in listed and parts[index].is_blank else set()
    return References(tuple((parts[index].left, parts[index].end) for index in sorted(listed)), entries)


def _headed(parts: Sequence[Entry]) -> set[int]:
    """The lines with addresses below a heading of sources, with the heading, up to one of the same level; and items
    below these.
    """
    listed, headings = set[int](), set[int]()
    opened = 0
    """The level of the heading of sources above; 0 without one."""
    for index, part in enumerate(parts):
        names_sources = not part.marks and (part.kind != "item" or bool(part.label)) and is_source_heading(part.text)
        is_heading = names_sources or bool(part.level and not part.marks)
        if is_heading and not 0 < opened < (part.level or _OF_BOLD):
            opened, headings = (part.level or _OF_BOLD) if names_sources else 0, set()
        if opened and is_heading:
            headings.add(index)
        elif opened:
            is_next = index - 1 in listed and bool(part.label or part.kind == "item")
            if is_next or part.is_sure or part.has_url or (bool(part.marks) and part.kind == "item"):
                listed |= {index, *headings}
                headings.clear()
    return listed


def _parts(text: str) -> list[Entry]:
    """Every line; a label with its title and the address below them are one, and an entry with an indented address."""
    parts: list[Entry] = []
    number = 0
    for start, end in lines(text):
        line = Entry(text, start, end)
        is_numbered = line.text.lstrip().startswith("<li")
        number = 0 if "<ol" in line.text else number + is_numbered
        line.label = line.label or (str(number) if is_numbered else "")
        above = parts[-_LINES_BELOW:] if line.marks and line.kind == "text" and not line.label else []
        for back, part in enumerate(reversed(above), 1):
            is_indented = back == 1 and part.is_sure and text.startswith("  ", start)
            if part.label and not part.level and (is_indented or not part.marks):
                parts[-back:], line = [], Entry(text, part.left, end)
            if part.label or part.marks or part.is_blank or part.level or part.kind == "item":
                break
        parts.append(line)
    return parts


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    title = re.sub(r"[(（][^()（）]*+[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    words = re.findall(r"[^\W\d_]{2,}|[^\W\d_a-zA-Z]", title)
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(title)
    return is_line and any(map(_HEADING_WORDS.match, (words[0], words[-1])))
