"""The catalog of an embedded world: one tantivy index in one segment."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tantivy
from tantivy import FieldType, Index, Occur, Order, Query, Schema, Searcher

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Hit, SortOrder, fold_category
from drretail.env.catalog.formulation import (
    TITLE_BOOST,
    category_names,
    folded_category,
    indexed_text,
    indexed_title,
    query_words,
    sort_order,
    standard_analyzer,
)
from drretail.errors import UserError
from drretail.records.shop import Product

# One segment holds all products that fit into the writer's memory; 80k need about a quarter of it.
WRITER_BYTES = 2_000_000_000
# By default a thread watches the folder for commits, and makes a lock in it while others may want to remove it.
NO_WATCHER = "manual"
LAST = 1e300
"""Stands for a missing number where products are sorted, so that it comes last in either direction."""
DIRECTIONS: dict[SortOrder, Order] = {"asc": Order.Asc, "desc": Order.Desc}


def catalog_schema() -> Schema:
    """Analysed ``title`` and ``text``; raw categories; numbers to filter by (absent where unknown) and to sort by."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("product_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", tokenizer_name="standard", index_option="position")
    builder.add_text_field("text", tokenizer_name="standard", index_option="position")
    builder.add_text_field("category", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("category_name", tokenizer_name="raw", index_option="basic")
    for name in ("price", "rating"):
        builder.add_float_field(name, indexed=True, fast=True)
    for key in ("price", "rating", "popularity"):
        for order in DIRECTIONS:
            builder.add_float_field(f"{key}_{order}", fast=True)
    return builder.build()


class TantivyWriter:
    """Builds an index in an empty folder out of products in order of id.

    One thread and one commit make one segment, whose order of documents then breaks all ties.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._index = Index(catalog_schema(), path=str(folder))
        self._index.config_reader(reload_policy=NO_WATCHER)
        self._index.register_tokenizer("standard", standard_analyzer())
        self._writer = self._index.writer(WRITER_BYTES, num_threads=1)

    def add(self, product: Product) -> None:
        document = as_document(product)
        with write_errors():
            self._writer.add_document(document)

    def close(self) -> None:
        """Commits; UserError where there were too many products for one segment."""
        with write_errors():
            self._writer.commit()
            self._writer.wait_merging_threads()
        self._index.reload()
        if self._index.searcher().num_segments > 1:
            raise UserError(
                "These products are too many for an embedded catalog; keep fewer of them (`drretail ingest --cap`)."
            )


@contextmanager
def write_errors() -> Generator[None]:
    """tantivy tells of a disk that is full by ValueError; here it is an OSError, as of every other writer."""
    try:
        yield
    except ValueError as problem:
        raise OSError(f"the product index: {problem}") from problem


def as_document(product: Product) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("product_id", product.product_id)
    document.add_text("title", indexed_title(product))
    for part in indexed_text(product):
        document.add_text("text", part)
    for name in category_names(product):
        document.add_text("category", fold_category(name))
        document.add_text("category_name", name)
    if product.price is not None:
        document.add_float("price", product.price)
    if product.average_rating is not None:
        document.add_float("rating", product.average_rating)
    numbers = {"price": product.price, "rating": product.average_rating, "popularity": product.rating_number}
    for key, number in numbers.items():
        document.add_float(f"{key}_asc", LAST if number is None else float(number))
        document.add_float(f"{key}_desc", -LAST if number is None else float(number))
    return document


def linked(folder: Path) -> TemporaryDirectory[str]:
    """A folder of links to an index: tantivy makes a lock beside its files, which a read-only folder forbids."""
    links = TemporaryDirectory(prefix="drretail-index-", ignore_cleanup_errors=True)
    for file in folder.iterdir():
        if file.suffix != ".lock":
            (Path(links.name) / file.name).symlink_to(file.absolute())
    return links


class TantivyCatalog:
    """Implements ``base.Catalog``. The searcher is immutable, so any number of threads may use it."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError when ``folder`` holds no index that this version can read."""
        self._links: TemporaryDirectory[str] | None = None
        try:
            if not os.access(folder, os.W_OK):
                self._links = linked(folder)
            index = Index.open(self._links.name if self._links else str(folder))
            index.config_reader(reload_policy=NO_WATCHER)
        except (OSError, ValueError) as problem:
            raise UserError(f"The product index {folder} cannot be read: {problem}. Make the world anew.") from problem
        index.register_tokenizer("standard", standard_analyzer())
        self._schema = index.schema
        self._searcher: Searcher = index.searcher()
        names = sorted(name for name, _ in self._searcher.terms_with_prefix("category_name", ""))
        # Several spellings may fold to one name; the last stands for it in messages.
        self._names = names
        self._by_folded = {fold_category(name): name for name in names}

    def search(self, query: CatalogQuery) -> CatalogPage:
        category = None if query.category is None else folded_category(query.category, self._by_folded)
        found = query_words(query)
        if query.text.strip() and not found:
            return CatalogPage(total=0, hits=())
        order: dict[str, Any] = {}
        if query.sort_by != "relevance":
            direction = sort_order(query)
            order = {"order_by_field": f"{query.sort_by}_{direction}", "order": DIRECTIONS[direction]}
        clauses = [*self._matching(query, found), *self._filters(query, category)]
        result = self._searcher.search(
            Query.boolean_query(clauses), max(query.limit, 1), count=True, offset=query.offset, **order
        )
        scored = bool(found) and query.sort_by == "relevance"
        hits = tuple(Hit(self._product_id(address), key if scored else None) for key, address in result.hits)
        # The stubs of tantivy lack the attribute.
        total: int = result.count  # pyright: ignore[reportAttributeAccessIssue]
        return CatalogPage(total=total, hits=hits[: query.limit])

    def categories(self) -> list[str]:
        return list(self._names)

    def product_ids(self) -> Iterator[str]:
        """The ids of all products in the order in which they were indexed."""
        for number in range(self._searcher.num_docs):
            yield self._product_id(tantivy.DocAddress(0, number))

    def close(self) -> None:
        """The files are unmapped with the last reference to the catalog."""
        if self._links:
            self._links.cleanup()

    def _matching(self, query: CatalogQuery, found: list[str]) -> list[tuple[Occur, Query]]:
        if not found:
            return [(Occur.Must, Query.all_query())]
        occur = Occur.Must if query.match == "all" else Occur.Should
        in_text = Query.boolean_query([(occur, part) for part in self._scored("text", query, found)])
        in_title = [Query.boost_query(part, TITLE_BOOST) for part in self._scored("title", query, found)]
        return [(Occur.Must, in_text), *((Occur.Should, part) for part in in_title)]

    def _scored(self, field: str, query: CatalogQuery, found: list[str]) -> list[Query]:
        if query.match == "phrase" and len(found) > 1:
            return [Query.phrase_query(self._schema, field, list(found))]
        return [Query.term_query(self._schema, field, word, "freq") for word in found]

    def _filters(self, query: CatalogQuery, category: str | None) -> list[tuple[Occur, Query]]:
        filters: list[Query] = []
        if category is not None:
            filters.append(Query.term_query(self._schema, "category", category, "basic"))
        if query.price_min is not None or query.price_max is not None:
            filters.append(self._between("price", query.price_min, query.price_max))
        if query.rating_min is not None:
            filters.append(self._between("rating", query.rating_min, None))
        return [(Occur.Must, Query.const_score_query(part, 0.0)) for part in filters]

    def _between(self, field: str, low: float | None, high: float | None) -> Query:
        return Query.range_query(self._schema, field, FieldType.Float, low, high)

    def _product_id(self, address: tantivy.DocAddress) -> str:
        return str(self._searcher.doc(address)["product_id"][0])
