"""Fills a new Elasticsearch index with products; what the server refuses for a while is sent again."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch, NotFoundError

from drretail.env.catalog.base import fold_category
from drretail.env.catalog.formulation import ENGLISH, Formulation, Tokenizer, category_names
from drretail.env.servers.faults import BUSY, Patience, elastic_fault, is_passing
from drretail.errors import UserError
from drretail.records.shop import Product

ANALYZERS: dict[Tokenizer, str] = {"standard": "words", "whitespace": "whitespace"}
"""Their names: "words" is defined by the index, "whitespace" is Elasticsearch's own."""
LONGEST_WORD = 10_922
"""UTF-16 units. By default words are cut at 255, which the embedded catalog does not; Lucene takes 32,766 bytes."""
LONGEST_NAME = 8_191
"""Letters of a category's name; a longer one could fail a load."""
LARGEST_WINDOW = 2**31 - 1
"""Hits that a search may skip and show together; the memory taken grows with the products found at most."""


def index_mappings(formulation: Formulation) -> dict[str, Any]:
    """Every field there is: an unknown one fails the document.

    The documents themselves are not kept: the store holds the records, details included, and nothing reads them here.
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


@dataclass(frozen=True, slots=True)
class IndexKind:
    """What an index that is there was made for."""

    formulation: str
    """How its products are scored; "None" for an index of another program."""
    shards: int


def index_kind(client: Elasticsearch, index: str) -> IndexKind:
    """Raises UserError where there is no such index."""
    try:
        found = client.indices.get(index=index)[index]
    except NotFoundError as problem:
        raise UserError(f"Elasticsearch holds no index {index}; load the world again.") from problem
    except KeyError as problem:
        raise UserError(f"{index} is not the name of an index but an alias of one.") from problem
    formulation = found["mappings"].get("_meta", {}).get("formulation")
    return IndexKind(str(formulation), int(found["settings"]["index"]["number_of_shards"]))


def as_document(product: Product, formulation: Formulation) -> dict[str, Any]:
    """What is indexed of a product; unknown numbers are left out."""
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
"""Of documents in one bulk request; Elasticsearch takes 100 MB by default, a proxy before it often less."""
REQUEST_SECONDS = 120.0
CREATED, THERE_ALREADY, REFUSED = 201, 409, 400
LONGEST_ID = 512
"""Bytes. A longer one makes Elasticsearch refuse the whole request without naming it."""

Answer = TypeVar("Answer")
Line = tuple[str, bytes]
"""A product's id, and its document as JSON."""


class ElasticWriter:
    """Loads products into one index, in any order and as often as wanted: what is there already stays as it is.

    A document is never replaced: its old version would count in the statistics until Elasticsearch merges it away, and
    change the scores of others. Every method tries again for as long as ``patience`` says; then, and for what will not
    pass, it raises UserError.
    """

    def __init__(
        self,
        client: Elasticsearch,
        index: str,
        *,
        address: str,
        formulation: Formulation = ENGLISH,
        shards: int = 1,
        replicas: int = 0,
        patience: Patience | None = None,
    ) -> None:
        """``address`` is how messages name the server: without user and password."""
        # Every retry is made here: the client's own would multiply them, and come without a pause.
        self._client = client.options(max_retries=0, request_timeout=REQUEST_SECONDS)
        self._index = index
        self._address = address
        self._formulation = formulation
        self._shards = shards
        self._replicas = replicas
        self._patience = patience or Patience()

    def create(self) -> None:
        """An index to load into; one that is there is loaded further. UserError where that one is of another kind."""
        self._patiently(self._create)

    def add(self, products: Sequence[Product]) -> None:
        """Returns when all of them are safe. UserError names a product that Elasticsearch refuses for good."""
        for lines in batches_of(products, self._formulation):
            left = lines
            while left:
                left = self._patiently(lambda left=left: self._send(left))
                if left:
                    self._patience.sleep(self._patience.first_wait)

    def finish(self) -> None:
        """Makes everything searchable, and lets the replicas be made.

        Raises UserError when the index was replaced meanwhile: Elasticsearch makes a missing one at the first document.
        """
        final = {"refresh_interval": None, "number_of_replicas": self._replicas}
        self._patiently(self._check_kind)
        self._patiently(lambda: self._client.indices.refresh(index=self._index))
        self._patiently(lambda: self._client.indices.put_settings(index=self._index, settings=final))

    def count(self) -> int:
        """How many products can be searched; without ``finish`` those of the last load are missing."""
        return int(self._patiently(lambda: self._client.count(index=self._index))["count"])

    def drop(self) -> None:
        """Removes the index, if there is one."""
        self._patiently(lambda: self._client.options(ignore_status=404).indices.delete(index=self._index))

    def _create(self) -> None:
        if self._client.indices.exists(index=self._index):
            self._check_kind()
        else:
            words = {"type": "standard", "max_token_length": LONGEST_WORD}
            self._client.indices.create(
                index=self._index,
                mappings=index_mappings(self._formulation),
                settings={
                    "number_of_shards": self._shards,
                    "number_of_replicas": 0,
                    "refresh_interval": "-1",
                    "max_result_window": LARGEST_WINDOW,
                    "analysis": {"analyzer": {ANALYZERS["standard"]: words}},
                },
            )

    def _check_kind(self) -> None:
        found = index_kind(self._client, self._index).formulation
        if found != self._formulation.version:
            raise UserError(f"The index {self._index} was made in another way ({found}); remove it and load again.")

    def _patiently(self, step: Callable[[], Answer]) -> Answer:
        """What the step gives, at last."""
        try:
            return self._patience.patiently(step)
        except (TransportError, ApiError) as problem:
            message = elastic_fault(problem, self._address).message
            later = " The same command goes on where this one stopped." if is_passing(problem) else ""
            raise UserError(f"{message}{_why(problem)}{later}") from problem

    def _send(self, lines: list[Line]) -> list[Line]:
        """Sends the lines in one request and gives those that the server was too busy for; raises when that is all."""
        # The client's serializer takes bytes as they are; its annotation does not say so.
        operations = [part for product_id, line in lines for part in ({"create": {"_id": product_id}}, line)]
        reply = self._client.bulk(index=self._index, operations=cast(Any, operations))
        left: list[Line] = []
        for line, item in zip(lines, reply["items"], strict=True):
            status = item["create"]["status"]
            if status in BUSY:
                left.append(line)
            elif status not in (CREATED, THERE_ALREADY):
                why = cause(item["create"]["error"])
                raise UserError(f"Elasticsearch at {self._address} refuses the product {line[0]!r}: {why}.")
        if len(left) == len(lines):
            status = reply["items"][0]["create"]["status"]
            raise ApiError("every document was refused", replace(reply.meta, status=status), reply.body)
        return left


def batches_of(products: Sequence[Product], formulation: Formulation) -> Iterator[list[Line]]:
    """The products as lines, in batchs of about REQUEST_BYTES; UserError for an id that no index takes."""
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
    """What Elasticsearch itself says against an index: it may be a template of its owner that stands in the way."""
    error: Any = problem.body.get("error") if isinstance(problem, ApiError) and problem.status_code == REFUSED else None
    return f" It says: {cause(error)}." if isinstance(error, dict) else ""


def cause(error: dict[str, Any]) -> str:
    """The innermost reason that Elasticsearch gives, in at most 300 letters."""
    while isinstance(error.get("caused_by"), dict):
        error = error["caused_by"]
    return str(error.get("reason", error.get("type")))[:300].rstrip(".")
