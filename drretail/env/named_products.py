"""Records of the products that imported reports name, looked up in a shop for judging.

A report names a product by its address, its id, or its title. Nothing shows that its writer read the record.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit
from weakref import finalize

from drretail.env.catalog.base import CatalogQuery
from drretail.env.folder import rows_of
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.report.citations import citing_marks
from drretail.grounding.report.evidence_ids import order_evidence_id, product_evidence_id
from drretail.grounding.report.markup import blanked
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.layout import find_sentences
from drretail.grounding.text.serialisation import compact_json, order_record, record_text
from drretail.grounding.text.untrusted import harmless
from drretail.grounding.text.wording import products_named
from drretail.grounding.text.words import answer_words, stem
from drretail.grounding.verify.product_statements import GONE, POLICY, UNKNOWN, UNNAMED
from drretail.grounding.verify.records import all_words_of
from drretail.grounding.verify.turns import ORDER_ID, PRODUCT_ID
from drretail.parsing import texts_in
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.run import Run, Step
from drretail.records.shop import SHOP_URL, USD, Order, Product

_OF_SHOP = re.compile(r"/(?:products?|p|item)/(?P<key>[^/]+)/?\Z")
"""How most shops' product addresses end. ``product_url`` in the shop's mapping gives another form."""
_KEY = re.compile(r"\\\{(?:handle|id)\\\}")
_MOST_LINES = 20
"""The most lines of an order that are looked up."""
_LOOKED_AT, _FEWEST_ALIKE = 2_000, 3
"""The ids from which the form of ids is read, and how many must have it."""
_PART = re.compile(r"[^\W_][\w'’&/-]*(?:[.,]\d[\w-]*)*")
_FEWEST_WORDS, _UNIT = 2, 2
"""How many words a product's name has at least, and the letters of a unit at most."""
_ALIKE = 0.75
"""The least similarity of a word and its misspelling."""
_LONGEST, _HITS = 400, 25
"""The most characters of a sentence that are searched for, and the most products whose titles it is compared with."""


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The products of one generation. Each is looked up once."""

    world: World
    _products: dict[str, Product | None] = field(default_factory=dict[str, Product | None])

    def known(self, keys: Iterable[str]) -> dict[str, Product]:
        """The products with these ids. Ids that it doesn't have are left out."""
        wanted = list(dict.fromkeys(keys))
        if missing := [key for key in wanted if key not in self._products]:
            held = self.world.store.products(missing)
            self._products.update((key, held.get(key)) for key in missing)
        return {key: product for key in wanted if (product := self._products[key]) is not None}

    def candidates(self, report: str) -> dict[str, Product]:
        """The products that the sentences of a report may name by their titles, by id."""
        ids: list[str] = []
        for sentence in find_sentences(report):
            words = " ".join(re.findall(r"[^\W_]+", report[sentence.start : sentence.end]))[:_LONGEST]
            ids += (hit.product_id for hit in self.world.catalog.search(CatalogQuery(words, limit=_HITS)).hits)
        return self.known(ids)


