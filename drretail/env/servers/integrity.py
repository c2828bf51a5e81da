"""Checks whether a world on servers is undamaged: its content against its manifest."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.folder import EXAMPLES, compare_counts, compare_fingerprint, compare_index, fault, hash_lines
from drretail.env.intake import ProductFacts, UserSum
from drretail.env.manifest import LineHash, OrderRow, holdout_line, order_line, product_line
from drretail.env.servers.clients import Document, Servers, connect, mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, find_generations, read_live
from drretail.env.servers.naming import SPEC_PREFIX, ServerSettings, world_name
from drretail.env.servers.reading import holdout_in, orders_in, products_in
from drretail.env.store.mongo import aggregates_of, order_row, product_of
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.evidence import Finding
from drretail.records.shop import Product

USERS_AT_ONCE = 10_000
DAMAGED = (KeyError, TypeError, ValueError, AttributeError)
"""The errors that reading a damaged document raises."""
Row = TypeVar("Row")


def check_servers(spec: str, settings: ServerSettings) -> list[Finding]:
    """The faults of the live generation of "servers:NAME", empty if it is undamaged. Streams over all rows.

    The findings are those of ``folder.check_world``. Raises UserError if there is no world, ToolError if a server
    fails.
    """
    with connect(settings, world_name(spec), loading=True) as servers:
        return Check(servers, read_live(servers)).findings()


class Check:
    """One pass over every collection, in the order of its ids."""

    def __init__(self, servers: Servers, generation: Generation) -> None:
        self._servers = servers
        self._generation = generation
        self._collections = collections_of(servers.database, generation.number)
        self._listings: dict[str, ProductFacts] = {}
        self._product_hash = LineHash()
        self._order_hash = LineHash()
        self._counts = {"products": 0, "users": 0, "orders": 0}
        self._unreadable: list[Finding] = []

    def findings(self) -> list[Finding]:
        """All findings, at most ``EXAMPLES`` of one kind."""
        parts: list[Callable[[], Iterable[Finding]]] = [
            self._check_products,
            self._check_users_and_orders,
            lambda: compare_counts(self._generation.manifest, self._counts.items()),
            self._check_fingerprint,
            self._check_index,
            lambda: self._unreadable,
        ]
        found: dict[str, list[Finding]] = {}
        for part in parts:
            for finding in part():
                of_kind = found.setdefault(finding.code, [])
                if len(of_kind) < EXAMPLES:
                    of_kind.append(finding)
        return [finding for findings in found.values() for finding in findings]

    def _check_products(self) -> Iterable[Finding]:
        for product in products_in(self._servers, self._collections["products"], self._product):
            self._listings[product.product_id] = ProductFacts(product.price, product.category)
            self._product_hash.add(product_line(product))
        return ()

    def _product(self, document: Document) -> Product | None:
        self._counts["products"] += 1
        return self._read("product", product_of, document, key="product_id")

    def _order(self, document: Document) -> OrderRow | None:
        self._counts["orders"] += 1
        return self._read("order", order_row, document, key="order_id")

    def _read(
        self, what: str, read: Callable[[Document], Row], document: Document, key: str | None = None
    ) -> Row | None:
        """The document's row. None, with a finding, if the document is malformed or its id is not the row's ``key``."""
        try:
            row = read(document)
            if key is not None and document["_id"] != getattr(row, key):
                raise ValueError(f"{getattr(row, key)} stands under {document['_id']}")
            return row
        except DAMAGED as problem:
            if len(self._unreadable) < EXAMPLES:
                where = f"the {what} {document['_id']} in the database is damaged"
                self._unreadable.append(fault("unreadable", where, type(problem).__name__))
            return None

    def _check_users_and_orders(self) -> Iterator[Finding]:
        """Faults unless every user's aggregates are those of the user's orders, and every order has its user and, but
        for one's own shop, its product.
        """
        is_own = self._generation.manifest.is_own_shop
        users = self._users()
        orders = orders_in(self._servers, self._collections["orders"], self._order)
        user, order = next(users, None), next(orders, None)
        while user is not None or order is not None:
            keys: list[str] = [*([] if user is None else [user["_id"]]), *([] if order is None else [order.user_id])]
            user_id = min(keys)
            total = UserSum(user_id)
            first = order
            while order is not None and order.user_id == user_id:
                self._order_hash.add(order_line(order))
                listing = self._listings.get(order.product_id)
                if listing is None and not is_own:
                    yield fault("order_without_product", f"{order.order_id} ({order.product_id})")
                total.add(order.timestamp, order.quantity, order.order_status, listing)
                order = next(orders, None)
            if user is None or user["_id"] != user_id:
                assert first is not None, "the id is an order's"
                yield fault("order_without_user", f"{first.order_id} ({user_id})")
                continue
            stored, summed = self._read("user", aggregates_of, user), total.total()
            if stored is not None and not summed.n_orders:
                yield fault("user_without_order", f"{stored.user_id} ({stored.n_orders})")
            elif stored is not None and stored != summed:
                yield fault("user_sums", str(stored), str(summed))
            user = next(users, None)

    def _users(self) -> Iterator[Document]:
        with mongo_faults(self._servers.mongo_address):
            for document in self._collections["users"].find(batch_size=USERS_AT_ONCE).sort("_id"):
                self._counts["users"] += 1
                if self._read("user", user_id_of, document) is not None:
                    yield document

    def _check_fingerprint(self) -> Iterator[Finding]:
        holdout = holdout_in(self._servers, self._generation, partial(self._read, "held-out order", order_row))
        return compare_fingerprint(
            self._generation.manifest,
            self._generation.pool.hash,
            products=self._product_hash.hexdigest(),
            orders=self._order_hash.hexdigest(),
            holdout=None if holdout is None else hash_lines(map(holdout_line, holdout)),
        )

    def _check_index(self) -> Iterator[Finding]:
        try:
            address = self._servers.elastic_address
            catalog = ElasticCatalog(self._servers.elastic, self._generation.index, address=address)
        except UserError as problem:
            yield fault("unreadable", str(problem))
            return
        yield from compare_index(sorted(self._listings), catalog.product_ids())


def user_id_of(document: Document) -> str:
    """The user's id. Raises TypeError if it is not a string, since it then has no place in the order of ids."""
    if not isinstance(document["_id"], str):
        raise TypeError("a user's id is a text")
    return document["_id"]


