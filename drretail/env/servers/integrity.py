"""Checks whether a world on servers is undamaged: its content against its manifest."""

from collections.abc import Callable, Iterator
from functools import partial
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.folder import compare_counts, compare_fingerprint, compare_index, fault
from drretail.env.intake import Intake
from drretail.env.servers.clients import Document, Servers, connect, mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, find_generations, read_live
from drretail.env.servers.naming import SPEC_PREFIX, ServerSettings, world_name
from drretail.env.servers.reading import ORDERS_AT_ONCE, orders_in, products_in
from drretail.env.store.mongo import aggregates_of, order_row, product_of
from drretail.env.store.users import Aggregates
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.evidence import Finding

USERS_AT_ONCE = 10_000
EXAMPLES = 5
"""The most rows that are named for one kind of fault."""
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
        self._intake = Intake()
        self._unreadable: list[Finding] = []

    def findings(self) -> list[Finding]:
        """All findings, at most ``EXAMPLES`` of one kind."""
        found: dict[str, list[Finding]] = {}
        for finding in self._all():
            of_kind = found.setdefault(finding.code, [])
            if len(of_kind) < EXAMPLES:
                of_kind.append(finding)
        return [finding for findings in found.values() for finding in findings]

    def _all(self) -> Iterator[Finding]:
        manifest = self._generation.manifest
        read = partial(self._read, "product", product_of, key="product_id")
        for _ in self._intake.take_products(products_in(self._servers, self._collections["products"], read)):
            pass
        yield from self._check_users()
        orphan = self._intake.without_product
        if orphan is not None and not manifest.is_own_shop:
            yield fault("order_without_product", f"{orphan.order_id} ({orphan.product_id})")
        yield from compare_counts(manifest, stored_counts(self._servers, self._generation).items())
        yield from compare_fingerprint(
            manifest,
            self._generation.pool.hash,
            products=self._intake.product_hash.hexdigest(),
            orders=self._intake.order_hash.hexdigest(),
        )
        yield from self._check_index()
        yield from self._unreadable

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

    def _check_users(self) -> Iterator[Finding]:
        """Faults unless every user's aggregates are those of the user's orders, and every order has its user."""
        both = merge(self._stored(), self._summed(), key=itemgetter(0))
        for user_id, of_user in groupby(both, key=itemgetter(0)):
            known = {kind: aggregates for _, kind, aggregates in of_user}
            if "stored" not in known:
                yield fault("order_without_user", f"the orders of {user_id}")
            elif "summed" not in known:
                yield fault("user_without_order", user_id)
            elif known["stored"] not in (None, known["summed"]):
                yield fault("user_sums", str(known["stored"]), str(known["summed"]))

    def _stored(self) -> Iterator[tuple[str, str, Aggregates | None]]:
        """What the database says of each user; None if that is damaged."""
        with mongo_faults(self._servers.mongo_address):
            for document in self._collections["users"].find(batch_size=USERS_AT_ONCE).sort("_id"):
                if self._read("user", user_id_of, document) is not None:
                    yield document["_id"], "stored", self._read("user", aggregates_of, document)

    def _summed(self) -> Iterator[tuple[str, str, Aggregates]]:
        """What each user's orders sum up to."""
        read, finished = partial(self._read, "order", order_row, key="order_id"), list[Aggregates]()
        orders = orders_in(self._servers, self._collections["orders"], read)
        for _ in self._intake.take_orders(orders, finished, ORDERS_AT_ONCE):
            yield from ((user.user_id, "summed", user) for user in finished)
            finished.clear()

    def _check_index(self) -> Iterator[Finding]:
        try:
            address = self._servers.elastic_address
            catalog = ElasticCatalog(self._servers.elastic, self._generation.index, address=address)
        except UserError as problem:
            yield fault("unreadable", str(problem))
            return
        yield from compare_index(sorted(self._intake.listings), catalog.product_ids())


def user_id_of(document: Document) -> str:
    """The user's id. Raises TypeError if it is not a string, since it then has no place in the order of ids."""
    if not isinstance(document["_id"], str):
        raise TypeError("a user's id is a text")
    return document["_id"]


def stored_counts(servers: Servers, generation: Generation) -> dict[str, int]:
    """The numbers of products, users and orders in the database."""
    collections = collections_of(servers.database, generation.number)
    with mongo_faults(servers.mongo_address):
        return {name: collections[name].count_documents({}) for name in ("products", "users", "orders")}


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
    found = stored_counts(servers, generation)
    wrong = [f"{found[name]} of {counts[name]} {name}" for name in found if found[name] != counts[name]]
    answer = servers.elastic.options(ignore_status=404).count(index=generation.index)
    indexed = answer.get("count", 0)
    if indexed != counts["products"]:
        wrong.append(f"{indexed} of {counts['products']} products in the index")
    return ", ".join(wrong)
