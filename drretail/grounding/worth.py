"""How much a product is worth to somebody who wants such a thing: its stars, as far as they can be believed.

A mean of few ratings says little: it is drawn towards the mean of all offers of the thing, as if that were the
opinion of ten raters more. A wanted brand adds half a star, as it does where queries are checked.
"""

from collections.abc import Mapping, Sequence

from drretail.grounding.listing import Listing, folded
from drretail.records.query import Constraints

RATINGS_OF_THE_MEAN = 10
BRAND = 50
"""What a wanted brand adds, in hundredths of a star."""
UNRATED = 3.0
"""Stars of a product where nobody has rated any offer of the thing: the middle of the scale."""


def worths(offers: Sequence[Listing], constraints: Constraints) -> Mapping[str, int]:
    """By product id, the worth of each offer of one wanted thing, in hundredths of a star: 0 to 550.

    Whole numbers, so that sums of them are exact and baskets can be told apart by them.
    """
    mean = _mean_rating(offers)
    brands = frozenset(map(folded, constraints.brands_wanted))
    return {
        it.product.product_id: round(100 * _believed(it, mean)) + (BRAND if brands & it.makers else 0) for it in offers
    }


def _believed(listing: Listing, mean: float) -> float:
    product = listing.product
    votes = (product.rating_number or 0) if product.average_rating is not None else 0
    stars = product.average_rating or 0.0
    return (stars * votes + mean * RATINGS_OF_THE_MEAN) / (votes + RATINGS_OF_THE_MEAN)


def _mean_rating(offers: Sequence[Listing]) -> float:
    """Over the distinct offers, each counted once."""
    rated = {it.product.product_id: it.product.average_rating for it in offers}
    known = [stars for stars in rated.values() if stars is not None]
    return sum(known) / len(known) if known else UNRATED
