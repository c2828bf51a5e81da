"""Writes a world: store, index and manifest in one pass over products and orders."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from drretail import __version__
from drretail.env.catalog.formulation import FORMULATION
from drretail.env.catalog.tantivy import TantivyWriter
from drretail.env.checking import check_generation
from drretail.env.generations import make_live, publish, staged
from drretail.env.manifest import (
    DATABASE_FILE,
    HOLDOUT_FILE,
    INDEX_FOLDER,
    INDEX_VERSION,
    MANIFEST_FILE,
    NOW_WITHOUT_ORDERS,
    CategoryCounts,
    Counts,
    LineHash,
    Manifest,
    OrderRow,
    SourceFile,
    holdout_line,
    midnight_after,
    world_fingerprint,
)
from drretail.env.profiles import ProfilePool
from drretail.env.store.sqlite_load import SqliteWriter
from drretail.files import write_json
from drretail.progress import Progress
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Written:
    """What one pass over the rows left behind."""

    counts: Counts
    product_hash: str
    order_hash: str
    last_order: int | None


def write_world(
    folder: Path,
    *,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    holdout: Iterable[OrderRow] | None = None,
    seed: int | str,
    pool: ProfilePool,
    since: date | None = None,
    parameters: Mapping[str, Any] | None = None,
    categories: Iterable[CategoryCounts] = (),
    sources: Iterable[SourceFile] = (),
    versions: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Makes a new generation live in ``folder`` and gives its manifest; until then the old one stays.

    ``products`` come in order of product id, ``orders`` in order of (user id, timestamp, order id); both are read once.
    ``holdout`` are orders that are kept beside the world and not in it, None where nothing is held out.
    Writing the same world again leaves its database and index as they are, with the profile updates made meanwhile,
    unless they are damaged. Raises ValueError for rows out of order, UserError when ``folder`` holds something else.
    """
    with staged(folder) as staging:
        written = write_rows(staging, products, orders, pool, progress or Progress())
        held_out = None if holdout is None else write_holdout(staging / HOLDOUT_FILE, holdout)
        manifest = Manifest(
            fingerprint=world_fingerprint(
                products=written.product_hash,
                orders=written.order_hash,
                seed=str(seed),
                pool=pool.hash,
                formulation=FORMULATION,
                holdout=held_out,
            ),
            seed=str(seed),
            now=NOW_WITHOUT_ORDERS if written.last_order is None else midnight_after(written.last_order),
            since=since,
            parameters=dict(parameters or {}),
            categories=tuple(categories),
            counts=written.counts,
            sources=tuple(sources),
            versions={
                **(versions or {}),
                "drretail": __version__,
                "tantivy": version("tantivy"),
                INDEX_VERSION: FORMULATION,
            },
            profile_pool=pool.hash,
        )
        write_json(staging / MANIFEST_FILE, manifest.model_dump(mode="json"))
        existing = folder / manifest.generation
        if existing.is_dir() and not check_generation(existing):
            write_json(existing / MANIFEST_FILE, manifest.model_dump(mode="json"))
            make_live(folder, existing.name)
        else:
            publish(folder, staging, manifest.generation)
    return manifest


def write_holdout(path: Path, orders: Iterable[OrderRow]) -> str:
    """Writes the orders that are held out, in the order in which they come, and gives the hash of their lines."""
    lines = LineHash()
    with path.open("w", encoding="utf-8") as file:
        for row in orders:
            line = holdout_line(row)
            lines.add(line)
            file.write(f"{line}\n")
    return lines.hexdigest()


def write_rows(
    staging: Path,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    pool: ProfilePool,
    progress: Progress,
) -> Written:
    """The database and the index, from one pass over each stream."""
    store = SqliteWriter(staging / DATABASE_FILE, pool)
    try:
        catalog = TantivyWriter(staging / INDEX_FOLDER)
        with progress.track("products into store and index") as bar:
            for product in store.add_products(products):
                catalog.add(product)
                bar.advance()
            catalog.close()
        with progress.track("orders into the store") as bar:
            for size in store.add_orders(orders):
                bar.advance(size)
            store.close()
    except BaseException:
        store.abandon()
        raise
    return Written(
        counts=Counts(products=store.products, users=store.users, orders=store.orders),
        product_hash=store.product_hash.hexdigest(),
        order_hash=store.order_hash.hexdigest(),
        last_order=store.last_order,
    )
