"""What a page states of its product in schema.org form (JSON-LD, or microdata): the shop's own figures, typed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from lxml.html import HtmlElement

from drretail.env.web.reading.structured_data import Node, ld_nodes, listed, microdata_nodes, type_names

_PRODUCTS = frozenset({"product", "productgroup", "productmodel", "individualproduct", "vehicle", "book"})
_MOST_OFFERS = 12
_MOST_VARIANTS = 200
"""Offers of one product that are looked at."""
_MOST_PRODUCTS = 50
_AMOUNT = re.compile(r"\d[\d.,'  ]*")
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LIST_PRICES = frozenset({"listprice", "strikethroughprice", "msrp", "srp", "regularprice"})


@dataclass(frozen=True, slots=True)
class Offer:
    """What it is sold for; amounts are decimal strings, ``currency`` an ISO 4217 code where the page says one."""

    price: str | None = None
    high: str | None = None
    """The highest price where ``price`` is the lowest of several."""
    list_price: str | None = None
    currency: str | None = None
    availability: str | None = None
    """In words: "in stock", "pre order" …"""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ProductData:
    """A product as its page's data state it; what is not stated is None."""

    name: str
    brand: str | None = None
    description: str | None = None
    offers: tuple[Offer, ...] = ()
    """Distinct ones, in the page's order."""
    rating: str | None = None
    rating_best: str | None = None
    """Of the scale, where it is not 5."""
    reviews: str | None = None


def product_data(page: HtmlElement) -> tuple[ProductData, ...]:
    """The products that a page is about, in its order; of several of one name the fullest.

    JSON-LD comes first, and microdata only where it names no product.
    """
    nodes = ld_nodes(page)
    known = {str(node["@id"]): node for node in reversed(nodes) if "@id" in node and len(node) > 1}
    found = _products(nodes, known)
    if not found:
        found = _products(microdata_nodes(page), {})
    by_name: dict[str, ProductData] = {}
    for product in found:
        known_as = by_name.setdefault(product.name.casefold(), product)
        by_name[product.name.casefold()] = max(known_as, product, key=_fullness)
    return tuple(by_name.values())[:_MOST_PRODUCTS]


def _products(nodes: Iterable[Node], known: Mapping[str, Node]) -> list[ProductData]:
    stated = islice((node for node in nodes if type_names(node) & _PRODUCTS), 4 * _MOST_PRODUCTS)
    products = (_product(node, known) for node in stated)
    return [product for product in products if product is not None]


def _product(node: Node, known: Mapping[str, Node]) -> ProductData | None:
    name = _text(node.get("name"))
    if name is None:
        return None
    rating = _node(node.get("aggregateRating"), known)
    variants = [_node(item, known) for item in listed(node.get("hasVariant"))]
    offers = chain(_offers(node, known), (offer for variant in variants for offer in _offers(variant, known)))
    best = _text(rating.get("bestRating"))
    # Offers of variants (colours, sizes) that differ in nothing but their names are one.
    distinct: dict[Offer, Offer] = {}
    for offer in islice(offers, _MOST_VARIANTS):
        distinct.setdefault(replace(offer, name=None), offer)
    return ProductData(
        name=name,
        brand=_named(node.get("brand"), known) or _named(node.get("manufacturer"), known),
        description=_text(node.get("description")),
        offers=tuple(distinct.values())[:_MOST_OFFERS],
        rating=_text(rating.get("ratingValue")),
        rating_best=None if best in (None, "5", "5.0") else best,
        reviews=_text(rating.get("reviewCount")) or _text(rating.get("ratingCount")),
    )


def _offers(node: Node, known: Mapping[str, Node]) -> Iterator[Offer]:
    for item in listed(node.get("offers")):
        offer = _node(item, known)
        nested = [_node(inner, known) for inner in listed(offer.get("offers"))]
        own = _offer(offer, known)
        if own.price is None and nested:
            yield from (_offer(inner, known) for inner in nested)
        elif own.price is not None or own.availability is not None:
            yield own


