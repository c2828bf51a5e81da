"""The lists of sources in a report.

What an entry looks like decides: a marker at the beginning of a line, and an address. A heading whose first or last
word names sources also makes the other lines with addresses below it entries.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from drretail.grounding.report.marks import ADDRESS, BARE_ID, SQUARE, SUPERSCRIPTS, folded_label, plain_label
from drretail.grounding.report.page import lines

HEADING = re.compile(r"[ \t>]*(?P<level>#{1,6})[ \t]|[ \t>]*(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)[ \t]*[:：]?[ \t]*$")
ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_URL = re.compile(ADDRESS, re.IGNORECASE)
_SOURCE = re.compile(rf"{ADDRESS}|{BARE_ID}", re.IGNORECASE)
_ONLY_ADDRESS = re.compile(rf"\W*(?:\d{{1,3}}\W+)?(?:\[[^\[\]\n]*\]\(\S*\)|{ADDRESS}\S*)\W*", re.IGNORECASE)
_NAMES_SOURCES = re.compile(
    r"(?:sources?(?:\(s\))?|references?|refs?|citations?|cited|footnotes|endnotes|bibliogra\w+|links|belege?|nachweise?"
    r"|einzelnachweise|quellen?\w*|literatur\w*|fuentes?|referencias|références|referências|citadas|fontes?|fonti|bronnen|kaynak\w+"
    r"|источники|.{0,2}参考.{0,2}|參考.{0,2}|.{0,2}来源|引用.{0,2}|出典|참고.{0,2}|출처)$",
    re.IGNORECASE,
)
_LEAD = r"[ \t>]*+(?:[-*+•][ \t]++)?(?:\*\*)?[ \t]*+"
_LABEL = r"(?:[^\W\d_]{1,12}[ \t:：._-]{0,2})?\d{1,4}"
_MARKER = re.compile(
    # What nothing else begins with: [1], [^1]:, [name]:, ¹, <sup>1</sup>, $^{1}$.
    rf"{_LEAD}(?:(?P<own>\[{{1,2}}(?![POUWCF]:)\^?(?:{_LABEL}|[a-z]{{1,4}}|[^\s\[\]]{{1,12}}\d\d[a-z]?)\^?\]{{1,2}}(?![(\]])"
    rf"|\[\^?[^\[\]\n]{{1,80}}\](?=:|[ \t]+<?{ADDRESS})"
    rf"|(?:<sup>[ \t]*\[?|\$?\^\{{?)\d{{1,4}}(?:\]?[ \t]*</sup>|\}}?\^?\$?)|[{SUPERSCRIPTS}]{{1,4}})(?:\*\*)?"
    # What also numbers steps: "1.", "(1)", "| 1 |", "1 Title, https://…", "[1](https://…)".
    rf"|(?P<number>\(?{_LABEL}(?:\*\*)?(?:\\?[.)、:：](?:\*\*)?|[ \t]+[-–—]|(?=[ \t]+[^\W\d_].*{ADDRESS}))(?!\d)"
    r"|\[\[?\d{1,4}\]?\](?=\()|\|[ \t*\[]*\d{1,4}[ \t*\].]*\|))[ \t]*[:：.,，–—-]?",
    re.IGNORECASE,
)
# "Smith, J., & Doe, A. (2019). Title", "World Health Organization. (2021)".
_AUTHORED = re.compile(
    r"[^\w\n]*(?:\d{1,4}\W+)?(?P<author>[^\W\d_][^\d|\[\]\n]{0,200}?)[(\[ ](?P<year>(?:19|20)\d\d[a-z]?|n\.d)(?![\w/-])"
    r"[^()\[\]\n]{0,20}(?P<end>[)\]][.:,])?"
)
# A name before an address: "- Wirecutter: https://…".
_TITLED = re.compile(
    rf"{_LEAD}(?P<own>(?P<number>)[^\W\d_][^\[\]():\n]{{1,40}}?)(?:\*\*)?[ \t]*[:：–—-][ \t]*(?=<?{ADDRESS})",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[\^[^\[\]]+\]:")
_BELOW_FOOTNOTE = re.compile(r"(?:\n(?:[ \t]*\n)*(?: {2}|\t)[ \t]*\S.*)*")
_RULE = re.compile(
    r"[ \t>]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|?)++$|[ \t]*+(?:[-*_][ \t]*+){3,}+$|[ \t]*+(?:<[^<>]*+>[ \t]*+)*+$"
)
_DEFINED = re.compile(
    rf"\[\d{{1,4}}\]:(?=[ \t]*{ADDRESS})|(?<!\S)\[\d{{1,4}}\](?=[ \t]+(?:\[[^\[\]\n]*\]\()?[^\[\n]*?{ADDRESS})"
    rf"|(?<!\S)(?:\(\d{{1,3}}\)|\d{{1,3}}[.)]|[{SUPERSCRIPTS}]{{1,3}})(?=[ \t]*{ADDRESS})",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"<[^<>]*>|[^\w†‡ ]")
_TAG = re.compile(r"<(?!/?sup\b|https?:)[^<>\n]{0,500}>", re.IGNORECASE)
_IDEOGRAPH = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W\d_{_IDEOGRAPH}]+"
LABELLED = re.compile(rf"\W*(?:(?:(?:{_WORD}\W{{1,2}}){{0,3}}{_WORD}|[{_IDEOGRAPH}]{{1,6}})\s?[:：]\W*)?")
"""At most a label, such as "Read more here:"."""
SHORTLY_LABELLED = re.compile(rf"\W*(?:(?:{_WORD}|[{_IDEOGRAPH}]{{1,2}})\s?[:：]\W*)?")
_NO_HEADING = re.compile(r"[|]|(?<!\d)[.!?。](?:\s|$)|[\[【]\^?\d|[:：][^\w:：]*\d")
_MARK = re.compile(r"[\[【]\d|https?:")
_LINES_BELOW, _LONGEST_TITLE = 3, 80
_OF_BOLD = 7
"""The level of a heading in bold letters."""


class Entry:
    """A line of a report, or a marker and a title with the address below them, as an entry of a list."""

    def __init__(self, text: str, left: int, end: int) -> None:
        self.left, self.end, self.text = left, end, text[left:end]
        plain = _TAG.sub(lambda tag: " " * len(tag[0]), self.text.translate(SQUARE)).replace("\n", " ")
        plain = plain.replace("\\[", " [").replace("\\]", "] ")
        self.marker = _MARKER.match(plain)
        self.is_marked = self.marker is not None and self.marker["own"] is not None
        self.body = 0 if self.marker is None else len(plain[: self.marker.end()].rstrip())
        self.start = left + self.body
        """Where the text behind the marker begins."""
        titled = self.marker or _TITLED.match(self.text)
        self.label = folded_label(_SIGNS.sub(" ", (titled["own"] or titled["number"]) if titled else ""))
        self.author = _AUTHORED.match(self.text)
        """A name before a year: "smith 2018" is what it is cited by."""
        words = re.findall(r"[^\W\d_]+", self.author["author"]) if self.author else []
        names = {*words[:1], "".join(word[0] for word in words if word[0].isupper())} - {""}
        self.authors = [f"{name} {self.author['year']}".casefold() for name in names if self.author]
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
    def is_definition(self) -> bool:
        """True for a line that begins with a marker of its own, or an author and a year, and holds an address."""
        if self.marker is None:
            return self.may_list and self.has_url
        begins = _SOURCE.match(self.text[self.body :].lstrip("[( :,"))
        return self.is_marked and bool(_FOOTNOTE.match(self.text) or self.has_url or begins)


@dataclass(frozen=True)
class References:
    """All entries of a report, and the spans of the lines of its lists, which cite nothing themselves."""

    entries: tuple[Entry, ...]
    spans: tuple[tuple[int, int], ...]

    @cached_property
    def _by_label(self) -> dict[str, list[Entry]]:
        by_label: dict[str, list[Entry]] = {}
        plain: dict[str, list[Entry]] = {}  # a raised 1 cites [^1]: where no entry is just 1
        for entry in self.entries:
            plain.setdefault(plain_label(entry.label), []).append(entry)
            for label in (entry.label, *entry.authors):
                by_label.setdefault(label, []).append(entry)
        return {
            label: [one for one in own if one.has_source] or own for label, own in (plain | by_label).items() if label
        }

    @cached_property
    def highest(self) -> int:
        """The highest number with an entry."""
        return max((int(label) for label in self._by_label if label.isdecimal()), default=0)

    def own_label(self, label: str) -> str | None:
        """The list's label of what a mark names: "s1" or "1", and "smith 2018" of "Smith et al., 2018"."""
        word, _, year = label.casefold().rpartition(" ")
        authors = (f"{name} {year}" for name in re.findall(r"[^\W\d_]+", word))
        names = (folded_label(label.lstrip("^@")), plain_label(label), *authors)
        return next((own for own in names if own in self._by_label), None)

    def entry(self, label: str, position: int) -> Entry:
        """The next entry of a label of the list after ``position``, else the last before it: each section may have a
        list.
        """
        entries = self._by_label[label]
        return entries[min(bisect_left(entries, position, key=lambda entry: entry.start), len(entries) - 1)]


