"""The lists of sources in a report.

What an entry looks like decides: a marker at the beginning of a line, and an address. A heading that names sources also
makes the other lines with addresses below it entries.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from drretail.grounding.report.marks import ADDRESS, BARE_ID, RAISED, SIGN, SOURCE_WORDS, SQUARE, YEAR
from drretail.grounding.report.page import lines

HEADING = re.compile(r"[ \t>]*(?P<level>#{1,6})[ \t]|[ \t>]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_URL = re.compile(ADDRESS, re.IGNORECASE)
_SOURCE = re.compile(rf"{ADDRESS}|{BARE_ID}", re.IGNORECASE)
_ONLY_ADDRESS = re.compile(rf"\W*(?:\d{{1,3}}\W+)?(?:\[[^\[\]\n]*\]\(\S*\)|{ADDRESS}\S*)\W*", re.IGNORECASE)
NAMES_SOURCES = re.compile(rf"{SOURCE_WORDS}$", re.IGNORECASE)
_LEAD = r"[ \t>:]*+(?:[-*+•][ \t]++)?(?:\*\*)?[ \t]*+"
_LABEL = r"(?:[^\W\d_]{1,12}[ \t:：._-]{0,2})?\d{1,4}"
_KEY = r"(?![ xX]\])[^\s\[\](){}<>|,;]{1,20}"
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>, $^{1}$, ※1.
    rf"{_LEAD}(?:(?P<own>\[{{1,2}} ?(?![POUWCF]:)(?:{_LABEL}|{_KEY}) ?\]{{1,2}}(?:\(#[^\s()]{{0,99}}\)|(?![(\]]))"
    rf"|\[\^?[^\[\]\n]{{1,80}}\](?=:|[ \t]+<?{ADDRESS})"
    rf"|(?:<sup>[ \t]*\[?|\$?\^[\[{{]?)\w{{1,4}}(?:\]?[ \t]*</sup>|[\]}}]?\^?\$?)|[{RAISED}]{{1,4}}"
    rf"|{SIGN}\d{{1,3}})(?:\*\*)?"
    # What also numbers steps: "1.", "(1)", "a:", "A –", "| 1 |", "web:1 =", "1 Title, https://…", "[1](https://…)".
    rf"|(?P<number>[(（#]?(?:{_LABEL}|(?:[^\W\d_]|[ivx]{{2,4}})(?!\w)|[^\W\d_]{{2,6}}\d{{2}}[a-z]?)(?:\*\*)?"
    rf"(?:\\?[.)）、:：=](?:\*\*)?|[ \t]+[-–—=·]|(?<=\d)(?=[ \t]+(?:[^\W\d_].*)?{ADDRESS}))(?!\d)"
    r"|\[\[?\d{1,4}\]?\](?=\()|\|[ \t*\[]*(?:\d{1,4}|[^\W\d_])[ \t*\].]*\|))[ \t]*[:：.,，=–—-]?",
    re.IGNORECASE,
)
# "Smith, J., & Doe, A. (2019). Title", "World Health Organization. (2021)".
_AUTHORED = re.compile(
    rf"[^\w\n]*(?:\d{{1,4}}\W+)?(?P<author>[^\W\d_][^\d|\[\]\n]{{0,200}}?)[(\[ ](?P<year>{YEAR.pattern})(?![\w/-])"
    r"[^()\[\]\n]{0,20}(?P<end>[)\]][.:,])?"
)
_NAME = re.compile(
    r"[\W_]*(?!https?:|www\.)(?P<name>[^\W\d_][^\[\]()<>|:：,.;«»\"“”„*–—]{1,50}?)\s*(?=[\[\]()<>|:：,.;«»\"“”„*–—]|https?:|$)"
)
_HOST = re.compile(r"(?:https?://|www\.)(?:www\.)?([\w.-]{3,80}\.\w{2,10})", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[\^[^\[\]]+\]:")
_BELOW_FOOTNOTE = re.compile(r"(?:\n(?:[ \t]*\n)*(?: {2}|\t)[ \t]*\S.*)*")
_RULE = re.compile(
    r"[ \t>]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)++$|[ \t]*+(?:[-*_][ \t]*+){3,}+$|[ \t]*+(?:<[^<>]*+>[ \t]*+)*+$"
)
# The entries of a list in one line: "[1] https://…", "(1) www.…", "a: https://…", "[1] Title, https://…".
_DEFINED = re.compile(
    rf"(?<!\S)(?:\[[^\s\[\]]{{1,12}}\]:?|[(（]\w{{1,4}}[)）]|\w{{1,4}}[.):：]|{SIGN}?\d{{1,3}}|[{RAISED}]{{1,3}})"
    rf"(?=[ \t]*<?{ADDRESS})"
    rf"|(?<!\S)(?:\[\d{{1,4}}\]|[(（]\d{{1,3}}[)）]|\d{{1,3}}[.):：]|{SIGN}\d{{1,3}}|[{RAISED}]{{1,3}})"
    rf"(?=[ \t]+(?:\[[^\[\]\n]*\]\()?[^\[\n]{{0,120}}?{ADDRESS})",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(r"[^:：\n]{0,60}[:：–—]\W*|\W*")
_SIGNS = re.compile(r"<[^<>]*>|\(#[^()]*\)|\$(?=\^)|(?<=[\]}\d])\$|[\[\]【】()（）^{}*\\|\"'`]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>", re.IGNORECASE)
_PLACE_NAME = re.compile(r"<[^<>]{0,200}?\b(?:id|name)=[\"']?([^\"'\s>]{1,80})", re.IGNORECASE)
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[\[【]\^?\d|[:：][^\w:：]*\d")
_SAYS_WHICH = re.compile(r"\W*\w+\W*[:：]\s*\w")
_MARK = re.compile(r"[\[【]\d|https?:")
_LINES_BELOW, _LONGEST_TITLE = 3, 80
_OF_BOLD = 7
"""The level of a heading in bold letters."""


def folded(label: str) -> str:
    """The label of a mark or an entry, equal for both: ``Source 3`` → ``source3``, ``⁰³`` → ``3``, ``3.`` → ``3``."""
    label = unicodedata.normalize("NFKC", _SIGNS.sub(" ", label)).casefold().strip(" \t.:：=–—-,，、·#")
    label = re.sub(r"(?<=[^\W\d_])[\s:：._-]+(?=\w)", "", label)
    return str(int(label)) if label.isdecimal() else label


def number_of(label: str) -> str:
    """The number behind the word, the letter or the sign of a folded label; "" without one."""
    number = re.fullmatch(r"(?:[^\W\d]+|[^\w]{1,2})?(\d{1,4})", label)
    return str(int(number[1])) if number else ""


def word_of(label: str) -> str:
    """The letters with which a folded label begins."""
    return "".join(takewhile(str.isalpha, label))


class Entry:
    """A line of a report, or a marker and a title with the address below them, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE)).replace("\n", " ")
        plain = plain.replace("\\[", " [").replace("\\]", "] ").replace("[ [", " [[").replace("] ]", "]] ")
        self.marker = _MARKER.match(plain)
        self.is_marked = self.marker is not None and self.marker["own"] is not None
        self.body = 0 if self.marker is None else len(plain[: self.marker.end()].rstrip())
        self.start = left + self.body
        """Where the text behind the marker begins."""
        self.label = folded(self.marker["own"] or self.marker["number"]) if self.marker else ""
        self.author = _AUTHORED.match(self.text)
        words = re.findall(r"[^\W\d_]+", self.author["author"]) if self.author else []
        self.authors = {
            word.casefold() for word in (*words[:1], "".join(word[0] for word in words if word[0].isupper()))
        }
        """By which an entry with a year is cited: its first word, and its first letters."""
        self.year = self.author["year"].casefold() if self.author else ""
        self.is_blank = not self.text.strip() or _RULE.match(self.text) is not None
        self.has_url = _URL.search(self.text) is not None
        self.has_source = _SOURCE.search(self.text) is not None
        heading = HEADING.match(self.text)
        self.level = 0 if heading is None else len(heading["level"] or "") or _OF_BOLD
        """The level of a heading; 0 for no heading."""
        self.begins = bool(self.marker or ITEM.match(self.text) or self.text.lstrip().startswith("|"))
        self.may_list = self.marker is not None or bool(self.author and self.author["end"])
        """True for what may be an entry without an address."""

    @property
    def names(self) -> set[str]:
        """What its title begins with, "Wirecutter" of "Wirecutter: The best mops, https://…", and its host."""
        name, host = _NAME.match(self.text, self.body), _HOST.search(self.text)
        return {folded(match[1]) for match in (name, host) if match} - {""}

    @property
    def is_source(self) -> bool:
        """True for what is an entry in a list of sources."""
        return self.is_marked or self.has_url or (self.has_source and self.begins)

    def places(self, report: str) -> list[str]:
        """The places in the page by which links lead to it: "#ref-3"."""
        return [f"#{place}" for place in _PLACE_NAME.findall(report[max(0, self.left - 1) : self.end])]

    def is_definition(self, report: str, cited: Counter[str]) -> bool:
        """True for a line that begins with a marker of its own, or an author and a year, and holds an address, or to
        which links lead. A word in brackets is a marker if it is cited.
        """
        if self.has_url and any(cited[place] for place in self.places(report)):
            return True
        if self.marker is None:
            is_cited = bool(self.year and cited[self.year]) and any(cited[author] for author in self.authors)
            return (self.may_list or is_cited) and self.has_url
        if _FOOTNOTE.match(self.text):
            return True
        begins = _SOURCE.match(self.text[self.body :].lstrip("[( :,<"))
        is_own = self.is_marked and (number_of(self.label) != "" or bool(begins) or cited[self.label] > 1)
        return is_own and bool(self.has_url or begins)


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    entries: tuple[Entry, ...]
    spans: tuple[tuple[int, int], ...]
    by_label: dict[str, list[Entry]]
    """By their markers, by the places that links lead to, and by the names that only one has."""
    numbers: dict[str, str]
    """The labels of the numbers that stand in just one: the ¹ of [^1]."""
    names: frozenset[str]

    @cached_property
    def words(self) -> set[str]:
        """The words of the labels: "web" of ``web1``."""
        return {word_of(label) for label in self.by_label if number_of(label)}

    def own(self, label: str) -> str | None:
        """The list's label of what a mark says: "1", "web:1" or "Roe and Ma, 2018"."""
        key = folded(label)
        if key in self.by_label:
            return key
        for year in YEAR.finditer(label):
            words = re.findall(r"[^\W\d_]+", label[: year.start()].casefold())
            own = (entry for entry in self.entries if entry.year == year[0].casefold())
            if by := next((entry for entry in own if not entry.authors.isdisjoint(words)), None):
                return entry_label(by)
        return self.numbers.get(key)

    def entry(self, label: str, position: int) -> Entry:
        """The next entry of a label of the list after ``position``, else the last before it: each section may have a
        list.
        """
        entries = self.by_label[label]
        return entries[min(bisect_left(entries, position, key=lambda entry: entry.start), len(entries) - 1)]


