"""The index in Elasticsearch: created, filled and searched."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.helpers import BulkIndexError, bulk

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Hit, fold_category, search_index
from drretail.env.catalog.formulation import (
    Formulation,
    SearchTerms,
    Term,
    analyzed_words,
    category_names,
    folded_category,
    formulation_of_index,
    sort_order,
)
from drretail.env.clients import NOWHERE, Servers, said_of
from drretail.errors import UserError
from drretail.records.shop import Product

# Instead of Elasticsearch's own analyzer of this name, which cuts words at 255 UTF-16 units; Lucene takes 32,766 bytes.
STANDARD = {"standard": {"type": "standard", "max_token_length": 10_922}}
LARGEST_WINDOW = 2**31 - 1
"""The most hits that a search may skip and show together; the memory it takes is bounded by the products found."""


def create_index(
    client: Elasticsearch, index: str, formulation: Formulation, mark: Mapping[str, Any] | None = None
) -> None:
    """Creates an index without products; any other field is refused. ``mark`` says whose it is.

    Elasticsearch does not keep the documents themselves: the store holds the records, and nothing reads them here.
    """
    fields: dict[str, dict[str, Any]] = {
        "product_id": {"type": "keyword", "index": False},
        "category": {"type": "keyword", "doc_values": False},
        "category_name": {"type": "keyword", "index": False},
        "price": {"type": "double"},
        "rating": {"type": "double"},
        "popularity": {"type": "long"},
    }
    for name, has_phrases in formulation.fields.items():
        options = "positions" if has_phrases else "freqs"
        fields[name] = {"type": "text", "analyzer": formulation.tokenizer, "index_options": options}
    meta = {"formulation": formulation.version, "drretail": mark}
    about = {"dynamic": "strict", "_meta": meta, "_source": {"enabled": False}}
    settings = {
        "number_of_shards": 1,
        "number_of_replicas": 0,
        "max_result_window": LARGEST_WINDOW,
        "analysis": {"analyzer": STANDARD},
    }
    created = client.indices.create(index=index, mappings={**about, "properties": fields}, settings=settings)
    if not created["shards_acknowledged"]:
        raise UserError(f"Elasticsearch {NOWHERE}.")


def as_document(product: Product, formulation: Formulation) -> dict[str, Any]:
    """The document to index for a product."""
    names = category_names(product)
    return {
        **formulation.texts(product),
        "product_id": product.product_id,
        "category": [fold_category(name) for name in names],
        "category_name": names,
        "price": product.price,
        "rating": product.average_rating,
        "popularity": product.rating_number,
    }


def add_products(client: Elasticsearch, index: str, formulation: Formulation, products: Sequence[Product]) -> None:
    """Adds products that the index does not hold. Raises UserError, which names a refused product."""
    actions = (
        {"_op_type": "create", "_id": product.product_id, "_source": as_document(product, formulation)}
        for product in products
    )
    try:
        # What a busy server refuses is sent again after 2, 4 … 64 seconds. Nothing else is: it might be there already.
        bulk(client.options(max_retries=0), actions, index=index, max_retries=6)
    except BulkIndexError as problem:
        refused = problem.errors[0]["create"]
        if (said := said_of(refused["error"])) is not None:
            raise UserError(f"Elasticsearch {said}.") from problem
        reason = f"{refused['error']['type']}, status {refused['status']}"
        raise UserError(f"Elasticsearch refuses the product {refused['_id']!r} ({reason}).") from problem


def last_write(client: Elasticsearch, index: str) -> int:
    """The number of the last write of a document that the index holds, from 0; -1 if it holds none."""
    newest = client.search(index=index, size=1, sort=[{"_seq_no": "desc"}], stored_fields="_none_")["hits"]["hits"]
    return newest[0]["sort"][0] if newest else -1


Clause = dict[str, Any]  # of Elasticsearch's query language
EVERYTHING: Clause = {"match_all": {}}
PAGE = 10_000  # names or ids of one answer
MOST_CLAUSES, ASKED_AT_ONCE = 500, 100
"""Of a query, where a small server takes a thousand, and queries of one request."""
NUMBERS, NAMES = ("price", "rating", "popularity"), "category_name"
MOST_ANSWERS = 1_000
"""The most answers that a catalog remembers: agents and repeats ask the same of an index that never changes."""


class ElasticCatalog:
    """Implements ``base.Catalog`` on one index, by its full name, so that it never sees another generation.

    The servers belong to the caller, who closes them. If Elasticsearch fails, every method raises
    ToolError("unavailable") or ToolError("timeout").
    """

    def __init__(self, servers: Servers, index: str) -> None:
        """Raises UserError if there is no such index, or if it was made for another formulation."""
        self._servers = servers
        self._index = index
        with servers.faults():
            try:
                mappings = servers.elastic.indices.get_mapping(index=index)[index]["mappings"]
            except NotFoundError as problem:
                raise UserError(f"Elasticsearch holds no index {index}; load the world again.") from problem
        version = str(mappings.get("_meta", {}).get("formulation"))
        self.formulation = formulation_of_index(version, f"The index {index}")
        self._found = lru_cache(MOST_ANSWERS)(self._find)
        # Several spellings may fold to one name; messages use the last one.
        self._names = sorted(self._category_names())
        self._by_folded = {fold_category(name): name for name in self._names}

    def search(self, query: CatalogQuery) -> CatalogPage:
        return search_index(self, query)

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        return self._found(query, None if among is None else tuple(among))

    def _find(self, query: CatalogQuery, among: tuple[str, ...] | None) -> CatalogPage:
        words, category, limits = self._clauses(query)
        if words is None:
            return CatalogPage(total=0, hits=())
        scored = query.sort_by == "relevance" and words != EVERYTHING
        first: Clause = {query.sort_by: {"order": sort_order(query), "missing": "_last"}}
        keys = [{"_score": "desc"}] if scored else [first] if query.sort_by != "relevance" else []
        size = min(query.limit, LARGEST_WINDOW)
        reply = self._ask(
            query=words if among is None else {"ids": {"values": among}},
            # After the words, so that the matches that the limits hide are counted in the same request.
            post_filter={"bool": {"filter": [*category, *limits]}},
            aggs={"hidden": {"filter": hidden_by(limits, category)}} if limits else None,
            sort=[*keys, {"product_id": "asc"}],
            from_=min(query.offset, LARGEST_WINDOW - size),
            size=size,
            track_total_hits=True,
        )
        found = [hit["sort"] for hit in reply["hits"]["hits"]]
        hits = tuple(Hit(product_id=key[-1], score=float(key[0]) if scored else None) for key in found)
        hidden = reply["aggregations"]["hidden"]["doc_count"] if limits else 0
        return CatalogPage(total=reply["hits"]["total"]["value"], hits=hits, hidden=hidden)

    def matching(self, query: CatalogQuery) -> list[str]:
        words, category, limits = self._clauses(query)
        ids, after = list[str](), None
        while words is not None:
            clause: Clause = {"bool": {"filter": [words, *category, *limits]}}
            reply = self._ask(query=clause, sort=[{"product_id": "asc"}], search_after=after, size=PAGE)
            page = [hit["sort"][0] for hit in reply["hits"]["hits"]]
            ids += page
            if len(page) < PAGE:
                break
            after = page[-1:]
        return ids

    def unlike(self, products: Sequence[Product]) -> list[str]:
        """The ids of the products that the index holds otherwise than ``as_document`` makes them, or not at all: by
        all their numbers and categories, and by whether each of their words is there.
        """
        documents = {product.product_id: as_document(product, self.formulation) for product in products}
        reply = self._ask(
            query={"ids": {"values": [*documents]}},
            size=len(documents),
            docvalue_fields=["product_id", *NUMBERS, NAMES],
        )
        hits = [hit.get("fields", {}) for hit in reply["hits"]["hits"]]
        held = {fields.get("product_id", [""])[0]: fields for fields in hits}
        unlike, asked = set[str](), list[tuple[str, Clause]]()
        for product_id, document in documents.items():
            fields = held.get(product_id, {})
            numbers = [fields.get(name, [None])[0] for name in NUMBERS]
            if numbers != [document[name] for name in NUMBERS] or fields.get(NAMES, []) != sorted(document[NAMES]):
                unlike.add(product_id)
            clauses, only = self._word_clauses(document), {"ids": {"values": [product_id]}}
            for start in range(0, len(clauses), MOST_CLAUSES):
                asked.append((product_id, {"bool": {"filter": [only, *clauses[start : start + MOST_CLAUSES]]}}))
        for start in range(0, len(asked), ASKED_AT_ONCE):
            some = asked[start : start + ASKED_AT_ONCE]
            searches = [part for _, query in some for part in ({}, {"query": query, "size": 0})]
            with self._servers.faults():
                answers = self._servers.elastic.msearch(index=self._index, searches=searches)["responses"]
            # An answer with an error has no hits, and praises nothing.
            lacking = (answer.get("hits", {}).get("total", {}).get("value") != 1 for answer in answers)
            unlike |= {product_id for (product_id, _), is_lacking in zip(some, lacking, strict=True) if is_lacking}
        return sorted(unlike)

    def _word_clauses(self, document: Mapping[str, Any]) -> list[Clause]:
        """A clause for each category and word of a document."""
        clauses: list[Clause] = [{"term": {"category": name}} for name in document["category"]]
        for name in self.formulation.fields:
            split = analyzed_words if self.formulation.tokenizer == "standard" else str.split
            words = dict.fromkeys(chain.from_iterable(map(split, document[name])))
            clauses += [{"term": {name: word}} for word in words]
        return clauses

    def written_after(self, write: int) -> list[str]:
        """Some ids of documents that were written after the write of this number."""
        later = self._ask(query={"range": {"_seq_no": {"gt": write}}}, docvalue_fields=["product_id"])
        return [hit.get("fields", {}).get("product_id", ["?"])[0] for hit in later["hits"]["hits"]]

    def categories(self) -> list[str]:
        return list(self._names)

    def close(self) -> None:
        """Does nothing: the servers belong to the world."""

    def _clauses(self, query: CatalogQuery) -> tuple[Clause | None, list[Clause], list[Clause]]:
        """The clauses of a query's words (None if no product can match), its category, and its limits on numbers."""
        terms = self.formulation.terms(query)
        words = words_clause(terms) if terms.matching or not query.text.strip() else None
        category = [] if query.category is None else [folded_category(query.category, self._by_folded)]
        return words, [{"term": {"category": name}} for name in category], numbers_within(query)

    def _category_names(self) -> Iterator[str]:
        names: Clause = {"sources": [{"name": {"terms": {"field": "category_name"}}}], "size": PAGE}
        while True:
            page = self._ask(aggs={"names": {"composite": names}}, size=0)["aggregations"]["names"]
            yield from (bucket["key"]["name"] for bucket in page["buckets"])
            if len(page["buckets"]) < PAGE:
                return
            names = {**names, "after": page["after_key"]}

    def _ask(self, **request: Any) -> Mapping[str, Any]:
        with self._servers.faults():
            # A hit's sort keys are all that is read of it.
            return self._servers.elastic.search(index=self._index, stored_fields="_none_", **request).body


