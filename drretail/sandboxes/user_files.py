"""What the user has lying about: orders as a table, a note, a manual; facts in the note and the manual."""

from collections.abc import Sequence
from random import Random

from drretail.cells import as_csv
from drretail.env.store.base import Store
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.facts import short_title

ORDERS = 20


def user_files(query: Query, store: Store, product: Product, random: Random) -> tuple[dict[str, str], dict[str, str]]:
    """Texts by the file's name, and by the same names the sentence that is planted there."""
    width, minutes = random.randint(21, 68), random.randint(11, 49)
    note = f"I measured it: there are {width} centimeters of room and no more."
    manual = f"Let the {short_title(product)} rest for {minutes} minutes after each cleaning before it is used again."
    texts = {
        "note.md": f"# To remember\n\n- look through old orders first\n- {note}\n- ask whether it can go back\n",
        "manual.txt": "\n\n".join([product.title, *product.features, manual, *product.description]) + "\n",
    }
    if query.user_id is not None:
        texts["orders.csv"] = _orders(store, query.user_id)
    return texts, {"note.md": note, "manual.txt": manual}


def _orders(store: Store, user_id: str) -> str:
    orders = store.orders(user_id, limit=ORDERS).orders
    products = store.products([it.product_id for it in orders])
    rows: list[Sequence[str]] = [("date", "order", "product", "quantity", "status")]
    for order in orders:
        product = products.get(order.product_id)
        title = order.product_id if product is None else product.title
        rows.append((order.order_date[:10], order.order_id, title, str(order.quantity), order.order_status))
    return as_csv(rows).decode("utf-8")
