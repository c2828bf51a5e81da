"""What a page of the gateway holds, and how it is written: HTML that needs no script, and the same as Markdown."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from drretail.records.shop import SHOP_URL, Offer, Product, offers_of


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search."""

    title: str
    url: str
    snippet: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a visitor gets it. Its texts are a seller's or a page's own, and are escaped where they are written."""

    url: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """Rows of a table: what is said of the product, the order or the shopper."""
    offers: tuple[Offer, ...] = ()
    """What can be put into the cart."""
    hits: tuple[Hit, ...] = ()
    items: tuple[str, ...] = ()
    paragraphs: tuple[str, ...] = ()
    lines: tuple[tuple[str, int, str], ...] = ()
    """The cart: each offer with its pieces and title."""
    links: tuple[tuple[str, str], ...] = ()
    """Further pages of the shop, each with its path."""
    product: Product | None = None
    """What is sold on the page, which its HTML says in schema.org's words, too."""
    date: str | None = None
    query: str = ""
    is_shop: bool = False
    has_account: bool = False
    status: int = 200

    def html(self, base: str = SHOP_URL) -> str:
        """The page; its links into the shop begin with ``base``."""
        return templates().get_template("page.html.jinja").render(page=self, base=base, shop=SHOP_URL)

    @property
    def text(self) -> str:
        """The page for services that extract texts."""
        return templates().get_template("page.md.jinja").render(page=self).strip()


@cache
def templates() -> Environment:
    folder = FileSystemLoader(Path(__file__).with_name("templates"))
    escapes = lambda name: bool(name) and ".html" in name  # noqa: E731 -- Markdown is plain text
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    return Environment(loader=folder, autoescape=escapes, **options)  # noqa: S701


def price_of(item: Product) -> str:
    """ "USD 24.99"; "from" stands before the lowest of several prices; empty if it is unknown."""
    return "" if item.price is None else f"{'from ' * item.price_from}{item.currency} {item.price:.2f}"


def product_page(url: str, item: Product, *, has_account: bool) -> Page:
    """A product with its price, rating, stock, variants and details."""
    offers = offers_of(item)
    rating = "" if item.average_rating is None else f"{item.average_rating} of 5, {item.rating_number or 0:,} ratings"
    facts = [("Product id", item.product_id), ("Price", price_of(item)), ("Rating", rating)]
    facts += [("Store", item.store or ""), ("Category", " > ".join(item.categories))]
    facts += [(str(name), value if isinstance(value, str) else _listed(value)) for name, value in item.details.items()]
    return Page(
        url,
        item.title,
        facts=tuple((name, value) for name, value in facts if value),
        offers=offers,
        items=item.features,
        paragraphs=item.description,
        links=((f"More in {item.leaf_category}", f"/category/{item.leaf_category}"),),
        product=item,
        is_shop=True,
        has_account=has_account,
    )


def _listed(value: object) -> str:
    """Details that are lists or tables in one line: "id: T-M, size: M; id: T-L, size: L"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_listed(part)}" for name, part in value.items())
    return "; ".join(map(_listed, value)) if isinstance(value, list | tuple) else str(value)