class NamedProducts:
    """Finds the shop's products that reports name, and those that its former generation had."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._shop = _Shelf(world)
        self._mapping: Mapping[str, Any] = world.manifest.parameters.get("mapping", {})
        form = self._mapping.get("product_url")
        self._address = None if form is None else re.compile(_KEY.sub("(?P<key>[^/?#]+)", re.escape(_bare(form))))

    def named_by(
        self, report: str, question: str = "", steps: Sequence[Step] = (), seen: Iterable[Evidence] = ()
    ) -> tuple[Evidence, ...]:
        """The records of the products and orders that a report, its question and its tools name, and the shop's policy.

        Products have the addresses by which the report links to them. What such an address, or an id of the form of the
        shop's ids, names and the shop does not have is evidence without a text.
        """
        urls: dict[str, str] = {}
        missing: dict[str, str | None] = {}
        ids: list[str] = [entry.key for entry in seen if entry.kind == "product"]
        ids += (value for step in steps for value in texts_in(step.args or {}))
        for mark in citing_marks(report, None):
            for cited in mark.cited:
                key = None if cited.url is None else self._key_of(cited.url)
                if cited.url is not None and key is not None and self._shop.known([key]):
                    urls.setdefault(key, cited.url)
                elif cited.url is not None and key is not None and (self._address is not None or self._gone([key])):
                    missing.setdefault(key, cited.url)
                elif cited.name.startswith("P:"):
                    ids.append(cited.name.removeprefix("P:"))
        written = dict.fromkeys(match[0] for text in (report, question) for match in PRODUCT_ID.finditer(text))
        ids += written
        texts = [report, question, *(entry.title for entry in seen if entry.kind == "product")]
        titled = [key for text in texts for key in self._titled(text)]
        products = self._shop.known([*urls, *ids, *titled])
        unknown = [key for key in written if key not in products and key not in missing]
        gone = self._gone([*missing, *unknown, *titled])
        missing = {key: None for key in (*gone, *unknown) if key in gone or _form(key) in self._forms} | missing
        titles = {key: product.titles for key, product in (products | gone).items()}
        unsold = {name: self._why_unsold(name) for name in names_beside_money(report, titles)}
        return (
            *(_evidence(product, urls.get(key)) for key, product in products.items()),
            *(_missing(key, url, gone.get(key), text="\n".join(texts)) for key, url in missing.items()),
            *(_missing(name, None, None, why=why) for name, why in unsold.items() if why is not None),
            *self._policy,
            *(self._order(order) for order in self._orders(texts[:2])),
        )

    def named_by_run(self, run: Run, query: Query, seen: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """The evidence of a run, completed by these."""
        entries = [*seen]
        return tuple(with_looked_up(entries, self.named_by(run.report or "", query.text, run.steps, entries)))

    def _orders(self, texts: Iterable[str]) -> list[Order]:
        """The orders whose ids stand in texts; those of several lines have a number behind their id."""
        orders: dict[str, Order] = {}
        for name in dict.fromkeys(match["id"] for text in texts for match in ORDER_ID.finditer(text)):
            for key in (name, *(f"{name}-{line}" for line in range(1, _MOST_LINES + 1))):
                try:
                    orders[key] = self._world.store.order(key)
                except NotFound:
                    if key != name:
                        break
        return list(orders.values())

    def _order(self, order: Order) -> Evidence:
        """The record of an order, without whose it is, and without a status that no column of the shop told."""
        columns = self._mapping.get("orders") or {}
        hidden = {"user_id"} | (
            {"order_status"} if columns and columns.keys().isdisjoint(("status", "cancelled")) else set()
        )
        product = self._shop.known([order.product_id]).get(order.product_id)
        shown = {name: value for name, value in order_record(order).items() if name not in hidden}
        text = compact_json(shown | ({} if product is None else {"product_title": harmless(product.title)}))
        record = EvidenceText(sha256=sha256_of(text), form="record", text=text, shown=False, path="0", seq=0)
        return Evidence(
            id=order_evidence_id(order.order_id),
            kind="order",
            key=order.order_id,
            title=f"Order {order.order_id}",
            texts=(record,),
            looked_up=True,
        )

    def _key_of(self, url: str) -> str | None:
        """The id of the product that an address has the form of; None for other addresses."""
        parts = urlsplit(url)
        if url.startswith(SHOP_URL):
            return parts.path.strip("/") or None
        if self._address is not None:
            match = self._address.fullmatch(_bare(url).partition("?")[0].partition("#")[0].rstrip("/"))
        else:
            match = _OF_SHOP.search(parts.path)
        return None if match is None else unquote(match["key"]) or None

    @cached_property
    def _former(self) -> _Shelf | None:
        world = self._world.open_former()
        if world is None:
            return None
        finalize(self, world.close)
        return _Shelf(world)

    def _gone(self, keys: Iterable[str]) -> dict[str, Product]:
        """The products with these ids that only the former generation has."""
        present = self._shop.known(keys)
        former = {} if self._former is None else self._former.known(keys)
        return {key: product for key, product in former.items() if key not in present}

    def _titled(self, text: str) -> list[str]:
        """The ids of the products, gone ones too, that a text names by their titles."""
        here = self._shop.candidates(text)
        gone = {} if self._former is None else self._gone(self._former.candidates(text))
        titles = {key: product.titles for key, product in (here | gone).items()}
        return [one.product_id for one in products_named(text, titles, only_whole=gone)]

    @cached_property
    def _first(self) -> list[Product]:
        """Some products, from which the form of ids and the currency are read."""
        place = self._world.servers or self._world.folder
        if place is None:
            return []
        with rows_of(place, self._world.settings) as rows:
            return [*islice(rows.products, _LOOKED_AT)]

    @cached_property
    def _policy(self) -> tuple[Evidence, ...]:
        policy = self._mapping.get("policy")
        if not policy:
            return ()
        text = compact_json({**policy, "currency": next((item.currency for item in self._first), USD)})
        record = EvidenceText(sha256=sha256_of(text), form="record", text=text, shown=False, path="0", seq=0)
        key = POLICY.partition(":")[2]
        return (Evidence(id=POLICY, kind="file", key=key, title="policy", texts=(record,), looked_up=True),)

    def _why_unsold(self, name: str) -> str | None:
        """Why a name is that of no product; None if a product, a former one too, has all its words, in any order.

        ``UNKNOWN`` if it is called what titles of the shop call things: "Fjord Pendant Lamp", but not "Gift Voucher".
        """
        own = words_of_name(name)
        shelves = [self._shop, *([] if self._former is None else [self._former])]
        if any(_has_words(product, own) for shelf in shelves for product in shelf.candidates(name).values()):
            return None
        return UNKNOWN if next((word for word in reversed(own) if word.isalpha()), "") in self._things else UNNAMED

    @cached_property
    def _things(self) -> Collection[str]:
        """What the titles of products end with, but for sizes: "lamp"."""
        titles = (words_of_name(title) for item in self._first for title in item.titles.splitlines())
        return {next((word for word in reversed(title) if word.isalpha()), "") for title in titles}

    @cached_property
    def _forms(self) -> Collection[str]:
        """The form, digits aside, that the ids of most of the shop's products have."""
        forms = Counter(_form(item.product_id) for item in self._first)
        return [form for form, count in forms.items() if count * 2 > forms.total() and count >= _FEWEST_ALIKE]


