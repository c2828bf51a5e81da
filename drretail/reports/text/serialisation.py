"""The one serialisation of products, orders and customers, read by agents and judges alike.

Keys are those of the paper's Listings 1-3, without the stores' own ``_id``, which repeats the named id.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from drretail.records.base import record_json
from drretail.records.shop import VARIANTS, Order, Product, UserProfile, product_url
from drretail.reports.text.evidence_ids import order_evidence_id, product_evidence_id
from drretail.reports.text.untrusted import harmless, harmless_values

SHARED = ("user_id", "currency", "category")
"""Fields that the items of a list often share."""
PICK = "P:{}/ID with the id of one of the Variants"
"""How the picks of a report name what is bought of a product that has several variants."""
URL_FORM = product_url("{product_id}")
"""Given once for the addresses of all products of a list."""


def compact_json(value: Any) -> str:
    """The JSON text of a tool's result: no spaces, no escapes of readable characters, keys in the given order."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number of more than 64 bits, half of a surrogate pair, a key that is no text
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def product_card(product: Product) -> dict[str, Any]:
    """A product as a list shows it; ``price_from`` is present only if the price is the lowest of several."""
    return {
        **_identity(product),
        **_offer(product),
        "category": harmless(product.leaf_category),
        **({"price_from": True} if product.price_from else {}),
    }


def product_record(product: Product) -> dict[str, Any]:
    """The whole product: Listing 3 with its ratings, currency, category and evidence id."""
    return {
        **_identity(product),
        "features": harmless_values(product.features),
        "description": harmless_values(product.description),
        **_offer(product),
        "category": harmless(product.category),
        "categories": harmless_values(product.categories),
        # Stores give the open key set back in different orders; sorted, all of them give the same text.
        "details": harmless_values(orjson.loads(record_json(product.details))),
        "bought_together": product.bought_together,
        **({"pick": PICK.format(product.product_id)} if VARIANTS in product.details else {}),
        **({"price_from": True} if product.price_from else {}),
    }


def _identity(product: Product) -> dict[str, Any]:
    return {
        "evidence": product_evidence_id(product.product_id),
        "product_id": product.product_id,
        "product_url": product.page or product.product_url,
        "title": harmless(product.title),
    }


def _offer(product: Product) -> dict[str, Any]:
    fields = ("price", "currency", "average_rating", "rating_number")
    return {name: getattr(product, name) for name in fields} | {"store": harmless_values(product.store)}


def record_text(product: Product) -> str:
    """The product as the text that goes into the ledger, to a model and to a judge."""
    return compact_json(product_record(product))


def record_lines(product: Product) -> Iterator[str]:
    """What a record says of the product itself, without ids, price and ratings."""
    record = compact(product_record(product))
    yield record["title"]
    yield from record.get("features", ())
    yield from record.get("description", ())
    yield " > ".join(record.get("categories", ())) or record["category"]
    yield from (f"{name}: {value}" for name, value in record.get("details", {}).items())


def order_record(order: Order) -> dict[str, Any]:
    """Listing 2 of the paper with its evidence id."""
    fields = ("order_id", "product_id", "user_id", "order_date", "quantity", "order_status")
    return {"evidence": order_evidence_id(order.order_id)} | {name: getattr(order, name) for name in fields}


def order_item(order: Order, product: Product | None) -> dict[str, Any]:
    """An order in a list: its record with the product's title and current price, null if the product is gone."""
    return order_record(order) | {
        "product_title": None if product is None else harmless(product.title),
        "price": None if product is None else product.price,
        "currency": None if product is None else product.currency,
    }


def customer_card(profile: UserProfile) -> dict[str, Any]:
    """The recipient of an order: name and address, without e-mail and telephone."""
    return {
        "user_id": profile.user_id,
        "first_name": harmless(profile.first_name),
        "last_name": harmless(profile.last_name),
        "address": harmless_values(profile.address.model_dump(mode="json")),
    }


def user_record(profile: UserProfile, evidence_id: str) -> dict[str, Any]:
    """Listing 1 with its evidence id, which depends on who asks."""
    return {"evidence": evidence_id} | harmless_values(profile.model_dump(mode="json"))


def compact(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record as a model reads it, without unknown and empty values."""
    return {name: value for name, value in record.items() if value is not None and value not in ([], {})}


def lean_items(items: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The values that all items share, to be given once beside them, and the lean items without these."""
    if not items:
        return {}, []
    first = items[0]
    shared = compact(
        {name: first.get(name) for name in SHARED if all(item.get(name) == first.get(name) for item in items)}
    )
    if "product_url" in first and all(item["product_url"] == product_url(str(item["product_id"])) for item in items):
        shared["product_url"] = URL_FORM
    return shared, [{name: value for name, value in compact(item).items() if name not in shared} for item in items]


def whole_items(result: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The items of such a list in a tool's result, with the shared values put back."""
    shared = {key: result[key] for key in SHARED if key in result}
    items = [item for item in result.get(name) or () if isinstance(item, dict)]
    if "product_url" not in result:
        return [{**shared, **item} for item in items]
    return [{**shared, "product_url": product_url(str(item.get("product_id"))), **item} for item in items]
