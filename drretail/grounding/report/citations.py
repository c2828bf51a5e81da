"""The scanner of citations: every token of a report that can point to a source, and what became of it.

A token is read, listed (it stands in a list of sources), or not read, for a reason. What a mark covers is one rule, in
what_a_mark_covers.md: prompts for writers and judges quote it, and text/layout.py follows it.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from drretail.grounding.report.evidence_ids import address_of, normalise_url
from drretail.grounding.report.marks import (
    ID,
    UNRESOLVED,
    YEAR,
    Piece,
    find_pieces,
    ids_in,
    read_labels,
    unread_reason,
)
from drretail.grounding.report.page import IDEOGRAPHS, blanked, find_bars, lines, read_page
from drretail.grounding.report.references import (
    HEADING,
    ITEM,
    Entry,
    References,
    folded,
    read_references,
)
from drretail.records.evidence import Citation, CitationCounts, Evidence, UnreadReason
from drretail.records.shop import SHOP_URL, product_of, product_url

Known = Mapping[str, Evidence] | Iterable[Evidence]
_RULE = Path(__file__).with_name("what_a_mark_covers.md")
_SHOP_HOST = SHOP_URL.partition("://")[2]
_AROUND_TITLES = ' \t\r-–—:：.,，|*•+0123456789[]()【】^"<>'
_ENTITY = re.compile(r"<[^<>]*>|&\w+;")
_OF_VARIANT = re.compile(r'"id": ?"([\w@-]+)"')
_PLACES: tuple[UnreadReason | None, ...] = (None, "hidden", "image", "in_code")
_ONLY_LABEL = re.compile(r"\[?\^?[A-Za-z]?\d{1,4}\]?")
_WORD = rf"[^\W\d_{IDEOGRAPHS}]{{1,40}}"
_MARK = "\ue000"
_BEFORE = r"\W{0,30}?"
_LABELLED = rf"{_BEFORE}(?:(?:(?:{_WORD}\W{{1,2}}){{0,%d}}{_WORD}|[{IDEOGRAPHS}]{{1,%d}})\s?[:：]{_BEFORE})?"
_ONLY_MARKS = rf"{_MARK}(?:\W*(?:[^\W\d_]{{1,5}}\W*)?{_MARK})*\W*"
_ONLY_SOURCES = {
    True: re.compile(_LABELLED % (3, 6) + _ONLY_MARKS),
    False: re.compile(_LABELLED % (0, 2) + _ONLY_MARKS),
}
"""Before addresses at most a label, such as "Read more here:", before other marks a word; a short word between them."""
_WORDS = re.compile(r"[^\s,;/|&，；、]+")
_CELL = re.compile(r"\w(?:.*\S)?")


@cache
def what_a_mark_covers() -> str:
    """The rule with its examples, for prompts."""
    return _RULE.read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True)
class Cited:
    """One source of a mark: the name in the report (an id, a URL, a label), and what it resolves to."""

    name: str
    type: Literal["web", "product", "internal", "unresolved"]
    entry: Evidence | None = None
    url: str | None = None
    title: str = ""
    """The source's name in the report's own list."""
    label: str = ""
    """The number or name of its entry in that list."""
    reason: UnreadReason | None = None
    """Why it is not read."""

    @property
    def evidence_id(self) -> str | None:
        return None if self.entry is None else self.entry.id

    @property
    def source(self) -> str:
        """Equal for two citations of one source."""
        return self.evidence_id or self.url or self.name


@dataclass(frozen=True, slots=True)
class Token:
    """``report[start:end]`` with its distinct sources, at least one."""

    start: int
    end: int
    cited: tuple[Cited, ...]
    is_listed: bool = False
    block: tuple[int, int] | None = None
    """The span that a line, a block or a cell of nothing but sources belongs to; None: the token's own sentence."""

    @property
    def cites(self) -> bool:
        """True for a mark in the text, resolved or not."""
        return not self.is_listed and self.cited[0].reason not in ("in_code", "hidden", "image")


@dataclass(frozen=True, slots=True)
class ListedSources:
    """A report's own lists, in text order."""

    lines: tuple[tuple[int, int, tuple[Cited, ...]], ...]
    """Every line by its offsets without the newline, and the sources that it names."""
    spans: tuple[tuple[int, int], ...]
    """With newlines: headings, blank lines and entries, but not the remarks between them."""

    @property
    def cited(self) -> tuple[Cited, ...]:
        return tuple(cited for _, _, entries in self.lines for cited in entries)


