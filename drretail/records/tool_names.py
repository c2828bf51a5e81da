"""The nine tools by name, for whoever reads a run without calling any (paper Table 3)."""

NINE = (
    "product_catalog_search",
    "get_product_details",
    "get_user_orders",
    "get_order_details",
    "get_user_profile",
    "update_user_profile",
    "get_user_statistics",
    "web_search",
    "calculator",
)
"""In the paper's order."""
