"""A page's product data as the lines that stand before its text."""

from collections.abc import Iterable, Iterator

from drretail.env.web.reading.product_data import Offer, ProductData

HEADING = "Product data stated by the page (schema.org):"
_LONGEST_DESCRIPTION = 3_000
_MOST_DESCRIBED = 3


def product_text(products: Iterable[ProductData], body: str) -> str:
    """The products as a list, prices with their currencies; descriptions only where ``body`` does not hold them."""
    held = _squeezed(body)
    entries = ["\n".join(_lines(product, held, number)) for number, product in enumerate(products)]
    return "\n".join([HEADING, *entries]) if entries else ""


def _lines(product: ProductData, held: str, number: int) -> Iterator[str]:
    yield f"- Product: {product.name}"
    if product.brand:
        yield f"  - Brand: {product.brand}"
    for offer in product.offers:
        yield f"  - {_offer(offer)}"
    if product.rating:
        reviews = f" ({product.reviews} reviews)" if product.reviews else ""
        yield f"  - Rating: {product.rating} out of {product.rating_best or 5}{reviews}"
    description = product.description
    if description and number < _MOST_DESCRIBED and _squeezed(description)[:200] not in held:
        yield f"  - Description: {description[:_LONGEST_DESCRIPTION]}"


def _offer(offer: Offer) -> str:
    currency = f" {offer.currency}" if offer.currency else " (currency not stated)"
    parts: list[str] = []
    if offer.price is not None:
        asked = offer.price if offer.high is None else f"{offer.price} to {offer.high}"
        parts.append(f"Price: {asked}{currency}")
    if offer.list_price is not None:
        parts.append(f"list price: {offer.list_price}{currency}")
    if offer.availability is not None:
        parts.append(f"availability: {offer.availability}")
    named = f" ({offer.name})" if offer.name and offer.price is not None else ""
    return ", ".join(parts) + named


def _squeezed(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