@dataclass(frozen=True)
class Scan:
    """All tokens of a report, in text order, and its lists."""

    tokens: tuple[Token, ...]
    listed: ListedSources
    source_lines: tuple[tuple[int, int], ...] = ()
    """The lines that hold nothing but sources, and belong to the text above them."""

    @cached_property
    def marks(self) -> list[Token]:
        """The tokens in the text that cite something, resolved or not."""
        return [token for token in self.tokens if token.cites]

    @cached_property
    def counts(self) -> CitationCounts:
        """How many sources of tokens are read, listed, and not read. A token of two sources counts twice, and an image,
        which cites nothing, not at all.
        """
        listed = sum(len(token.cited) for token in self.tokens if token.is_listed)
        reasons_read: list[UnreadReason | None] = [
            cited.reason for token in self.tokens if not token.is_listed for cited in token.cited
        ]
        reasons: list[UnreadReason] = [reason for reason in reasons_read if reason and reason != "image"]
        return CitationCounts(read=reasons_read.count(None), listed=listed, not_read=Counter(reasons))

    def citations(self, report: str) -> list[Citation]:
        """The marks of the scanned report as citations, in text order; one with several sources is one for each."""
        return [
            Citation(
                marker=report[mark.start : mark.end],
                start=mark.start,
                end=mark.end,
                evidence_id=cited.evidence_id,
                url=cited.url,
                type=cited.type,
                unread=cited.reason,
            )
            for mark in self.marks
            for cited in mark.cited
        ]


def scan(report: str, evidence: Known | None) -> Scan:
    """The tokens of a report, resolved by ``evidence``: all that its run received.

    An id, or a product's address, that is not in it is unresolved, even if the product exists; a page's address is kept
    as a citation without evidence. None means an imported report without a ledger: then products' addresses are
    citations of products. Linear in the length of the report.
    """
    reading = _read(report)
    resolver = _Resolver(reading, evidence)
    tokens: list[Token] = []
    for mark, reason in reading.marks:
        cited = resolver.cited(mark)
        cited = tuple(replace(source, reason=reason) for source in cited) if reason else cited
        tokens += [Token(mark.start, mark.end, cited, block=reading.blocks.get(mark.start))] if cited else []
    starts = [start for start, _ in reading.references.spans]
    listed: list[list[Cited]] = [[] for _ in starts]
    for entry, sources in resolver.named.items():
        tokens += (Token(*span, (cited,), is_listed=True) for span, cited in sources)
        listed[bisect_right(starts, entry.start) - 1] += [cited for _, cited in sources]
    lines = [(*span, tuple(cited)) for span, cited in zip(reading.references.spans, listed, strict=True)]
    spans = ((start, min(end + 1, len(report))) for start, end, _ in lines)
    sources = ListedSources(tuple(lines), tuple(spans))
    return Scan(tuple(sorted(tokens, key=lambda token: token.start)), sources, tuple(reading.source_lines))


def find_citations(report: str, evidence: Known | None) -> list[Citation]:
    """The citations of a report (``scan``), in text order."""
    return scan(report, evidence).citations(report)


def link_words(marker: str, source: str) -> str:
    """The words of a link, which belong to the sentence; none for ``[[3]](url)``, or if they are the source."""
    words, arrow, _ = marker[1:].partition("](")
    if marker.startswith("<a"):
        words, arrow = marker.partition(">")[2].removesuffix("</a>"), ">"
    return words if arrow and source not in words and not _ONLY_LABEL.fullmatch(words) else ""


Form = Literal["source", "perhaps", "own", "nowhere"] | UnreadReason


class _Target(NamedTuple):
    """An address, an id or a label; ``form`` says which, or why it is not read."""

    name: str
    form: Form


class _Mark(NamedTuple):
    """``report[start:end]``."""

    start: int
    end: int
    targets: tuple[_Target, ...]


@dataclass(frozen=True)
class _Reading:
    """What a report says without regard to evidence."""

    text: str
    references: References
    marks: list[tuple[_Mark, UnreadReason | None]]
    source_lines: list[tuple[int, int]]
    blocks: dict[int, tuple[int, int]]
    """By the starts of marks, the block above that a line of nothing but sources belongs to."""


