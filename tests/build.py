"""What tests are made of: one builder a thing."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from drretail.env.manifest import Manifest, OrderRow
from drretail.env.world import default_pool, write_world
from drretail.records.shop import Product


def build_world(folder: Path, products: Iterable[Product], orders: Iterable[OrderRow] = (), **given: Any) -> Manifest:
    """The shop as a world in ``folder``; ``given`` are other arguments of ``write_world``."""
    arguments: dict[str, Any] = {"seed": 42, "pool": default_pool(), **given}
    return write_world(folder, products=products, orders=orders, **arguments)
