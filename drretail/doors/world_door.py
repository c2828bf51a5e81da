"""The world of one run as a web: a search that mixes pages and products, readable pages, a cart.

All of it goes through the session's Toolkit, so that steps, evidence and journal are those of the nine tools.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from annotated_types import MaxLen

from drretail.doors.pages import Page
from drretail.env.session import Session
from drretail.env.web.base import WebResult
from drretail.errors import ModelError, NotFound
from drretail.experiments.journal import Effects
from drretail.records.evidence import Source
from drretail.records.reading import Pick
from drretail.records.run import OPEN_PAGE, SearchMix
from drretail.records.shop import SHOP_URL, offers_of, product_of, variant_title
from drretail.records.wish import MOST_PIECES
from drretail.reports.text.evidence_ids import normalise_url, web_evidence_id
from drretail.tools.registry import ROLE, offered
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit, ToolReply
from drretail.tools.web import fetch_pages

SHOP_HOST = urlsplit(SHOP_URL).hostname or ""
MOST_RESULTS = 20
LONGEST_QUERY = 480
"""Characters of a query that the tools take; a longer one is cut at a word."""
PER_PAGE = 20
_SITE = re.compile(r"(?:^|\s)-?site:(\S+)")


def open_page(session: Session, url: Annotated[str, MaxLen(4000)], *, effects: Effects) -> ToolResult:
    """Opens a page of the web.

    Args:
        url: Its address.

    Returns:
        evidence, url, title, text and date of the page, or its state and what the problem is.
    """
    (page,) = fetch_pages(session.settings.world.web, [url], effects, session.settings.tool_timeout)
    if page.state != "ok":
        return ToolResult({"url": page.url, "state": page.state, "problem": page.problem}, ())
    source = Source(
        id=web_evidence_id(page.url),
        kind="web",
        key=normalise_url(page.url),
        title=page.title,
        url=page.url,
        form="page",
        text=page.text,
        date=page.date,
    )
    value = {"evidence": source.id, "url": page.url, "title": page.title, "text": page.text, "date": page.date}
    return ToolResult(value, (source,))


PAGES = Tool(OPEN_PAGE, open_page, "read")


@dataclass
class WorldDoor:
    """One session's world. What is in the cart at the end stands for picks that a report does not declare."""

    session: Session
    mix: SearchMix = "turns"
    cart: dict[str, int] = field(default_factory=dict[str, int])
    """Pieces by offer: "B0…", or "B0…/VARIANT"."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Requests by host that nothing here answers."""
    toolkit: Toolkit = field(init=False)
    problem: ModelError | None = field(init=False, default=None)
    """Set once a replayed journal lacks an answer: the run is then another one, and ends."""

    def __post_init__(self) -> None:
        tools = offered(self.session)
        web = {OPEN_PAGE: PAGES} if "web_search" in tools else {}
        self.toolkit = Toolkit(self.session, tools={**tools, **web})

    @property
    def picks(self) -> tuple[Pick, ...] | None:
        """The cart; None if nothing is in it."""
        return tuple(Pick(product=offer, quantity=pieces) for offer, pieces in self.cart.items()) or None

    @property
    def has_account(self) -> bool:
        return self.session.settings.user_id is not None and "get_user_profile" in self.toolkit.tools

    async def call(self, *calls: tuple[str, dict[str, Any]]) -> list[ToolReply]:
        try:
            return await self.toolkit.acall_all(calls, role=ROLE)
        except ModelError as problem:
            self.problem = problem
            raise

    async def search(self, query: str, k: int = 10) -> list[WebResult]:
        """The results of one search by ``mix``; of the sites alone that ``site:`` names."""
        sites = [site.partition("/")[0].casefold() for site in _SITE.findall(query)]
        words = shortened_at_word(" ".join(_SITE.sub(" ", query).split()))
        tools = [*(["web_search"] if self.mix != "shop" and words else [])]
        tools += ["product_catalog_search"] if self.mix != "web" else []
        replies = await self.call(*((tool, {"query": words}) for tool in tools if tool in self.toolkit.tools))
        lists = [self._hits(reply.value) for reply in replies]
        in_turns = (hit for ranked in zip_longest(*lists) for hit in ranked if hit is not None)
        return [hit for hit in in_turns if not sites or any(site in hit.url for site in sites)][: max(1, k)]

    @staticmethod
    def _hits(value: Mapping[str, Any]) -> list[WebResult]:
        """Results of a search of the web, or of the catalog with what they share."""
        pages = value.get("results", ())
        shared = {name: part for name, part in value.items() if name not in ("hits", "total")}
        cards: list[dict[str, Any]] = [shared | hit for hit in value.get("hits", ())]
        found = [WebResult(page["title"], page["url"], page.get("snippet", ""), page.get("date")) for page in pages]
        return found + [WebResult(card["title"], f"{SHOP_URL}/{card['product_id']}", _facts(card)) for card in cards]

    async def page(self, url: str) -> Page:
        """The page at an address of the shop, or of the world's web, which may refuse it: its status is then 404."""
        parts = urlsplit(url)
        if (parts.hostname or "").removeprefix("www.") == SHOP_HOST:
            return await self._shop_page(unquote(parts.path).strip("/"), dict(parse_qsl(parts.query)))
        web, value = self.session.settings.world.web, dict[str, Any]()
        if web.corpus is not None:  # what a fixed web lacks is known at once, and is no step
            other = url.replace("https://", "http://") if url.startswith("https:") else url.replace("http:", "https:")
            url = next((page.url for page in map(web.fetch, (url, other)) if page.state == "ok"), "")
        if url and OPEN_PAGE in self.toolkit.tools:
            (reply,) = await self.call((OPEN_PAGE, {"url": url}))
            value = reply.value
        if "evidence" not in value:
            self.refused[parts.hostname or "an address without a host"] += 1
            return Page("Not found", paragraphs=("This web holds no such page.",), status=404)
        paragraphs = tuple(filter(None, map(str.strip, value["text"].split("\n"))))
        return Page(value["title"], paragraphs=paragraphs, date=value.get("date"))

    async def _shop_page(self, path: str, asked: Mapping[str, str]) -> Page:
        """A page of the shop by its path, without slashes around it."""
        name, _, rest = path.partition("/")
        if name == "cart":
            return self._cart_page()
        if name in ("", "search", "category"):
            return await self._listing(asked.get("q", ""), rest, asked.get("offset", ""))
        if name == "account":
            return await self._account(rest)
        product_id = product_of(path.removeprefix("dp/"))
        known = self.session.settings.world.store.products([product_id, product_id.upper()])
        if not known or "get_product_details" not in self.toolkit.tools:  # such as a favicon, which is no step
            return self._lacking()
        item = next(iter(known.values()))
        (reply,) = await self.call(("get_product_details", {"product_id": item.product_id}))
        if reply.error:
            return self._lacking()
        record = dict(reply.value)
        features, description = record.pop("features", ()), record.pop("description", ())
        return self._of_shop(
            record["title"],
            facts=tuple(_rows(record)),
            offers=offers_of(item),
            items=tuple(features),
            paragraphs=(_facts(record), *description),
            links=((f"More in {item.leaf_category}", f"/category/{item.leaf_category}"),),
            product=item,
        )

    async def _listing(self, words: str, category: str, offset: str) -> Page:
        """Products by words, or those of a category, page by page."""
        first = int(offset) if offset.isdecimal() else 0
        arguments: dict[str, Any] = {"query": shortened_at_word(words), "limit": PER_PAGE, "offset": first}
        (reply,) = await self.call(("product_catalog_search", arguments | ({"category": category} if category else {})))
        hits, total = tuple(self._hits(reply.value)), reply.value.get("total", 0)
        place = f"category/{quote(category)}" if category else "search"
        next_page = ("Next page", f"/{place}?q={quote(words)}&offset={first + len(hits)}")
        return self._of_shop(
            f"{total:,} products in {category}" if category else f"{total:,} results for {words}" if words else "Shop",
            hits=hits,
            paragraphs=(reply.value["error"]["message"],) if reply.error else (),
            links=(next_page,) if first + len(hits) < total else (),
            query=words,
        )

    async def _account(self, path: str) -> Page:
        """The run's own shopper, who is signed in: profile and statistics, orders, one order."""
        user = {"user_id": self.session.settings.user_id}
        part, _, order_id = path.partition("/")
        if not self.has_account:
            return self._lacking()
        if order_id:
            replies = await self.call(("get_order_details", {"order_id": order_id}))
        elif part == "orders":
            replies = await self.call(("get_user_orders", {**user, "limit": 50}))
        else:
            replies = await self.call(("get_user_profile", user), ("get_user_statistics", user))
        if any(reply.error for reply in replies):
            return self._lacking()
        if part:
            rows: list[dict[str, Any]] = replies[0].value.get("orders", [])
            links = tuple((f"Order {row['order_id']}", f"/account/orders/{row['order_id']}") for row in rows)
        else:
            links = (("Your orders", "/account/orders"),)
        facts = tuple(fact for reply in replies for fact in _rows(reply.value))
        return self._of_shop("Your orders" if part else "Your account", facts=facts, links=links)

    def put(self, offer_id: str, quantity: str, *, replaces: bool) -> bool:
        """Puts pieces of an offer into the cart, or with ``replaces`` so many in place of those there.

        False if the shop has no such offer, or not so many.
        """
        try:
            item = self.session.settings.world.store.product(product_of(offer_id))
            offer = next(offer for offer in offers_of(item) if offer_id in (offer.offer_id, item.product_id))
        except (NotFound, StopIteration):
            return False
        pieces = int(quantity) if quantity.isdecimal() else -1
        wanted = pieces + (0 if replaces else self.cart.get(offer.offer_id, 0))
        if pieces < 0 or wanted > MOST_PIECES or not offer.has(max(1, wanted)):
            return False
        self.cart = {**self.cart, offer.offer_id: wanted}
        self.cart = {name: count for name, count in self.cart.items() if count}
        return True

    def _cart_page(self) -> Page:
        products = self.session.settings.world.store.products([product_of(offer) for offer in self.cart])
        names = {offer.offer_id: offer.name for item in products.values() for offer in offers_of(item)}
        lines = tuple(
            (offer, pieces, variant_title(products[product_of(offer)].title, names[offer]))
            for offer, pieces in self.cart.items()
        )
        return self._of_shop("Cart", lines=lines, paragraphs=() if lines else ("The cart is empty.",))

    def _of_shop(self, title: str, **parts: Any) -> Page:
        return Page(title, is_shop=True, has_account=self.has_account, **parts)

    def _lacking(self) -> Page:
        return self._of_shop("Not found", paragraphs=("The shop has no such page.",), status=404)


