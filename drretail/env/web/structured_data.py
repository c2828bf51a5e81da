"""JSON-LD and microdata of a page; its schema.org products as text.

The statements about its product become typed records.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from lxml.html import HtmlElement

Node = Mapping[str, Any]
"""An object of JSON-LD; microdata is read into the same form."""
_MOST_NODES = 20_000
"""The most nodes that are read on a page."""
_DEEPER = ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item")
_CONTROLS = re.compile(r"[\x00-\x1f]")
_COMMENTED = re.compile(
    r"^\s*(?:<!--|/\*<!\[CDATA\[\*/|//<!\[CDATA\[|<!\[CDATA\[)|(?:-->|/\*\]\]>\*/|//\]\]>|\]\]>)\s*;?\s*$"
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def ld_nodes(page: HtmlElement) -> list[Node]:
    """All separate objects in order: at the top, in arrays, in @graph, in lists of items."""
    nodes: list[Node] = []
    seen = 0
    for script in page.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        waiting: list[Any] = [_parsed(script.text or "")]
        while waiting and seen < _MOST_NODES:
            value = waiting.pop()
            seen += 1
            if isinstance(value, list):
                waiting += reversed(value[:_MOST_NODES])
            elif isinstance(value, dict):
                nodes.append(value)
                waiting += [value[name] for name in reversed(_DEEPER) if name in value]
    return nodes


def type_names(node: Node) -> set[str]:
    """``{"product"}`` for "Product", "schema:Product" and "https://schema.org/Product"."""
    return {str(name).rpartition("/")[2].rpartition(":")[2].casefold() for name in listed(node.get("@type"))}


def listed(value: Any) -> list[Any]:
    """One value, several or None, as a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def _parsed(text: str) -> Any:
    """The JSON, repaired if needed; None if it cannot be read. Text after its first value is dropped."""
    text = _COMMENTED.sub("", text).strip()
    plain = _CONTROLS.sub(" ", text)
    for mended in (text, plain, _TRAILING_COMMA.sub(r"\1", plain)):
        try:
            return json.JSONDecoder().raw_decode(mended)[0]
        except (ValueError, RecursionError):
            continue
    return None


_MOST_ITEMS = 50
_DEEPEST = 5
_ATTRIBUTES = ("content", "href", "datetime", "value")


def _item(scope: HtmlElement, depth: int) -> Node:
    node: dict[str, Any] = {"@type": scope.get("itemtype") or ""}
    waiting = list(reversed(scope))
    while waiting:
        element = waiting.pop()
        is_item = element.get("itemscope") is not None
        for name in (element.get("itemprop") or "").split():
            if is_item and depth < _DEEPEST:
                value = _item(element, depth + 1)
            else:
                stated = next((text for attribute in _ATTRIBUTES if (text := element.get(attribute))), None)
                value = element.text_content() if stated is None else stated
            node.setdefault(name, []).append(value)
        if not is_item:
            waiting += reversed(element)
    return node


_PRODUCTS = frozenset({"product", "productgroup", "productmodel", "individualproduct", "vehicle", "book"})
_MOST_OFFERS = 12
_MOST_VARIANTS = 200
"""The most offers of one product that are read."""
_MOST_PRODUCTS = 50
_AMOUNT = re.compile(r"\d[\d.,'  ]*")
_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LIST_PRICES = frozenset({"listprice", "strikethroughprice", "msrp", "srp", "regularprice"})


@dataclass(frozen=True, slots=True)
class Offer:
    """One offer of a product; amounts are decimal strings, ``currency`` is an ISO 4217 code if the page states one."""

    price: str | None = None
    high: str | None = None
    """The highest price, if ``price`` is the lowest of several."""
    list_price: str | None = None
    currency: str | None = None
    availability: str | None = None
    """In words: "in stock", "pre order" …."""
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ProductData:
    """A product as its page's data state it; None for values that are not stated."""

    name: str
    brand: str | None = None
    description: str | None = None
    offers: tuple[Offer, ...] = ()
    """Distinct offers, in the page's order."""
    rating: str | None = None
    rating_best: str | None = None
    """The best rating of the scale, if it is not 5."""
    reviews: str | None = None


