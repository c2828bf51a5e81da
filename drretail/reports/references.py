"""The lists of sources in a report, and the labels by which marks lead there.

An entry is a title and an address, below a heading that names sources or behind a label that marks cite, in a list
that stands together. A line with a price, a rating or words of its own behind the address is content, unless its label
is written as a mark, or cited below such a heading.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from drretail.reports.marks import RAISED, SQUARE, Mark
from drretail.reports.page import HEADING, line_kind, lines
from drretail.reports.text.evidence_ids import bare_address

_WORDS = (
    r"(?:sources?|belege?|(?:einzel)?nachweise?|quellen?\w{0,12}|fuentes?|fontes?|fonti|bron(?:nen)?|kilder?|källa|källor"
    r"|źródł[oa]|kaynak\w{0,9}|riferimenti|источники?|\w{0,2}(?:来源|出典|출처|参考|參考|引用|참고)\w{0,2}|r[eé]fs?"
    r"|r[eé]f[eé]r[eê]n[cç][\w]{1,3}|cit(?:ed?|ations?|adas)|footnotes|endnotes)"
)
_HEADING_WORD = rf"(?:{_WORDS}|notes?|links|bibliogra\w{{1,9}}|literatur\w{{0,12}})"
_NAMES_SOURCES = re.compile(
    rf"(?=.{{1,80}}$)(?![ \t>]*[-*+•–—] )[^\w|]*(?:\d[\d.]*[^\w|]+)?"
    rf"(?:{_HEADING_WORD}(?:[ &,/-]+[^\W\d_]+){{0,6}}|(?:[^\W\d_]+[ &,/:-]+){{1,6}}{_HEADING_WORD})[\W_]*$",
    re.IGNORECASE,
)
"""A short line whose first or last word names sources."""
_MARKER = re.compile(
    r"(?>(?:[ \t>|+•:*\\-]|<(?!/?sup\b|https?:)[^<>\n]{0,300}>)*)"
    # [1], [^1]:, [name]:, ¹, <sup>1</sup>.
    r"(?P<label>\[{1,2}\^?(?![ xX]\]|[POUWCF]:)[^\[\]\n]{1,30}\]{1,2}(?:\(#[^\s()]{0,99}\))?(?!\()"
    rf"|<sup>[ \t]*\[?\w{{1,4}}\]?[ \t]*</sup>|[{RAISED}]{{1,4}}"
    # What also numbers steps: "1.", "(1)", "Source 1:", "web:1 =", "1 Title", "A.".
    r"|[(（]?(?:[^\W\d_]{1,12}[:._-]?\s?)?\d{1,3}(?:\\?[.)）、:：](?!\d)|(?=[*]*[ \t<]))|[A-Z][.)](?=[ \t]))"
    r"[ \t*:：.,]*",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br ?/?>(?! *\n)", re.IGNORECASE)
_NO_TITLE = re.compile(r"<[^<>]*>|\(?https?://[^\s)]*\)?|[][*|]|&\w+;")
_OF_BOLD = 7
"""The level of a heading in bold letters, and of one without signs."""
_BETWEEN = re.compile(r"[,;/|&，；、・]|\s(?:and|und|et|y|e)\s")
_LABEL = re.compile(r"[^\W\d_]{0,3}[1-9]\d{0,2}")
_RANGE = re.compile(r"([1-9]\d{0,2})[-‐‑–—~−]([1-9]\d{0,2})")
_LONGEST_RANGE = 50
_IN_BRACKETS = re.compile(r"[^\W\d] ?[(（]([\d\s,;，；、–-]{1,40})[)）]")
"""Numbers alone, which are no marks that are read: "(1 litre)" cites nothing."""
_PRICED = re.compile(r"[$€£¥₹] ?\d|\d ?[€£¥₹★⭐]|\d[.,]\d+ ?(?:/ ?5\b|[(（|]|$)")
_MOST_BEHIND = 4
"""Words behind the address of an entry: "accessed on 3 May 2026"."""
_ASIDE = re.compile(r"[(（][^()（）]*+[)）]|<[^<>]*>")


def folded_label(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3``, ``⁰³``, ``3.`` → ``3``; ``Web-3`` → ``web3``."""
    label = unicodedata.normalize("NFKC", re.sub(r"<[^<>]*>|\(#[^()]*\)", "", label)).casefold()
    label = re.sub(r"(?<!\d)[^\w$€£¥%]++|[^\w$€£¥%]++(?!\d)", "", label)
    return re.sub(rf"^{_WORDS}?0*(?=\d[\d\W]*$)", "", label)


