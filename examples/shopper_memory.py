"""A memory of the shopper: what an agent is told of their records, in the place of tools or beside them.

cd examples && drretail run --queries ../q.jsonl --to exp/ --vary information=memory --vary memory=shopper_memory:newest
"""

from collections import Counter

from drretail.conditions.shopper import ShopperRecord

MOST = 5


def newest(record: ShopperRecord, question: str) -> str:
    """The last orders, and the brands that were bought most; the question changes nothing in it."""
    bought = [record.products[order.product_id] for order in record.orders if order.product_id in record.products]
    brands = Counter(product.brand for product in bought if product.brand)
    lines = [f"Lives in {record.profile.address.city}.", f"Has ordered {len(record.orders)} times."]
    for order in record.orders[-MOST:]:
        product = record.products.get(order.product_id)
        lines.append(f"- {order.order_date}: {'something sold no more' if product is None else product.title}")
    if brands:
        lines.append(f"Brands bought most: {', '.join(brand for brand, _ in brands.most_common(3))}.")
    return "\n".join(lines)
