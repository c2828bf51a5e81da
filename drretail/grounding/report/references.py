"""The lists of sources in a report, and the labels by which marks lead there.

What an entry looks like decides: a label at the beginning of a line, and an address. A heading that names sources also
makes the other lines with addresses below it entries, and items below these.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence

from drretail.grounding.report.evidence_ids import bare_address
from drretail.grounding.report.marks import RAISED, SQUARE, Mark
from drretail.grounding.report.page import HEADING, line_kind, lines

_WORDS = (
    r"(?:sources?|belege?|(?:einzel)?nachweise?|quellen?|fuentes?|fontes?|fonti|bron(?:nen)?|kilder?|källa|källor|źródł[oa]"
    r"|kaynak|riferimenti|источники?|\w{0,2}(?:来源|出典|출처)\w{0,2}|references?|r[eé]fs?|r[eé]f[eé]rences?|cit(?:ed?|ations?)"
    r"|footnotes|endnotes|quellen\w{1,12}|referencias?|referências?|citadas|kaynak\w{1,9}"
    r"|\w{0,2}(?:参考|參考|引用|참고)\w{0,2})"
)
_HEADING_WORD = rf"(?:{_WORDS}|notes?|links|bibliogra\w{{1,9}}|literatur\w{{0,12}})"
_NAMES_SOURCES = re.compile(
    rf"[^\w|]*(?:\d[\d.]*[^\w|]+)?(?:{_HEADING_WORD}(?:[ &,/-]+[^\W\d_]+){{0,6}}|(?:[^\W\d_]+[ &,/:-]+){{1,6}}{_HEADING_WORD})[\W_]*$",
    re.IGNORECASE,
)
"""A heading whose first or last word names sources."""
_MARKER = re.compile(
    r"(?:[ \t>|+•:*-]|<(?!/?sup\b|https?:)[^<>\n]{0,300}>)*+"
    # [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"(?P<label>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|[{RAISED}]{{1,4}}"
    # What also numbers steps: "1.", "(1)", "Source 1:", "web:1 =", "1 Title", "A.".
    r"|[(（]?(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}(?:[.)）、:：](?!\d)|(?=[*]*[ \t<]))|[A-Z][.)](?=[ \t]))"
    r"[ \t*:：.,]*",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(r"<[^<>]*>|\(?https?://[^\s)]*\)?|[][*|]|&\w+;")
_OF_BOLD = 7
"""The level of a heading in bold letters, and of one without signs."""
_BETWEEN = re.compile(r"[,;/|&，；、・]")
_LABEL = re.compile(r"[^\W\d_]{0,3}[1-9]\d{0,2}")
_RANGE = re.compile(r"([1-9]\d{0,2})\W([1-9]\d{0,2})")
_LONGEST_RANGE = 50
_IN_BRACKETS = re.compile(r"\w ?[(（]([^()（）\n]{1,100})[)）]")
_ASIDE = re.compile(r"[(（][^()（）]*+[)）]|<[^<>]*>")
_LONGEST_HEADING = 80


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3``, ``⁰³``, ``3.`` → ``3``; ``Web-3`` → ``web3``."""
    label = unicodedata.normalize("NFKC", re.sub(r"<[^<>]*>|\(#[^()]*\)", "", label)).casefold()
    label = re.sub(r"(?<!\d)\W++|\W++(?!\d)", "", label)
    return re.sub(rf"^{_WORDS}?0*(?=\d[\d\W]*$)", "", label)