def words_clause(terms: SearchTerms) -> Clause:
    """What must match, and what adds to the score besides."""
    if not terms.matching:
        return EVERYTHING
    clauses = [term_clause(term) for term in terms.matching]
    matching = {"bool": {"must": clauses}} if terms.every else any_of(clauses)
    return {"bool": {"must": [matching], "should": [term_clause(term) for term in terms.scoring]}}


def term_clause(term: Term) -> Clause:
    if term.others:
        return {"dis_max": {"queries": [term_clause(part) for part in (replace(term, others=()), *term.others)]}}
    first, *others = term.words
    if others:
        # As a text: the server splits it into the same words.
        return {"match_phrase": {term.field: {"query": term.text, "boost": term.boost}}}
    return {"term": {term.field: {"value": first, "boost": term.boost}}}


def numbers_within(query: CatalogQuery) -> list[Clause]:
    """The limits on price and rating; a product without the number does not pass."""
    bounds = (("price", "gte", query.price_min), ("price", "lte", query.price_max), ("rating", "gte", query.rating_min))
    # JSON lacks infinity: the largest float stands for it.
    most = sys.float_info.max
    return [
        {"range": {name: {side: max(-most, min(most, bound))}}} for name, side, bound in bounds if bound is not None
    ]


def hidden_by(limits: Sequence[Clause], category: Sequence[Clause]) -> Clause:
    """The clause for products of the category that lack a limited number and pass the limits on the others."""
    unknown = [{"bool": {"must_not": [{"exists": {"field": field}}]}} for limit in limits for field in limit["range"]]
    either = [any_of([limit, lacking]) for limit, lacking in zip(limits, unknown, strict=True)]
    return {"bool": {"filter": [*category, any_of(unknown), *either]}}


def any_of(clauses: Sequence[Clause]) -> Clause:
    return {"bool": {"should": clauses, "minimum_should_match": 1}}