def _offer(node: Node, known: Mapping[str, Node]) -> Offer:
    specified = [_node(item, known) for item in listed(node.get("priceSpecification"))]
    before = [part for part in specified if _last_part(part.get("priceType")) in _LIST_PRICES]
    current = [part for part in specified if part not in before]
    single = _amount(node.get("price")) or _amount(node.get("lowPrice"))
    price = single or _first(_amount(part.get("price")) for part in current)
    high = _amount(node.get("highPrice"))
    availability = _last_part(node.get("availability"))
    return Offer(
        price=price,
        high=None if high == price else high,
        list_price=_first(_amount(part.get("price")) for part in before),
        currency=_first(_text(part.get("priceCurrency")) for part in (node, *current, *before)),
        availability=_CAPITALS.sub(" ", availability).lower() or None,
        name=_text(node.get("name")),
    )


def _node(value: Any, known: Mapping[str, Node]) -> Node:
    """The object itself, the first of several, or the one that a reference names; empty for anything else."""
    value = next(iter(value), None) if isinstance(value, list) else value
    if not isinstance(value, dict):
        return {}
    return known.get(str(value["@id"]), value) if set(value) == {"@id"} else value


def _named(value: Any, known: Mapping[str, Node]) -> str | None:
    value = next(iter(value), None) if isinstance(value, list) else value
    return _text(_node(value, known).get("name")) if isinstance(value, dict) else _text(value)


def _text(value: Any) -> str | None:
    """A text or a number as one line; None for what is neither or empty."""
    value = next(iter(value), None) if isinstance(value, list) else value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split()) or None


def _last_part(value: Any) -> str:
    """``InStock`` of ``https://schema.org/InStock``; in lower case where it stands for a kind of price."""
    part = (_text(value) or "").rstrip("/").rpartition("/")[2]
    return part.casefold() if part.casefold() in _LIST_PRICES else part


def _amount(value: Any) -> str | None:
    """A price as a decimal with a point: "1.299,00 €" and "1,299.00" are both 1299.00."""
    text = _text(value)
    if isinstance(value, int | float):
        return text
    found = _AMOUNT.search(text or "")
    if found is None:
        return None
    digits = re.sub(r"['\s]", "", found[0]).rstrip(".,")
    whole, mark, cents = digits.rpartition(max(".", ",", key=digits.rfind))
    if mark and (len(cents) != 3 or ("." in whole + mark and "," in whole + mark) or whole == "0"):
        return re.sub(r"[.,]", "", whole) + "." + cents
    return re.sub(r"[.,]", "", digits)


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value is not None), None)


def _fullness(product: ProductData) -> int:
    stated: Sequence[object] = (product.brand, product.description, product.rating, product.reviews, *product.offers)
    return sum(bool(value) for value in stated)


HEADING = "Product data (schema.org):"
_LONGEST_DESCRIPTION = 3_000
_MOST_DESCRIBED = 3
_HELD = 0.8
"""Of a description's words that stand in the page: it is then the page's own text, in other marks or shortened."""


def product_text(products: Iterable[ProductData], body: str) -> str:
    """The products as a list, prices with their currencies; descriptions only where ``body`` does not hold them."""
    held = _words(body)
    entries = ["\n".join(_lines(product, held, number)) for number, product in enumerate(products)]
    return "\n".join([HEADING, *entries]) if entries else ""


def _lines(product: ProductData, held: set[str], number: int) -> Iterator[str]:
    yield f"- {product.name}"
    if product.brand and product.brand.casefold() not in product.name.casefold():
        yield f"  - Brand: {product.brand}"
    for offer in product.offers:
        yield f"  - {_offer_lines(offer)}"
    if product.rating:
        reviews = f" ({product.reviews} reviews)" if product.reviews else ""
        yield f"  - Rating: {product.rating} of {product.rating_best or 5}{reviews}"
    description = product.description
    if description and number < _MOST_DESCRIBED and not _is_held(description, held):
        yield f"  - Description: {description[:_LONGEST_DESCRIPTION]}"


def _offer_lines(offer: Offer) -> str:
    currency = f" {offer.currency}" if offer.currency else " (currency not stated)"
    parts: list[str] = []
    if offer.price is not None:
        price = offer.price if offer.high is None else f"{offer.price} to {offer.high}"
        parts.append(f"Price: {price}{currency}")
    if offer.list_price is not None:
        parts.append(f"list price: {offer.list_price}{currency}")
    if offer.availability is not None:
        parts.append(offer.availability)
    named = f" ({offer.name})" if offer.name and offer.price is not None else ""
    return ", ".join(parts) + named


def _is_held(description: str, held: set[str]) -> bool:
    words = _words(description)
    return len(words & held) >= _HELD * len(words)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
