"""What the shop offers, looked up once: many queries ask for the same things."""

from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.grounding.constraints.listing import is_of_brand

# So many products are looked at in a search for a brand.
_BRAND_HITS = 20


class Stock:
    """The offers of one world, and what checks and generator look up besides. Not for several threads at once."""

    def __init__(self, world: World) -> None:
        self._catalog = world.catalog
        self.offers = Offers(world)
        self._brands: dict[str, bool] = {}

    def has_brand(self, brand: str) -> bool:
        """True when some product is of this brand, sold by a store of this name, or has a title that begins so."""
        if brand not in self._brands:
            page = self._catalog.search(CatalogQuery(brand, match="phrase", limit=_BRAND_HITS))
            found = self.offers.listings([hit.product_id for hit in page.hits])
            self._brands[brand] = any(is_of_brand(listing, brand) for listing in found)
        return self._brands[brand]