class Entry:
    """A line of a report, with the line below that holds its address, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int, marks: Iterable[Mark]) -> None:
        self.left, self.end, line = left, end, text[left:end]
        marker = _MARKER.match(line)
        self.label = folded_label(marker["label"]) if marker else ""
        self.is_in_brackets = bool(marker) and marker["label"][0] in "(（"
        start = left + (marker.end() if marker else 0)
        self.sources = [mark for mark in marks if mark.names and start <= mark.start < end]
        self.names = frozenset(bare_address(name) or name for mark in self.sources for name in mark.names)
        self.lists_source = any(mark.form == "address" or line[0] == "[" for mark in self.sources)
        """True for a line with an address, and for one with ids that begins with a label in brackets."""
        self.title = " ".join(_NO_TITLE.sub(" ", text[start:end]).split()).strip(" -–—:：.,")
        ends = [start, *(end for mark in self.sources for end in mark[:2]), end]
        own = [text[left:right] for left, right in zip(ends[::2], ends[1::2], strict=True)]
        is_said = len(re.findall(r"[^\W\d_]+", own[-1])) > _MOST_BEHIND or any(map(_PRICED.search, own))
        self.is_content = bool(self.sources) and is_said and not (marker and marker["label"][0] in f"[<{RAISED}")
        """True for a line that says something of its source."""
        self.kind = line_kind(line)
        self.names_sources = not self.sources and bool(_NAMES_SOURCES.match(_ASIDE.sub(" ", line)))
        heading = None if self.sources else HEADING.match(line)
        self.level = len(heading["level"] or "") or _OF_BOLD if heading else _OF_BOLD * self.names_sources
        """The level of a heading; 0 for no heading."""


@dataclass(frozen=True)
class References:
    """The lists of a report: their entries, and the spans of their lines, which cite nothing themselves."""

    entries: Sequence[Entry]
    by_label: Mapping[str, Entry | None]
    """None if several entries with other sources have a label."""
    spans: tuple[tuple[int, int], ...]

    def labels_in(self, content: str) -> list[str]:
        """The labels of which a bracket consists: a group, a range, or one with its place, "1, p. 4"; else none."""
        labels: list[str] = []
        for member in _BETWEEN.split(content.partition("†")[0]):
            label = folded_label(member)
            limits = _RANGE.fullmatch(label)
            numbers = [*map(str, range(int(limits[1]), int(limits[2]) + 1))] if limits else []
            are_listed = not (self.by_label and self.by_label.keys().isdisjoint(numbers))
            if 0 < len(numbers) <= _LONGEST_RANGE and are_listed:
                labels += numbers
            elif label in self.by_label or _LABEL.fullmatch(label if label.isdecimal() else member.strip()):
                labels.append(label)
            elif self.by_label.keys().isdisjoint(labels):
                return list(self.by_label.keys() & {folded_label(content)})
        return labels


def read_references(text: str, marks: Sequence[Mark]) -> References:
    """The lists of a text, which has these marks."""
    marked = _labels(mark.content for mark in marks if not mark.names)
    cited = marked + _labels(_IN_BRACKETS.findall(text))
    parts = _parts(_BREAK.sub(lambda tag: "\n".ljust(len(tag[0])), text.translate(SQUARE)), marks)
    listed, opened = set[int](), 0
    for index, part in enumerate(parts):  # below a heading of sources, up to a heading of the same level
        is_next = index - 1 in listed or text.startswith(("[", "【"), part.left)
        lists_source = part.lists_source or (part.sources and part.kind == "item")
        if part.level and not 0 < opened < part.level:
            opened = part.level if part.names_sources else 0
        elif opened and (lists_source or is_next) and (cited[part.label] or (lists_source and not part.is_content)):
            listed.add(index)
        elif opened == _OF_BOLD and part.kind not in ("blank", "rule"):  # a label above running text opens nothing
            opened = 0
    headed = {"", *(parts[index].label for index in listed)}
    for index, part in enumerate(parts):  # elsewhere two of three; [NEW] at the beginning of a line cites itself
        # "(3)" cites "(3) Maker: …", but no third product: "3. The Lomond: …".
        is_cited = (cited if part.is_in_brackets else marked)[part.label] > (0 if part.label[-1:].isdigit() else 1)
        is_listed = is_cited + (index - 1 in listed) + part.lists_source > 1 and part.label not in headed
        if is_listed and not part.is_content:
            listed.add(index)
    entries = [parts[index] for index in sorted(listed)]
    for index in reversed(range(len(parts) - 1)):  # with the blank lines and headings above
        is_above = index + 1 in listed and (parts[index].level or parts[index].kind in ("blank", "rule"))
        listed |= {index} if is_above else set()
    meanings = Counter(label for label, _ in {(entry.label, entry.names) for entry in entries})
    by_label = {entry.label: entry if meanings[entry.label] == 1 else None for entry in entries if entry.label}
    return References(entries, by_label, tuple((parts[index].left, parts[index].end) for index in sorted(listed)))


def _labels(contents: Iterable[str]) -> Counter[str]:
    """How many brackets hold each label."""
    return Counter(label for content in contents for label in {*map(folded_label, _BETWEEN.split(content))} - {""})


def _parts(text: str, marks: Sequence[Mark]) -> list[Entry]:
    """Every line; a label with its title and the address below them are one."""
    parts, starts = list[Entry](), [mark.start for mark in marks]
    for left, end in lines(text):
        line = Entry(text, left, end, inside := marks[bisect_left(starts, left) : bisect_left(starts, end)])
        above = parts[-1] if parts and line.sources and not line.label and line.kind == "text" else None
        if above and above.label and not above.level and (not above.sources or text[left] == " "):
            line = Entry(text, parts.pop().left, end, [*above.sources, *inside])
        parts.append(line)
    return parts