def entry_label(entry: Entry) -> str:
    """The label of an entry that an author and a year name."""
    return f"{entry.year} {entry.left}"


def read_references(text: str, report: str, cited: Counter[str]) -> References:
    """The lists of a text, which is the ``report`` as it is shown; ``cited`` counts what may be labels in its brackets,
    whatever they mean.
    """
    own = [*_parts(text)]
    listed = _headed(own) | {index for index, line in enumerate(own) if line.is_definition(report, cited)}
    listed |= _numbered(own, listed, cited)
    labels = {own[index].label for index in listed}
    for index, line in enumerate(own):  # what lacks its address
        is_cited = cited[line.label] > 1 or (labels and not line.text[line.body :].strip(" .,\r"))
        is_new = line.is_marked and line.label not in labels and not line.level
        if is_new and is_cited and not _MARK.search(line.text, line.body):
            listed.add(index)
    lists = [own[index] for index in sorted(listed)]
    entries = tuple(line for line in lists if not line.level and (line.marker or line.has_source or line.author))
    if not any(line.label for line in entries):  # a list without numbers is cited by its order
        for number, line in enumerate((line for line in entries if line.has_source), 1):
            line.label = f"{number}"
    return _labelled(entries, tuple((line.left, line.end) for line in lists), report)


def _labelled(entries: tuple[Entry, ...], spans: tuple[tuple[int, int], ...], report: str) -> References:
    by_label: dict[str, list[Entry]] = {}
    for entry in entries:
        author = [entry_label(entry)] if entry.year else []
        for label in dict.fromkeys((entry.label, *entry.places(report), *author)):
            by_label.setdefault(label, []).append(entry)
    by_label = {label: [one for one in own if one.has_source] or own for label, own in by_label.items() if label}
    numbers: dict[str, list[str]] = {}
    for label in by_label:
        numbers.setdefault(number_of(label), []).append(label)
    names = Counter(name for entry in entries for name in entry.names)
    named = {name: [entry] for entry in entries for name in entry.names if names[name] == 1 and name not in by_label}
    alone = {number: labels[0] for number, labels in numbers.items() if number and len(labels) == 1}
    return References(entries, spans, by_label | named, alone, frozenset(named))


