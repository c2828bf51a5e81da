"""Writes a world: store, index and manifest in one pass over products and orders."""

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from drretail.env.catalog.formulation import ENGLISH, Formulation
from drretail.env.catalog.indexing import IndexBuilder
from drretail.env.checking import check_generation
from drretail.env.generations import make_live, publish, staged, write_checksums
from drretail.env.intake import Intake, check_expected
from drretail.env.manifest import DATABASE_FILE, HOLDOUT_FILE, INDEX_FOLDER, MANIFEST_FILE, Manifest, OrderRow, Origin
from drretail.env.profiles import ProfilePool
from drretail.env.store.sqlite import SqliteWriter
from drretail.files import write_json
from drretail.progress import Progress
from drretail.records.shop import Product


def write_world(
    folder: Path,
    *,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    holdout: Iterable[OrderRow] | None = None,
    seed: int | str,
    pool: ProfilePool,
    progress: Progress | None = None,
    expected: str | None = None,
    formulation: Formulation = ENGLISH,
    origin: Origin | None = None,
    is_locked: bool = False,
) -> Manifest:
    """Makes a new generation live in ``folder`` and returns its manifest; the old one stays live until then.

    ``products`` are in order of product id, ``orders`` in order of (user id, timestamp, order id); both are read once.
    ``holdout`` are orders that are kept beside the world and not in it; None if none are held out.

    Writing the same world again keeps its database and index, with the profile updates made meanwhile, unless they are
    damaged. With ``expected``, only a world with this fingerprint goes live. ``is_locked`` says that the caller holds
    the folder's ``writer_lock``.

    Raises ValueError for rows out of order, and UserError if ``folder`` holds something else, or another process writes
    it.
    """
    with staged(folder, is_locked=is_locked) as staging:
        intake = Intake(formulation)
        write_rows(staging, intake, products, orders, pool, progress or Progress())
        if holdout is not None:
            with (staging / HOLDOUT_FILE).open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for _, line in intake.take_holdout(holdout))
        manifest = intake.manifest(seed=seed, pool=pool, engines={"tantivy": version("tantivy")}, origin=origin or {})
        check_expected(manifest, expected)
        write_json(staging / MANIFEST_FILE, manifest.model_dump(mode="json"))
        write_checksums(staging)
        existing = folder / manifest.generation
        if existing.is_dir() and not check_generation(existing):
            write_json(existing / MANIFEST_FILE, manifest.model_dump(mode="json"))
            write_checksums(existing)
            make_live(folder, existing.name)
        else:
            publish(folder, staging, manifest.generation)
    return manifest


def write_rows(
    staging: Path,
    intake: Intake,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    pool: ProfilePool,
    progress: Progress,
) -> None:
    """Writes the database and the index, in one pass over each stream."""
    store = SqliteWriter(staging / DATABASE_FILE, pool, intake)
    index = IndexBuilder(staging / INDEX_FOLDER, intake.formulation)
    try:
        with progress.track("products into store and index") as bar:
            for line in store.add_products(products):
                index.add(line)
                bar.advance()
        index.end()
        with progress.track("orders into the store") as bar:
            for size in store.add_orders(orders):
                bar.advance(size)
            store.close()
        with progress.track("index"):
            index.close()
    except BaseException:
        index.abandon()
        store.abandon()
        raise
