"""Superlatives ("the cheapest", "the only one under $30") compared with all products of the kind that
a run was shown.
"""

from collections.abc import Callable, Mapping

from drretail.grounding.constraints.fits import is_within
from drretail.grounding.constraints.kinds import is_of_kind
from drretail.grounding.constraints.listing import listing_of
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import Ledger, amount_of, on_record, with_state
from drretail.records.reading import ReadValue, ValueKind, ValueState
from drretail.records.shop import Product
from drretail.records.wish import Want


def verify_superlative(value: ReadValue, ledger: Ledger) -> ReadValue:
    """The value with its state: verified if no product of the kind does better.

    Contradicted only by a product that would suit the same typed want: "the cheapest" may mean among those that the
    shopper could use. If words in ``amount`` narrow it further, it is underivable.
    """
    product = ledger.products.get(value.of[0].removeprefix("P:")) if len(value.of) == 1 else None
    does_better = None if product is None else _rule(value, product)
    if product is None or does_better is None:
        return value
    if value.kind == "only_one" and not does_better(product):
        return with_state(value, "contradicted", f"the record says {_figures(product)}")
    others = rivals(product, ledger)
    better = [rival for rival in others if does_better(rival)]
    if not better:
        return with_state(value, "verified", "of all of its kind that were shown") if others else value
    able = [rival for rival in better if _would_do_as_well(rival, product, value.kind, ledger)]
    state: ValueState = "contradicted" if able else "underivable"
    rival = (able or better)[0]
    return with_state(value, state, f"{product_evidence_id(rival.product_id)} was shown, too: {_figures(rival)}")


def rivals(product: Product, ledger: Ledger) -> list[Product]:
    """All other products in the ledger of its leaf category, or of a kind that the same want names."""
    kinds = [kind for want in _wants_for(product, ledger) for kind in want.kinds]
    return [
        other
        for other in ledger.products.values()
        if other.product_id != product.product_id
        and (other.leaf_category == product.leaf_category or any(is_of_kind(other, kind) for kind in kinds))
    ]


def shown_of_kind(product: Product, ledger: Ledger) -> str:
    """The product and its rivals for a judge, one per line, by price: id, title, price, rating and
    number of ratings.
    """
    shown = [product, *rivals(product, ledger)]
    shown.sort(key=lambda one: (one.price is None, one.price or 0, one.product_id))
    return "\n".join(f"{product_evidence_id(one.product_id)} {one.title}: {_figures(one)}" for one in shown)


_RANKED: Mapping[ValueKind, tuple[ValueKind, int]] = {
    "lowest_price": ("price", -1),
    "highest_rating": ("rating", 1),
    "most_ratings": ("rating_count", 1),
}
"""What each is measured by, and whether more (1) or less (-1) of it is better."""


def _rule(value: ReadValue, product: Product) -> Callable[[Product], bool] | None:
    """A function that tells whether another product does better, or keeps the limit of an "only one"; None if records
    can't tell.

    The amount of an "only one" is a price if it has a currency, else stars.
    """
    is_limit = value.kind == "only_one"
    kind, sign = _RANKED[("lowest_price" if value.currency else "highest_rating") if is_limit else value.kind]
    own = on_record(kind, product)
    if own is None or (value.amount and not is_limit):
        return None
    if not is_limit:
        return lambda other: (number := on_record(kind, other)) is not None and sign * number > sign * own
    limit = amount_of(value)
    if limit is None or value.relation not in ("at_least", "at_most"):
        return None
    sign = 1 if value.relation == "at_least" else -1
    return lambda other: (number := on_record(kind, other)) is not None and sign * number >= sign * limit.low


def _would_do_as_well(rival: Product, product: Product, kind: ValueKind, ledger: Ledger) -> bool:
    """True if the rival certainly suits a want that the product is for, at an affordable price."""
    listing = listing_of(rival)
    owned = ledger.wish.owned if ledger.wish is not None else ()
    if rival.product_id in owned or rival.product_id in ledger.decisions.excluded or listing.price is None:
        return False
    if kind != "lowest_price" and ledger.limit is not None and listing.price > ledger.limit:
        return False
    return any(
        is_within(want, listing)
        and ledger.decisions.is_of_kind(want, listing)
        and ledger.decisions.state(want, listing) == "met"
        for want in _wants_for(product, ledger)
    )


def _wants_for(product: Product, ledger: Ledger) -> list[Want]:
    wants = ledger.wish.wants if ledger.wish is not None else ()
    return [want for want in wants if ledger.decisions.is_of_kind(want, listing_of(product))]


def _figures(product: Product) -> str:
    price = "no known price" if product.price is None else format_money(product.price, product.currency)
    price = f"from {price}" if product.price is not None and product.price_from else price
    rating = "no rating" if product.average_rating is None else f"{product.average_rating:g} of 5"
    return f"{price}, {rating}" + ("" if product.rating_number is None else f" ({product.rating_number})")