def same_world(servers: Servers, fingerprint: str) -> Generation | None:
    """The live generation, if it has this fingerprint; None otherwise, as if it is damaged."""
    generations = find_generations(servers)
    return generations[0] if generations and generations[0].manifest.fingerprint == fingerprint else None


def is_whole(servers: Servers, live: Generation, progress: Progress) -> bool:
    """True if every row of the live generation is unchanged, and the index holds its products; reports what it finds.

    Counts come first, since they cost nothing; then all rows are read and hashed. Raises ToolError if a server fails.
    """
    spec = f"{SPEC_PREFIX}{servers.name}"
    damage = missing_rows(servers, live)
    if not damage:
        progress.note(f"{spec} says that it is this very world already: comparing its rows with its fingerprint.")
        damage = ", ".join(dict.fromkeys(finding.code for finding in Check(servers, live).findings()))
    if damage:
        progress.note(f"What is live at {spec} is damaged ({damage}): it is loaded anew and replaced.")
        return False
    progress.note(f"This very world is live at {spec} already, and whole; its rows stay as they are.")
    return True


def missing_rows(servers: Servers, generation: Generation) -> str:
    """The numbers of rows that differ from the manifest, in words; empty if none does."""
    counts = generation.manifest.counts.model_dump()
    collections = collections_of(servers.database, generation.number)
    found = {name: collections[name].count_documents({}) for name in ("products", "users", "orders")}
    wrong = [f"{found[name]} of {counts[name]} {name}" for name in found if found[name] != counts[name]]
    answer = servers.elastic.options(ignore_status=404).count(index=generation.index)
    indexed = answer.get("count", 0)
    if indexed != counts["products"]:
        wrong.append(f"{indexed} of {counts['products']} products in the index")
    return ", ".join(wrong)
