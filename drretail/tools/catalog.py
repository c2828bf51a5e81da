"""The tools that search and read the product catalog."""

from functools import lru_cache
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen

from drretail.env.catalog.base import CatalogQuery, Match, SortBy, SortOrder
from drretail.env.session import Session
from drretail.errors import DamagedRecord, ToolError
from drretail.records.evidence import Source
from drretail.records.shop import Product
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.serialisation import (
    compact,
    compact_json,
    lean_items,
    product_card,
    product_record,
    record_text,
)
from drretail.reports.text.untrusted import harmless
from drretail.tools.arguments import ProductId
from drretail.tools.tool import ToolResult

Price = Annotated[float, Ge(0)]


def product_catalog_search(
    session: Session,
    query: Annotated[str, MaxLen(500)],
    category: Annotated[str, MaxLen(200)] | None = None,
    price_min: Price | None = None,
    price_max: Price | None = None,
    rating_min: Annotated[float, Ge(0), Le(5)] | None = None,
    sort_by: SortBy = "relevance",
    order: SortOrder | None = None,
    match: Match = "any",
    limit: Annotated[int, Ge(1), Le(50)] = 10,
    offset: Annotated[int, Ge(0), Le(10_000)] = 0,
) -> ToolResult:
    """Searches this shop's products by the words of their titles, features, descriptions, categories and brands.

    Use a few words that name the product, and put limits on price, rating and category into the filters. Sorted by
    relevance, what matches the words best comes first. Any other sort ranks only what is relevant: the first ten by
    relevance, and up to 20 more that match nearly as well. No word excludes: "not" is no filter. A product whose price
    or rating the shop does not know passes no filter on it; hidden says how many matches were left out for that.

    Args:
        query: Words that describe the product, e.g. "squirrel proof bird feeder"; "" finds all that pass the filters.
        category: Name of a category, narrow as hits show it ("Bird Feeders") or broad as records do ("Pet_Supplies").
        price_min: Lowest price, in the shop's currency.
        price_max: Highest price, in the shop's currency.
        rating_min: Lowest average rating, from 0 to 5 stars.
        sort_by: What comes first: best match, price, average rating, or number of ratings (popularity).
        order: Direction of the sort; without it prices rise and everything else falls.
        match: Whether a product must hold any word of the query, all of them, or the words as one phrase.
        limit: How many products to show.
        offset: How many products to leave out at the beginning, to read on.

    Returns:
        total (how many products were found), hidden (with a filter on price or rating), shown, offset, and hits: for
        each product evidence (the evidence id to cite it by), product_id, title, price (price_from: true marks the
        lowest of several), average_rating (of 5), rating_number (how many rated it), store and category, the narrowest.
        What all hits share stands once before them, such as the currency; product_url there is the form of every
        product's address.
        What the shop does not know is left out: a hit without a price has no known price.
    """
    if price_min is not None and price_max is not None and price_min > price_max:
        raise ToolError(
            "invalid_argument", f"price_min {price_min:g} is above price_max {price_max:g}.", field="price_min"
        )
    wanted = CatalogQuery(
        text=query,
        category=category or None,
        price_min=price_min,
        price_max=price_max,
        rating_min=rating_min,
        sort_by=sort_by,
        order=order,
        match=match,
        limit=limit,
        offset=offset,
    )
    page = session.settings.world.catalog.search(wanted)
    products_by_id = session.settings.world.store.products([hit.product_id for hit in page.hits])
    for hit in page.hits:
        if hit.product_id not in products_by_id:
            raise DamagedRecord("product", hit.product_id, "in the index and missing in the store")
    found = [_shown(products_by_id[hit.product_id]) for hit in page.hits]
    shared, hits = lean_items([card for card, _ in found])
    hidden = {"hidden": page.hidden} if wanted.filters_numbers else {}
    value = {"total": page.total, **hidden, "shown": len(hits), "offset": offset, **shared, "hits": hits}
    return ToolResult(value, tuple(source for _, sources in found for source in sources))


def get_product_details(session: Session, product_id: ProductId) -> ToolResult:
    """Gives everything the shop knows about one product.

    Args:
        product_id: Id of the product as a search shows it, e.g. "B0EXAMPLE1"; not a title and not an order id.

    Returns:
        The whole record: evidence (the evidence id to cite it by), product_url, title, features, description, price
        (price_from: true marks the lowest of several), currency, average_rating (of 5), rating_number (how many rated
        it), store, category path, and further details. What the shop does not know is left out.
    """
    product = session.settings.world.store.product(product_id)
    return ToolResult(compact(product_record(product)), (_source(product, "record", record_text(product), shown=True),))


# Cached: a third of a run's hits were hits earlier in the run, and most hits of the next run were hits in this one.
@lru_cache(maxsize=2048)
def _shown(product: Product) -> tuple[dict[str, Any], tuple[Source, Source]]:
    """A product as a hit, and its sources."""
    card = product_card(product)
    of_card = _source(product, "card", compact_json(card), shown=True)
    return card, (of_card, _source(product, "record", record_text(product), shown=False))


def card_sources(product: Product) -> tuple[Source, Source]:
    """The sources of a product of which only the card was shown: the card, and the whole record (not shown).

    Claims about the product are judged against the whole record all the same.
    """
    return _shown(product)[1]


def _source(product: Product, form: Literal["card", "record"], text: str, *, shown: bool) -> Source:
    return Source(
        id=product_evidence_id(product.product_id),
        kind="product",
        key=product.product_id,
        title=harmless(product.title),
        url=product.page or product.product_url,
        image=product.image,
        form=form,
        text=text,
        shown=shown,
    )
