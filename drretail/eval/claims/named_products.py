"""Products that a report names by their titles, without a citation, and which of them a claim is about.

Their records are looked up in the shop for judging (``drretail import --world``); whether the report's writer read them
is unknown.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.verify.offers import option_in, price_lines, stock_lines
from drretail.grounding.verify.records import Ledger, read_ledger
from drretail.records.evidence import Evidence
from drretail.records.shop import Product, offers_of

_WORD = re.compile(r"[^\W_]+")
_SIZE = re.compile(r"\d+(?:[.,]\d+)?[a-z]{0,3}|ml|l|g|kg|cm|mm|oz|lb|pack|set|of|with|for|the|and")
_FEWEST = 2
"""The least number of words that identify a title by its beginning: "House Blend" of "House Blend Coffee"."""
# Words that refer to the product named before: "It costs …", "The White one is sold out", "Price: …".
_BACKWARD = re.compile(
    r"\b(?:it|its|they|them|their|both|this|that|these|those|each|one|ones|version|model|in stock|sold out|available"
    r"|left|price|costs?|priced|rated|colou?rs?|sizes?|packs?|sets?|bags?|bottles?|jars?|box)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\b(?:total|together|altogether|sum|in all|all of (?:them|these)|everything|you pay)\b", re.I)
_OF_TWO = re.compile(r"\b(?:both|the two|either)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Named:
    """``text[start:end]`` names a product."""

    start: int
    end: int
    product_id: str


def products_named(text: str, titles: Mapping[str, str]) -> list[Named]:
    """The products, by id with their titles, that a text names: by the whole title, or by its first words with a
    capital if no other product has these. Of overlapping names the longest counts.
    """
    forms: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
    whole: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for product_id, title in titles.items():
        parts = tuple(_folded(match[0]) for match in _WORD.finditer(title))
        whole[parts].append(product_id)
        for length in range(len(parts), 0, -1):
            if length == len(parts) or (length >= _FEWEST and not all(map(_SIZE.fullmatch, parts[1:length]))):
                forms[parts[0]][parts[:length]].add(product_id)
    found = list(_WORD.finditer(text))
    folded = [_folded(match[0]) for match in found]
    named: list[Named] = []
    place = 0
    while place < len(found):
        best: tuple[str, ...] = ()
        for form, ids in forms.get(folded[place], {}).items():
            is_meant = len(whole.get(form, ids)) == 1
            is_name = (form in whole and len(form) >= _FEWEST) or found[place][0][0].isupper()
            if len(form) > len(best) and is_meant and is_name and tuple(folded[place : place + len(form)]) == form:
                best = form
        if best:
            (owner,) = whole.get(best) or forms[best[0]][best]
            named.append(Named(found[place].start(), found[place + len(best) - 1].end(), owner))
        place += len(best) or 1
    return named


def _folded(word: str) -> str:
    """The word in lower case, without a plural s."""
    word = word.casefold()
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


class Subjects:
    """Finds the looked-up products that the claims of one report are about."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence]) -> None:
        looked_up = {name: entry for name, entry in evidence.items() if entry.looked_up}
        self._items = read_ledger(looked_up).products
        self._titles = {key: item.title for key, item in self._items.items()}
        cited = [one for one in find_citations(report, looked_up) if one.evidence_id in looked_up]
        by_mark = [Named(one.start, one.end, looked_up[one.evidence_id or ""].key) for one in cited]
        self._named = sorted([*products_named(report, self._titles), *by_mark], key=lambda one: one.start)
        self._sentences = find_sentences(report)

    def of(self, claim: str, span: tuple[int, int] | None) -> tuple[str, ...]:
        """The evidence ids of the products that a claim is about; empty if it neither names nor refers to one."""
        ids = [one.product_id for one in products_named(claim, self._titles)]
        if not ids and span is not None:
            ids = [one.product_id for one in self._named if span[0] <= one.start < span[1]]
        if not ids or _OF_ALL.search(claim) or _OF_TWO.search(claim):
            ids += self._before(claim, span[0] if span else 0)
        return tuple(dict.fromkeys(map(product_evidence_id, ids)))

    def _before(self, claim: str, start: int) -> list[str]:
        before = list(dict.fromkeys(one.product_id for one in reversed(self._named) if one.start < start))
        if _OF_ALL.search(claim):
            return before[::-1]
        if _OF_TWO.search(claim):
            return before[:2]
        # The products of the last sentence that names any: "It costs $59 in Steel".
        place = max((one.start for one in self._named if one.start < start), default=-1)
        if place < 0 and len(self._items) == 1:
            return list(self._items) if _is_of(claim, self._items) else []
        sentence = next((one for one in reversed(self._sentences) if one.start <= place), None)
        last = [] if sentence is None else [one for one in self._named if sentence.start <= one.start <= place]
        ids = list(dict.fromkeys(one.product_id for one in last))
        return ids if _is_of(claim, {one: self._items[one] for one in ids}) else []


def _is_of(claim: str, items: Mapping[str, Product]) -> bool:
    """True if a claim without a name refers back, or names a variant of these products."""
    options = (value for item in items.values() for offer in offers_of(item) for value in offer.options.values())
    return bool(_BACKWARD.search(claim)) or any(option_in(claim, value) for value in options)


def record_lines(claim: str, items: Sequence[Product], ledger: Ledger, before: str = "") -> list[str]:
    """A line for each statement of a claim that its products' records deny: prices, list prices and
    availability. Totals and availability have a line if they agree, too. ``before`` is the report
    up to the claim.
    """
    by_id = {item.product_id: item for item in items}
    named = products_named(claim, {product_id: item.title for product_id, item in by_id.items()})
    are_named = len({one.product_id for one in named}) == len(items)
    lines = [*price_lines(claim, items, ledger, before, are_named=are_named)]
    last = next((before[one.start : one.end] for one in reversed(find_sentences(before))), "")
    # The part of the claim on each product, from its name to the next one's; for a single product, the whole claim.
    starts = [0, *(one.start for one in named[1:]), len(claim)]
    parts = [
        (claim[start:end], by_id[one.product_id]) for one, start, end in zip(named, starts, starts[1:], strict=False)
    ]
    for part, item in [(claim, items[0])] if len(items) == 1 else parts:
        lines += stock_lines(part, item, last)
    return list(dict.fromkeys(lines))
