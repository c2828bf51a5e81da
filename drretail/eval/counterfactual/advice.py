"""What one report recommends, the constraints that it applies, and those of the query that it breaks."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from drretail.eval.judging.subject import Subject
from drretail.grounding.case import Case
from drretail.grounding.constraints import read_constraints
from drretail.grounding.constraints_kept import is_over_the_whole, over_budget
from drretail.grounding.facts import product_of
from drretail.grounding.listing import Listing, folded, fulfils, is_ruled_out, listing_of
from drretail.records.evidence import Evidence
from drretail.records.query import Constraints
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Advice:
    """What a report comes to; products by id."""

    recommended: Mapping[str, Product]
    handed: Mapping[str, Product]
    """All that the run was handed."""
    applied: frozenset[str]
    """The constraints that the report states: "budget:40", "must:fragrance free" …"""
    broken: frozenset[str]
    """Those of the query's typed constraints that the recommendations break; none without recommendations."""


def read_advice(subject: Subject) -> Advice | None:
    """None for a run without a report. Pure: the ledger is all that is looked at of the world."""
    if subject.report is None:
        return None
    handed = handed_products(subject.evidence)
    case = Case(
        report=subject.report,
        evidence=subject.evidence,
        query=subject.query,
        run=subject.run,
        lookup=lambda ids: {product_id: handed[product_id] for product_id in ids if product_id in handed},
    )
    named = dict.fromkeys(spot.product_id for spot in case.recommended if case.is_own(spot.start))
    recommended = {product_id: case.products[product_id] for product_id in sorted(named)}
    return Advice(recommended, handed, applied_in(subject.report), frozenset(_broken(case, recommended, handed)))


def handed_products(evidence: Mapping[str, Evidence]) -> dict[str, Product]:
    """By id, from the whole record where the ledger holds it: a card knows neither brand nor category path."""
    found: dict[str, Product] = {}
    for entry in evidence.values():
        if entry.kind != "product":
            continue
        for text in sorted(entry.texts, key=lambda text: text.form == "record"):
            if (product := product_of(text.text)) is not None:
                found[product.product_id] = product
    return found


def applied_in(report: str) -> frozenset[str]:
    """Budget, deadline, brands and demands that a text states, read by the same rules as a query's."""
    return frozenset(_named(read_constraints(report)))


def _named(constraints: Constraints) -> Iterator[str]:
    if constraints.budget is not None:
        yield f"budget:{constraints.budget.value.normalize():f}"
    if constraints.deadline is not None:
        yield f"deadline:{folded(constraints.deadline)}"
    # "must_not" is left out: a report's "no title sells one" reads like a demand.
    for what in ("brands_wanted", "brands_unwanted", "must"):
        said: tuple[str, ...] = getattr(constraints, what)
        yield from (f"{what}:{folded(text)}" for text in said)


def _broken(case: Case, recommended: Mapping[str, Product], handed: Mapping[str, Product]) -> Iterator[str]:
    """The budget, unwanted and wanted brands, what products must and must not be; all as the query states them."""
    if not recommended:
        return
    stated, listings = case.constraints, [listing_of(product) for product in recommended.values()]
    if stated.budget is not None and _is_over_budget(case):
        yield "budget"
    for brand in stated.brands_unwanted:
        if any(folded(brand) in listing.makers for listing in listings):
            yield f"brands_unwanted:{folded(brand)}"
    wanted = {folded(brand) for brand in stated.brands_wanted}
    if wanted and not any(wanted & listing.makers for listing in listings):
        yield "brands_wanted"
    for demand in stated.must_not:
        if any(is_ruled_out(listing, demand) for listing in listings):
            yield f"must_not:{folded(demand)}"
    known = [listing_of(product) for product in handed.values()] if stated.must else []
    yield from (f"must:{folded(demand)}" for demand in stated.must if _is_missed(demand, listings, known))


def _is_over_budget(case: Case) -> bool:
    """True by the query's own budget; what a heading allots to a phase is the report's."""
    found = over_budget(case.structure, case.constraints, case.totals, case.recommended, case.products)
    return any(it.severity == "error" and (is_over_the_whole(it) or it.evidence_id is not None) for it in found)


def _is_missed(demand: str, listings: Collection[Listing], known: Collection[Listing]) -> bool:
    """True when nothing recommended is what is demanded, though something that the run was handed is."""
    return not any(fulfils(it, demand) for it in listings) and any(fulfils(it, demand) for it in known)
