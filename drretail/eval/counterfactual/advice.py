"""What one report recommends, and the constraints of the query that it breaks."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from drretail.eval.judging.subject import Subject
from drretail.eval.reading.kept import case_of, reading_of
from drretail.grounding.constraints.listing import Listing, folded, fulfils, is_ruled_out, listing_of
from drretail.grounding.constraints.scope import is_said_of
from drretail.grounding.verify.checks import Case, check_report
from drretail.records.reading import Reading
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Advice:
    """What a report comes to; products by id."""

    recommended: Mapping[str, Product]
    handed: Mapping[str, Product]
    """All that the run was handed."""
    broken: frozenset[str]
    """Those of the query's typed constraints that the recommendations break; none without recommendations."""


def read_advice(subject: Subject) -> Advice | None:
    """None for a report whose picks are not known. Pure: the ledger is all that is looked at of the world."""
    case = case_of(replace(subject, store=None))
    reading = reading_of(subject, case)
    if reading.picks is None:
        return None
    handed = case.ledger(reading.picks).products
    ids = sorted({it.product for it in reading.picks if it.product in handed})
    recommended = {product_id: handed[product_id] for product_id in ids}
    return Advice(recommended, handed, frozenset(_broken(case, reading, recommended, handed)))


def _broken(
    case: Case, reading: Reading, recommended: Mapping[str, Product], handed: Mapping[str, Product]
) -> Iterator[str]:
    """The budget, unwanted and wanted brands, what products must and must not be; all as the query states them."""
    if not recommended:
        return
    stated, listings = case.constraints, [listing_of(product) for product in recommended.values()]
    if any(it.code == "over_budget" for it in check_report(case, reading)):
        yield "budget"
    for brand in stated.brands_unwanted:
        if any(folded(brand) in listing.makers for listing in listings):
            yield f"brands_unwanted:{folded(brand)}"
    wanted = {folded(brand) for brand in stated.brands_wanted}
    if wanted and not any(wanted & listing.makers for listing in listings):
        yield "brands_wanted"
    for demand in stated.must_not:
        if any(is_ruled_out(it, demand.property) for it in listings if is_said_of(demand, it.product.title)):
            yield f"must_not:{folded(demand.property)}"
    known = [listing_of(product) for product in handed.values()] if stated.must else []
    yield from (f"must:{folded(it.property)}" for it in stated.must if _is_missed(it.property, listings, known))


def _is_missed(demand: str, listings: Collection[Listing], known: Collection[Listing]) -> bool:
    """True when nothing recommended is what is demanded, though something that the run was handed is."""
    return not any(fulfils(it, demand) for it in listings) and any(fulfils(it, demand) for it in known)
