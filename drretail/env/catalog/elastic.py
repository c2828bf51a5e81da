"""The index in Elasticsearch: created, filled and searched."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeVar, cast

from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from drretail.env.catalog.base import CatalogPage, CatalogQuery, Hit, fold_category
from drretail.env.catalog.engine import BEST, search_index
from drretail.env.catalog.formulation import (
    ENGLISH,
    Formulation,
    SearchTerms,
    Term,
    Tokenizer,
    category_names,
    folded_category,
    formulation_of_index,
    sort_order,
)
from drretail.env.servers.clients import BUSY, Patience, elastic_fault, elastic_faults, is_passing
from drretail.errors import UserError
from drretail.records.base import canonical_json
from drretail.records.shop import Product

ANALYZERS: dict[Tokenizer, str] = {"standard": "words", "whitespace": "whitespace"}
"""The names of the analyzers: the index defines "words"; "whitespace" is Elasticsearch's own."""
LONGEST_WORD = 10_922
"""UTF-16 units of a word. Elasticsearch cuts words at 255 by default; Lucene takes 32,766 bytes."""
LONGEST_NAME = 8_191
"""The most letters of an indexed category name; a longer one could fail a load."""
LARGEST_WINDOW = 2**31 - 1
"""The most hits that a search may skip and show together; the memory it takes is bounded by the products found."""


def index_mappings(formulation: Formulation) -> dict[str, Any]:
    """The mappings of all fields; a document with any other field fails.

    Elasticsearch does not keep the documents themselves: the store holds the records, and nothing reads them here.
    """
    analyzer = ANALYZERS[formulation.tokenizer]
    texts = {
        name: {"type": "text", "analyzer": analyzer, "index_options": "positions" if has_phrases else "freqs"}
        for name, has_phrases in formulation.fields.items()
    }
    return {
        "dynamic": "strict",
        "_meta": {"formulation": formulation.version},
        "_source": {"enabled": False},
        "properties": {
            "product_id": {"type": "keyword", "index": False},
            **texts,
            "category": {"type": "keyword", "doc_values": False, "ignore_above": LONGEST_NAME},
            "category_name": {"type": "keyword", "index": False, "ignore_above": LONGEST_NAME},
            "price": {"type": "double"},
            "rating": {"type": "double"},
            "popularity": {"type": "long"},
        },
    }


def index_kind(client: Elasticsearch, index: str) -> tuple[str, int]:
    """The formulation that an index was made for ("None" if another program made it), and its number of shards.

    Raises UserError if there is no such index.
    """
    try:
        description = client.indices.get(index=index)[index]
    except NotFoundError as problem:
        raise UserError(f"Elasticsearch holds no index {index}; load the world again.") from problem
    except KeyError as problem:
        raise UserError(f"{index} is not the name of an index but an alias of one.") from problem
    formulation = description["mappings"].get("_meta", {}).get("formulation")
    return str(formulation), int(description["settings"]["index"]["number_of_shards"])


def as_document(product: Product, formulation: Formulation) -> dict[str, Any]:
    """The document to index for a product; unknown numbers are left out."""
    names = category_names(product)
    document: dict[str, Any] = {
        "product_id": product.product_id,
        **formulation.texts(product),
        "category": [fold_category(name) for name in names],
        "category_name": names,
        "price": product.price,
        "rating": product.average_rating,
        "popularity": product.rating_number,
    }
    return {name: value for name, value in document.items() if value is not None}


REQUEST_BYTES = 8 * 2**20
"""The bytes of documents in one bulk request. Elasticsearch takes 100 MB by default, a proxy before it often less."""
REQUEST_SECONDS = 120.0
CREATED, THERE_ALREADY, REFUSED = 201, 409, 400

Answer = TypeVar("Answer")
Line = tuple[str, bytes]
"""A product's id, and its document as JSON."""


