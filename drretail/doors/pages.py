"""What a page of the gateway holds, and how it is written: HTML that needs no script, and the same as Markdown."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from drretail.env.web.base import WebResult
from drretail.records.shop import SHOP_URL, Offer, Product


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a visitor gets it. Its texts are a seller's or a page's own, and are escaped where they are written."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """Rows of a table: what is said of the product, the order or the shopper."""
    offers: tuple[Offer, ...] = ()
    """What can be put into the cart."""
    hits: tuple[WebResult, ...] = ()
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
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    return Environment(loader=folder, autoescape=escapes, undefined=StrictUndefined, **options)  # noqa: S701
