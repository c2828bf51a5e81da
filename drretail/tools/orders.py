"""The tools that read orders."""

from typing import Annotated, Any

from annotated_types import Ge, Le

from drretail.env.session import Session
from drretail.records.evidence import Source
from drretail.records.shop import Order, OrderStatus
from drretail.reports.text.evidence_ids import order_evidence_id, user_evidence_id
from drretail.reports.text.serialisation import (
    compact,
    compact_json,
    customer_card,
    lean_items,
    order_item,
    order_record,
    product_card,
)
from drretail.tools.arguments import OrderId, UserId, require_access
from drretail.tools.catalog import card_sources
from drretail.tools.tool import ToolResult
from drretail.tools.users import user_source


def get_user_orders(
    session: Session,
    user_id: UserId,
    status: OrderStatus | None = None,
    limit: Annotated[int, Ge(1), Le(100)] = 20,
    offset: Annotated[int, Ge(0), Le(1_000_000)] = 0,
) -> ToolResult:
    """Lists the orders of one user, newest first.

    Args:
        user_id: Id of the user, e.g. "AEXAMPLEUSER00000000000000A1"; not a name and not an e-mail address.
        status: Only orders of this status; without it all orders.
        limit: How many orders to show.
        offset: How many of the newest orders to leave out, to read on.

    Returns:
        evidence (the evidence id of the whole list), total (how many orders there are), shown, offset, user_id, and for
        each order shown: its own evidence id, order_id, product_id, order_date, quantity, order_status, product_title,
        and price, the product's present price, which may differ from the price paid. What all orders share stands once
        before them, such as the currency. What the shop does not know is left out.
    """
    require_access(session, user_id)
    store = session.settings.world.store
    page = store.orders(user_id, status=status, limit=limit, offset=offset)
    products = store.products([order.product_id for order in page.orders])
    items = [order_item(order, products.get(order.product_id)) for order in page.orders]
    evidence = user_evidence_id("orders", user_id, session.settings.user_id)
    shared, orders = lean_items(items)
    counts = {"total": page.total, "shown": len(items), "offset": offset}
    value: dict[str, Any] = {"evidence": evidence, **counts, **shared, "orders": orders}
    whole = user_source("orders", f"Orders of user {user_id}", user_id, value)
    return ToolResult(value, (whole, *map(_order_source, page.orders, items)), about=user_id)


def get_order_details(session: Session, order_id: OrderId) -> ToolResult:
    """Gives one order with the product that was bought and the customer it went to.

    Args:
        order_id: Id of the order, a string of digits with its leading zeros, e.g. "0123456789"; not a product id.

    Returns:
        The order (evidence, the evidence id to cite it by, order_id, product_id, user_id, order_date, quantity,
        order_status), the product with its own evidence id and present price (left out if the shop no longer has it),
        and the customer's name and address.
    """
    store = session.settings.world.store
    order = store.order(order_id)
    require_access(session, order.user_id, field="order_id")
    product = store.products([order.product_id]).get(order.product_id)
    record = order_record(order)
    card = None if product is None else product_card(product)
    customer = customer_card(session.user(order.user_id))
    parts = {"product": card, "customer": customer}
    # The fields of each part that the order itself does not have.
    value = record | {
        name: {field: content for field, content in compact(part).items() if record.get(field) != content}
        for name, part in parts.items()
        if part is not None
    }
    bought = () if product is None else card_sources(product)
    return ToolResult(value, (_order_source(order, record | parts), *bought), about=order.user_id)


def _order_source(order: Order, value: dict[str, Any]) -> Source:
    return Source(
        id=order_evidence_id(order.order_id),
        kind="order",
        key=order.order_id,
        title=f"Order {order.order_id}",
        form="record",
        text=compact_json(value),
    )