@dataclass(eq=False, repr=False)
class ElasticWriter:
    """Loads products into one index, in any order and any number of times; a document that is there stays as it is.

    A document is never replaced: its old version would count in the statistics until Elasticsearch merges it away, and
    change the scores of others. Every method retries for as long as ``patience`` says. After that, and for lasting
    errors at once, it raises UserError.
    """

    client: Elasticsearch
    index: str
    _: KW_ONLY
    address: str
    """The server's name in messages, without user and password."""
    formulation: Formulation = ENGLISH
    shards: int = 1
    replicas: int = 0
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        # All retries are made here: the client's own would multiply them, and have no pause between them.
        self.client = self.client.options(max_retries=0, request_timeout=REQUEST_SECONDS)

    def create(self) -> None:
        """Creates the index, or goes on with an existing one. Raises UserError if that one has another formulation."""
        self._patiently(self._create)

    def add(self, products: Sequence[Product]) -> None:
        """Adds the products; returns when all are stored. Raises UserError, which names a refused product."""
        for lines in batches_of(products, self.formulation):
            left = lines
            while left:
                left = self._patiently(lambda left=left: self._send(left))
                if left:
                    self.patience.sleep(self.patience.first_wait)

    def finish(self) -> None:
        """Makes all products searchable, and has the replicas made.

        Raises UserError if the index was replaced meanwhile: Elasticsearch creates a missing index at the first
        document.
        """
        final = {"refresh_interval": None, "number_of_replicas": self.replicas}
        self._patiently(self._check_kind)
        self._patiently(lambda: self.client.indices.refresh(index=self.index))
        self._patiently(lambda: self.client.indices.put_settings(index=self.index, settings=final))

    def drop(self) -> None:
        """Removes the index, if there is one."""
        self._patiently(lambda: self.client.options(ignore_status=404).indices.delete(index=self.index))

    def _create(self) -> None:
        if self.client.indices.exists(index=self.index):
            self._check_kind()
        else:
            words = {"type": "standard", "max_token_length": LONGEST_WORD}
            self.client.indices.create(
                index=self.index,
                mappings=index_mappings(self.formulation),
                settings={
                    "number_of_shards": self.shards,
                    # Until ``finish`` sets the next two, nothing is copied to replicas or made searchable.
                    "number_of_replicas": 0,
                    "refresh_interval": "-1",
                    "max_result_window": LARGEST_WINDOW,
                    "analysis": {"analyzer": {ANALYZERS["standard"]: words}},
                },
            )

    def _check_kind(self) -> None:
        version, _ = index_kind(self.client, self.index)
        if version != self.formulation.version:
            raise UserError(f"The index {self.index} was made in another way ({version}); remove it and load again.")

    def _patiently(self, step: Callable[[], Answer]) -> Answer:
        try:
            return self.patience.patiently(step)
        except (TransportError, ApiError) as problem:
            message = elastic_fault(problem, self.address).message
            if isinstance(problem, ApiError) and problem.status_code == REFUSED:
                # Such as an index template of the server's owner.
                error: Any = problem.body.get("error")
                message += f" It says: {cause(error)}." if isinstance(error, dict) else ""
            later = " The same command goes on where this one stopped." if is_passing(problem) else ""
            raise UserError(f"{message}{later}") from problem

    def _send(self, lines: list[Line]) -> list[Line]:
        """Sends the lines in one request and returns those that the server was too busy for.

        Raises ApiError if the server was too busy for all of them.
        """
        # The client's serializer takes bytes unchanged; its annotation does not say so.
        operations = [part for product_id, line in lines for part in ({"create": {"_id": product_id}}, line)]
        reply = self.client.bulk(index=self.index, operations=cast(Any, operations))
        left: list[Line] = []
        for line, item in zip(lines, reply["items"], strict=True):
            status = item["create"]["status"]
            if status in BUSY:
                left.append(line)
            elif status not in (CREATED, THERE_ALREADY):
                why = cause(item["create"]["error"])
                raise UserError(f"Elasticsearch at {self.address} refuses the product {line[0]!r}: {why}.")
        if len(left) == len(lines):
            status = reply["items"][0]["create"]["status"]
            raise ApiError("every document was refused", replace(reply.meta, status=status), reply.body)
        return left


def batches_of(products: Sequence[Product], formulation: Formulation) -> Iterator[list[Line]]:
    """The products as lines, in batches of about REQUEST_BYTES."""
    batch: list[Line] = []
    size = 0
    for product in products:
        document = json.dumps(as_document(product, formulation), ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8"
        )
        if batch and size + len(document) > REQUEST_BYTES:
            yield batch
            batch, size = [], 0
        batch.append((product.product_id, document))
        size += len(document)
    if batch:
        yield batch


def cause(error: dict[str, Any]) -> str:
    """The innermost reason that Elasticsearch gives, in at most 300 letters."""
    while isinstance(error.get("caused_by"), dict):
        error = error["caused_by"]
    return str(error.get("reason", error.get("type")))[:300].rstrip(".")


Clause = dict[str, Any]
"""A query of Elasticsearch's query language."""

Request = dict[str, Any]
"""The arguments of one search request."""

