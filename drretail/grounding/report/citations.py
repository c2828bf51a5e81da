"""Every citation of a report, resolved by the evidence of its run."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from drretail.grounding.report.evidence_ids import FILE_ID, normalise_url
from drretail.grounding.report.marks import Mark, Target, exported_marks, find_marks, styled_marks, unlisted_numbers
from drretail.grounding.report.markup import blanked, prose, url_end
from drretail.grounding.report.reference_list import ADDRESS, Entry, is_list_frame, is_source_heading, read_references
from drretail.records.evidence import Citation, Evidence
from drretail.records.shop import SHOP_URL, product_of, product_url

Known = Mapping[str, Evidence] | Iterable[Evidence]
_SHOP_HOST = SHOP_URL.partition("://")[2]
# Such a number without an entry is a year, not an invented source.
_YEARS = range(1900, 2101)
_BARE_ID = re.compile(
    r"(?<![\w:])(?:[PO]:[A-Za-z0-9_-]{1,64}|U:(?:profile|orders|statistics)(?:@[\w-]+)?|[WC]:[a-z2-7]{8}|"
    rf"{FILE_ID})(?!\w)"
)
_WWW = re.compile(ADDRESS, re.IGNORECASE)
# "So it is. [Lab](https://…) Next it is …": the link belongs to the first sentence; in "[Lab](…) says", to the next.
_BEHIND_STOP = re.compile(r"[.!?…][\"”’)*_]{0,2}[ ]$")
_ENDS_PARAGRAPH = re.compile(r"[ \t]*(?:\n|$)")
_GOES_ON = re.compile(r"[ \t]*(?:[a-z,;:(–—]|['’]s)")
_FEWEST_AT_ENDS = 2
_AROUND_TITLES = ' \t\r-–—:：.,，|*•+0123456789[]()【】^"<>'


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

    @property
    def evidence_id(self) -> str | None:
        return None if self.entry is None else self.entry.id

    @property
    def source(self) -> str:
        """Equal for two citations of one source."""
        return self.evidence_id or self.url or self.name


@dataclass(frozen=True, slots=True)
class CitingMark:
    """``report[start:end]`` with its distinct sources, at least one."""

    start: int
    end: int
    cited: tuple[Cited, ...]


def find_citations(report: str, evidence: Known | None) -> list[Citation]:
    """The citations in text order; a mark with several sources has one for each, all with the same offsets.

    ``evidence`` is all that the run received. An id, or a product's address, that is not in it is unresolved, even if
    the product exists; a page's address is kept as a citation without evidence. None means an imported report without a
    ledger: then products' addresses are citations of products. Linear in the length of the report.
    """
    return [
        Citation(
            marker=report[mark.start : mark.end],
            start=mark.start,
            end=mark.end,
            evidence_id=cited.evidence_id,
            url=cited.url,
            type=cited.type,
        )
        for mark in citing_marks(report, evidence)
        for cited in mark.cited
    ]


@dataclass(frozen=True, slots=True)
class ListedSources:
    """A report's own lists, in text order."""

    lines: tuple[tuple[int, int, tuple[Cited, ...]], ...]
    """Every line by its offsets without the newline, and the sources that it names."""
    spans: tuple[tuple[int, int], ...]
    """With newlines: headings, blank lines and entries, but not the remarks between them."""

    @property
    def cited(self) -> tuple[Cited, ...]:
        return tuple(cited for _, _, named in self.lines for cited in named)


def as_entries(evidence: Known | None) -> tuple[Evidence, ...] | None:
    """The evidence in a form that can be iterated more than once."""
    if evidence is None:
        return None
    return tuple(evidence.values() if isinstance(evidence, Mapping) else evidence)


def listed_sources(report: str, evidence: Known | None) -> ListedSources:
    """The reference lists of a report, with the sources that they name."""
    return _listed(report, _Resolver(prose(report), evidence))


def _listed(report: str, resolver: "_Resolver") -> ListedSources:
    lines = [(start, end, resolver.named(start, end)) for start, end in resolver.references.spans]
    own = [(start, end) for start, end, named in lines if named or is_list_frame(resolver.text[start:end])]
    return ListedSources(tuple(lines), tuple((start, min(end + 1, len(report))) for start, end in own))


