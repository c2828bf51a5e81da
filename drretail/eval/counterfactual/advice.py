"""What one report recommends, and what of the query's wish it breaks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from drretail.eval.judging.readings import case_of, reading_of
from drretail.eval.judging.subject import Subject
from drretail.grounding.constraints.demands import stance, stance_against
from drretail.grounding.constraints.fits import is_below, is_too_dear, priced_in
from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.constraints.listing import Listing, is_of_brand, listing_of
from drretail.records.money import Money
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish


@dataclass(frozen=True, slots=True)
class Advice:
    """What a report comes to; products by id."""

    recommended: Mapping[str, Product]
    handed: Mapping[str, Product]
    """All that the run was handed."""
    broken: frozenset[str]
    """Those parts of the query's wish that the recommendations break; none without a wish or recommendations."""


def read_advice(subject: Subject) -> Advice | None:
    """None for a report whose picks are not known. Pure: the ledger is all that is looked at of the world."""
    case = case_of(replace(subject, store=None))
    picks = reading_of(subject, case).picks
    if picks is None:
        return None
    handed = case.ledger(picks).products
    ids = sorted({pick.product for pick in picks if pick.product in handed})
    recommended = {product_id: handed[product_id] for product_id in ids}
    wish = subject.query.wish
    broken = () if wish is None else _broken(wish, picks, recommended, handed)
    return Advice(recommended, handed, frozenset(broken))


def _broken(
    wish: Wish, picks: Sequence[Pick], recommended: Mapping[str, Product], handed: Mapping[str, Product]
) -> Iterator[str]:
    """The budget, then what each want asks of the products of its kinds, named by the want."""
    listings = {product_id: listing_of(product) for product_id, product in handed.items()}
    if wish.budget is not None and _cost(wish.budget, picks, listings) > wish.budget.value:
        yield "budget"
    for want in wish.wants:
        of_kind = [
            listing for listing in listings.values() if any(is_of_kind(listing.product, kind) for kind in want.kinds)
        ]
        chosen = [each for each in of_kind if each.product.product_id in recommended]
        yield from (f"{want.name}: {limit}" for limit in _limits_broken(want, chosen, of_kind))


def _cost(budget: Money, picks: Sequence[Pick], listings: Mapping[str, Listing]) -> Decimal:
    """What the picks of known price cost together."""
    priced = ((pick, listings[pick.product]) for pick in picks if pick.product in listings)
    costs = ((priced_in(listing, budget.currency) or Decimal(0)) * pick.quantity for pick, listing in priced)
    return sum(costs, Decimal(0))


def _limits_broken(want: Want, chosen: Sequence[Listing], of_kind: Sequence[Listing]) -> Iterator[str]:
    """``chosen`` are the recommended ones of the products ``of_kind``; a demand that none of these keeps is not broken.

    Stars, numbers of ratings and prices that are not known break nothing.
    """
    if not chosen:
        return
    if any(is_too_dear(want, listing) for listing in chosen):
        yield "price_max"
    if any(is_below(listing.product.average_rating, want.rating_min, unknown=False) for listing in chosen):
        yield "rating_min"
    if any(is_below(listing.product.rating_number, want.ratings_min, unknown=False) for listing in chosen):
        yield "ratings_min"
    if want.brands_wanted and not any(
        is_of_brand(listing, brand) for listing in chosen for brand in want.brands_wanted
    ):
        yield "brands_wanted"
    for brand in want.brands_unwanted:
        if any(is_of_brand(listing, brand) for listing in chosen):
            yield f"brands_unwanted {brand}"
    for unwanted in want.must_not:
        if any(stance_against(listing.words, unwanted) == "broken" for listing in chosen):
            yield f"must_not {unwanted}"
    for demand in want.must:
        if not _is_kept(demand, chosen) and _is_kept(demand, of_kind):
            yield f"must {demand}"


def _is_kept(demand: str, listings: Sequence[Listing]) -> bool:
    return any(stance(listing.words, demand) == "kept" for listing in listings)
