"""What queries' users bought next, from a world's held-out orders, beside their favourite category's best sellers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.env.catalog.base import CatalogPage, CatalogQuery, fold_category
from drretail.env.world import World
from drretail.errors import NotFound, ToolError
from drretail.experiment import Experiment, rubric_path
from drretail.grounding.listing import is_of_kind
from drretail.grounding.profile import known_leaf, purchase_item_of
from drretail.records.query import Query
from drretail.records.shop import METRIC, VOID_STATUSES, NextPurchase, Product, PurchaseItem
from drretail.remembered import remembered

MOST_POPULAR = 50
"""The most products that the baseline may recommend: as many as the catalog returns at once."""


def next_purchases(world: World, queries: Sequence[Query]) -> Iterator[NextPurchase]:
    """The next purchase of each query, in their order; nothing if the world has no held-out orders.

    Raises UserError if the held-out orders are damaged, ToolError if a server fails.
    """
    if world.holdout is None or not queries:
        return
    users = {query.user_id for query in queries if query.user_id is not None}
    rows = world.holdout(users)
    shop = _Shop(world)
    for query in queries:
        orders = rows.get(query.user_id or "", ())
        ids = list(dict.fromkeys(row.product_id for row in orders if row.order_status not in VOID_STATUSES))
        products = world.store.products(ids)
        bought = [products[product_id] for product_id in ids if product_id in products]
        favourite = None if query.user_id is None else shop.favourite(query.user_id)
        yield NextPurchase(
            query_id=query.query_id,
            user_id=query.user_id,
            bought=tuple(map(purchase_item_of, bought)),
            gone=tuple(product_id for product_id in ids if product_id not in products),
            favourite=favourite,
            popular_in_favourite=() if favourite is None else shop.popular(favourite),
        )


def add_gold(experiment: Experiment, world: World, queries: Sequence[Query]) -> None:
    """Adds what is known of good answers to an experiment's queries: gold, wanted categories, next purchases.

    Next purchases that are there already stay. Done once the systems that research have ended, so that none of them can
    read it there. Raises as ``next_purchases`` does.
    """
    known = {"queries": tuple(queries), "categories": wanted_categories(world, queries), "systems": {}, "asked": {}}
    experiment.ask(experiment.definition.model_copy(update=known))
    new = [query for query in queries if not rubric_path(experiment.folder, METRIC, query.query_id).exists()]
    experiment.freeze_rubrics(METRIC, {bought.query_id: bought for bought in next_purchases(world, new)})


@dataclass
class _Shop:
    """A world that looks up each category's most popular products only once."""

    world: World

    @remembered
    def popular(self, category: str) -> tuple[PurchaseItem, ...]:
        """The products of a category with the most ratings."""
        query = CatalogQuery("", category=category, sort_by="popularity", limit=MOST_POPULAR)
        try:
            ids = [hit.product_id for hit in self.world.catalog.search(query).hits]
        except ToolError as problem:
            if problem.kind != "invalid_argument":
                raise
            return ()  # the last product of a category may have left the shop
        products = self.world.store.products(ids)
        return tuple(purchase_item_of(products[product_id]) for product_id in ids if product_id in products)

    def favourite(self, user_id: str) -> str | None:
        """The leaf category of most kept orders, ties by name; None if no order's category is known."""
        try:
            orders = self.world.store.orders(user_id).orders
        except NotFound:  # a user's only order may be held out
            return None
        product_ids = [order.product_id for order in orders if order.order_status not in VOID_STATUSES]
        products = self.world.store.products(sorted(set(product_ids)))
        leaves = (known_leaf(products[product_id]) for product_id in product_ids if product_id in products)
        counts = Counter(leaf for leaf in leaves if leaf is not None)
        return min(counts, key=lambda name: (-counts[name], name), default=None)


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
    found = {
        query_id: tuple(dict.fromkeys(files[kind] for kind in kinds[query_id] if kind in files))
        for query_id in sorted(kinds)
    }
    return {query_id: categories for query_id, categories in found.items() if categories}


def file_categories(world: World, kinds: Iterable[str]) -> Mapping[str, str]:
    """For each kind, the top-level category of the same name, or the one that most of its products came from."""
    known = {fold_category(category.name): category.name for category in world.manifest.categories}
    categories = {kind: known.get(fold_category(kind)) or _of_products(world, kind) for kind in sorted(set(kinds))}
    return {kind: category for kind, category in categories.items() if category is not None}


def _of_products(world: World, kind: str) -> str | None:
    """The top-level category of most popular products in a category so named, or of the products its words find."""
    try:
        page = world.catalog.search(CatalogQuery("", category=kind, sort_by="popularity", limit=LOOKED_AT))
        products = _products(world, page).values()
    except ToolError as problem:
        if problem.kind != "invalid_argument":
            raise
        page = world.catalog.search(CatalogQuery(kind, match="all", limit=LOOKED_AT))
        products = [product for product in _products(world, page).values() if is_of_kind(product, kind)]
    counts = Counter(product.category for product in products)
    return min(counts, key=lambda category: (-counts[category], category), default=None)


def _products(world: World, page: CatalogPage) -> Mapping[str, Product]:
    return world.store.products([hit.product_id for hit in page.hits])
