"""What the users of queries bought next, out of a world that holds orders out, with what sells best beside it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from drretail.env.catalog.base import CatalogQuery, fold_category
from drretail.env.manifest import OrderRow
from drretail.env.world import World
from drretail.errors import NotFound, ToolError
from drretail.experiment import Experiment, rubric_path
from drretail.grounding.basket.purchase_item import purchase_item_of
from drretail.grounding.profile.purchases import known_leaf
from drretail.records.query import Query
from drretail.records.shop import METRIC, VOID_STATUSES, NextPurchase, Product, PurchaseItem

MOST_POPULAR = 50
"""How many a baseline may recommend: as many as the catalog gives at once, and more than any report does."""


def next_purchases(world: World, queries: Sequence[Query]) -> Iterator[NextPurchase]:
    """One for each query, in their order; nothing where the world holds no orders out.

    Raises UserError where what is held out is damaged, ToolError where a server fails.
    """
    if world.holdout is None or not queries:
        return
    users = {query.user_id for query in queries if query.user_id is not None}
    rows = world.holdout.orders(users)
    shop = _Shop(world)
    for query in queries:
        yield _next_purchase(shop, query, rows.get(query.user_id or "", ()))


def freeze_next_purchases(experiment: Experiment, world: World, queries: Sequence[Query]) -> None:
    """Keeps them in the experiment's folder; those of earlier openings stay. Raises as ``next_purchases`` does."""
    new = [it for it in queries if not rubric_path(experiment.folder, METRIC, it.query_id).exists()]
    for frozen in next_purchases(world, new):
        experiment.freeze_rubric(METRIC, frozen.query_id, frozen)


@dataclass(slots=True)
class _Shop:
    """A world that is asked once for what sells best in a category."""

    world: World
    _popular: dict[str | None, tuple[PurchaseItem, ...]] = field(
        default_factory=dict[str | None, tuple[PurchaseItem, ...]]
    )

    def popular(self, category: str | None) -> tuple[PurchaseItem, ...]:
        """The products with most ratings, in a category or the whole shop."""
        if category not in self._popular:
            self._popular[category] = self._look_up(category)
        return self._popular[category]

    def favourite(self, user_id: str) -> str | None:
        """The leaf category of most orders that were kept, ties by name; None without any that is known."""
        try:
            orders = self.world.store.orders(user_id).orders
        except NotFound:  # the only order of a user may be the one that is held out
            return None
        kept = [order.product_id for order in orders if order.order_status not in VOID_STATUSES]
        products = self.world.store.products(sorted(set(kept)))
        leaves = (known_leaf(products[it]) for it in kept if it in products)
        counts = Counter(leaf for leaf in leaves if leaf is not None)
        return min(counts, key=lambda name: (-counts[name], name), default=None)

    def _look_up(self, category: str | None) -> tuple[PurchaseItem, ...]:
        asked = CatalogQuery("", category=category, sort_by="popularity", limit=MOST_POPULAR)
        try:
            found = [hit.product_id for hit in self.world.catalog.search(asked).hits]
        except ToolError as problem:
            if problem.kind != "invalid_argument":
                raise
            return ()  # the last product of a category may have left the shop
        products = self.world.store.products(found)
        return tuple(purchase_item_of(products[product_id]) for product_id in found if product_id in products)


def _next_purchase(shop: _Shop, query: Query, rows: Sequence[OrderRow]) -> NextPurchase:
    ids = list(dict.fromkeys(row.product_id for row in rows if row.order_status not in VOID_STATUSES))
    products = shop.world.store.products(ids)
    bought = [products[product_id] for product_id in ids if product_id in products]
    favourite = None if query.user_id is None else shop.favourite(query.user_id)
    return NextPurchase(
        query_id=query.query_id,
        user_id=query.user_id,
        bought=tuple(map(purchase_item_of, bought)),
        gone=tuple(product_id for product_id in ids if product_id not in products),
        wanted=_is_wanted(bought, query.constraints.categories),
        favourite=favourite,
        popular_in_favourite=() if favourite is None else shop.popular(favourite),
        popular=shop.popular(None),
    )


def _is_wanted(bought: Sequence[Product], categories: Collection[str]) -> bool | None:
    """Whether a category filter for one of ``categories`` would let one of the products through."""
    if not categories or not bought:
        return None
    asked = {fold_category(name) for name in categories}
    return any(asked & {fold_category(it) for it in (*product.categories, product.category)} for product in bought)


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
