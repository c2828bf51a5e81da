"""A raw product row, in any dialect of the dataset, as a Product."""

import html
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from drretail.parsing import encodable
from drretail.records.shop import USD, Product

_BLOCK = re.compile(
    "br|p|div|ul|ol|li|tr|td|th|table|tbody|thead|hr|h[1-6]|center|blockquote|section|article|body|html|img|meta|link|"
    "input|source|embed|iframe"
)
_INLINE = re.compile("b|i|u|s|a|em|strong|span|font|small|big|sup|sub|strike|del|ins|mark|code|wbr")
# Only bare names or names with attributes: "<3", "a <b and c> d" are text.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9:-]*+)(?:\s++[^<>=]*+=[^<>]*+)?\s*/?>|<!doctype[^<>]*+>", re.I
)
# What no visitor sees begins so; "<Style> casual", which is never closed, is text.
_UNSEEN = re.compile(
    r"<(?:!(?P<remark>--)|(?P<name>script|style|template|noscript|iframe|object|svg|title)\b[^<>]*+>)", re.I
)


def _without_tags(text: str, block: str) -> str:
    """The text of HTML. A tag is what HTML calls so, and whatever the text closes: "<Brand>" alone is text."""
    text = block.join(_seen(text))
    closed = {match["name"].lower() for match in _TAG.finditer(text) if match["end"]}

    def shown(match: re.Match[str]) -> str:
        name = (match["name"] or "html").lower()
        if _INLINE.fullmatch(name):
            return ""
        return block if name in closed or _BLOCK.fullmatch(name) else match[0]

    return _TAG.sub(shown, text)


def _seen(text: str) -> Iterator[str]:
    """The parts of a text of HTML between scripts, styles, comments and what else shows nothing."""
    place, open_ended = 0, set[str]()
    for begins in _UNSEEN.finditer(text):
        name = (begins["name"] or "--").lower()
        if begins.start() < place or name in open_ended:
            continue
        ends = re.compile("-->" if begins["remark"] else rf"</{name}\s*>", re.I).search(text, begins.end())
        if ends is None:
            open_ended.add(name)
            continue
        yield text[place : begins.start()]
        place = ends.end()
    yield text[place:]


# With its semicolon: "R&D" and "AT&T" are no entities.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SPACE = re.compile(r"\s+")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


MADE_UP_PICTURES = "https://images.shop.example/"
"""Where the made-up shops' pictures would be; there are none."""


