"""The scanner of citations: every token of a report that can point to a source, and what became of it.

A token is read, listed (it stands in a list of sources), or not read, for a reason. Other styles of citing are not
known. Where marks lead to fewer than half of the listed sources, the others are counted as not read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import unescape
from typing import Literal

from drretail.records.evidence import WHY_UNREAD, Citation, CitationCounts, Evidence, UnreadReason
from drretail.records.shop import SHOP_URL, product_of, product_url
from drretail.reports.marks import Mark, find_marks
from drretail.reports.page import blanked, read_page
from drretail.reports.references import Entry, References, read_references
from drretail.reports.text.evidence_ids import bare_address

Known = Mapping[str, Evidence] | Iterable[Evidence]
_ONLY_LABEL = re.compile(r"\[?\^?[A-Za-z]?\d{1,4}\]?")


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


@dataclass(frozen=True)
class Scan:
    """All tokens of a report, in text order."""

    tokens: tuple[Token, ...]
    lists: tuple[tuple[int, int], ...]
    """The lines of the report's own lists: headings, blank lines and entries, but not the remarks between them."""

    @cached_property
    def marks(self) -> list[Token]:
        """The tokens in the text that cite something, resolved or not."""
        return [token for token in self.tokens if not (token.is_listed or token.cited[0].reason == "hidden")]

    @cached_property
    def listed(self) -> list[Cited]:
        """The sources in the report's own lists."""
        return [cited for token in self.tokens if token.is_listed for cited in token.cited]

    @cached_property
    def counts(self) -> CitationCounts:
        """How many sources of tokens are read, listed, and not read. A token of two sources counts twice."""
        reasons = Counter(cited.reason for token in self.tokens if not token.is_listed for cited in token.cited)
        listed = {cited.source for cited in self.listed}
        cited = listed & {cited.source for mark in self.marks for cited in mark.cited}
        reasons["uncited"] = len(listed - cited) if len(cited) < len(listed) / 2 else 0
        not_read: dict[UnreadReason, int] = {why: reasons[why] for why in WHY_UNREAD if reasons[why]}
        return CitationCounts(read=reasons[None], listed=len(self.listed), not_read=not_read)


def scan(report: str, evidence: Known | None) -> Scan:
    """The tokens of a report, resolved by ``evidence``: all that its run received.

    An id, or a product's address, that is not in it is unresolved, even if the product exists; a page's address is kept
    as a citation without evidence. None means an imported report without a ledger: then products' addresses are
    citations of products. Linear in the length of the report.
    """
    references, marks = _read(report)
    resolver = _Resolver(references, evidence)
    listed = [source for entry in references.entries for source in resolver.listed(entry)]
    tokens = [Token(mark.start, mark.end, (cited,), is_listed=True) for mark, cited in listed]
    tokens += (Token(mark.start, mark.end, cited) for mark in marks if (cited := resolver.cited(mark)))
    return Scan(tuple(sorted(tokens, key=lambda token: token.start)), references.spans)


def find_citations(report: str, evidence: Known | None) -> list[Citation]:
    """The marks of a report (``scan``) as citations, in text order; one with several sources is one for each."""
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
        for mark in scan(report, evidence).marks
        for cited in mark.cited
    ]


def link_words(marker: str, source: str) -> str:
    """The words of a link, which belong to the sentence; none for ``[[3]](url)``, or if they are the source."""
    words, arrow, _ = marker[1:].partition("](")
    return words if arrow and source not in words and not _ONLY_LABEL.fullmatch(words) else ""


@lru_cache(maxsize=16)
def _read(report: str) -> tuple[References, list[Mark]]:
    """The lists of a report, and its marks outside them, without regard to evidence."""
    prose = read_page(report).prose
    marks = [*find_marks(report)]
    shown = [mark for mark in marks if prose[mark.start] == report[mark.start]]
    references = read_references(prose, shown)
    text = blanked(prose, references.spans)
    of_text = [mark for mark in shown if text[mark.start] == report[mark.start]]
    hidden = (mark for mark in marks if prose[mark.start] != report[mark.start] and mark.form == "address")
    return references, [*of_text, *(mark._replace(reason="hidden") for mark in hidden)]