def product_data(page: HtmlElement) -> tuple[ProductData, ...]:
    """The products that a page is about, in its order; of several with one name, the one with most data.

    Microdata is read only if JSON-LD names no product.
    """
    nodes = ld_nodes(page)
    known = {str(node["@id"]): node for node in reversed(nodes) if "@id" in node and len(node) > 1}
    products = _products(nodes, known)
    if not products:
        # The first items that have a type, each with the items that are its properties.
        typed = (element for element in page.iter() if isinstance(element.tag, str) and element.get("itemtype"))
        products = _products((_item(element, 0) for element in islice(typed, _MOST_ITEMS)), {})
    by_name: dict[str, ProductData] = {}
    for product in products:
        known_as = by_name.setdefault(product.name.casefold(), product)
        by_name[product.name.casefold()] = max(known_as, product, key=_fullness)
    return tuple(by_name.values())[:_MOST_PRODUCTS]


def _products(nodes: Iterable[Node], known: Mapping[str, Node]) -> list[ProductData]:
    products: list[ProductData] = []
    for node in islice((node for node in nodes if type_names(node) & _PRODUCTS), 4 * _MOST_PRODUCTS):
        name = _text(node.get("name"))
        if name is None:
            continue
        rating = _node(node.get("aggregateRating"), known)
        variants = [_node(item, known) for item in listed(node.get("hasVariant"))]
        offers = chain(_offers(node, known), (offer for variant in variants for offer in _offers(variant, known)))
        best = _text(rating.get("bestRating"))
        # Offers of variants (colours, sizes) that differ only in their names count as one.
        distinct: dict[Offer, Offer] = {}
        for offer in islice(offers, _MOST_VARIANTS):
            distinct.setdefault(replace(offer, name=None), offer)
        product = ProductData(
            name=name,
            brand=_named(node.get("brand"), known) or _named(node.get("manufacturer"), known),
            description=_text(node.get("description")),
            offers=tuple(distinct.values())[:_MOST_OFFERS],
            rating=_text(rating.get("ratingValue")),
            rating_best=None if best in (None, "5", "5.0") else best,
            reviews=_text(rating.get("reviewCount")) or _text(rating.get("ratingCount")),
        )
        products.append(product)
    return products


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
    """The object itself, the first of several, or the object that a reference names; empty for any other value."""
    value = next(iter(value), None) if isinstance(value, list) else value
    if not isinstance(value, dict):
        return {}
    return known.get(str(value["@id"]), value) if set(value) == {"@id"} else value


def _named(value: Any, known: Mapping[str, Node]) -> str | None:
    value = next(iter(value), None) if isinstance(value, list) else value
    return _text(_node(value, known).get("name")) if isinstance(value, dict) else _text(value)


def _text(value: Any) -> str | None:
    """A text or a number as one line; None if it is neither, or empty."""
    value = next(iter(value), None) if isinstance(value, list) else value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split()) or None


def _last_part(value: Any) -> str:
    """``InStock`` of ``https://schema.org/InStock``; in lower case if it is a kind of price."""
    part = (_text(value) or "").rstrip("/").rpartition("/")[2]
    return part.casefold() if part.casefold() in _LIST_PRICES else part


def _amount(value: Any) -> str | None:
    """A price as a decimal with a point: "1.299,00 €" and "1,299.00" are both 1299.00."""
    text = _text(value)
    if isinstance(value, int | float):
        return text
    match = _AMOUNT.search(text or "")
    if match is None:
        return None
    digits = re.sub(r"['\s]", "", match[0]).rstrip(".,")
    whole, mark, cents = digits.rpartition(max(".", ",", key=digits.rfind))
    if mark and (len(cents) != 3 or ("." in whole + mark and "," in whole + mark) or whole == "0"):
        return re.sub(r"[.,]", "", whole) + "." + cents
    return re.sub(r"[.,]", "", digits)


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value is not None), None)


def _fullness(product: ProductData) -> int:
    stated: Sequence[object] = (product.brand, product.description, product.rating, product.reviews, *product.offers)
    return sum(bool(value) for value in stated)


_LONGEST_DESCRIPTION = 3_000
_MOST_DESCRIBED = 3
_HELD = 0.8
"""If the page holds this share of a description's words, the description is the page's own text, shortened or in other
marks.
"""


def product_text(products: Iterable[ProductData], body: str) -> str:
    """The products as a list, prices with their currencies; descriptions only if ``body`` does not hold them."""
    held = _words(body)
    entries = ["\n".join(_lines(product, held, number)) for number, product in enumerate(products)]
    return "\n".join(["Product data (schema.org):", *entries]) if entries else ""


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
    if description and number < _MOST_DESCRIBED:
        words = _words(description)
        if len(words & held) < _HELD * len(words):
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


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
