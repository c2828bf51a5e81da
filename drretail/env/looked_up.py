"""Records of a shop as evidence that nobody was shown: they are looked up for judging what a report says of them."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from drretail.env.manifest import WorldRows
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.shop import USD, Order, Product
from drretail.reports.text.evidence_ids import order_evidence_id, product_evidence_id
from drretail.reports.text.serialisation import compact_json, order_record, record_text
from drretail.reports.text.untrusted import harmless
from drretail.shopping.verify.records import GONE, POLICY, UNKNOWN

_MOST_LINES = 20
"""The most lines of an order that are looked up."""
_FIRST = 100
"""The products among which one with a page is looked for."""


def mapping_of(world: World) -> Mapping[str, Any]:
    """The mapping by which the shop's own files were read; empty for other worlds."""
    return world.manifest.parameters.get("mapping", {})


def shop_address(world: World) -> str | None:
    """The address of your own shop's site: that of its ``product_url``, else of a product's page; None if unknown."""
    if not world.manifest.is_own_shop:
        return None
    page = mapping_of(world).get("product_url") or next(
        (product.page for product in first_products(world, _FIRST) if product.page), None
    )
    return None if page is None else "://".join(urlsplit(page)[:2])


def _texts(text: str) -> tuple[EvidenceText, ...]:
    return (EvidenceText(form="record", text=text, shown=False, path="0", seq=0),)


def of_product(product: Product, url: str | None) -> Evidence:
    """A product's record, at the address that a report gives for it."""
    return Evidence(
        id=product_evidence_id(product.product_id),
        kind="product",
        key=product.product_id,
        title=harmless(product.title),
        url=url or product.page,
        image=product.image,
        texts=_texts(record_text(product)),
        looked_up=True,
    )


def of_missing(key: str, url: str | None, former: Product | None) -> Evidence:
    """A product that the shop doesn't have; ``former`` is its record in the generation before, if it was there."""
    return Evidence(
        id=product_evidence_id(key),
        kind="product",
        key=key,
        title=harmless(key if former is None else former.title),
        url=url,
        state="not_found",
        problem=UNKNOWN if former is None else GONE,
        looked_up=True,
    )


def orders_named(world: World, names: Iterable[str]) -> dict[str, Evidence]:
    """The orders among these ids, by their own; those of several lines have a number behind their id."""
    orders: dict[str, Order] = {}
    for name in names:
        for key in (name, *(f"{name}-{line}" for line in range(1, _MOST_LINES + 1))):
            try:
                orders[key] = world.store.order(key)
            except NotFound:
                if key != name:
                    break
    return {key: _of_order(order, world) for key, order in orders.items()}


def of_missing_order(key: str) -> Evidence:
    """An order that the shop never got."""
    name, title = order_evidence_id(key), f"Order {key}"
    return Evidence(id=name, kind="order", key=key, title=title, state="not_found", problem=UNKNOWN, looked_up=True)


def _of_order(order: Order, world: World) -> Evidence:
    """The record of an order, without whose it is, and without a status that no column of the shop told."""
    columns = mapping_of(world).get("orders") or {}
    has_status = not columns or not columns.keys().isdisjoint(("status", "cancelled"))
    hidden = {"user_id"} if has_status else {"user_id", "order_status"}
    product = world.store.products([order.product_id]).get(order.product_id)
    shown = {name: value for name, value in order_record(order).items() if name not in hidden}
    text = compact_json(shown | ({} if product is None else {"product_title": harmless(product.title)}))
    return Evidence(
        id=order_evidence_id(order.order_id),
        kind="order",
        key=order.order_id,
        title=f"Order {order.order_id}",
        texts=_texts(text),
        looked_up=True,
    )


def policy_of(world: World) -> Iterator[Evidence]:
    """What the shop's mapping says of delivery, shipping and returns; nothing if it says nothing."""
    if policy := mapping_of(world).get("policy"):
        currency = next((product.currency for product in first_products(world, 1)), USD)
        key, texts = POLICY.partition(":")[2], _texts(compact_json({**policy, "currency": currency}))
        yield Evidence(id=POLICY, kind="file", key=key, title="policy", texts=texts, looked_up=True)


def first_products(world: World, count: int) -> list[Product]:
    """Some of the shop's products; none if it has no place."""
    with _rows_of(world) as rows:
        return [] if rows is None else [*islice(rows.products, count)]


def first_orders(world: World, count: int) -> list[str]:
    """The ids of some of the shop's orders; none if it has no place."""
    with _rows_of(world) as rows:
        return [] if rows is None else [order_id for order_id, *_ in islice(rows.orders, count)]


@contextmanager
def _rows_of(world: World) -> Generator[WorldRows | None]:
    from drretail.env.folder import open_world_rows  # loads what reads an index, which a run does without

    place = world.servers or world.folder
    if place is None:
        yield None
        return
    with open_world_rows(place, world.settings) as rows:
        yield rows


def with_looked_up(seen: Iterable[Evidence], looked_up: Iterable[Evidence]) -> Iterator[Evidence]:
    """The evidence of a log, completed by records of the shop. If both have a product, the shop's record comes last."""
    by_id = {entry.id: entry for entry in looked_up}
    for entry in seen:
        later = by_id.pop(entry.id, None)
        if later is None:
            yield entry
        else:
            changes = {"url": entry.url or later.url, "image": later.image, "problem": entry.problem or later.problem}
            yield entry.model_copy(update={"texts": (*entry.texts, *later.texts), "looked_up": True, **changes})
    yield from by_id.values()