def names_beside_money(text: str, titles: Mapping[str, str]) -> Iterator[str]:
    """What has the form of a product's name in the sentences of a text that name an amount of money, without the
    products of these titles: words with a capital, of which two or more stand together, with their sizes.
    """
    money = [(one.start, one.end) for one in find_money(text)]
    taken = [*money, *((one.start, one.end) for one in products_named(text, titles))]
    names: dict[str, None] = {}
    for sentence in find_sentences(text):
        if any(sentence.start <= start < sentence.end for start, _ in money):
            names |= dict.fromkeys(_names(blanked(text, taken), sentence.start, sentence.end))
    yield from names


def _names(text: str, start: int, end: int) -> Iterator[str]:
    run: list[re.Match[str]] = []
    for part in (*_PART.finditer(text, start, end), None):
        is_next = part is not None and (not run or text[run[-1].end() : part.start()] == " ")
        is_size = part is not None and run and run[-1][0].isdigit() and len(part[0]) <= _UNIT
        if is_next and part is not None and (part[0][0].isupper() or part[0][0].isdigit() or is_size):
            run.append(part)
            continue
        while run and (run[0][0].casefold() in answer_words("function") or run[0][0].isdigit()):
            run = run[1:]
        if sum(one[0][0].isalpha() and len(one[0]) > _UNIT for one in run) >= _FEWEST_WORDS:
            yield text[run[0].start() : run[-1].end()]
        run = [part] if part is not None and part[0][0].isupper() else []


def words_of_name(name: str) -> list[str]:
    """The words of a name, its sizes as numbers alone: "510 L" is "510"."""
    parts = (match[0].casefold() for match in re.finditer(r"\d+(?:[.,]\d+)?|[^\W\d_]{3,}", name))
    return [part if part[0].isdigit() else stem(part) for part in parts]


def _has_words(product: Product, own: Collection[str]) -> bool:
    known = words_of_name(
        f"{product.titles} {product.brand or ''} {' '.join(product.categories)} {all_words_of(product)}"
    )
    return all(word in known or (word.isalpha() and get_close_matches(word, known, 1, _ALIKE)) for word in own)


def _form(key: str) -> str:
    return re.sub(r"\d", "0", key)


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
        url=url or product.page,
        image=product.image,
        texts=(record,),
        looked_up=True,
    )


def _missing(key: str, url: str | None, former: Product | None, *, why: str = UNKNOWN, text: str = "") -> Evidence:
    """A product that the shop doesn't have, with the title by which a text names it."""
    titles = [key] if former is None else former.titles.splitlines()
    title = next((one for one in titles if one.casefold() in text.casefold()), titles[0])
    return Evidence(
        id=product_evidence_id(key),
        kind="product",
        key=key,
        title=harmless(title),
        url=url,
        state="no_content",
        problem=why if former is None else GONE,
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
            known = {"url": entry.url or own.url, "image": own.image, "problem": entry.problem or own.problem}
            yield entry.model_copy(update={"texts": (*entry.texts, *own.texts), "looked_up": True, **known})
    yield from by_id.values()