def read_references(text: str, cited: Counter[str]) -> References:
    """The lists of a text; ``cited`` counts the numbers of its marks, whatever they mean."""
    own = [Entry(text, start, end) for start, end in _parts(text)]
    listed = _headed(own) | {index for index, line in enumerate(own) if line.is_definition}
    listed |= _numbered(own, listed, cited)
    labels = {own[index].label for index in listed}
    for index, line in enumerate(own):  # what lacks its address
        is_cited = cited[plain_label(line.label)] > 1 or (labels and not line.text[line.body :].strip(" .,\r"))
        if line.is_marked and is_cited and line.label not in labels and not _MARK.search(line.text, line.body):
            listed.add(index)
    lists = [own[index] for index in sorted(listed)]
    if not any(line.label for line in lists):  # a list without numbers is cited by its order
        for number, line in enumerate((line for line in lists if line.has_source), 1):
            line.label = f"{number}"
    entries = (line for line in lists if not line.level and (line.marker or line.has_source or line.author))
    return References(tuple(entries), tuple((line.left, line.end) for line in lists))


def _parts(text: str) -> Iterator[tuple[int, int]]:
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
        if len(begins) > 1 and LABELLED.fullmatch(before):
            yield from pairwise([start, *(begins if begins[0] > start else begins[1:]), end])
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
        yield start, end


