"""What is known of good answers to an experiment's queries, added to it once its systems have ended."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from drretail.env.catalog.base import CatalogPage, CatalogQuery, fold_category
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.experiments.experiment import Experiment
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.shopping.listing import could_be_of_kind, leaf_of_kind


def add_gold(experiment: Experiment, world: World, queries: Sequence[Query]) -> None:
    """Adds what is known of good answers to an experiment's queries: gold and wanted categories.

    Done once the systems that research have ended, so that none of them can read it there. Raises ToolError if a
    server fails.
    """
    gold_parts = {
        "queries": tuple(queries),
        "categories": wanted_categories(world, queries),
        "systems": {},
        "asked": {},
    }
    experiment.ask(experiment.definition.model_copy(update=gold_parts))


LOOKED_AT = 50
"""The number of a kind's products that decide which file the kind belongs to."""


def wanted_categories(world: World, queries: Iterable[Query]) -> dict[str, tuple[str, ...]]:
    """The top-level categories that each query wants, by query id.

    Kinds of which the shop has nothing are left out, and so are queries that want only those.
    """
    kinds = dict[str, tuple[str, ...]]()
    for query in queries:
        wants = () if query.wish is None else query.wish.wants
        kinds[query.query_id] = tuple(dict.fromkeys(kind for want in wants for kind in want.kinds))
    files = file_categories(world, (kind for of_query in kinds.values() for kind in of_query))
    by_query = {
        query_id: tuple(dict.fromkeys(files[kind] for kind in kinds[query_id] if kind in files))
        for query_id in sorted(kinds)
    }
    return {query_id: categories for query_id, categories in by_query.items() if categories}


def file_categories(world: World, kinds: Iterable[str]) -> Mapping[str, str]:
    """For each kind, the top-level category of the same name, or the one that most of its products came from."""
    names = {fold_category(category.name): category.name for category in world.manifest.categories}
    categories = {kind: names.get(fold_category(kind)) or _of_products(world, kind) for kind in sorted(set(kinds))}
    return {kind: category for kind, category in categories.items() if category is not None}


def _of_products(world: World, kind: str) -> str | None:
    """The top-level category of most popular products in a category so named, or of the products its words find."""
    try:
        page = world.catalog.search(
            CatalogQuery("", category=leaf_of_kind(kind), sort_by="popularity", limit=LOOKED_AT)
        )
        products = _products(world, page).values()
    except ToolError as problem:
        if problem.kind != "invalid_argument":
            raise
        page = world.catalog.search(CatalogQuery(kind, match="all", limit=LOOKED_AT))
        products = [product for product in _products(world, page).values() if could_be_of_kind(product, kind)]
    counts = Counter(product.category for product in products)
    return min(counts, key=lambda category: (-counts[category], category), default=None)


def _products(world: World, page: CatalogPage) -> Mapping[str, Product]:
    return world.store.products([hit.product_id for hit in page.hits])