NO_WORD = " "
"""A term that no product holds, since no word has a space."""
NAMES_AT_ONCE = 10_000
IDS_AT_ONCE = 10_000
MOST_ANSWERS = 1_000
"""The most answers that a catalog remembers: agents and repeats ask the same of an index that never changes."""
_KEYS_ONLY = {"stored_fields": "_none_"}
"""A hit's sort keys are all that is read of it."""


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
        self._answers: dict[str, Mapping[str, Any]] = {}
        # Several spellings may fold to one name; messages use the last one.
        self._names = sorted(self._category_names())
        self._by_folded = {fold_category(name): name for name in self._names}

    def search(self, query: CatalogQuery) -> CatalogPage:
        if query.filters_numbers:
            self._ask_together(query)
        return search_index(self, query)

    def find(self, query: CatalogQuery, among: Sequence[str] | None = None) -> CatalogPage:
        request = self._finding(query, among)
        if request is None:
            return CatalogPage(total=0, hits=())
        reply = self._search(**request)
        keys = [hit["sort"] for hit in reply["hits"]["hits"]]
        is_scored = "_score" in request["sort"][0]
        hits = tuple(Hit(product_id=key[-1], score=float(key[0]) if is_scored else None) for key in keys)
        return CatalogPage(total=reply["hits"]["total"]["value"], hits=hits)

    def count_hidden(self, query: CatalogQuery) -> int:
        request = self._counting_hidden(query)
        return 0 if request is None else self._search(**request)["hits"]["total"]["value"]

    def _finding(self, query: CatalogQuery, among: Sequence[str] | None = None) -> Request | None:
        """The request of a search; None if no product can match."""
        terms = self.formulation.terms(query)
        only: list[Clause] = [] if among is None else [{"ids": {"values": list(among)}}]
        limits = [*self._in_category(query), *numbers_within(query), *only]
        if not terms.matching and query.text.strip():
            return None
        scored = bool(terms.matching) and query.sort_by == "relevance"
        size = min(query.limit, LARGEST_WINDOW)
        clause = catalog_query(terms, limits, scored=scored)
        sort: list[Clause] = [{"product_id": "asc"}]
        if scored:
            sort.insert(0, {"_score": "desc"})
        elif query.sort_by != "relevance":
            sort.insert(0, {query.sort_by: {"order": sort_order(query), "missing": "_last"}})
        return {
            "query": clause if self._one_shard or not scored else with_statistics(clause, [*self.formulation.fields]),
            "sort": sort,
            "from_": min(query.offset, LARGEST_WINDOW - size),
            "size": size,
            "track_total_hits": True,
            # Scores by the statistics of all shards together, as if there were one.
            "search_type": "dfs_query_then_fetch",
        }

    def _counting_hidden(self, query: CatalogQuery) -> Request | None:
        terms = self.formulation.terms(query)
        if not terms.matching and query.text.strip():
            return None
        limits = numbers_within(query)
        some_unknown = any_of([unknown(limit) for limit in limits])
        or_unknown = [any_of([limit, unknown(limit)]) for limit in limits]
        clause = catalog_query(terms, [*self._in_category(query), some_unknown, *or_unknown], scored=False)
        return {"query": clause, "size": 0, "track_total_hits": True}

    def _ask_together(self, query: CatalogQuery) -> None:
        """Asks in one request for the hits of a filtered search and for how many matches its filters hide."""
        first = query
        if query.sort_by != "relevance":
            first = replace(query, sort_by="relevance", order=None, limit=BEST, offset=0)
        requests = [self._finding(first), self._counting_hidden(query)]
        wanted = {key: each for each in requests if each and (key := canonical_json(each)) not in self._answers}
        if len(wanted) < 2:
            return
        parts: list[Request] = []
        for request in wanted.values():
            body = {name.rstrip("_"): value for name, value in request.items() if name != "search_type"}
            kind = {"search_type": request["search_type"]} if "search_type" in request else {}
            parts += [{"index": self._index, "allow_partial_search_results": False, **kind}, _KEYS_ONLY | body]
        with elastic_faults(self._address):
            replies = self._client.msearch(searches=parts)["responses"]
        # One that failed is asked alone when it is needed, and says then what is wrong.
        self._remember({key: reply for key, reply in zip(wanted, replies, strict=True) if "error" not in reply})

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
        after: list[Any] | None = None
        while True:
            reply = self._ask(query=clause, sort=[{"product_id": "asc"}], search_after=after, size=IDS_AT_ONCE)
            hits = reply["hits"]["hits"]
            yield from (hit["sort"][0] for hit in hits)
            if len(hits) < IDS_AT_ONCE:
                return
            after = hits[-1]["sort"]

    def close(self) -> None:
        """Does nothing: the client belongs to the world."""

    def _search(self, **request: Any) -> Mapping[str, Any]:
        """The server's answer, asked for once."""
        key = canonical_json(request)
        known = self._answers.get(key)
        if known is None:
            known = self._ask(**request)
            self._remember({key: known})
        return known

    def _remember(self, answers: Mapping[str, Mapping[str, Any]]) -> None:
        if len(self._answers) > MOST_ANSWERS:
            # A new dict: threads that still use the old one find all that they saw in it.
            self._answers = {}
        self._answers.update(answers)

    def _ask(self, **request: Any) -> Mapping[str, Any]:
        with elastic_faults(self._address):
            return self._client.search(
                index=self._index,
                **_KEYS_ONLY,
                # Otherwise Elasticsearch silently leaves out the products of a shard that fails.
                allow_partial_search_results=False,
                **request,
            ).body

    def _in_category(self, query: CatalogQuery) -> list[Clause]:
        if query.category is None:
            return []
        return [{"term": {"category": folded_category(query.category, self._by_folded)}}]

    def _category_names(self) -> Iterator[str]:
        names: Clause = {"sources": [{"name": {"terms": {"field": "category_name"}}}], "size": NAMES_AT_ONCE}
        while True:
            reply = self._ask(aggs={"names": {"composite": names}}, size=0)
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
    """A clause with the same matches by which every shard reports how common the words are: scores as of one shard.

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