class _Resolver:
    """Resolves marks: ids and addresses by a run's evidence, labels by the entries that they refer to."""

    def __init__(self, references: References, evidence: Known | None) -> None:
        self._references = references
        self._has_ledger = evidence is not None
        self._written: dict[str, str] = {}
        """The first form of each address: all its forms are one source."""
        self._by_id: dict[str, Evidence] = {}
        for entry in evidence.values() if isinstance(evidence, Mapping) else evidence or ():
            self._by_id.setdefault(entry.id, entry)

    @cached_property
    def _by_address(self) -> dict[str | tuple[str, str], Evidence]:
        """By the addresses of all evidence, which take long to read, and products by their places in their shop."""
        found: dict[str | tuple[str, str], Evidence] = {}
        for entry in self._by_id.values():
            url = entry.url or entry.key
            found.setdefault(bare_address(url), entry)
            if entry.kind == "product":
                found.setdefault(shop_place(url), entry)
        found.pop("", None)
        return found

    def cited(self, mark: Mark) -> tuple[Cited, ...]:
        """The distinct sources of a mark; none if it means something else."""
        labels = self._references.labels_in(mark.content) if mark.form in ("label", "raised") else []
        if mark.form in ("address", "ids"):
            every = [replace(self._target(name), reason=mark.reason) for name in mark.names]
        elif self._references.by_label.keys().isdisjoint(labels) and (entry := self._entry(mark.content)):
            every = [_cited(mark.content, entry)]
        elif labels:
            every = [cited for label in labels for cited in self._of_label(label, mark.form)]
        else:
            every = [Cited(mark.content, "unresolved", reason=mark.reason)] if mark.reason else []
        return tuple({cited.source: cited for cited in every}.values())

    def listed(self, entry: Entry) -> list[tuple[Mark, Cited]]:
        """The sources that an entry of a list names, with their marks."""
        targets = ((mark, self._target(name)) for mark in entry.sources for name in mark.names)
        return [(mark, replace(cited, title=entry.title, label=entry.label)) for mark, cited in targets]

    def _of_label(self, label: str, form: str) -> list[Cited]:
        by_label = self._references.by_label
        if entry := by_label.get(label):
            no_address = Cited(label, "unresolved", label=label, reason="no_address")
            return [cited for _, cited in self.listed(entry)] or [no_address]
        # A number that a report's own list does not have leads nowhere (0 in FP); without a list nobody knows.
        is_missing = form == "label" and label.isdecimal() and label not in by_label
        leads_nowhere = is_missing and any(map(str.isdecimal, by_label))
        return [Cited(label, "unresolved", reason=None if leads_nowhere else "no_entry")]

    def _entry(self, name: str) -> Evidence | None:
        """The entry of an id, or of a product's own name, [L1]. An offer's is that of its product: P:T/T-M."""
        return self._by_id.get(product_of(name)) or self._by_id.get("" if name.isdecimal() else f"P:{name}")

    def _target(self, target: str) -> Cited:
        """What an id or an address resolves to."""
        if "://" not in target:
            return _cited(target, entry) if (entry := self._entry(target)) else Cited(target, "unresolved")
        name = unescape(target)
        address = bare_address(name)
        if entry := self._by_address.get(address) or self._by_address.get(shop_place(name)):
            return _cited(name, entry)
        url = self._written.setdefault(address, name)
        host, _, path = address.partition("/")
        if host.partition(":")[0] != bare_address(SHOP_URL):  # a port is not part of the shop's name
            return Cited(name, "web", url=url)
        is_product = path and not set(path) & set("/?") and not self._has_ledger
        return Cited(name, "product" if is_product else "unresolved", url=url)


def _cited(name: str, entry: Evidence) -> Cited:
    if entry.kind == "product":
        return Cited(name, "product", entry, entry.url or product_url(entry.key))
    return Cited(name, "web" if entry.kind == "web" else "internal", entry, entry.url)


def shop_place(url: str) -> tuple[str, str]:
    """The host and the last part of an address's path, equal for all addresses of a product in its shop, such as
    /products/mug and /collections/sale/products/mug?variant=2.
    """
    place = bare_address(url).partition("?")[0].rstrip("/")
    return place.partition("/")[0], place.rpartition("/")[2]
