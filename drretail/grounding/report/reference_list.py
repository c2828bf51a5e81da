"""The entries that numbers, names and footnotes refer to: reference lists, footnote and link definitions."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, compress, pairwise
from typing import NamedTuple

from drretail.grounding.report.markup import CARD, lines

ADDRESS = r"(?:https?://|(?<![\w@./-])www\.(?=[^\W_]))"
"""The beginning of an address; a plain ``www.`` counts in lists, where nothing else is written so."""
NAMED = (
    r"(?:(?:sources?|references?|refs?\.?|citations?|cite|web|file|post|来源|资料|引用|参考(?:文献|资料)?)"
    r"[ \t_-]*[:：]?[ \t]*)"
)
"""The word before a number in ``[Source 3]``."""

# Lines are matched as ``_folded`` writes them: all brackets square, no tags.
_BULLET = r"[ \t>]*+(?:[-*+•][ \t]++)?(?:\*\*)?[ \t]*+"
_NUMBERED = re.compile(
    rf"{_BULLET}\[{{1,2}}\^?{NAMED}?(?P<label>[A-Z]?\d{{1,4}})\^?\]{{1,2}}+[ \t]*(?:\*\*)?(?!\[)[ \t]*"
    r"[:：,，.]?[ \t]*(?P<body>.*)",
    re.IGNORECASE,
)
_DOTTED = re.compile(
    rf"{_BULLET}{NAMED}?(?P<label>[A-Z]?\d{{1,4}})(?:\*\*)?(?:\\?[.)\]、:：](?:\*\*)?|[ \t]+[-–—]|(?=[ \t]+<?{ADDRESS})"
    rf"|(?<!\d{{3}})(?=[ \t]+[^\W\d_].*{ADDRESS}))[ \t]+(?P<body>.*)",
    re.IGNORECASE,
)
_RAISED = re.compile(rf"{_BULLET}(?P<label>[⁰¹²³⁴-⁹]{{1,4}})[.:]?[ \t]*(?P<body>.*)")
_ROW = re.compile(r"[ \t]*\|[ \t*\[]*(?P<label>\d{1,4})[ \t*\].]*\|(?P<body>.*)")
# "Smith, J., & Doe, A. (2019). Title", "World Health Organization. (2021)", "1. Smith J. Title. Journal 2019;12".
_AUTHORED = re.compile(
    rf"{_BULLET}(?:\[?\d{{1,4}}[\].)][ \t]*+)?(?P<body>(?P<author>[^\W\d_][^\d,.;:|\[\]&]{{0,80}})[,.;&\[ ]"
    r"[^\d|]{0,200}(?:\d{1,2}[^\d|]{1,20})?(?P<year>(?:19|20)\d\d[a-z]?|\bn\.d)\b(?P<closed>[^\[\]]{0,20}\])?.*)"
)
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[(?P<label>\^[^\[\]\s]{1,80})\][:：][ \t]*(?P<body>.*)")
_INDENTED = re.compile(r"(?: {2}|\t)[ \t]*\S")
_DEFINITION = re.compile(
    r"[ \t]{0,3}\[(?P<label>[^\[\]^\n][^\[\]\n]{0,80})\]:[ \t]+(?P<body><?https?://.*)", re.IGNORECASE
)
_URL_FIRST = re.compile(rf"<?{ADDRESS}", re.IGNORECASE)
_URL = re.compile(ADDRESS, re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,4}[.)])[ \t].*)?[\[【(]?[POUWCF]:[A-Za-z0-9]")
_LONGEST_ENTRY = 3
"""Lines below an entry's first one that may have its address."""
_HEADING = re.compile(r"[ \t]*(?P<level>#{1,6})[ \t]")
_TITLE = re.compile(
    r"""[^\w\n]{0,12} (?:(?:\d{1,2}|[ivx]{1,4}|[一二三四五六七八九十]{1,3})\\?[.)、][ ]*)? [*_]*
    (?:appendix(?:[ ]\w)?[ ]?[:–—-][ ]?)?
    (?: (?:(?:list[ ]of|key|main|primary|ranked|selected|cited|numbered|web|online|supporting|additional)[ ])?
        (?:(?:sources?|references?)(?:\(s\))?(?:[ ](?:list|index|cited|consulted|used(?:[ ]in[ ]the[ ]report)?))?
        |citations?)
      (?:[ ](?:and|&)[ ](?:sources?|references?|citations?|links?|further[ ]reading))?
      (?:[ ](?:for|of|in)[ ](?:this|the)[ ](?:section|report|answer|table))?
    | bibliography | (?:works[ ]cited|footnotes|endnotes)(?:[ ](?:and|&)[ ](?:sources|references))?
    | quellen(?:verzeichnis|angaben)? | literatur(?:verzeichnis)? | einzelnachweise | referenzen
    | fuentes | referencias | bibliograf[ií]a | obras[ ]citadas | fontes | referências(?:[ ]citadas)?
    | références | bibliographie | sources[ ](?:citées|des[ ]citations) | fonti | riferimenti
    | bronnen | kaynaklar | kaynakça | источники | список[ ]литературы
    | (?:主要)?参考(?:文献|资料|来源|链接|文档|文章|网址|网站|列表)
    | (?:资料|数据|信息|引用)?来源 | 引用(?:文献|元|的著作)?
    | 參考(?:文獻|資料) | 出典
    | 참고[ ]?(?:문헌|자료) | 출처
    | source[ ]?:[ ]conversation[ ]with[ ]\w+.{0,40}
    ) (?:[*_]*+[ ]?[(（]\d{1,4}(?:[ ]\w+)?[)）])? [\s*_:：]*#*\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE_COLON = re.compile(r"[^\n:：]{1,40}[:：]")
_ENTRY_IN_LINE = re.compile(r"(?<!\S)[\[【［〔(（]\d{1,3}[\]】］〕)）](?=\s)")
_DEFINED_IN_LINE = re.compile(r"\[\d{1,3}\]:[ \t]+(?=https?://)", re.IGNORECASE)
# Footnotes of Word and pandoc lead back to their marks: "1. Title, https://… [↑](#footnote-ref-1)".
_LEADS_BACK = re.compile(r"\[[↑↩⏎][^\[\]\n]{0,3}\]\(#[^()\s]{1,200}\)\s*$")
# ChatGPT's Word file ends in these, without a heading: "[\[1\]](https://…) [\[4\]](https://…) Title", "<https://…>".
_LINKED_NUMBER = re.compile(
    rf"{_BULLET}\[(?:\\?\[)?(?P<label>\d{{1,4}})(?:\\?\])?\]\((?P<body>https?://.*)", re.IGNORECASE
)
_ONLY_ADDRESS = re.compile(
    rf"{_BULLET}(?:<?{ADDRESS}[^\s<>]*+>?|\[{ADDRESS}[^\[\]\n]*+\]\({ADDRESS}\S*\))[ \t]*", re.IGNORECASE
)
_BRACKETED_NUMBERS = re.compile(r"(?<!\[)[\[【](\d[\d ,;–-]{0,40})[\]】](?!\()")
_ENDS_IN_ADDRESS = re.compile(rf"(?<!\S)[(<]?{ADDRESS}\S+[ \t]*$", re.IGNORECASE)
_TAG = re.compile(r"<(?P<close>/?)(?P<name>a|b|em|i|li|p|span|strong|sup)\b[^<>\n]{0,300}>", re.IGNORECASE)
_CARD = re.compile(CARD)
_LONGEST_CARD = 400
SQUARE = str.maketrans("【】［］〔〕（）()", "[][][][][]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list: its label, and the offsets of the text after it."""

    label: str
    start: int
    end: int


@dataclass(slots=True)
class References:
    """All entries of a report, and the spans of their lines, which cite nothing themselves."""

    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    _entries: dict[str, list[Entry]] = field(default_factory=dict[str, list[Entry]])

    def add(self, entry: Entry, *names: str) -> None:
        """Adds an entry under its label and further names, such as its author and year."""
        for label in (entry.label, *names):
            self._entries.setdefault(label, []).append(entry)

    def entry(self, label: str, position: int) -> Entry | None:
        """The next entry of this label after ``position``, else the last before it.

        So every section may have its own list that begins again at one. ``^3`` is 3 if there are no footnotes.
        """
        entries = self._entries.get(label) or self._entries.get(label.strip("^"), [])
        index = bisect_left(entries, position, key=lambda entry: entry.start)
        return entries[min(index, len(entries) - 1)] if entries else None

    @property
    def numbers(self) -> list[int]:
        """All numbers with an entry."""
        return [int(label) for label in self._entries if label.isdecimal()]

    def entries(self) -> list[Entry]:
        """All entries in text order."""
        distinct = {entry for entries in self._entries.values() for entry in entries}
        return sorted(distinct, key=lambda entry: entry.start)


class _Line(NamedTuple):
    start: int
    end: int
    text: str
    folded: str


@lru_cache(maxsize=16)  # the marks of a report and the lines of its list are resolved by the same
def read_references(text: str) -> References:
    """The entries of lists under a heading such as "Sources", at the end of the report, or that begin with a URL."""
    spans = [(start, end, text[start:end].rstrip("\r")) for start, end in _parts(text)]
    all_lines = [_Line(start, end, line, _folded(line)) for start, end, line in spans]
    marked = {number for marks in _BRACKETED_NUMBERS.findall(text) for number in re.findall(r"\d+", marks)}
    listed = _headed(all_lines) | _tail(all_lines, marked)
    # Lines indented below footnotes, which Markdown makes part of them.
    below, is_footnote = set[int](), False
    for index, line in enumerate(all_lines):
        if is_footnote and _INDENTED.match(line.text):
            below.add(index)
        elif line.text.strip():
            is_footnote = bool(_FOOTNOTE.match(line.text))
    references, footnote = References(), 0
    lists: list[list[tuple[Entry, tuple[str, ...]]]] = [[]]
    for index, line in enumerate(all_lines):
        if index in below:
            references.spans[footnote:] = [(references.spans[footnote][0], line.end)]
            continue
        if index in listed and is_source_heading(line.text):
            lists.append([])
        entry, names = _entry(line, listed=index in listed), _author(line) if index in listed else ()
        if entry is None and names:
            entry, names = Entry(names[0], line.start, line.end), names[1:]
        card = _CARD.search(text, line.start, line.end + _LONGEST_CARD) if index in listed else None
        if entry is None and card and card["card"] and card.start() < line.end:
            entry = Entry(card["card"], line.start, card.start())
        if entry is not None:
            lists[-1].append((_continued(entry, all_lines, index, listed | below), names))
        if entry is not None or index in listed:
            references.spans.append((line.start, line.end))
        if _FOOTNOTE.match(line.text):
            footnote = len(references.spans) - 1
    # A list of titles only does not replace entries of another list that has the addresses.
    has_addresses = [any(_names_a_source(text[entry.start : entry.end]) for entry, _ in each) for each in lists]
    addressed = {entry.label for entry, _ in chain.from_iterable(compress(lists, has_addresses))}
    for each, has_address in zip(lists, has_addresses, strict=True):
        for entry, names in each:
            if has_address or entry.label not in addressed:
                references.add(entry, *names)
    return references


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Every line; a line that is a whole list, "References: [1] … [2] …", as its title and its entries.

    Definitions that a copy has joined, "[2]: https://…[3]: https://…", are a line each.
    """
    for start, end in lines(text):
        defined = [match.start() for match in _DEFINED_IN_LINE.finditer(text, start, end)]
        if len(defined) > 1:
            begins = [start, *defined] if defined[0] > start else defined
            yield from pairwise([*begins, end])
            continue
        title = _BEFORE_COLON.match(text, start, end)
        if title is None or not _TITLE.fullmatch(title[0]):
            yield start, end
            continue
        begins = [match.start() for match in _ENTRY_IN_LINE.finditer(text, title.end(), end)]
        entries = list(pairwise([*begins, end + 1]))
        is_list = len(entries) > 1 and not text[title.end() : begins[0]].strip(" *_")
        if is_list and all(_URL.search(text, *entry) for entry in entries):
            yield start, begins[0] - 1
            yield from ((first, following - 1) for first, following in entries)
        else:
            yield start, end


def is_list_frame(text: str) -> bool:
    """True for a line of a list without a source: headings, blanks, the head of a table, an entry without URL."""
    numbered = _NUMBERED.match(_folded(text))
    is_layout = not text.strip() or _TITLE.fullmatch(text) or _HEADING.match(text) or text.lstrip().startswith("|")
    return bool(is_layout or (numbered and not numbered["body"].strip()))


def is_source_heading(text: str) -> bool:
    """True for a heading of a list of sources."""
    return len(text) < 80 and _TITLE.fullmatch(text) is not None


def author_and_year(author: str, year: str) -> str:
    """The name of an entry by its first author's surname and its year, equal in text and list."""
    surname = re.split(
        r"(?<!\s)\s++(?:et\b|and\b|und\b|y\b|&|[A-Z]{1,3}(?=\s|$))", author.strip(" \t*_,.;&("), maxsplit=1
    )[0]
    return f"{' '.join(surname.split()).casefold()} {year.casefold()}"


def _folded(text: str) -> str:
    """A line with all brackets square, tags blanked, and ``<sup>1</sup>`` as ``[1]``, without moving anything."""

    def blank(tag: re.Match[str]) -> str:
        if tag["name"].casefold() != "sup":
            return " " * len(tag[0])
        return "]".ljust(len(tag[0])) if tag["close"] else "[".rjust(len(tag[0]))

    return _TAG.sub(blank, text.translate(SQUARE).replace("\\[", " [").replace("\\]", "] "))


def _author(line: _Line) -> tuple[str, ...]:
    """The names of an entry that begins with an author and has a year; an organisation's initials count too."""
    match = _AUTHORED.match(line.folded)
    if match is None:
        return ()
    initials = "".join(word[0] for word in match["author"].split() if word[0].isupper())
    names = match["author"], *([initials] if len(initials) > 1 else [])
    return tuple(author_and_year(name, match["year"]) for name in names)


def _entry(line: _Line, *, listed: bool) -> Entry | None:
    match = _FOOTNOTE.match(line.text) or _DEFINITION.match(line.text) or _NUMBERED.match(line.folded)
    if match is None and listed:
        match = _DOTTED.match(line.folded) or _RAISED.match(line.folded) or _ROW.match(line.folded)
        match = match or _LINKED_NUMBER.match(line.text)
    if match is None:
        return None
    if match.re is _NUMBERED and not (listed or _URL_FIRST.match(match["body"])):
        return None  # a sentence that begins with its mark
    label = match["label"].casefold()
    label = str(int(unicodedata.normalize("NFKC", label))) if label.isdigit() else label
    return Entry(label, line.start + match.start("body"), line.start + match.end("body"))


def _continued(entry: Entry, all_lines: list[_Line], index: int, listed: set[int]) -> Entry:
    """The entry with the address below its title, if its own line has none."""
    if not listed & {index, index + 1} or _names_a_source(all_lines[index].text):
        return entry
    for below in range(index + 1, index + 1 + _LONGEST_ENTRY):
        if below not in listed or not all_lines[below].text.strip() or _entry(all_lines[below], listed=True):
            break
        if _names_a_source(all_lines[below].text):
            return Entry(entry.label, entry.start, all_lines[below].end)
    return entry


def _names_a_source(text: str) -> bool:
    return bool(_URL.search(text) or _ITEM.match(text))


def _headed(all_lines: list[_Line]) -> set[int]:
    """The lines from a heading of sources to the last line that looks like an entry, up to the next title or a heading
    of the same level.
    """
    listed: set[int] = set()
    titles = [index for index, line in enumerate(all_lines) if is_source_heading(line.text)]
    for title in titles:
        last, follows = None, True
        heading = _HEADING.match(all_lines[title].text)
        for index in range(title + 1, len(all_lines)):
            line = all_lines[index]
            if is_source_heading(line.text):
                break
            if below := _HEADING.match(line.text):
                if heading is None or len(below["level"]) <= len(heading["level"]):
                    break
                follows = True
            elif _looks_listed(line, follows=follows):
                last, follows = index, True
            elif line.text.strip():
                follows = False
        if last is not None:
            first = title
            while first and not all_lines[first - 1].text.strip():
                first -= 1
            listed |= set(range(first, last + 1))
    return listed


def _looks_listed(line: _Line, *, follows: bool) -> bool:
    """True for an entry, a URL anywhere, or an id that is not inside a sentence; and for an entry without an address,
    if it follows the title or another entry.
    """
    if _NUMBERED.match(line.folded) or _FOOTNOTE.match(line.text) or _names_a_source(line.text):
        return True
    authored = _AUTHORED.match(line.folded)
    is_entry = _DOTTED.match(line.folded) or _ROW.match(line.folded) or (authored and authored["closed"])
    return follows and bool(is_entry)


def _tail(all_lines: list[_Line], marked: Set[str]) -> set[int]:
    """The lines at the very end that are entries without a heading; ``marked`` are numbers in brackets."""
    listed: set[int] = set()
    title: list[int] = []  # an address with what stands above it, up to the entry's number
    for index in range(len(all_lines) - 1, -1, -1):
        line = all_lines[index]
        if not line.text.strip():
            continue
        linked = _LINKED_NUMBER.match(line.text)
        is_alone = linked and marked and len(linked["body"].split()) == 1
        is_number = linked or (title and _NUMBERED.match(line.folded))
        if is_alone or (is_number and (title or index + 1 in listed)):
            listed |= {index, *title}
            title = []
        elif title:
            if len(title) > _LONGEST_ENTRY:
                break
            title.append(index)
        elif _ONLY_ADDRESS.fullmatch(line.text):
            title = [index]
        elif _is_plain_entry(line, marked):
            listed.add(index)
        else:
            break
    return listed


def _is_plain_entry(line: _Line, marked: Set[str]) -> bool:
    """True for a line that can only be a list's entry, even without a heading."""
    numbered, other = _NUMBERED.match(line.folded), _DOTTED.match(line.folded) or _RAISED.match(line.folded)
    if numbered:
        return not numbered["body"].strip() or bool(_URL.search(numbered["body"]) or _ITEM.match(numbered["body"]))
    if other is None:
        return False
    is_note = other.re is _RAISED and _URL.search(other["body"])
    is_marked = other["label"] in marked and _ENDS_IN_ADDRESS.search(other["body"])
    return bool(is_note or is_marked or _URL_FIRST.match(other["body"]) or _LEADS_BACK.search(line.text))
