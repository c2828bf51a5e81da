"""The catalog of a world on servers: one Elasticsearch index, whose rankings are those of the embedded catalog."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from elastic_transport import ObjectApiResponse
from elasticsearch import Elasticsearch

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Hit, Spelling, fold_category
from drretail.env.catalog.elastic_load import LARGEST_WINDOW, index_kind
from drretail.env.catalog.engine import FIELD, MOST_ERRORS, SAME_BEGINNING, search_index, spellings
from drretail.env.catalog.formulation import SearchTerms, Term, folded_category, formulation_of_index, sort_order
from drretail.env.servers.faults import elastic_faults

Clause = dict[str, Any]
"""A query of Elasticsearch's query language."""

NO_WORD = " "
"""A term that no product holds, since no word has a space."""
NAMES_AT_ONCE = 10_000
IDS_AT_ONCE = 10_000
NEAR_WORDS = 100
"""The most spellings to choose from; the server returns those with the fewest errors."""


class ElasticCatalog:
    """Implements ``base.Catalog`` on one index, by its full name, so that it never sees another generation.

    The client belongs to the caller, who closes it. If the server fails, every method raises ToolError("unavailable")
    or ToolError("timeout").
    """

    def __init__(self, client: Elasticsearch, index: str, *, address: str) -> None:
        """Raises UserError if there is no such index, or if it was made for another formulation.

        ``address`` is the server's name in messages, without user and password.
        """
        self._client = client
        self._index = index
        self._address = address
        with elastic_faults(address):
            version, shards = index_kind(client, index)
        self.formulation = formulation_of_index(version, f"The index {index}")
        self._one_shard = shards == 1
        self._spellings: dict[str, str | None] = {}
        # Several spellings may fold to one name; messages use the last one.
        self._names = sorted(self._category_names())
        self._by_folded = {fold_category(name): name for name in self._names}

    def search(self, query: CatalogQuery) -> CatalogPage:
        return search_index(self, query)

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        terms = self.formulation.terms(query)
        only: list[Clause] = [] if among is None else [{"ids": {"values": list(among)}}]
        limits = [*self._in_category(query), *numbers_within(query), *only]
        if not terms.matching and query.text.strip():
            return CatalogPage(total=0, hits=())
        scored = bool(terms.matching) and query.sort_by == "relevance"
        size = min(query.limit, LARGEST_WINDOW)
        clause = catalog_query(terms, limits, scored=scored)
        reply = self._search(
            query=clause if self._one_shard or not scored else with_statistics(clause, list(self.formulation.fields)),
            sort=sort_keys(query, scored=scored),
            from_=min(query.offset, LARGEST_WINDOW - size),
            size=size,
            track_total_hits=True,
            # Scores by the statistics of all shards together, as if there were one.
            search_type="dfs_query_then_fetch",
        )
        keys = [hit["sort"] for hit in reply["hits"]["hits"]]
        hits = tuple(Hit(product_id=key[-1], score=float(key[0]) if scored else None) for key in keys)
        return CatalogPage(total=reply["hits"]["total"]["value"], hits=hits)

    def count_hidden(self, query: CatalogQuery) -> int:
        terms = self.formulation.terms(query)
        if not terms.matching and query.text.strip():
            return 0
        limits = numbers_within(query)
        some_unknown = any_of([unknown(limit) for limit in limits])
        or_unknown = [any_of([limit, unknown(limit)]) for limit in limits]
        clause = catalog_query(terms, [*self._in_category(query), some_unknown, *or_unknown], scored=False)
        return self._search(query=clause, size=0, track_total_hits=True)["hits"]["total"]["value"]

    def spellings(self, text: str) -> list[Spelling]:
        return spellings(self, text, self._spellings)

    def count_holding(self, indexed: Sequence[str]) -> Sequence[int]:
        holding = {"filters": {"filters": [{"term": {FIELD: word}} for word in indexed]}}
        reply = self._search(aggs={"holding": holding}, size=0)
        return [bucket["doc_count"] for bucket in reply["aggregations"]["holding"]["buckets"]]

    def words_near(self, word: str) -> dict[str, int]:
        near = {
            "field": FIELD,
            "suggest_mode": "always",
            "max_edits": MOST_ERRORS,
            "prefix_length": SAME_BEGINNING,
            "min_word_length": SAME_BEGINNING,
            "size": NEAR_WORDS,
        }
        reply = self._search(suggest={"near": {"text": word, "term": near}}, size=0)
        return {option["text"]: option["freq"] for entry in reply["suggest"]["near"] for option in entry["options"]}

    def categories(self) -> list[str]:
        return list(self._names)

    def product_ids(self) -> Iterator[str]:
        """The ids of all products, in order."""
        return self._ids_of({"match_all": {}})

    def matching(self, query: CatalogQuery) -> list[str]:
        terms = self.formulation.terms(query)
        if not terms.matching and query.text.strip():
            return []
        limits = [*self._in_category(query), *numbers_within(query)]
        return list(self._ids_of(catalog_query(terms, limits, scored=False)))

    def _ids_of(self, clause: Clause) -> Iterator[str]:
        """The ids of all products that match a clause, in order."""
        after: list[Any] | None = None
        while True:
            reply = self._search(query=clause, sort=[{"product_id": "asc"}], search_after=after, size=IDS_AT_ONCE)
            hits = reply["hits"]["hits"]
            yield from (hit["sort"][0] for hit in hits)
            if len(hits) < IDS_AT_ONCE:
                return
            after = hits[-1]["sort"]

    def close(self) -> None:
        """Does nothing: the client belongs to the world."""

    def _search(self, **request: Any) -> ObjectApiResponse[Any]:
        with elastic_faults(self._address):
            return self._client.search(
                index=self._index,
                # A hit's sort keys are all that is read of it.
                stored_fields="_none_",
                # Otherwise Elasticsearch silently leaves out the products of a shard that fails.
                allow_partial_search_results=False,
                **request,
            )

    def _in_category(self, query: CatalogQuery) -> list[Clause]:
        if query.category is None:
            return []
        return [{"term": {"category": folded_category(query.category, self._by_folded)}}]

    def _category_names(self) -> Iterator[str]:
        names: Clause = {"sources": [{"name": {"terms": {"field": "category_name"}}}], "size": NAMES_AT_ONCE}
        while True:
            reply = self._search(aggs={"names": {"composite": names}}, size=0)
            page = reply["aggregations"]["names"]
            yield from (bucket["key"]["name"] for bucket in page["buckets"])
            if len(page["buckets"]) < NAMES_AT_ONCE:
                return
            names = {**names, "after": page["after_key"]}


