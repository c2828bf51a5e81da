"""Writes a world: store, index and manifest in one pass over products and orders."""

import json
import pickle
import time
from collections.abc import Iterable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

from drretail.env.catalog.formulation import BY_VERSION, ENGLISH, Formulation
from drretail.env.catalog.tantivy import TantivyWriter
from drretail.env.checking import check_generation
from drretail.env.generations import make_live, publish, staged, write_checksums
from drretail.env.intake import Intake, check_expected
from drretail.env.manifest import DATABASE_FILE, HOLDOUT_FILE, INDEX_FOLDER, MANIFEST_FILE, Manifest, OrderRow, Origin
from drretail.env.processes import Tell, Worker, cores, ignore
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


WORTH_A_PROCESS = 2000
"""The products from which on a second process is started: it takes half a second, in which so many are indexed."""
_END = "\n"
# Seconds: longer than it takes to write some products, and little compared with the time of indexing.
_PAUSE = 0.02


class IndexBuilder:
    """Takes the canonical lines of products in order of id, and builds an index in ``folder``.

    The lines go through a file, so that neither process waits for the other before the end. With one core, or with few
    products, ``close`` builds the index.
    """

    def __init__(self, folder: Path, formulation: Formulation) -> None:
        self._spool = folder.with_suffix(".spool")
        self._file = self._spool.open("w", encoding="utf-8", newline="\n")
        self._job = partial(index_lines, folder, formulation.version, self._spool)
        self._count = 0
        self._worker: Worker | None = None

    def add(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._count += 1
        if self._count == WORTH_A_PROCESS and cores() > 1:
            self._worker = Worker()
            self._worker.start(pickle.dumps(self._job))

    def end(self) -> None:
        """Marks the end of the products."""
        self._file.write(_END)
        self._file.close()

    def close(self) -> None:
        """Waits for the index. Raises UserError if there are too many products for one segment."""
        if self._worker is None:
            self._job(ignore)
        else:
            self._worker.wait()
            self._worker.end()
        self._spool.unlink()

    def abandon(self) -> None:
        """Stops without an index."""
        self._file.close()
        if self._worker is not None:
            self._worker.kill()
            self._worker.end()


def index_lines(folder: Path, version: str, spool: Path, tell: Tell) -> None:
    """Indexes the products in a file, up to its empty line; another process may still be writing the file."""
    writer = TantivyWriter(folder, BY_VERSION[version])
    del tell
    for line in _lines(spool):
        # The line is one of ours; validating it again would take as long as indexing it.
        writer.add(Product.model_construct(**json.loads(line)))
    writer.close()


def _lines(spool: Path) -> Iterator[str]:
    with spool.open(encoding="utf-8", newline="\n") as file:
        line = ""
        while line != _END:
            line += file.readline()
            if not line.endswith("\n"):
                time.sleep(_PAUSE)
            elif line != _END:
                yield line
                line = ""
