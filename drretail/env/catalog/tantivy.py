"""The catalog of an embedded world: one tantivy index in one segment."""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tantivy
from tantivy import FieldType, Index, Occur, Order, Query, Schema, Searcher

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Hit, SortOrder, fold_category, search_index
from drretail.env.catalog.formulation import (
    ENGLISH,
    Formulation,
    SearchTerms,
    Term,
    category_names,
    folded_category,
    sort_order,
    standard_analyzer,
)
from drretail.errors import ToolError, UserError
from drretail.records.shop import Product

# One segment holds all products that fit into the writer's memory; 80k need about a quarter of it.
WRITER_BYTES = 2_000_000_000
# By default a thread watches the folder for commits, and makes a lock in it while others may remove the folder.
NO_WATCHER = "manual"
LAST = 1e300
"""Replaces a missing number in sorts, so that the product comes last in either direction."""
MOST_REMEMBERED = 100_000
"""The most words whose frequency a catalog remembers: parallel runs ask for the same ones."""
DIRECTIONS: dict[SortOrder, Order] = {"asc": Order.Asc, "desc": Order.Desc}


def catalog_schema(formulation: Formulation) -> Schema:
    """The index's fields: analysed texts; raw categories; numbers to filter by (absent if unknown) and to sort by."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("product_id", stored=True, tokenizer_name="raw", index_option="basic")
    for name, has_phrases in formulation.fields.items():
        occurrences = "position" if has_phrases else "freq"
        builder.add_text_field(name, tokenizer_name=formulation.tokenizer, index_option=occurrences)
    builder.add_text_field("category", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("category_name", tokenizer_name="raw", index_option="basic")
    for name in ("price", "rating"):
        builder.add_float_field(name, indexed=True, fast=True)
    for key in ("price", "rating", "popularity"):
        for order in DIRECTIONS:
            builder.add_float_field(f"{key}_{order}", fast=True)
    return builder.build()


class TantivyWriter:
    """Builds an index in an empty folder from products in order of id.

    One thread and one commit make one segment, in which the order of documents breaks all ties.
    """

    def __init__(self, folder: Path, formulation: Formulation = ENGLISH) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._formulation = formulation
        self._index = Index(catalog_schema(self._formulation), path=str(folder))
        self._index.config_reader(reload_policy=NO_WATCHER)
        self._index.register_tokenizer("standard", standard_analyzer())
        self._writer = self._index.writer(WRITER_BYTES, num_threads=1)

    def add(self, products: Sequence[Product]) -> None:
        """Adds the next products. By the hundred: to make a document between other work takes a third longer."""
        documents = [_as_document(product, self._formulation) for product in products]
        with write_errors():
            for document in documents:
                self._writer.add_document(document)

    def close(self) -> None:
        """Commits. Raises UserError if there are too many products for one segment."""
        with write_errors():
            self._writer.commit()
            self._writer.wait_merging_threads()
        for name in ("meta.json", ".managed.json"):  # tantivy closes these to other users, whatever the umask
            (self._folder / name).chmod(self._folder.stat().st_mode & 0o666)
        self._index.reload()
        if self._index.searcher().num_segments > 1:
            raise UserError(
                "These products are too many for an embedded catalog; keep fewer of them (`drretail ingest --cap`)."
            )


@contextmanager
def write_errors() -> Generator[None]:
    """Turns tantivy's ValueError for a full disk into an OSError, which all other writers raise."""
    try:
        yield
    except ValueError as problem:
        raise OSError(f"the product index: {problem}") from problem


@contextmanager
def read_errors(folder: Path) -> Generator[None]:
    """Turns the errors of a damaged index into UserError: tantivy raises ValueError or OSError, or panics."""
    try:
        yield
    except ToolError:
        raise
    # The library's panics are not subclasses of Exception, and have no importable name.
    except BaseException as problem:
        is_panic = type(problem).__module__ == "pyo3_runtime"
        if not (is_panic or isinstance(problem, (OSError, ValueError, LookupError))):
            raise
        raise UserError(
            f"The product index {folder} cannot be read: {problem}. `drretail world check` says more; make the world "
            "anew."
        ) from problem


