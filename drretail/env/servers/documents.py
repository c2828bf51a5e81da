"""Records as MongoDB documents: the form of the paper's Listings 1 to 3, with our further fields beside it."""

import json
from collections.abc import Mapping
from typing import Any

from bson import Int64

from drretail.env.manifest import OrderRow
from drretail.env.profiles import ProfilePool, derive_profile
from drretail.env.servers.clients import Document
from drretail.env.store.sampling import Aggregates
from drretail.records.base import canonical_json
from drretail.records.shop import Product, UserProfile, order_date

# MongoDB takes documents up to a hundred levels deep.
DEEPEST = 80
OF_A_RUN = ("availability", "as_of")
"""Fields that a product has only during a run in a shop that moves; no world keeps them."""
PRODUCT_FIELDS = tuple(name for name in Product.model_fields if name not in ("details", "bought_together", *OF_A_RUN))
PROFILE_FIELDS = tuple(UserProfile.model_fields)


def product_document(product: Product) -> Document:
    """Listing 3 with the ratings and the file's category.

    Details that a document cannot hold, such as a key that begins with "$", are kept as JSON in ``details_json``.
    """
    fields = product.model_dump(mode="json")
    details = fields.pop("details")
    storable = is_storable(details)
    return {
        "_id": product.product_id,
        "product_url": product.product_url,
        **fields,
        "details": details if storable else None,
        **({} if storable else {"details_json": canonical_json(details)}),
    }


def product_of(document: Mapping[str, Any]) -> Product:
    """The product exactly as it was written, to the last digit."""
    kept = document.get("details_json")
    details = plain(document["details"]) if kept is None else json.loads(kept)
    fields = [name for name in PRODUCT_FIELDS if name in document or Product.model_fields[name].exclude_if is None]
    return Product.model_validate({**{name: document[name] for name in fields}, "details": details})


def order_document(row: OrderRow) -> Document:
    """Listing 2 with the time in milliseconds UTC."""
    return {
        "_id": row.order_id,
        "order_id": row.order_id,
        "product_id": row.product_id,
        "user_id": row.user_id,
        "order_date": order_date(row.timestamp),
        "timestamp": Int64(row.timestamp),
        "quantity": row.quantity,
        "order_status": row.order_status,
    }


def order_row(document: Mapping[str, Any]) -> OrderRow:
    """The order of a document. Raises KeyError, TypeError or ValueError for a malformed one: in a hash "1" would equal
    1.
    """
    row = OrderRow(
        document["order_id"],
        document["user_id"],
        document["product_id"],
        int(document["timestamp"]),
        document["quantity"],
        document["order_status"],
    )
    texts = type(row[0]) is type(row[1]) is type(row[2]) is type(row[5]) is str
    if not texts or not isinstance(document["quantity"], int):
        raise TypeError("a field of an order is of another type")
    return row


def holdout_document(place: int, row: OrderRow) -> Document:
    """A held-out order; ``place`` is its position among them."""
    return {"_id": place, **row._asdict(), "timestamp": Int64(row.timestamp)}


def user_document(user: Aggregates, profile: UserProfile | None) -> Document:
    """A user's aggregates, by which users are drawn; with the fields of Listing 1 if profiles are written out."""
    return {
        "_id": user.user_id,
        **({} if profile is None else profile.model_dump(mode="json")),
        "user_id": user.user_id,
        "n_orders": user.n_orders,
        "spend": user.spend,
        "last_order": Int64(user.last_order),
        "top_category": user.top_category,
    }


def aggregates_of(document: Mapping[str, Any]) -> Aggregates:
    return Aggregates(
        document["_id"],
        document["n_orders"],
        document["spend"],
        int(document["last_order"]),
        document["top_category"],
    )


def profile_of(document: Mapping[str, Any], pool: ProfilePool, seed: str) -> UserProfile:
    """The profile in the document, or else the derived one; both are the same."""
    if "email" in document:
        return UserProfile.model_validate({name: document[name] for name in PROFILE_FIELDS})
    return derive_profile(pool, seed, document["_id"])


def is_storable(value: Any, depth: int = 0) -> bool:
    """True for JSON that MongoDB returns unchanged."""
    if isinstance(value, dict):
        return depth < DEEPEST and all(
            not key.startswith("$") and "\0" not in key and is_storable(item, depth + 1) for key, item in value.items()
        )
    if isinstance(value, list | tuple):
        return depth < DEEPEST and all(is_storable(item, depth + 1) for item in value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def plain(value: Any) -> Any:
    """The same value with Python's own integers in place of BSON's Int64."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, Int64) else value
