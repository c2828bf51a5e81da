"""Fills a new Elasticsearch index with products; requests that the server refuses for a while are sent again."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeVar, cast

from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from drretail.env.catalog.base import fold_category
from drretail.env.catalog.formulation import ENGLISH, Formulation, Tokenizer, category_names
from drretail.env.servers.faults import BUSY, Patience, elastic_fault, is_passing
from drretail.errors import UserError
from drretail.records.shop import Product

ANALYZERS: dict[Tokenizer, str] = {"standard": "words", "whitespace": "whitespace"}
"""The names of the analyzers: the index defines "words"; "whitespace" is Elasticsearch's own."""
LONGEST_WORD = 10_922
"""UTF-16 units of a word. Elasticsearch cuts words at 255 by default, the embedded catalog does not; Lucene takes
32,766 bytes.
"""
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
LONGEST_ID = 512
"""The most bytes of a product id. Elasticsearch refuses a whole request with a longer one, without naming it."""

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
        """Adds the products, and returns when all are stored. Raises UserError that names a product which Elasticsearch
        refuses.
        """
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

    def count(self) -> int:
        """The number of products that can be searched; those added since the last ``finish`` may be missing."""
        return int(self._patiently(lambda: self.client.count(index=self.index))["count"])

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
        """The step's result, after as many tries as it takes."""
        try:
            return self.patience.patiently(step)
        except (TransportError, ApiError) as problem:
            message = elastic_fault(problem, self.address).message
            later = " The same command goes on where this one stopped." if is_passing(problem) else ""
            raise UserError(f"{message}{_why(problem)}{later}") from problem

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
    """The products as lines, in batches of about REQUEST_BYTES. Raises UserError for an id that no index takes."""
    batch: list[Line] = []
    size = 0
    for product in products:
        if len(product.product_id.encode("utf-8")) > LONGEST_ID:
            raise UserError(f"The product id {product.product_id[:40]!r}… has over {LONGEST_ID} bytes; shorten it.")
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


def _why(problem: TransportError | ApiError) -> str:
    """Elasticsearch's own reason for refusing an index, such as an index template of the server's owner; empty
    otherwise.
    """
    error: Any = problem.body.get("error") if isinstance(problem, ApiError) and problem.status_code == REFUSED else None
    return f" It says: {cause(error)}." if isinstance(error, dict) else ""


def cause(error: dict[str, Any]) -> str:
    """The innermost reason that Elasticsearch gives, in at most 300 letters."""
    while isinstance(error.get("caused_by"), dict):
        error = error["caused_by"]
    return str(error.get("reason", error.get("type")))[:300].rstrip(".")
