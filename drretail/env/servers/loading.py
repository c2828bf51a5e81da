"""Loads a world onto both servers: into new collections and a new index, which go live together or not at all."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

import elastic_transport
import elasticsearch
from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection
from pymongo.errors import PyMongoError

from drretail.env.catalog.elastic_load import ElasticWriter
from drretail.env.catalog.formulation import ENGLISH, Formulation
from drretail.env.intake import Intake, check_expected
from drretail.env.manifest import Manifest, OrderRow, Origin
from drretail.env.profiles import ProfilePool
from drretail.env.servers.clients import Document, Servers, connect
from drretail.env.servers.documents import product_of
from drretail.env.servers.faults import Patience, elastic_fault, elastic_faults, is_passing, mongo_fault, mongo_faults
from drretail.env.servers.filling import (
    PRODUCTS_AT_ONCE,
    Filling,
    Unfinished,
    drop_unfinished,
    find_unfinished,
    forget_unfinished,
)
from drretail.env.servers.integrity import is_whole, missing_rows, same_world
from drretail.env.servers.lease import LEASE_SECONDS, Lease, writer_lease
from drretail.env.servers.live_generation import (
    WORLDS,
    Generation,
    collections_of,
    copy_updates,
    drop_retired,
    find_generations,
    find_live,
    is_generation,
    make_live_again,
    point_alias,
    publish,
    replace_manifest,
)
from drretail.env.servers.naming import SPEC_PREFIX, ServerSettings, world_name
from drretail.errors import ToolError, UserError
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.shop import Product

# For newest orders first, of all or of one status; ties by id.
ORDER_INDEXES = (
    [("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
    [("user_id", ASCENDING), ("order_status", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
)


def write_servers(
    servers: Servers,
    *,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    holdout: Iterable[OrderRow] | None = None,
    seed: int | str,
    pool: ProfilePool,
    materialize_users: bool = False,
    progress: Progress | None = None,
    expected: str | None = None,
    formulation: Formulation = ENGLISH,
    patience: Patience | None = None,
    lease_seconds: float = LEASE_SECONDS,
    origin: Origin | None = None,
) -> Manifest:
    """Makes a new generation live on the servers and returns its manifest; the old one stays live until then.

    The rows are as for ``writing.write_world``. Rows that an interrupted load has written are not written again.
    Writing the world that is live already reads all of it, and changes nothing unless it is damaged; profile updates
    made meanwhile stay. ``materialize_users`` writes profiles out; otherwise they are derived. ``expected`` as for
    ``write_world``.

    Raises ValueError for rows out of order, and UserError if another process writes, or if a server fails for longer
    than ``patience``.
    """
    progress, patience = progress or Progress(), patience or Patience()
    key = sha256_of([str(seed), pool.hash]) if materialize_users else ""
    with load_errors(servers):
        there = None if expected is None else same_world(servers, expected, materialize_users=materialize_users)
        if there is not None and is_whole(servers, there, progress):
            point_alias(servers, there.index)
            return there.manifest
    with load_errors(servers), writer_lease(servers, lease_seconds) as lease:
        drop_retired(servers)
        load = Load(servers, find_unfinished(servers, key), lease, patience, progress)
        filling = Filling(
            servers,
            load.unfinished,
            lease,
            patience,
            seed=str(seed),
            pool=pool,
            materialize_users=materialize_users,
            formulation=formulation,
        )
        load.fill(filling, products, orders, holdout)
        manifest = filling.intake.manifest(seed=seed, pool=pool, engines=servers.versions, origin=origin or {})
        check_expected(manifest, expected)
        made = Generation(
            number=load.unfinished.number,
            index=load.unfinished.index,
            manifest=manifest,
            pool=pool,
            materialized=materialize_users,
            held_out=holdout is not None,
        )
        load.check_counts(made)
        lease.check()
        load.go_live(made, damaged=None if there is None else there.number)
    return manifest


@dataclass(frozen=True, slots=True)
class Load:
    """One load: its progress, and the lease by which this process may write."""

    servers: Servers
    unfinished: Unfinished
    lease: Lease
    patience: Patience
    progress: Progress

    def fill(
        self,
        filling: Filling,
        products: Iterable[Product],
        orders: Iterable[OrderRow],
        holdout: Iterable[OrderRow] | None,
    ) -> None:
        """Writes all missing rows, and builds the indexes."""
        with self.progress.track("products into MongoDB") as bar:
            filling.fill_products(products, bar)
        self.fill_index(filling.intake)
        with self.progress.track("orders and users into MongoDB") as bar:
            filling.fill_orders(orders, bar)
        if holdout is not None:
            with self.progress.track("orders that are held out") as bar:
                filling.fill_holdout(holdout, bar)
        self.progress.note("Building indexes and counting.")
        make_order_indexes(self.servers, self.unfinished.number, self.patience)

    def fill_index(self, intake: Intake) -> None:
        """Indexes the products that MongoDB holds.

        MongoDB holds all of them by then, so that the index never holds a product of an interrupted load that changed
        afterwards.
        """
        servers, unfinished, patiently = self.servers, self.unfinished, self.patience.patiently
        index = ElasticWriter(
            servers.elastic,
            unfinished.index,
            address=servers.elastic_address,
            formulation=intake.formulation,
            shards=servers.settings.shards,
            replicas=servers.settings.replicas,
            patience=self.patience,
        )
        # An index of other products, or with another formulation, is begun anew.
        kind = f"{intake.product_hash.hexdigest()} {intake.formulation.version} {servers.settings.shards}"
        exists = patiently(lambda: servers.elastic.indices.exists(index=unfinished.index))
        if unfinished.indexed_as != kind or not exists:
            index.drop()
            patiently(lambda: unfinished.note_indexed(kind, ""))
        index.create()
        with self.progress.track("products into Elasticsearch") as bar:
            collection = collections_of(servers.database, unfinished.number)["products"]
            while batch := patiently(lambda: next_products(collection, unfinished.indexed_to)):
                patiently(self.lease.check)
                index.add(batch)
                last = batch[-1].product_id
                patiently(lambda last=last: unfinished.note_indexed(kind, last))
                bar.advance(len(batch))
        index.finish()

    def check_counts(self, made: Generation) -> None:
        """Raises UserError, and drops what was loaded, unless both servers hold as many rows as were sent."""
        missing = self.patience.patiently(lambda: missing_rows(self.servers, made))
        if missing:
            drop_unfinished(self.servers, made.number)
            raise UserError(
                f"The servers do not hold what was sent ({missing}): another program may have changed it meanwhile. "
                "Nothing went live; run the same command again."
            )

    def go_live(self, made: Generation, damaged: int | None) -> None:
        """Publishes the generation. If the same world is live and undamaged, only its manifest is replaced.

        ``damaged`` is the number of a generation that is known to be damaged.
        """
        servers, fingerprint = self.servers, made.manifest.fingerprint
        there = same_world(servers, fingerprint, materialize_users=made.materialized)
        if there is not None and there.number != damaged and is_whole(servers, there, self.progress):
            self.lease.check()
            drop_unfinished(servers, made.number)
            replace_manifest(servers, there.model_copy(update={"manifest": made.manifest}))
            point_alias(servers, there.index)  # the alias is missing if a load was interrupted just after going live
            return
        before = find_live(servers)
        if before is not None and before.manifest.fingerprint == fingerprint:
            copy_updates(servers, before, made)
            if before.materialized and not made.materialized:
                self.progress.note("Profiles are no longer written out: materialize_users would write them.")
        self.lease.check()
        publish(servers, made)
        forget_unfinished(servers)


def next_products(products: Collection[Document], after: str) -> list[Product]:
    """The next batch of products after an id. Each batch is a query of its own, so that it can be retried."""
    return [
        product_of(document)
        for document in products.find({"_id": {"$gt": after}}).sort("_id", ASCENDING).limit(PRODUCTS_AT_ONCE)
    ]


def make_order_indexes(servers: Servers, number: int, patience: Patience) -> None:
    orders = collections_of(servers.database, number)["orders"]
    for keys in ORDER_INDEXES:
        patience.patiently(lambda keys=keys: orders.create_index(keys))


def use_former(spec: str, settings: ServerSettings, fingerprint: str) -> None:
    """Makes the kept generation with this fingerprint live again. Raises UserError if another process
    writes meanwhile.
    """
    with connect(settings, world_name(spec), loading=True) as servers, load_errors(servers), writer_lease(servers):
        for generation in find_generations(servers):
            if generation.manifest.fingerprint == fingerprint:
                make_live_again(servers, generation)
                return
        raise UserError(f"{spec} no longer keeps the generation {fingerprint[:12]}.")


def check_ready(servers: Servers) -> None:
    """Raises UserError if a load would fail because of its name or for lack of write access."""
    with load_errors(servers):
        with mongo_faults(servers.mongo_address):
            # MongoDB refuses even the deletion of a missing document to a user without write access.
            servers.database[WORLDS].delete_one({"_id": "nothing"})
        # The world's name cannot become an alias if another program's index or alias has it.
        with elastic_faults(servers.elastic_address):
            client, name = servers.elastic, servers.name
            if not client.indices.exists(index=name):
                return
            aliases = client.options(ignore_status=404).indices.get_alias(name=name, filter_path="*.aliases")
        others = sorted(index for index in aliases if not is_generation(name, index))
        if others or not aliases:
            what = f"an alias of {others[0]}" if others else "an index"
            raise UserError(
                f"Elasticsearch at {servers.elastic_address} has {what} that is called {name!r}, as the alias of the "
                f"world {SPEC_PREFIX}{name} would be: choose another name for the world, or remove what has it."
            )


@contextmanager
def load_errors(servers: Servers) -> Generator[None]:
    """Turns a server's failure during a load into a UserError of one sentence.

    The sentence says that the same command continues only if the fault may pass by itself.
    """
    try:
        yield
    except (PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError, ToolError) as problem:
        if isinstance(problem, ToolError):
            fault, cause = problem, problem.__cause__
        elif isinstance(problem, PyMongoError):
            fault, cause = mongo_fault(problem, servers.mongo_address), problem
        else:
            fault, cause = elastic_fault(problem, servers.elastic_address), problem
        may_pass = isinstance(cause, Exception) and is_passing(cause)
        later = " The same command goes on where this one stopped." if may_pass else ""
        raise UserError(f"{fault.message} What is live is unchanged.{later}") from problem
