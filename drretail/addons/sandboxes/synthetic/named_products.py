"""Products as pages mention them: with a name that tells each from the others, and with what its listing says."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from drretail.records.shop import Product

_SPACES = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SEGMENT = re.compile(r",\s|\s[–|-]\s|\s?\(")
_LONGEST_LINE = 320
_LONGEST_NAME = 70
_FEWEST_WORDS = 3
"""The fewest words of a name: "Bath Bombs" names a kind of thing, not a product."""
_DULL = frozenset(("Best Sellers Rank", "Date First Available", "Is Discontinued By Manufacturer", "Brand"))
_CONSUMED = ("beauty", "health", "grocery", "personal", "baby care", "vitamin")


@dataclass(frozen=True)
class NamedProduct:
    """A product with the name that pages use for it."""

    product: Product
    name: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Sentences of its features and description that are short enough to be quoted whole."""
        texts = (_SPACES.sub(" ", feature).strip() for feature in (*self.product.features, *self.product.description))
        parts = (part for text in texts for part in ([text] if len(text) <= _LONGEST_LINE else _SENTENCE.split(text)))
        return tuple(dict.fromkeys(line.rstrip(" .") for line in parts if 15 <= len(line) <= _LONGEST_LINE))

    @cached_property
    def details(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (key, value)
            for key, value in self.product.details.items()
            if isinstance(value, str) and key not in _DULL and 0 < len(value) <= 60
        )

    @property
    def price(self) -> str | None:
        """The catalog's price as text; None if it has none, or only the lowest of several."""
        known = self.product.price is not None and not self.product.price_from
        return money(self.product.price, self.product.currency) if known and self.product.price else None

    @property
    def is_consumed(self) -> bool:
        """True for what is eaten, taken or put on the skin: nobody scratches or drops it."""
        return any(word in self.product.category.casefold() for word in _CONSUMED)


def money(amount: float | None, currency: str) -> str:
    text = f"{amount:,.2f}"
    return f"${text}" if currency == "USD" else f"{text} {currency}"


def name_products(products: Iterable[Product]) -> dict[str, NamedProduct]:
    """The products with their names, by id. Names that begin alike are extended until they differ."""
    shown = list(products)
    names = {product.product_id: _short(product.title, 1) for product in shown}
    for parts in (2, 3, 9):
        taken = Counter(names.values())
        alike = (product for product in shown if taken[names[product.product_id]] > 1)
        names |= {product.product_id: _short(product.title, parts) for product in alike}
    return {product.product_id: NamedProduct(product, names[product.product_id]) for product in shown}


def _short(title: str, parts: int) -> str:
    """The first parts of a title: "Thimbletot Diaper Bag" of "Thimbletot Diaper Bag, Black, 32 L"."""
    title = _SPACES.sub(" ", title).strip()
    ends = [match.start() for match in _SEGMENT.finditer(title) if len(title[: match.start()].split()) >= _FEWEST_WORDS]
    name = title[: ends[parts - 1]] if len(ends) >= parts else title
    if parts < 9 and len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME].rsplit(" ", 1)[0]
    return name.removeprefix("The ").rstrip(" ,-–(|")
