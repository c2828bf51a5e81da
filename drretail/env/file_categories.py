"""Category names as the shop's top-level categories: the Amazon files that its products came from."""

from collections import Counter
from collections.abc import Iterable, Mapping

from drretail.env.catalog.base import CatalogQuery, fold_category
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.records.query import Query

LOOKED_AT = 50
"""How many products of a category tell which file it belongs to, the most popular ones."""


def wanted_categories(world: World, queries: Iterable[Query]) -> dict[str, tuple[str, ...]]:
    """By query id, the top-level categories of what each query wants; a query that names none is left out.

    A name that the shop does not know stays as it was written.
    """
    named = {query.query_id: query.constraints.categories for query in queries if query.constraints.categories}
    files = file_categories(world, (name for names in named.values() for name in names))
    return {query_id: tuple(dict.fromkeys(files[name] for name in names)) for query_id, names in sorted(named.items())}


def file_categories(world: World, names: Iterable[str]) -> Mapping[str, str]:
    """For each name the top-level category that it is, or that most of its popular products came from."""
    known = {fold_category(category.name): category.name for category in world.manifest.categories}
    return {name: known.get(fold_category(name)) or _of_products(world, name) for name in sorted(set(names))}


def _of_products(world: World, name: str) -> str:
    try:
        page = world.catalog.search(CatalogQuery("", category=name, sort_by="popularity", limit=LOOKED_AT))
    except ToolError:
        return name
    products = world.store.products([hit.product_id for hit in page.hits])
    counts = Counter(product.category for product in products.values())
    return min(counts, key=lambda category: (-counts[category], category), default=name)