def _parts(text: str) -> Iterator[Entry]:
    """Every line. One that holds several entries, "Sources: [1] https://… [2] https://…", is its label and these; a
    marker with its title and the address below them are one.
    """
    own = list(lines(text))
    position = 0
    for index, (start, end) in enumerate(own):
        if start < position:
            continue
        begins = [match.start() for match in _DEFINED.finditer(text, start, end)]
        before = re.split(r"[.!?。]\s", text[start : begins[0]])[-1] if len(begins) > 1 else ""
        entries = [*pairwise([*begins, end])] if len(begins) > 1 and _INTRODUCED.fullmatch(before) else []
        if entries and all(_SOURCE.search(text, *entry) for entry in entries):
            yield from (Entry(text, *part) for part in [(start, begins[0]), *entries][begins[0] == start :])
            continue
        line = Entry(text, start, end)
        for _, stop in own[index + 1 : index + 1 + _LINES_BELOW] if line.marker and not line.has_source else ():
            below = Entry(text, own[index + 1][0], stop)
            if not below.text.rpartition("\n")[2].strip() or below.begins:
                break
            if below.has_source:
                end = stop if _ONLY_ADDRESS.fullmatch(below.text.rpartition("\n")[2]) else end
                break
        if _FOOTNOTE.match(line.text) and (below := _BELOW_FOOTNOTE.match(text, end)):
            end = below.end()
        position = end
        yield line if end == line.end else Entry(text, start, end)


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    words = re.findall(
        r"[^\W\d_]{2,}(?:\(s\))?|[^\W\d_a-zA-Z]", re.sub(r"[(（]\d.*?[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    )
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(text)
    begins = is_line and NAMES_SOURCES.match(words[0]) and not _SAYS_WHICH.match(text)
    return bool(begins or (is_line and NAMES_SOURCES.match(words[-1])))


def _headed(own: Sequence[Entry]) -> set[int]:
    """The lines from a heading of sources to the last entry below it, up to a heading of the same level; below one in
    any language, if there is nothing but addresses.
    """
    listed: set[int] = set()
    for title, heading in enumerate(own):
        names = is_source_heading(heading.text)
        if heading.has_source or not (names or heading.level):
            continue
        level = heading.level or _OF_BOLD
        below: list[int] = []
        for index in range(title + 1, len(own)):
            line = own[index]
            is_title = (line.level or is_source_heading(line.text)) and not line.has_source
            if is_title and line.level <= level:
                break
            if not line.is_blank:
                below.append(index)
        sources = [index for index in below if own[index].is_source]
        behind = (index for index in below if sources and index > sources[-1])
        sources += takewhile(lambda index: own[index].may_list, list(behind))
        if sources and (names or (len(below) > 1 and all(_ONLY_ADDRESS.fullmatch(own[index].text) for index in below))):
            while title and own[title - 1].is_blank:
                title -= 1
            listed |= set(range(title, sources[-1] + 1))
    return listed


def _numbered(own: Sequence[Entry], listed: Collection[int], cited: Collection[str]) -> set[int]:
    """The last run of lines that begin with markers and hold addresses, if the text cites most of these labels and no
    other entry has them.
    """
    runs: list[list[int]] = [[]]
    for index, line in enumerate(own):
        if line.marker is not None and not line.is_marked and line.has_url and index not in listed:
            runs[-1].append(index)
        elif not line.is_blank:
            runs.append([])
    run = next((run for run in reversed(runs) if run), [])
    labels = {own[index].label for index in run}
    is_free = labels.isdisjoint(own[index].label for index in listed)
    return set(run) if is_free and 2 * len(labels & set(cited)) >= len(labels) else set()
