"""The scanner of citations: every token of a report that can point to a source, and what became of it.

A token is read, listed (it stands in a list of sources), or not read, for a reason. Other styles of citing are not
known: what tells of them is a list of sources to which no mark leads, and its sources are counted as not read.

What a mark covers is one rule, in what_a_mark_covers.md: prompts for writers and judges quote it, and text/layout.py
follows it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from html import unescape
from pathlib import Path
from typing import Literal

from drretail.grounding.report.evidence_ids import bare_address, normalise_url
from drretail.grounding.report.marks import Mark, find_marks
from drretail.grounding.report.page import blanked, read_page
from drretail.grounding.report.references import Entry, References, read_references
from drretail.records.evidence import WHY_UNREAD, Citation, CitationCounts, Evidence, UnreadReason
from drretail.records.shop import SHOP_URL, product_of, product_url

Known = Mapping[str, Evidence] | Iterable[Evidence]
_RULE = Path(__file__).with_name("what_a_mark_covers.md")
_SHOP_HOST = SHOP_URL.partition("://")[2]
_AROUND_TITLES = ' \t\r-–—:：.,，|*•+0123456789[]()【】^"<>'
_ENTITY = re.compile(r"<[^<>]*>|&\w+;")
_OF_VARIANT = re.compile(r'"id": ?"([\w@-]+)"')
_PRODUCT = re.compile(r"P:B0[0-9A-Z]{8}")
"""An id that is one without brackets, even if it is invented."""
_ONLY_LABEL = re.compile(r"\[?\^?[A-Za-z]?\d{1,4}\]?")


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

    @property
    def cites(self) -> bool:
        """True for a mark in the text, resolved or not."""
        return not self.is_listed and self.cited[0].reason != "hidden"


@dataclass(frozen=True)
class Scan:
    """All tokens of a report, in text order."""

    tokens: tuple[Token, ...]
    lists: tuple[tuple[int, int], ...]
    """The lines of the report's own lists: headings, blank lines and entries, but not the remarks between them."""

    @cached_property
    def marks(self) -> list[Token]:
        """The tokens in the text that cite something, resolved or not."""
        return [token for token in self.tokens if token.cites]

    @cached_property
    def listed(self) -> list[Cited]:
        """The sources in the report's own lists."""
        return [cited for token in self.tokens if token.is_listed for cited in token.cited]

    @cached_property
    def counts(self) -> CitationCounts:
        """How many sources of tokens are read, listed, and not read. A token of two sources counts twice. Where no mark
        leads to any of the listed sources, they are cited in a style that is not read, and each counts as not read.
        """
        reasons = Counter(cited.reason for token in self.tokens if not token.is_listed for cited in token.cited)
        listed = {cited.source for cited in self.listed}
        leads_there = any(cited.label or cited.source in listed for mark in self.marks for cited in mark.cited)
        reasons["uncited"] = 0 if leads_there else len(listed)
        not_read: dict[UnreadReason, int] = {why: reasons[why] for why in WHY_UNREAD if reasons[why]}
        return CitationCounts(read=reasons[None], listed=len(self.listed), not_read=not_read)

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
    references, marks = _read(report)
    resolver = _Resolver(references, evidence)
    cited_of = ((mark, resolver.cited(mark)) for mark in marks)
    tokens = [Token(*mark[:2], cited) for mark, cited in cited_of if cited]
    tokens += (Token(*span, (cited,), is_listed=True) for of in resolver.listed.values() for span, cited in of)
    return Scan(tuple(sorted(tokens, key=lambda token: token.start)), references.spans)


def find_citations(report: str, evidence: Known | None) -> list[Citation]:
    """The citations of a report (``scan``), in text order."""
    return scan(report, evidence).citations(report)


def link_words(marker: str, source: str) -> str:
    """The words of a link, which belong to the sentence; none for ``[[3]](url)``, or if they are the source."""
    words, arrow, _ = marker[1:].partition("](")
    if marker.startswith("<a"):
        words, arrow = marker.partition(">")[2].removesuffix("</a>"), ">"
    return words if arrow and source not in words and not _ONLY_LABEL.fullmatch(words) else ""


@lru_cache(maxsize=16)
def _read(report: str) -> tuple[References, list[Mark]]:
    """The lists of a report, and its marks outside them with their labels, without regard to evidence."""
    prose = read_page(report).prose
    marks = [*find_marks(report)]
    shown = [mark for mark in marks if prose[mark.start] == report[mark.start]]
    references = read_references(prose, shown)
    text = blanked(prose, references.spans)
    of_text = [references.labelled(mark) for mark in shown if text[mark.start] == report[mark.start]]
    hidden = (mark for mark in marks if prose[mark.start] != report[mark.start] and mark.kind in ("source", "ids"))
    return references, [*of_text, *(mark._replace(reason="hidden") for mark in hidden)]


