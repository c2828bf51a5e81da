"""The shop's products and orders that imported reports name, by ids, addresses and titles, looked up for judging.

Nothing shows that a report's writer read these records.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from urllib.parse import unquote, urlsplit
from weakref import finalize

from drretail.env import looked_up
from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.parsing import texts_in
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.run import Run, Step
from drretail.records.shop import SHOP_URL, Product
from drretail.reports.citations import scan
from drretail.reports.text.product_names import products_named
from drretail.shopping.verify.parts import ORDER_ID, PRODUCT_ID

_OF_SHOP = re.compile(r"/(?:products?|p|item)/(?P<key>[^/]+)/?\Z")
"""How most shops' product addresses end. ``product_url`` in the shop's mapping gives another form."""
_KEY = re.compile(r"\\\{(?:handle|id)\\\}")
_LOOKED_AT, _FEWEST_ALIKE = 2_000, 3
"""The ids from which the form of ids is read, and how many must have it."""
_MOST_FOUND, _LONGEST_QUERY = 50, 4_000
"""The hits among which titles of a text are looked for, and the characters of it that are searched for."""


class NamedProducts:
    """Finds the shop's products that reports name, and those that its former generation had."""

    def __init__(self, world: World) -> None:
        self._world = world
        form = looked_up.mapping_of(world).get("product_url")
        self._address = None if form is None else re.compile(_KEY.sub("(?P<key>[^/?#]+)", re.escape(_bare(form))))

    def named_by(
        self, report: str, question: str = "", steps: Sequence[Step] = (), seen: Iterable[Evidence] = ()
    ) -> tuple[Evidence, ...]:
        """The records of the products and orders that a report, its question and its calls name, together, and the
        shop's policy.

        Products have the addresses by which the report links to them. What such an address, or an id of the form of the
        shop's ids, names and the shop does not have is evidence without a text.
        """
        linked: dict[str, str] = {}
        ids = [entry.key for entry in seen if entry.kind == "product"]
        values = (value for step in steps for value in (step.args or {}).values())
        called = [text for value in values for text in ([*texts_in(value)] or [str(value)])]
        ids += called
        for cited in (cited for mark in scan(report, None).marks for cited in mark.cited):
            if cited.url is not None and (key := self._key_of(cited.url)) is not None:
                linked.setdefault(key, cited.url)
            if cited.name.startswith("P:"):
                ids.append(cited.name.removeprefix("P:"))
        texts = (report, question)
        order_ids = dict.fromkeys(match["id"] for text in texts for match in ORDER_ID.finditer(text))
        called_ids = (match["id"] for match in map(ORDER_ID.fullmatch, called) if match is not None)
        orders = looked_up.orders_named(self._world, dict.fromkeys((*order_ids, *called_ids)))
        written = dict.fromkeys(match[0] for text in texts for match in PRODUCT_ID.finditer(text))
        titled = (key for text in texts for key in self._titled_in(text))
        products = _products(self._world, [*linked, *ids, *written, *titled])
        absent = [key for key in (*linked, *written) if key not in products]
        gone = {} if not absent or self._former is None else _products(self._former, absent)
        # Other addresses and words may only look like those of a product: "/p/returns" is a page.
        unknown = [key for key in linked if key in absent and self._address is not None]
        unknown = [key for key in unknown if _signs(key) in self._signs]
        unknown += [key for key in written if key in absent and _form(key) in self._forms]
        return (
            *(looked_up.of_product(product, linked.get(key)) for key, product in products.items()),
            *(looked_up.of_missing(key, linked.get(key), gone.get(key)) for key in dict.fromkeys([*gone, *unknown])),
            *self._policy,
            *orders.values(),
            *(looked_up.of_missing_order(name) for name in order_ids if self._is_missing(name, orders)),
        )

    def _titled_in(self, text: str) -> list[str]:
        """The products whose titles a text has, of those that a search for it finds first."""
        if not text.strip():
            return []
        page = self._world.catalog.search(CatalogQuery(text[:_LONGEST_QUERY], limit=_MOST_FOUND))
        products = _products(self._world, [hit.product_id for hit in page.hits])
        titles = {key: product.titles for key, product in products.items()}
        return [match.product_id for match in products_named(text, titles)]

    def named_by_run(self, run: Run, query: Query, seen: Iterable[Evidence]) -> tuple[Evidence, ...]:
        """The evidence of a run, completed by these."""
        entries = [*seen]
        entries_named = self.named_by(run.report or "", query.text, run.steps, entries)
        return tuple(looked_up.with_looked_up(entries, entries_named))

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
    def _former(self) -> World | None:
        world = self._world.open_former()
        if world is not None:
            finalize(self, world.close)
        return world

    @cached_property
    def _policy(self) -> tuple[Evidence, ...]:
        return tuple(looked_up.policy_of(self._world))

    @cached_property
    def _ids(self) -> Sequence[str]:
        return [item.product_id for item in looked_up.first_products(self._world, _LOOKED_AT)]

    @cached_property
    def _forms(self) -> Collection[str]:
        """The form, digits aside, that the ids of most of the shop's products have."""
        return _common_forms(self._ids)

    @cached_property
    def _signs(self) -> Collection[frozenset[str]]:
        """What the ids of the shop's products consist of."""
        return {*map(_signs, self._ids)}

    def _is_missing(self, name: str, orders: Collection[str]) -> bool:
        """True for an id of the form of the shop's orders by which there is none."""
        is_held = any(key == name or key.rpartition("-")[0] == name for key in orders)
        return not is_held and _form(name) in self._order_forms

    @cached_property
    def _order_forms(self) -> Collection[str]:
        """The forms, digits aside, of the shop's own orders, without the numbers of their lines."""
        ids = looked_up.first_orders(self._world, _LOOKED_AT)
        lines = {key.rpartition("-")[0] for key in ids if key.endswith("-2")}
        return _common_forms(key.rpartition("-")[0] if key.rpartition("-")[0] in lines else key for key in ids)


def _products(world: World, keys: Sequence[str]) -> dict[str, Product]:
    """The products that a world has, in the order of these ids."""
    held = world.store.products(list(dict.fromkeys(keys)))
    return {key: held[key] for key in keys if key in held}


def _common_forms(ids: Iterable[str]) -> Collection[str]:
    """The form, digits aside, that most of these ids have; none of too few."""
    forms = Counter(map(_form, ids))
    return [form for form, count in forms.items() if count * 2 > forms.total() and count >= _FEWEST_ALIKE]


def _form(key: str) -> str:
    return re.sub(r"\d", "0", key)


def _signs(key: str) -> frozenset[str]:
    """What an id consists of: small letters, capitals, digits, other signs."""
    return frozenset(
        "0" if sign.isdigit() else "a" if sign.islower() else "A" if sign.isupper() else "-" for sign in key
    )


def _bare(url: str) -> str:
    """The address without its scheme and www."""
    return re.sub(r"^https?://(?:www\.)?", "", url, flags=re.IGNORECASE).rstrip("/")