def leads_to_no_source(report: str, citations: Sequence[Citation]) -> bool:
    """True if a report has marks, a list or a list's heading, and no citation resolves."""
    if any(citation.type != "unresolved" for citation in citations):
        return False
    return bool(citations or listed_sources(report, None).spans) or any(map(is_source_heading, report.splitlines()))


def citing_marks(report: str, evidence: Known | None) -> Iterator[CitingMark]:
    """The marks that cite something, in text order and without overlap; lines of reference lists have none."""
    return _citing(report, _Resolver(prose(report), evidence))


def marks_and_lists(report: str, evidence: Known | None) -> tuple[list[CitingMark], ListedSources]:
    """``citing_marks`` and ``listed_sources``, resolved once."""
    resolver = _Resolver(prose(report), evidence)
    return list(_citing(report, resolver)), _listed(report, resolver)


def _citing(report: str, resolver: "_Resolver") -> Iterator[CitingMark]:
    text = blanked(resolver.text, resolver.references.spans)
    exported = sorted(exported_marks(report, text), key=lambda mark: mark.start)
    text = blanked(text, ((mark.start, mark.end) for mark in exported))
    marks = (*exported, *find_marks(text))
    citing = [(mark, cited) for mark in marks if (cited := resolver.cited(mark))]
    if resolver.references.spans:
        rest = blanked(text, [(mark.start, mark.end) for mark, _ in citing])
        styled = styled_marks(rest, resolver.references, len(citing))
        citing += [(mark, cited) for mark in styled if (cited := resolver.cited(mark))]
    for mark, cited in sorted(citing, key=lambda each: each[0].start):
        yield CitingMark(mark.start, mark.end, cited)


def closing_marks(report: str) -> list[tuple[int, int]]:
    """The spans of the marks that end sentences: those without square brackets, such as the 10 of ``text.10``, and
    links after full stops, if the report also has such links at the ends of paragraphs.
    """
    spans = [(mark.start, mark.end) for mark in citing_marks(report, None)]
    plain = [span for span in spans if not report.startswith(("[", "【", "http", "<http"), span[0])]
    links = [span for span in spans if report[span[0]] == "[" and report[span[1] - 1] == ")"]
    behind, place = list[tuple[int, int]](), -1
    for start, end in links:
        if start == place or _BEHIND_STOP.search(report, max(0, start - 5), start):
            behind.append((start, end))
            place = end
    ended = sum(_ENDS_PARAGRAPH.match(report, end) is not None for _, end in behind)
    goes_on = any(_GOES_ON.match(report, end) for _, end in behind)
    return plain if goes_on or ended < _FEWEST_AT_ENDS else sorted([*plain, *behind])