def shortened_at_word(words: str) -> str:
    """The beginning of a query that is longer than the tools take."""
    return words if len(words) <= LONGEST_QUERY else words[:LONGEST_QUERY].rpartition(" ")[0] or words[:LONGEST_QUERY]


def _facts(card: Mapping[str, Any]) -> str:
    """A product's card in one line: "$24.99 · 4.5 of 5 stars (120 ratings) · Fernhollow · Bird Feeders"."""
    currency = card.get("currency", "USD")
    amount = None if card.get("price") is None else f"{card['price']:.2f}"
    price = "price unknown" if amount is None else f"${amount}" if currency == "USD" else f"{currency} {amount}"
    stars = card.get("average_rating")
    rating = f"{stars} of 5 stars ({card.get('rating_number') or 0:,} ratings)" if stars else ""
    from_ = "from " if card.get("price_from") else ""
    return " · ".join(filter(None, (from_ + price, rating, card.get("store"), card.get("category"))))


def _rows(value: Mapping[str, Any], before: str = "") -> list[tuple[str, str]]:
    """A record's fields as rows of a table; the id to cite it by stands first, as "Reference"."""
    rows: list[tuple[str, str]] = []
    for name, part in value.items():
        title = "Reference" if name == "evidence" else f"{before}{name.replace('_', ' ')}"
        if isinstance(part, Mapping):
            rows += _rows(part, f"{title}: ")
        elif isinstance(part, list | tuple):
            texts = (
                ", ".join(text for _, text in _rows(row)) if isinstance(row, Mapping) else str(row) for row in part
            )
            rows.append((title, "; ".join(texts)))
        else:
            rows.append((title, str(part)))
    return rows
