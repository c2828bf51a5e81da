"""What inspect finds of drretail, through the entry point group ``inspect_ai``."""

from drretail.addons.inspect.task import (
    basket,
    checks,
    faithfulness,
    next_purchase,
    process,
    quality,
    shop_agent,
    shop_research,
)

__all__ = [
    "basket",
    "checks",
    "faithfulness",
    "next_purchase",
    "process",
    "quality",
    "shop_agent",
    "shop_research",
]
