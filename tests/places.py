"""The places in which a world can be kept: what the contract's tests run against, one after another."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from drretail.env.catalog.base import DEFAULT_ANALYZER, Analyzer
from drretail.env.catalog.formulation import FORMULATIONS
from drretail.env.copying import writer_to
from drretail.env.manifest import WorldRows
from drretail.env.naming import ServerSettings
from drretail.env.web.base import Web
from drretail.env.world import Manifest, OrderRow, World, default_pool, world_at
from drretail.records.shop import Product

PlaceKind = Literal["embedded", "servers"]
ON_SERVERS = pytest.param("servers", marks=pytest.mark.servers)
PLACES = ("embedded", ON_SERVERS)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or a name on servers."""

    spec: str | Path
    servers: ServerSettings | None = None

    def write(
        self,
        products: Iterable[Product],
        orders: Iterable[OrderRow],
        analyzer: Analyzer = DEFAULT_ANALYZER,
    ) -> Manifest:
        """Makes a world of the rows in any order, with seed 42 and the default pool."""
        by_id = sorted(products, key=lambda product: product.product_id)
        by_place = sorted(orders, key=lambda row: row.place)
        with writer_to(self.spec, self.servers) as write:
            rows = WorldRows(by_id, by_place, seed="42", pool=default_pool(), formulation=FORMULATIONS[analyzer])
            return write(rows, None)

    def open(self, web: Web | None = None) -> World:
        return world_at(self.spec, web=web, servers=self.servers)