@lru_cache(maxsize=16)
def _read(report: str) -> _Reading:
    page = read_page(report)
    text, places = page.prose, bytearray(len(report))
    images = [image.span() for image in page.images]
    for place, spans in enumerate(((*page.unread, *page.hidden, *page.struck), images, page.code), 1):
        for start, end in spans:
            places[start:end] = bytes([place]) * (end - start)
    every = [*find_pieces(report)]
    shown = [piece for piece in every if not places[piece.start]]
    words = (word for piece in shown for word in {*_WORDS.findall(piece.content), piece.content})
    references = read_references(text, Counter(filter(None, map(folded, words))))
    for start, end in references.spans:
        places[start:end] = bytes([len(_PLACES)]) * (end - start)
    marks = _find_marks(report, [piece for piece in shown if not places[piece.start]], references)
    rest = blanked(text, references.spans)
    marks += _in_columns(blanked(rest, (mark[:2] for mark in marks)), marks, references)
    own_lines, blocks = _belonging(rest, sorted(marks))
    placed: list[tuple[_Mark, UnreadReason | None]] = [(mark, None) for mark in marks]
    for mark in _find_marks(report, [piece for piece in every if 0 < places[piece.start] < len(_PLACES)], references):
        forms = ("source", "own", "nowhere", "no_entry") if references.entries else ("source",)
        is_known = any(target.form in forms for target in mark.targets)
        if is_known and not report[mark.start - 1 : mark.start].isalnum():
            placed.append((mark, _PLACES[places[mark.start]]))
    return _Reading(text, references, placed, own_lines, blocks)


def _find_marks(report: str, pieces: Sequence[Piece], references: References) -> list[_Mark]:
    """The marks in order: what is read, and what has the shape of a mark and is not read, with its reason."""
    labels = {piece: read_labels(piece.content, references.own) for piece in pieces if piece.kind == "label"}
    cites = any(any(map(references.own, labels_of_piece)) for labels_of_piece in labels.values())
    bracketed = [piece for piece in pieces if piece.kind in ("label", "round")]
    entries_named = {piece for piece in bracketed if _names_entry(report, piece, references)}
    if any(YEAR.search(piece.content) for piece in entries_named):  # then all years in brackets may name entries
        entries_named |= {piece for piece in bracketed if YEAR.search(piece.content)}
    marks: list[_Mark] = []
    for piece in pieces:
        kind, content = piece.kind, piece.content
        # A number that a report's own list does not have leads nowhere (0 in FP); without a list nobody knows.
        is_number = report[piece.start] == "[" and any(map(str.isdecimal, content))
        lacking: Form = "nowhere" if is_number and references.entries else "no_entry"
        ids, is_only = ids_in(content) if kind == "label" else ([], False)
        if kind in ("source", "id"):
            targets = [_Target(content, "source" if kind == "source" else "perhaps")]
        elif content.startswith(UNRESOLVED):  # a rendered report's own word for a citation that did not resolve
            targets = [_Target(content.removeprefix(UNRESOLVED), "nowhere")]
        elif ids:
            targets = [_Target(name, "source" if is_only else "perhaps") for name in ids]
        elif names := labels.get(piece):
            targets = [_Target(name, "own" if references.own(name) else lacking) for name in names]
        else:
            reason = unread_reason(piece, references.own, by_name=piece in entries_named, cites=cites)
            is_name = kind == "label" and content.strip() and " " not in content.strip()
            form = lacking if reason == "no_entry" else reason or "perhaps"
            targets = [_Target(content.strip(), form)] if reason or is_name else []
        marks += [_Mark(piece.start, piece.end, tuple(targets))] if targets else []
    return marks


def _names_entry(report: str, piece: Piece, references: References) -> bool:
    """True for "(Smith 2018)", the year of "Smith (2018)", and "(Wirecutter)", if an entry has this name."""
    if (year := YEAR.search(piece.content)) is None:
        return any(name.strip().casefold() in references.titles for name in re.split("[,;]", piece.content))
    before = report[max(0, piece.start - 40) : piece.start] if year.start() == 0 else piece.content
    return any((word, year[0][:4]) in references.years for word in re.findall(r"[^\W\d_]{3,}", before))


