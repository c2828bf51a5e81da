"""Records of the products that imported reports name, looked up in a shop for judging.

A report names a product by its address, its id, or its title. Nothing shows that its writer read the record.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.eval.claims.named_products import products_named
from drretail.grounding.report.citations import citing_marks
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.harmless import harmless
from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.text.serialisation import record_text
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.shop import SHOP_URL, Product

_OF_SHOP = re.compile(r"/(?:products?|p|item)/(?P<key>[^/]+)/?\Z")
"""How most shops' product addresses end. ``product_url`` in the shop's mapping gives another form."""
_KEY = re.compile(r"\\\{(?:handle|id)\\\}")
_LONGEST, _HITS = 400, 25
"""The most characters of a sentence that are searched for, and the most products whose titles are then compared with
it.
"""


class NamedProducts:
    """Finds the shop's products that reports name. Each is looked up once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._products: dict[str, Product | None] = {}
        form = world.manifest.parameters.get("mapping", {}).get("product_url")
        self._address = None if form is None else re.compile(_KEY.sub("(?P<key>[^/?#]+)", re.escape(_bare(form))))

    def named_by(self, report: str) -> tuple[Evidence, ...]:
        """The records of the products that a report names, as evidence, with the addresses by which it
        links to them.
        """
        urls: dict[str, str] = {}
        ids: list[str] = []
        for mark in citing_marks(report, None):
            for cited in mark.cited:
                if cited.url is not None and (key := self._key_of(cited.url)):
                    urls.setdefault(key, cited.url)
                elif cited.name.startswith("P:"):
                    ids.append(cited.name.removeprefix("P:"))
        titled = [one.product_id for one in products_named(report, self._candidates(report))]
        found = self._known([*urls, *ids, *titled])
        return tuple(_evidence(product, urls.get(key)) for key, product in found.items())

    def _key_of(self, url: str) -> str | None:
        """The id of the product at an address; None if the shop has no product there."""
        parts = urlsplit(url)
        if url.startswith(SHOP_URL):
            return parts.path.strip("/") or None
        if self._address is not None:
            found = self._address.fullmatch(_bare(url).partition("?")[0].partition("#")[0].rstrip("/"))
        else:
            found = _OF_SHOP.search(parts.path)
        key = None if found is None else unquote(found["key"])
        return key if key and self._known([key]) else None

    def _candidates(self, report: str) -> dict[str, str]:
        """Titles of the products that the sentences of a report may name, by id."""
        found: list[str] = []
        for sentence in find_sentences(report):
            words = " ".join(re.findall(r"[^\W_]+", report[sentence.start : sentence.end]))[:_LONGEST]
            found += (hit.product_id for hit in self._world.catalog.search(CatalogQuery(words, limit=_HITS)).hits)
        return {key: product.title for key, product in self._known(found).items()}

    def _known(self, keys: Iterable[str]) -> dict[str, Product]:
        """The shop's products with these ids. Ids that it doesn't have are left out."""
        wanted = list(dict.fromkeys(keys))
        if missing := [key for key in wanted if key not in self._products]:
            held = self._world.store.products(missing)
            self._products.update((key, held.get(key)) for key in missing)
        return {key: product for key in wanted if (product := self._products[key]) is not None}


def _bare(url: str) -> str:
    """The address without its scheme and www."""
    return re.sub(r"^https?://(?:www\.)?", "", url, flags=re.IGNORECASE).rstrip("/")


def _evidence(product: Product, url: str | None) -> Evidence:
    text = record_text(product)
    record = EvidenceText(sha256=sha256_of(text), form="record", text=text, shown=False, path="0", seq=0)
    return Evidence(
        id=product_evidence_id(product.product_id),
        kind="product",
        key=product.product_id,
        title=harmless(product.title),
        url=url,
        texts=(record,),
        looked_up=True,
    )


def with_looked_up(seen: Iterable[Evidence], looked_up: Iterable[Evidence]) -> Iterator[Evidence]:
    """The evidence of a log, completed by records of the shop. If both have a product, the shop's record comes last."""
    by_id = {entry.id: entry for entry in looked_up}
    for entry in seen:
        own = by_id.pop(entry.id, None)
        if own is None:
            yield entry
        else:
            texts = (*entry.texts, *own.texts)
            yield entry.model_copy(update={"texts": texts, "looked_up": True, "url": entry.url or own.url})
    yield from by_id.values()