class Entry:
    """A line of a report, with the line below that holds its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int, marks: Iterable[Mark]) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        marker = _MARKER.match(self.text)
        self.label = folded_label(marker["label"]) if marker else ""
        self.start = left + (marker.end() if marker else 0)
        """Where the text behind its label begins."""
        self.marks = [mark for mark in marks if self.start <= mark.start < end]
        self.sources = [mark for mark in self.marks if mark.names]
        self.has_url = any(mark.form == "address" for mark in self.sources)
        self.title = " ".join(_NO_TITLE.sub(" ", text[self.start : end]).split()).strip("-–—:：.,")
        self.names = {bare_address(name) or name for mark in self.sources for name in mark.names}
        self.kind = line_kind(self.text)
        is_line = not self.sources and (self.kind != "item" or self.label)
        self.names_sources = bool(is_line and _NAMES_SOURCES.match(_ASIDE.sub(" ", self.text[:_LONGEST_HEADING])))
        heading = None if self.sources else HEADING.match(self.text)
        self.level = len(heading["level"] or "") or _OF_BOLD if heading else _OF_BOLD * self.names_sources
        """The level of a heading; 0 for no heading."""


class References:
    """The lists of a report: their entries, and the spans of their lines, which cite nothing themselves."""

    def __init__(self, entries: Sequence[Entry], spans: Iterable[tuple[int, int]]) -> None:
        self.entries, self.spans = entries, tuple(spans)
        self.by_label: dict[str, Entry | None] = {}
        """None if several entries with other sources have a label."""
        for entry in entries:
            other = self.by_label.setdefault(entry.label, entry)
            self.by_label[entry.label] = entry if other and other.names == entry.names else None
        self.by_label.pop("", None)

    def labels_in(self, content: str) -> list[str]:
        """The labels of which a bracket consists: a group, a range, or one with a place behind it, "1, p. 4"; else none."""
        labels: list[str] = []
        for member in _BETWEEN.split(content.partition("†")[0]):
            label = folded_label(member)
            limits = _RANGE.fullmatch(label)
            numbers = range(int(limits[1]), int(limits[2]) + 1) if limits else ()
            if 0 < len(numbers) <= _LONGEST_RANGE:
                labels += map(str, numbers)
            elif label in self.by_label or _LABEL.fullmatch(label if label.isdecimal() else member.strip()):
                labels.append(label)
            elif self.by_label.keys().isdisjoint(labels):
                return list(self.by_label.keys() & {folded_label(content)})
        return labels


def read_references(text: str, marks: Sequence[Mark]) -> References:
    """The lists of a text, which has these marks."""
    parts = _parts(text.translate(SQUARE), marks)
    contents = [mark.content for part in parts for mark in part.marks if not mark.names] + _IN_BRACKETS.findall(text)
    cited = {folded_label(word) for content in contents for word in (*_BETWEEN.split(content), *content.split())} - {""}
    listed = {*_headed(parts, cited)}
    headed = {parts[index].label for index in listed}
    for index, part in enumerate(parts):
        is_label = part.label and (part.label in cited or index - 1 in listed) and part.label not in headed
        listed |= {index} if is_label and part.has_url else set()
    entries = [parts[index] for index in sorted(listed)]
    for index in reversed(range(len(parts) - 1)):  # with the blank lines and headings above
        is_above = index + 1 in listed and (parts[index].level or parts[index].kind in ("blank", "rule"))
        listed |= {index} if is_above else set()
    return References(entries, ((parts[index].left, parts[index].end) for index in sorted(listed)))


def _parts(text: str, marks: Sequence[Mark]) -> list[Entry]:
    """Every line; a label with its title and the address below them are one."""
    parts, starts = list[Entry](), [mark.start for mark in marks]
    for left, end in lines(text):
        line = Entry(text, left, end, inside := marks[bisect_left(starts, left) : bisect_left(starts, end)])
        above = parts[-1] if parts and line.sources and not line.label and line.kind == "text" else None
        if above and above.label and not above.level and not above.sources:
            line = Entry(text, parts.pop().left, end, [*above.marks, *inside])
        parts.append(line)
    return parts


def _headed(parts: Sequence[Entry], cited: Collection[str]) -> Iterator[int]:
    """The lines with sources, or a cited label, below a heading of sources, up to a heading of the same level."""
    opened = 0
    for index, part in enumerate(parts):
        if part.level and not 0 < opened < part.level:
            opened = part.level if part.names_sources else 0
        elif opened and (part.has_url or part.label in cited or (part.sources and part.kind == "item")):
            yield index
