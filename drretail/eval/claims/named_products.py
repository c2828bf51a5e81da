"""Products that a report names by their titles, without a citation, and which of them a claim is about.

Their records are looked up in the shop for judging (``drretail import --world``); whether the report's writer read them
is unknown.
"""

import re
from collections.abc import Mapping

from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.titles import Named, products_named
from drretail.grounding.verify.answers.product_statements import option_in
from drretail.grounding.verify.records import read_ledger
from drretail.records.evidence import Evidence
from drretail.records.shop import Product, offers_of

# Words that refer to the product named before: "It costs …", "The White one is sold out", "Price: …".
_BACKWARD = re.compile(
    r"\b(?:it|its|they|them|their|both|this|that|these|those|each|one|ones|version|model|in stock|sold out|available"
    r"|left|price|costs?|priced|rated|colou?rs?|sizes?|packs?|sets?|bags?|bottles?|jars?|box)\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"\b(?:total|together|altogether|sum|in all|all of (?:them|these)|everything|you pay)\b", re.I)
_OF_TWO = re.compile(r"\b(?:both|the two|either)\b", re.IGNORECASE)


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