class _Resolver:
    """Resolves marks: ids and addresses by a run's evidence, labels by the entries that they refer to."""

    def __init__(self, text: str, evidence: Known | None) -> None:
        self.text = text
        self.references = read_references(text)
        self._highest = max(self.references.numbers, default=0)
        if not self.references.spans:
            self._highest = max(unlisted_numbers(text), default=0)
        self._entries: dict[Entry, tuple[Cited, ...]] = {}
        self._has_ledger = evidence is not None
        self._by_id = {entry.id: entry for entry in as_entries(evidence) or ()}
        products = [entry for entry in self._by_id.values() if entry.kind == "product"]
        self._products = {entry.key.casefold(): entry for entry in products if not entry.key.isdecimal()}
        self._by_url: dict[str, Evidence] = {}
        self._of_shop = {shop_place(entry.url): entry for entry in products if entry.looked_up and entry.url}
        for entry in self._by_id.values():
            for url in filter(None, (entry.url, entry.key if entry.kind == "web" else None)):
                self._by_url.setdefault(normalise_url(url), entry)
                self._by_url.setdefault(address_of(url), entry)

    def cited(self, mark: Mark) -> tuple[Cited, ...]:
        """The distinct sources of a mark; none if it is uncertain and means something else."""
        labels = [target.value for target in mark.targets if target.kind == "label"]
        # An uncertain mark of labels counts if it fits the report's list.
        if any(self.references.entry(label, mark.start) for label in labels):
            is_meant = "0" not in labels or self.references.entry("0", mark.start) is not None
        else:
            is_meant = read_as_references([int(label) for label in labels if label.isdecimal()], self._highest)
        if mark.certain or is_meant:
            cited_here = [cited for target in mark.targets for cited in self._resolve(target, mark.start)]
        else:
            # A shop's assistant writes [L1] for [P:L1].
            known = [
                (to.value, self._by_id.get(to.value) if to.kind == "id" else self._products.get(to.value.casefold()))
                for to in mark.targets
            ]
            cited_here = [_cited(name, entry) for name, entry in known if entry is not None]
        return tuple({cited.source: cited for cited in reversed(cited_here)}.values())[::-1]

    def _resolve(self, target: Target, position: int) -> tuple[Cited, ...]:
        if target.kind != "label":
            return (self._cite(target),)
        entry = self.references.entry(target.value, position)
        if entry is None:
            return (Cited(target.value, "unresolved"),)
        if entry not in self._entries:
            named = self.named(entry.start, entry.end) or (Cited(entry.label, "unresolved"),)
            self._entries[entry] = tuple(replace(cited, label=target.value) for cited in named)
        return self._entries[entry]

    def _cite(self, target: Target) -> Cited:
        if target.kind == "id":
            entry = self._by_id.get(product_of(target.value))  # an offer's source is its product's record
            return Cited(target.value, "unresolved") if entry is None else _cited(target.value, entry)
        url, address = target.value, address_of(target.value)
        host, _, path = address.partition("/")
        entry = self._by_url.get(normalise_url(url)) or self._by_url.get(address) or self._of_shop.get(shop_place(url))
        host = host.partition(":")[0]  # a port is not part of the shop's name
        if host == _SHOP_HOST:
            entry = self._by_id.get(f"P:{path}") or entry
        if entry is not None:
            return _cited(url, entry)
        if host != _SHOP_HOST:
            return Cited(url, "web", url=url)
        names_a_product = path and not set(path) & set("/?")
        return Cited(url, "product" if names_a_product and not self._has_ledger else "unresolved", url=url)

    def named(self, start: int, end: int) -> tuple[Cited, ...]:
        """All sources that a line of a list names, with their titles there; in lists, ids may lack brackets."""
        line = self.text[start:end]
        marks = [mark for mark in find_marks(line, wide=True) if mark.targets[0].kind != "label"]
        targets = [target for mark in marks for target in mark.targets]
        if not marks:
            marks = [Mark(bare.start(), bare.end(), ()) for bare in _BARE_ID.finditer(line)]
            targets = [Target("id", line[mark.start : mark.end]) for mark in marks]
        if not marks and (bare := _WWW.search(line)):
            marks = [Mark(bare.start(), url_end(line, bare.start(), wide=True), ())]
            targets = [Target("url", f"https://{line[mark.start : mark.end]}") for mark in marks]
        # The words beside the marks, or those of the link.
        besides = blanked(line, [(mark.start, mark.end) for mark in marks]).strip(_AROUND_TITLES)
        words = [line[mark.start + 1 : mark.end].partition("](")[0] for mark in marks if line[mark.end - 1] == ")"]
        title = " ".join((besides or " ".join(words)).split())
        return tuple(replace(self._cite(target), title=title) for target in targets)


def read_as_references(numbers: Sequence[int], highest: int) -> bool:
    """True if bracketed numbers seem to refer to a list that goes up to ``highest``: not years, not intervals."""
    years = highest < _YEARS.start and any(number in _YEARS for number in numbers)
    return 0 < len(numbers) <= highest and 0 not in numbers and not years


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


def address_of(url: str) -> str:
    """The address in the form in which addresses are compared: without scheme and "www."."""
    return normalise_url(url).partition("://")[2].removeprefix("www.").rstrip("/")