def is_source_heading(text: str) -> bool:
    """True for a short line without a sentence or a mark whose first or last word names sources."""
    words = re.findall(
        r"[^\W\d_]{2,}(?:\(s\))?|[^\W\d_a-zA-Z]", re.sub(r"[(（]\d.*?[)）]|<[^<>]*>", " ", text[:_LONGEST_TITLE])
    )
    is_line = 0 < len(words) <= 8 and len(text) < _LONGEST_TITLE and not _NO_HEADING.search(text)
    return is_line and bool(_NAMES_SOURCES.match(words[0]) or _NAMES_SOURCES.match(words[-1]))


def _headed(own: Sequence[Entry]) -> set[int]:
    """The lines from a heading of sources to the last entry below it, up to a heading of the same level."""
    listed: set[int] = set()
    bare = _above_addresses(own)
    for title, heading in enumerate(own):
        if heading.has_source or not (is_source_heading(heading.text) or title in bare):
            continue
        last, follows = title, True
        for index in range(title + 1, len(own)):
            line = own[index]
            is_title = not line.has_source and is_source_heading(line.text)
            if is_title or (line.level and not line.has_source):
                if line.level <= (heading.level or _OF_BOLD):
                    break
                follows = True
            elif line.is_marked or line.has_url or (line.has_source and line.begins) or (follows and line.may_list):
                last, follows = index, True
            elif not line.is_blank:
                follows = False
        if last > title:
            while title and own[title - 1].is_blank:
                title -= 1
            listed |= set(range(title, last + 1))
    return listed


def _above_addresses(own: Sequence[Entry]) -> set[int]:
    """The headings, in any language, below which nothing stands but addresses."""
    found: set[int] = set()
    title, count = -1, 0
    for index, line in enumerate(own):
        if line.level and not line.has_source:
            found |= {title} if count > 1 else set()
            title, count = index, 0
        elif not line.is_blank:
            count = count + 1 if title >= 0 and _ONLY_ADDRESS.fullmatch(line.text) else -len(own)
    return found | ({title} if count > 1 else set())


def _numbered(own: Sequence[Entry], listed: Collection[int], cited: Collection[str]) -> set[int]:
    """The last run of lines that begin with numbers and hold addresses, if the text cites most of these numbers and no
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
