"""A report under check, with all that the checks may look at; what is read of it is read once."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from drretail.grounding.attached import Attached, attached_values
from drretail.grounding.constraints import read_constraints
from drretail.grounding.facts import parsed_record, product_of
from drretail.grounding.mentions import Mention, find_mentions
from drretail.grounding.recommendations import Recommendation, find_recommendations
from drretail.grounding.structure import Structure, read_structure
from drretail.grounding.totals import Total, find_totals
from drretail.records.evidence import Citation, Evidence
from drretail.records.query import Constraints, Query
from drretail.records.run import Run
from drretail.records.shop import VOID_STATUSES, Product, UserProfile

PAGE_AGE = 3.0
Lookup = Callable[[Collection[str]], Mapping[str, Product]]
"""The world's products of these ids; ids that it does not have are left out."""


@dataclass(frozen=True)
class Case:
    """A report with all that the checks may look at. What is read of it is read once."""

    report: str
    evidence: Mapping[str, Evidence]
    query: Query
    run: Run | None = None
    """None for a draft: then nothing is said of what was sent and changed."""
    lookup: Lookup | None = None
    """None where the world is not at hand."""
    profiles: tuple[UserProfile, ...] = ()
    """Of the acting user, beside those that the run was handed."""
    owned: frozenset[str] = frozenset()
    """Products of the user's orders, beside those that the run was handed."""
    order_ids: frozenset[str] = frozenset()
    now: date | None = None
    """The shop's today; None where nobody knows it."""
    page_age: float = PAGE_AGE
    """Years after which a page counts as old."""

    @cached_property
    def constraints(self) -> Constraints:
        """The query's typed constraints; read from its words where it has none."""
        return constraints_of(self.query)

    @cached_property
    def products(self) -> Mapping[str, Product]:
        """The products that the run was handed, and those that the report cites, by id."""
        handed = {
            product.product_id: product
            for entry in self.evidence.values()
            if entry.kind == "product"
            for text in entry.texts
            if (product := product_of(text.text)) is not None
        }
        return handed if self.lookup is None else {**handed, **self.lookup(sorted(handed))}

    @cached_property
    def structure(self) -> Structure:
        return read_structure(self.report, self.evidence)

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        return find_mentions(self.report, self.products.values())

    @cached_property
    def recommended(self) -> Sequence[Recommendation]:
        return find_recommendations(self.structure, self.mentions, self.products)

    @cached_property
    def attached(self) -> Sequence[Attached]:
        return tuple(attached_values(self.structure, self.mentions, self.products))

    @cached_property
    def totals(self) -> Sequence[Total]:
        return find_totals(self.structure)

    @cached_property
    def citations(self) -> Sequence[Citation]:
        return [
            Citation(
                marker=self.report[mark.start : mark.end],
                start=mark.start,
                end=mark.end,
                evidence_id=cited.evidence_id,
                url=cited.url or cited.said,
                type=cited.type,
            )
            for mark in self.structure.marks
            for cited in mark.cited
        ]

    def is_own(self, place: int) -> bool:
        """False for what stands in a statement that only repeats the query's own words."""
        asked = _plain(self.query.text)
        unit = next((unit for unit in self.structure.units if unit.start <= place < unit.end), None)
        return unit is None or _plain(self.report[unit.start : unit.end]) not in asked

    @cached_property
    def ordered(self) -> Mapping[str, str]:
        """The products of the user's orders that the run was handed and that were kept, by the orders' evidence ids."""
        return _ordered(self.evidence, self.query.user_id)

    @cached_property
    def all_owned(self) -> frozenset[str]:
        """Products that the user has: as the query says, as the run was told, as the world knows."""
        return self.owned | frozenset(self.constraints.owned) | frozenset(self.ordered.values())


def constraints_of(query: Query) -> Constraints:
    """The query's typed constraints; read from its words where it has none."""
    return query.constraints if query.constraints != Constraints() else read_constraints(query.text)


def _plain(text: str) -> str:
    """The words alone, with a space at both ends."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.casefold()), ""])


def units_about(case: Case) -> dict[str, set[int]]:
    """The units that name a product, cite it or an order of it, or stand below a heading that names it alone."""
    about: dict[str, set[int]] = {}
    headed: tuple[int, str] | None = None
    for index, unit in enumerate(case.structure.units):
        named = {mention.product_id for mention in case.mentions if unit.start <= mention.start < unit.end}
        cited = {source for piece in unit.pieces for source in piece.cited}
        named |= {source[2:] for source in cited if source.startswith("P:")}
        if unit.kind == "heading":
            headed = (unit.section, next(iter(named))) if len(named) == 1 else None
        elif headed and headed[0] == unit.section:
            named.add(headed[1])
        for product_id in named | {case.ordered[source] for source in cited if source in case.ordered}:
            about.setdefault(product_id, set()).add(index)
    return about


def _ordered(evidence: Mapping[str, Evidence], user_id: str | None) -> dict[str, str]:
    products: dict[str, str] = {}
    for entry in evidence.values():
        for text in entry.sources if entry.kind == "order" else ():
            record = parsed_record(text.text) or {}
            if record.get("user_id") == user_id and record.get("order_status") not in VOID_STATUSES:
                products[entry.id] = str(record.get("product_id"))
    return products
