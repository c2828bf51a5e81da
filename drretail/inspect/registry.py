"""What inspect finds when it looks for drretail: the entry point of the group ``inspect_ai``."""

from drretail.inspect.scorers import basket, checks, faithfulness, next_purchase, process, quality
from drretail.inspect.solver import shop_agent
from drretail.inspect.task import shop_research

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