def _in_columns(text: str, marks: Sequence[_Mark], references: References) -> Iterator[_Mark]:
    """The cells of columns that name entries of the lists without brackets: by a group of labels, or as all marks."""
    fewest = 2 if any(target.form == "own" for mark in marks for target in mark.targets) else 1
    table: list[list[tuple[int, int]]] = []
    for start, end in (*lines(text), (len(text), len(text))):
        if bars := find_bars(text, start, end):
            table.append([*pairwise([*bars, end])])
            continue
        for column in zip(*table[2:], strict=False):
            cells = filter(None, (_CELL.search(text, left + 1, right) for left, right in column))
            by_cell = {cell: read_labels(cell[0], references.own) for cell in cells}
            listed = [labels for labels in by_cell.values() if labels and all(map(references.own, labels))]
            if any(len(labels) >= fewest for labels in listed):
                yield from (
                    _Mark(*cell.span(), (_Target(cell[0], "no_brackets"),)) for cell in by_cell if by_cell[cell]
                )
        table = []


def _belonging(text: str, marks: Sequence[_Mark]) -> tuple[list[tuple[int, int]], dict[int, tuple[int, int]]]:
    """The lines that hold nothing but sources; and by the starts of their marks, the block above each, as for cells of
    sources their row.
    """
    places: list[tuple[int, int]] = []
    blocks: dict[int, tuple[int, int]] = {}
    above: tuple[int, int] | None = None
    is_apart, at = True, 0
    for start, end in lines(text):
        inside: list[_Mark] = []
        while at < len(marks) and marks[at].start < end:
            inside.append(marks[at])
            at += 1
        line, bars = text[start:end], find_bars(text, start, end)
        is_row = len(bars) > 1
        for left, right in zip(bars, [*bars[1:], end], strict=True) if is_row and inside else ():
            in_cell = [mark for mark in inside if left < mark.start < right]
            if in_cell and _holds_only(text, left + 1, right, in_cell):
                blocks |= dict.fromkeys((mark.start for mark in in_cell), (start, end))
        if not line.strip():
            is_apart = True
        elif inside and above and not is_row and _holds_only(text, start, end, inside):
            places.append((start, end))
            blocks |= dict.fromkeys((mark.start for mark in inside), above)
        else:
            is_heading = HEADING.match(line) is not None
            begins = is_apart or not above or is_heading or (ITEM.match(line) and not is_row)
            above = (start, end) if begins or not above else (above[0], end)
            is_apart = is_heading
    return places, blocks


def _holds_only(text: str, start: int, end: int, marks: Sequence[_Mark]) -> bool:
    """True for a line or a cell of sources, with the words of their links and at most a label before them."""
    edges = [start, *(edge for mark in marks for edge in mark[:2]), max(end, marks[-1].end)]
    rest = _MARK.join(_ENTITY.sub("", text[left:right]) for left, right in zip(edges[::2], edges[1::2], strict=True))
    item = ITEM.match(rest)
    is_url = any("://" in mark.targets[0].name for mark in marks)
    return _ONLY_SOURCES[is_url].fullmatch(rest, item.end() if item else 0) is not None