def catalog_query(terms: SearchTerms, limits: list[Clause], *, scored: bool) -> Clause:
    """The clause of a search: what must match, what adds to the score, and the filters."""
    if not terms.matching:
        return {"bool": {"must": [{"match_all": {}}], "filter": limits}}
    clauses = [term_clause(term) for term in terms.matching]
    matching: Clause = {"bool": {"must": clauses} if terms.every else {"should": clauses, "minimum_should_match": 1}}
    scoring = [term_clause(term) for term in terms.scoring] if scored else []
    return {"bool": {"must": [matching], "should": scoring, "filter": limits}}


def with_statistics(clause: Clause, fields: list[str]) -> Clause:
    """A clause with the same matches that makes every shard report how common the words are, so that scores are those
    of one shard.

    Otherwise a shard reports no word frequencies if nothing in it passes a filter (for instance, if all its products
    are cheaper than asked for), and no text lengths if it holds no word of a phrase. Measured: scores up to 3.7 times
    too low.
    """
    (matching,) = clause["bool"]["must"]
    never = [{"term": {field: NO_WORD}} for field in fields]
    words_alone = {"bool": {"must": [*never, matching, *clause["bool"]["should"]]}}
    return {"bool": {"should": [clause, words_alone], "minimum_should_match": 1}}


def term_clause(term: Term) -> Clause:
    if term.others:
        return {"dis_max": {"queries": [term_clause(each) for each in (replace(term, others=()), *term.others)]}}
    first, *others = term.words
    if others:
        # As a text: the server splits it into the same words.
        return {"match_phrase": {term.field: {"query": term.text, "boost": term.boost}}}
    return {"term": {term.field: {"value": first, "boost": term.boost}}}


def numbers_within(query: CatalogQuery) -> list[Clause]:
    """The limits on price and rating; a product without the number does not pass."""
    clauses: list[Clause] = []
    price = {"gte": query.price_min, "lte": query.price_max}
    bounds = {name: finite(number) for name, number in price.items() if number is not None}
    if bounds:
        clauses.append({"range": {"price": bounds}})
    if query.rating_min is not None:
        clauses.append({"range": {"rating": {"gte": finite(query.rating_min)}}})
    return clauses


def unknown(limit: Clause) -> Clause:
    """The clause for products that lack the number of a limit from ``numbers_within``."""
    (field,) = limit["range"]
    return {"bool": {"must_not": [{"exists": {"field": field}}]}}


def any_of(clauses: list[Clause]) -> Clause:
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def finite(number: float) -> float:
    """The number, or the largest float for infinity, which JSON lacks."""
    return max(-sys.float_info.max, min(sys.float_info.max, number))


def sort_keys(query: CatalogQuery, *, scored: bool) -> list[Clause]:
    """The sort of the query, then the product id; a missing number comes last in either direction."""
    by_id = {"product_id": "asc"}
    if query.sort_by == "relevance":
        return [{"_score": "desc"}, by_id] if scored else [by_id]
    return [{query.sort_by: {"order": sort_order(query), "missing": "_last"}}, by_id]