class _Resolver:
    """Resolves marks: ids and addresses by a run's evidence, labels by the entries that they refer to."""

    def __init__(self, references: References, evidence: Known | None) -> None:
        self._has_ledger = evidence is not None
        entries = evidence.values() if isinstance(evidence, Mapping) else evidence or ()
        self._by_name: dict[str | tuple[str, str], Evidence] = {entry.id: entry for entry in entries}
        """By ids and addresses, products also by their own ids, and by their places in a shop of its own."""
        self._written: dict[str, str] = {}
        """The first form of each address: all its forms are one source."""
        for entry in [*self._by_name.values()]:
            urls = [url for url in (entry.url, entry.key) if url and "://" in url]
            names = [form(url) for url in urls for form in (normalise_url, bare_address)]
            names += [entry.key.casefold()] if entry.kind == "product" and not entry.key.isdecimal() else []
            places = map(shop_place, urls if entry.kind == "product" and entry.looked_up else ())
            self._by_name |= {name: entry for name in (*names, *places) if name not in self._by_name}
        self._references = references
        self.listed = {entry: [*self._sources(entry)] for entry in references.every}
        """The sources of each entry, with their spans."""

    def cited(self, mark: Mark) -> tuple[Cited, ...]:
        """The distinct sources of a mark; none if it is uncertain and means something else."""
        every = [cited for label in mark.labels for cited in self._of_label(label, mark.kind)]
        may_be_product = mark.kind in ("id", "square") and not mark.labels
        entry = self._entry(mark.content) if may_be_product else None
        if mark.names and (mark.kind != "id" or _PRODUCT.fullmatch(mark.content) or entry):
            every = [self._target(name) for name in mark.names]
        elif entry:
            every = [_cited(mark.content, entry)]
        elif mark.reason:
            every = [Cited(mark.content, "unresolved")]
        sources: dict[str, Cited] = {}
        for cited in every:
            sources.setdefault(cited.source, replace(cited, reason=mark.reason) if mark.reason else cited)
        return tuple(sources.values())

    def _of_label(self, name: str, kind: str) -> list[Cited]:
        label = self._references.label_of(name)
        if label and (entry := self._references.entry(label)):
            return [cited for _, cited in self.listed[entry]] or [
                Cited(label, "unresolved", label=label, reason="no_address")
            ]
        if product := None if label else self._entry(name):
            return [_cited(name, product)]
        # A number that a report's own list does not have leads nowhere (0 in FP); without a list nobody knows.
        is_other = label or kind == "raised" or not name.isdecimal()
        leads_nowhere = not is_other and any(map(str.isdecimal, self._references.entries))
        return [Cited(name, "unresolved", label=label or "", reason=None if leads_nowhere else "no_entry")]

    def _entry(self, name: str) -> Evidence | None:
        """The entry of an id, or of a product's own name, [L1]. An offer's is that of its product: P:T/T-M or P:T-M."""
        names = self._by_name
        return names.get(product_of(name)) or names.get(name.casefold()) or self._offers.get(name.removeprefix("P:"))

    @cached_property
    def _offers(self) -> dict[str, Evidence]:
        entries = [entry for entry in self._by_name.values() if entry.kind == "product"]
        return {key: entry for entry in entries for text in entry.texts for key in _OF_VARIANT.findall(text.text)}

    def _target(self, target: str) -> Cited:
        """What an id or an address resolves to."""
        if "://" not in target:
            entry = self._entry(target)
            return Cited(target, "unresolved") if entry is None else _cited(target, entry)
        name = unescape(target)
        address = bare_address(name)
        host, _, path = address.partition("/")
        is_of_shop = host.partition(":")[0] == _SHOP_HOST  # a port is not part of the shop's name
        forms = (f"P:{path}" if is_of_shop else "", normalise_url(name), address, shop_place(name))
        if entry := next(filter(None, map(self._by_name.get, forms)), None):
            return _cited(name, entry)
        url = self._written.setdefault(address, name)
        if not is_of_shop:
            return Cited(name, "web", url=url)
        if path and not set(path) & set("/?") and not self._has_ledger:
            return Cited(name, "product", url=url)
        return Cited(name, "unresolved", url=url)

    def _sources(self, entry: Entry) -> Iterator[tuple[tuple[int, int], Cited]]:
        """All sources that an entry names, with their titles there: the words beside the marks, or those of links."""
        besides = _ENTITY.sub(" ", blanked(entry.body, (mark[:2] for mark in entry.marks))).strip(_AROUND_TITLES)
        words = (link_words(entry.body[mark.start : mark.end], mark.content) for mark in entry.marks)
        title = " ".join((besides or " ".join(words)).split())
        for mark in entry.marks:
            span = entry.start + mark.start, entry.start + mark.end
            yield from ((span, replace(self._target(name), title=title, label=entry.label)) for name in mark.names)


def _cited(name: str, entry: Evidence) -> Cited:
    if entry.kind == "product":
        return Cited(name, "product", entry, entry.url or product_url(entry.key))
    return Cited(name, "web" if entry.kind == "web" else "internal", entry, entry.url)


def shop_place(url: str) -> tuple[str, str]:
    """The host and the last part of an address's path, equal for all addresses of a product in its shop, such as
    /products/mug and /collections/sale/products/mug?variant=2.
    """
    host, _, path = bare_address(url).partition("?")[0].partition("#")[0].partition("/")
    return host, path.rstrip("/").rpartition("/")[2]