def _as_document(product: Product, formulation: Formulation) -> tantivy.Document:
    names = category_names(product)
    fields: dict[str, list[str]] = {
        "product_id": [product.product_id],
        "category": [*map(fold_category, names)],
        "category_name": [*names],
        # One text where no phrase is looked for: a product has dozens, and each takes a call.
        **{
            field: texts if formulation.fields[field] else [" ".join(texts)]
            for field, texts in formulation.texts(product).items()
        },
    }
    document = tantivy.Document(**fields)
    # Numbers by calls of their own: as arguments they are tried as texts first, and take twice as long.
    numbers = {"price": product.price, "rating": product.average_rating, "popularity": product.rating_number}
    for key, number in numbers.items():
        if number is not None and key != "popularity":
            document.add_float(key, number)
        document.add_float(f"{key}_asc", LAST if number is None else float(number))
        document.add_float(f"{key}_desc", -LAST if number is None else float(number))
    return document


class TantivyCatalog:
    """Implements ``base.Catalog``. The searcher is immutable, so any number of threads may use it."""

    def __init__(self, folder: Path, formulation: Formulation = ENGLISH) -> None:
        """Raises UserError if ``folder`` holds no index that this version can read."""
        self.formulation = formulation
        self._folder = folder
        self._links: TemporaryDirectory[str] | None = None
        with read_errors(folder):
            if not os.access(folder, os.W_OK):
                # A folder of links: tantivy makes a lock beside the index's files, which a read-only folder forbids.
                self._links = TemporaryDirectory(prefix="drretail-index-", ignore_cleanup_errors=True)
                for file in folder.iterdir():
                    if file.suffix != ".lock":
                        (Path(self._links.name) / file.name).symlink_to(file.absolute())
            index = Index.open(self._links.name if self._links else str(folder))
            index.config_reader(reload_policy=NO_WATCHER)
            index.register_tokenizer("standard", standard_analyzer())
            self._schema = index.schema
            self._searcher: Searcher = index.searcher()
            names = sorted(name for name, _ in self._searcher.terms_with_prefix("category_name", ""))
        self._holding = lru_cache(MOST_REMEMBERED)(self._searcher.doc_freq)
        # Several spellings may fold to one name; messages use the last one.
        self._names = names
        self._by_folded = {fold_category(name): name for name in names}

    def search(self, query: CatalogQuery) -> CatalogPage:
        with read_errors(self._folder):
            return search_index(self, query)

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        category = self._in_category(query)
        terms = self.formulation.terms(query)
        if not terms.matching and query.text.strip():
            return CatalogPage(total=0, hits=())
        limits = [self._clause(part) for part in self._limits(query).values()]
        if among is not None:
            limits.append((Occur.Must, Query.term_set_query(self._schema, "product_id", list(among))))
        clauses = [*self._matching(terms), *category, *limits]
        order: dict[str, Any] = {}
        if query.sort_by != "relevance":
            direction = sort_order(query)
            order = {"order_by_field": f"{query.sort_by}_{direction}", "order": DIRECTIONS[direction]}
        # A single word's frequency is known; without counting, most of its products need no score.
        total, term = None, terms.matching[0] if len(terms.matching) == 1 else None
        if term and len(term.words) == 1 and len(clauses) == 1 and not order and not self._occurring(term.others):
            total = self._holding(term.field, term.words[0])
        result = self._searcher.search(
            _joined(clauses), max(query.limit, 1), count=total is None, offset=query.offset, **order
        )
        scored = query.sort_by == "relevance" and bool(terms.matching)
        hits = tuple(Hit(self._ids[address.doc], key if scored else None) for key, address in result.hits)
        hidden = self._count_hidden(query, terms) if among is None and query.filters_numbers else 0
        return CatalogPage(count_of(result) if total is None else total, hits[: query.limit], hidden)

    def _count_hidden(self, query: CatalogQuery, terms: SearchTerms) -> int:
        """The number of further matches if products of unknown price or rating passed the filters."""
        limits = self._limits(query)
        lacked = [number for number in limits if number in self._lacked]
        matching = [*self._matching(terms), *self._in_category(query)]
        hidden = 0
        # For each set of numbers that a product may lack at once: it must pass the limits on the others.
        for lacks in chain.from_iterable(combinations(lacked, size + 1) for size in range(len(lacked))):
            passed = [self._clause(limit) for number, limit in limits.items() if number not in lacks]
            # As an aggregation, which scores nothing and reads no whole column. Measured over 80,000 products that all
            # match: 0.3 ms for one number; as part of the query it took 1.0 ms.
            request: dict[str, Any] = {}
            for number in lacks:
                ranges = {"field": f"{number}_asc", "ranges": [{"from": LAST}]}
                request = {"unknown": {"range": ranges} | ({"aggs": request} if request else {})}
            hidden += unknown_in(self._searcher.aggregate(_joined([*matching, *passed]), request))
        return hidden

    def matching(self, query: CatalogQuery) -> list[str]:
        terms = self.formulation.terms(query)
        if not terms.matching and query.text.strip():
            return []
        with read_errors(self._folder):
            limits = (self._clause(part) for part in self._limits(query).values())
            # Unscored and without records of hits, which take four fifths of the time of all matches of a search.
            _, everything = self._clause(_joined([*self._matching(terms), *self._in_category(query), *limits]))
            result = self._searcher.search(everything, max(self._searcher.num_docs, 1), count=False)
            return sorted(self._ids[address.doc] for _, address in result.hits)

    def categories(self) -> list[str]:
        return list(self._names)

    def product_ids(self) -> Iterator[str]:
        """The ids of all products, in the order in which they were indexed."""
        with read_errors(self._folder):
            for number in range(self._searcher.num_docs):
                yield str(self._searcher.doc(tantivy.DocAddress(0, number))["product_id"][0])

    def close(self) -> None:
        """Removes the temporary links; the files are unmapped with the last reference to the catalog."""
        if self._links:
            self._links.cleanup()

    @cached_property
    def _ids(self) -> list[str]:
        """The product id of each document; they were added in order of id. Reading them one by one takes longer."""
        return [product_id for product_id, _ in self._searcher.terms_with_prefix("product_id", "")]

    @cached_property
    def _lacked(self) -> frozenset[str]:
        total = self._searcher.num_docs
        queries = {number: Query.exists_query(number) for number in ("price", "rating")}
        return frozenset(
            number for number, query in queries.items() if count_of(self._searcher.search(query, 1, count=True)) < total
        )

    def _in_category(self, query: CatalogQuery) -> list[tuple[Occur, Query]]:
        if query.category is None:
            return []
        folded = folded_category(query.category, self._by_folded)
        return [self._clause(Query.term_query(self._schema, "category", folded, "basic"))]

    def _clause(self, part: Query) -> tuple[Occur, Query]:
        """A clause that must match and adds nothing to the score."""
        return Occur.Must, Query.const_score_query(part, 0.0)

    def _matching(self, terms: SearchTerms) -> list[tuple[Occur, Query]]:
        if not terms.matching:
            return [(Occur.Must, Query.all_query())]
        occur = Occur.Must if terms.every else Occur.Should
        matching = _joined([(occur, self._term(term)) for term in terms.matching])
        return [(Occur.Must, matching), *((Occur.Should, self._term(term)) for term in terms.scoring)]

    def _term(self, term: Term) -> Query:
        first, *following = term.words
        others = self._occurring(term.others)
        if others:
            return Query.disjunction_max_query([self._term(replace(term, others=())), *map(self._term, others)])
        if following:
            matching = Query.phrase_query(self._schema, term.field, list(term.words))
        else:
            matching = Query.term_query(self._schema, term.field, first, "freq")
        return matching if term.boost == 1 else Query.boost_query(matching, term.boost)

    def _occurring(self, terms: Sequence[Term]) -> list[Term]:
        """The terms, each of a single word, that occur in the index; looking for the others too would take longer."""
        return [term for term in terms if self._holding(term.field, term.words[0])]

    def _limits(self, query: CatalogQuery) -> dict[str, Query]:
        """The limits by the number that they limit; a product without the number does not pass."""
        bounds = {"price": (query.price_min, query.price_max), "rating": (query.rating_min, None)}
        return {
            field: Query.range_query(self._schema, field, FieldType.Float, low, high)
            for field, (low, high) in bounds.items()
            if low is not None or high is not None
        }


def _joined(clauses: list[tuple[Occur, Query]]) -> Query:
    """The clauses as one query; a single clause is returned unchanged, which tantivy answers faster."""
    return clauses[0][1] if len(clauses) == 1 else Query.boolean_query(clauses)


def unknown_in(counts: Any) -> int:
    """The count that a ``counting_unknown`` aggregation found."""
    (bucket,) = (bucket for bucket in counts["unknown"]["buckets"] if "from" in bucket)
    return unknown_in(bucket) if "unknown" in bucket else int(bucket["doc_count"])


def count_of(result: tantivy.SearchResult) -> int:
    """The number of all matches of a search."""
    # The stubs of tantivy lack the attribute.
    return result.count  # pyright: ignore[reportAttributeAccessIssue]