def without_markup(text: str) -> str:
    """The text with entities resolved, tags and control characters removed, and white space as single spaces.

    Entities come first, because escaped markup (``&lt;br&gt;``) is markup that leaked. U+FFFD and mojibake stay.
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match.group()), text)
    if "<" in text:
        text = _without_tags(text, " ")
    # The fast path for nearly all texts: printable ones have no controls, no surrogates and only plain spaces.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACE.sub(" ", encodable(_CONTROL.sub("", text))).strip()


_PRICE = re.compile(
    r"(?P<from>from\s+)?\$?\s*(?P<amount>\d[\d,]*(?:\.\d+)?|\.\d+)(?P<range>\s*[-–]\s*\$?\s*[\d.,]+)?", re.I
)


ROW_FIELDS = (
    *("title", "average_rating", "rating_number", "features", "description", "price", "store"),
    *("categories", "details", "images", "product_url", "shop_currency"),
)
"""The fields of a row that make a product, apart from its id."""


def product_from_row(product_id: str, category: str, row: dict[str, Any]) -> Product:
    """The product that a row describes. Missing or garbled values are left out, never invented."""
    price, price_from = parse_price(row.get("price"))
    rating, ratings = _number(row.get("average_rating")), _number(row.get("rating_number"))
    details = dict[str, Any]()
    if row.get("shop_currency"):
        texts = _listed(row.get("description"))
        row = row | {"description": [_ROW.sub(r"<p>\1: \2.</p>", each) for each in texts if isinstance(each, str)]}
        # The lines "Height: 205 cm" of its texts, which has no other place for them; of two names the last. A line is a
        # block of HTML, or a line or a sentence of text.
        texts = [each for name in ("features", "description") for each in _listed(row.get(name))]
        lines = (_SENTENCE.split(_without_tags(text, "\n")) for text in texts if isinstance(text, str))
        for field in (_FIELD.fullmatch(without_markup(line)) for of_text in lines for line in of_text):
            if field and field["name"] != row.get("title"):
                details[field["name"].strip()] = field["value"].strip()
    # The Hugging Face form holds them as a JSON text.
    named = loads_or_none(row["details"]) if isinstance(row.get("details"), str) else row.get("details")
    details |= _value(named) if isinstance(named, dict) else {}
    # Unchecked, in half the time: each value is of its type.
    return Product.model_construct(
        product_id=product_id,
        title=_text(row.get("title")) or product_id,
        features=_texts(row.get("features")),
        description=_texts(row.get("description")),
        price=price,
        price_from=price_from,
        currency=row.get("shop_currency") or USD,
        average_rating=rating if rating is not None and 0 < rating <= 5 else None,
        rating_number=int(ratings) if ratings is not None and ratings >= 0 else None,
        store=_text(row.get("store")),
        categories=_texts(row.get("categories")) or (category,),
        category=category,
        details=details,
        page=address_in(row.get("product_url")),
        image=_image(row.get("images")),
    )


# A row of two cells, which are a name and a value: without its borders, "Whistle yes Dishwasher safe no" denies both.
_ROW = re.compile(
    r"<tr[^<>]{0,200}>\s*<t[hd][^<>]{0,200}>([^<>]{1,60})</t[hd]>\s*<t[hd][^<>]{0,200}>([^<>]{1,200})</t[hd]>\s*</tr>",
    re.I,
)
_FIELD = re.compile(
    r"(?:[^:.!?;]{1,40}:\s+)?(?P<name>[^\W\d_][^:.!?;]{0,39}):\s+(?P<value>(?:[^:.!?;]|[.](?=\d)){1,80})"
)
_SENTENCE = re.compile(r"[\n\r]|[.!?;](?=\s|$)")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def richness(product: Product) -> int:
    """How many fields are filled. Of several rows for one product, the richest is taken."""
    own_categories = product.categories != (product.category,)
    filled = [product.features, product.description, product.store, product.details, own_categories]
    known = [product.price, product.average_rating, product.rating_number]
    return sum(map(bool, filled)) + sum(value is not None for value in known)


def parse_price(raw: Any) -> tuple[float | None, bool]:
    """The price, and whether it is only the lowest of several. An unknown price ("None", "—", 0) is None, never 0."""
    if isinstance(raw, str):
        match = _PRICE.fullmatch(raw.strip())
        if match is None:
            return None, False
        amount = _number(match["amount"].replace(",", ""))
        from_price = bool(match["from"] or match["range"])
    else:
        amount, from_price = _number(raw), False
    return (amount, from_price) if amount is not None and amount > 0 else (None, False)


def _number(raw: Any) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        value = float(raw)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _text(raw: Any) -> str | None:
    return (without_markup(raw) or None) if isinstance(raw, str) else None


def _texts(raw: Any) -> tuple[str, ...]:
    """The cleaned texts of a list. A single text, as some files have for the description, counts as a list of one."""
    items = raw if isinstance(raw, list) else [raw]
    return tuple(text for text in map(_text, items) if text)


def _image(raw: Any) -> str | None:
    """The address of the first picture: of Amazon's list, of Hugging Face's lists side by side, or of a shop's cell."""
    if isinstance(raw, dict):
        raw = {size: each[0] for size, each in raw.items() if isinstance(each, list) and each}
    first = raw[0] if isinstance(raw, list) and raw else raw
    sizes = [first.get(size) for size in ("large", "hi_res", "thumb")] if isinstance(first, dict) else [first]
    address = next(filter(None, map(address_in, sizes)), None)
    return None if address is None or address.startswith(MADE_UP_PICTURES) else address


def address_in(raw: Any) -> str | None:
    """The web address with which a text begins."""
    match = _ADDRESS.match(raw.strip()) if isinstance(raw, str) else None
    return None if match is None else match[0].rstrip(",")


def _value(raw: Any) -> Any:
    if isinstance(raw, str):
        return without_markup(raw)
    if isinstance(raw, dict):
        return {without_markup(str(key)): _value(item) for key, item in raw.items()}
    if isinstance(raw, list):
        return [_value(item) for item in raw]
    return None if isinstance(raw, float) and not math.isfinite(raw) else raw


def loads_or_none(text: str | None) -> Any:
    """The value of a JSON text; None if it is not JSON, or is nested deeper than Python can read."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