class _Resolver:
    """Resolves marks: ids and addresses by a run's evidence, labels by the entries that they refer to."""

    def __init__(self, reading: _Reading, evidence: Known | None) -> None:
        self._has_ledger = evidence is not None
        entries = evidence.values() if isinstance(evidence, Mapping) else evidence or ()
        self._by_id = {entry.id: entry for entry in entries}
        products = [entry for entry in self._by_id.values() if entry.kind == "product"]
        self._products = {entry.key.casefold(): entry for entry in products if not entry.key.isdecimal()}
        self._of_shop = {shop_place(entry.url): entry for entry in products if entry.looked_up and entry.url}
        self._by_url: dict[str, Evidence] = {}
        self._written: dict[str, str] = {}
        """The first form of each address: all its forms are one source."""
        for entry in self._by_id.values():
            for url in filter(None, (entry.url, entry.key if entry.kind == "web" else None)):
                self._by_url.setdefault(normalise_url(url), entry)
                self._by_url.setdefault(address_of(url), entry)
        self._references = reading.references
        self.named = {entry: list(self._sources(reading.text, entry)) for entry in reading.references.entries}
        """The sources of each entry, with their spans."""

    def cited(self, mark: _Mark) -> tuple[Cited, ...]:
        """The distinct sources of a mark; none if it is uncertain and means something else."""
        sources = dict[str, Cited]()
        for target in mark.targets:
            for cited in self._of(target):
                sources.setdefault(cited.source, cited)
        return tuple(sources.values())

    def _of(self, target: _Target) -> list[Cited]:
        name, form = target
        if form == "own":
            entry = self._references.entry(self._references.own(name) or "")
            if entry is None:
                return [Cited(name, "unresolved", reason="several_entries")]
            resolved = [replace(cited, label=entry.label) for _, cited in self.named[entry]]
            return resolved or [Cited(entry.label or name, "unresolved", reason="no_address")]
        if product := self._products.get(name.casefold()):  # a shop's assistant writes [L1] for [P:L1]
            return [_cited(name, product)]
        if form == "source" or (form == "perhaps" and self._entry(name)):
            return [self._target(name)]
        if form == "perhaps":
            return []
        return [Cited(name, "unresolved", reason=None if form == "nowhere" else form)]

    def _entry(self, name: str) -> Evidence | None:
        """The entry of an id; an offer's is its product's, named by both, P:T/T-M, or by its own, P:T-M."""
        return self._by_id.get(product_of(name)) or self._offers.get(name.removeprefix("P:"))

    @cached_property
    def _offers(self) -> dict[str, Evidence]:
        entries = [entry for entry in self._by_id.values() if entry.kind == "product"]
        return {key: entry for entry in entries for text in entry.texts for key in _OF_VARIANT.findall(text.text)}

    def _target(self, target: str) -> Cited:
        """What an id or an address resolves to."""
        if ID.fullmatch(target):
            entry = self._entry(target)
            return Cited(target, "unresolved") if entry is None else _cited(target, entry)
        name = unescape(target)
        address = address_of(name)
        host, _, path = address.partition("/")
        is_of_shop = host.partition(":")[0] == _SHOP_HOST  # a port is not part of the shop's name
        entry = self._by_id.get(f"P:{path}") if is_of_shop else None
        entry = entry or self._by_url.get(normalise_url(name)) or self._by_url.get(address)
        if entry := entry or self._of_shop.get(shop_place(name)):
            return _cited(name, entry)
        url = self._written.setdefault(address, name)
        if not is_of_shop:
            return Cited(name, "web", url=url)
        if path and not set(path) & set("/?") and not self._has_ledger:
            return Cited(name, "product", url=url)
        return Cited(name, "unresolved", url=url)

    def _sources(self, text: str, entry: Entry) -> Iterator[tuple[tuple[int, int], Cited]]:
        """All sources that an entry names, with their titles there; ids may lack brackets."""
        line = text[entry.start : entry.end]
        pieces = [piece for piece in find_pieces(line, wide=True) if piece.kind in ("source", "id", "label")]
        ids = {piece: ids_in(piece.content)[0] if piece.kind == "label" else [piece.content] for piece in pieces}
        # The words beside the marks, or those of the link.
        besides = _ENTITY.sub(" ", blanked(line, (piece[:2] for piece in pieces if ids[piece]))).strip(_AROUND_TITLES)
        words = (link_words(line[piece.start : piece.end], piece.content) for piece in pieces if ids[piece])
        title = " ".join((besides or " ".join(words)).split())
        for piece in pieces:
            for name in ids[piece]:
                span = entry.start + piece.start, entry.start + piece.end
                yield span, replace(self._target(name), title=title)


def _cited(name: str, entry: Evidence) -> Cited:
    if entry.kind == "product":
        return Cited(name, "product", entry, entry.url or product_url(entry.key))
    return Cited(name, "web" if entry.kind == "web" else "internal", entry, entry.url)


def shop_place(url: str) -> tuple[str, str]:
    """The host and the last part of an address's path, equal for all addresses of a product in its shop, such as
    /products/mug and /collections/sale/products/mug?variant=2.
    """
    host, _, path = address_of(url).partition("?")[0].partition("#")[0].partition("/")
    return host, path.rstrip("/").rpartition("/")[2]
