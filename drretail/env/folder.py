"""A world in a folder: write_world with its embedded index, the rows of any world, check_world."""

import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

from pydantic import ValidationError

from drretail.env.catalog.formulation import formulation_of_index
from drretail.env.catalog.tantivy import TantivyCatalog, TantivyWriter
from drretail.env.faults import compare_counts, compare_fingerprint, compare_index, fault
from drretail.env.intake import Intake
from drretail.env.manifest import (
    CURRENT,
    DATABASE_FILE,
    INDEX_FOLDER,
    INDEX_VERSION,
    MANIFEST_FILE,
    Counts,
    LineHash,
    Manifest,
    OrderRow,
    OrderValues,
    WorldRows,
    changed_files,
    check_index_files,
    live_generation,
    make_live,
    order_line,
    publish,
    read_manifest,
    staged,
    write_checksums,
)
from drretail.env.naming import ServerSettings, is_on_servers, required
from drretail.env.store.sqlite import SqliteStore, SqliteWriter, unreadable
from drretail.errors import UserError
from drretail.files import write_json
from drretail.progress import Progress
from drretail.records.evidence import Finding
from drretail.records.shop import Product


@contextmanager
def open_world_rows(spec: str | Path, servers: ServerSettings | None = None) -> Generator[WorldRows]:
    """The rows of the live world at ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Raises UserError as ``world_at`` does. While rows are read, it raises ToolError if a server fails.
    """
    if is_on_servers(spec):
        from drretail.env.servers.generations import rows_on_servers  # the clients take long to load

        with rows_on_servers(str(spec), required(servers, spec)) as rows:
            yield rows
        return
    generation = live_generation(Path(spec))
    manifest = read_manifest(generation)
    with closing(SqliteStore(generation / DATABASE_FILE, manifest.seed)) as store:
        db = store.connection()
        try:
            yield manifest.rows(store.pool, _products(db, generation / DATABASE_FILE), order_rows(db))
        except sqlite3.Error as problem:
            raise unreadable(generation / DATABASE_FILE, problem) from problem


def product_lines(db: sqlite3.Connection) -> Iterator[str]:
    """The canonical JSON of every product."""
    return (line for (line,) in db.execute("SELECT record FROM products ORDER BY product_id"))


def _products(db: sqlite3.Connection, path: Path) -> Iterator[Product]:
    for line in product_lines(db):
        try:
            yield Product.model_validate_json(line)
        except ValidationError as problem:
            raise unreadable(path, problem) from problem


def order_rows(db: sqlite3.Connection) -> Iterator[OrderValues]:
    return db.execute(
        f"SELECT {', '.join(OrderRow._fields)}"  # noqa: S608 -- constants
        " FROM orders CROSS JOIN users ON users.k = orders.user ORDER BY user, timestamp, order_id"
    )


def check_world(folder: Path) -> list[Finding]:
    """The faults of a world's live generation, empty if it is undamaged. Streams over all rows and files.

    Raises UserError if there is no world to check.
    """
    generation = live_generation(folder)
    content = (folder / CURRENT).read_bytes()
    findings = check_generation(generation)
    if content != f"{generation.name}\n".encode():
        findings.insert(0, fault("file_changed", CURRENT, repr(content)))
    return findings


def check_generation(generation: Path) -> list[Finding]:
    """The faults of one generation: changed files, and what of the shop is then wrong."""
    changed = list(changed_files(generation))
    try:
        manifest = read_manifest(generation)
        store = SqliteStore(generation / DATABASE_FILE, manifest.seed)
    except UserError as problem:
        return [*changed, fault("unreadable", str(problem))]
    with closing(store):
        try:
            check_index_files(generation)
            formulation = formulation_of_index(manifest.versions.get(INDEX_VERSION, ""), "The index")
            with closing(TantivyCatalog(generation / INDEX_FOLDER, formulation)) as catalog:
                db = store.connection()
                tables = Counts.model_fields
                counts = ((name, db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in tables)  # noqa: S608
                checks: list[Iterator[Finding]] = [
                    compare_counts(manifest, counts),
                    check_fingerprint(db, manifest, store.pool.hash),
                    check_index(db, catalog),
                ]
                findings: list[Finding] = []
                for check in checks:
                    try:
                        findings.extend(check)
                    except (sqlite3.Error, ValueError) as problem:  # a damaged row may hold no number
                        findings.append(fault("unreadable", f"the database cannot be read: {problem}"))
                return changed + findings
        except UserError as problem:
            return [*changed, fault("unreadable", str(problem))]


def check_database(folder: Path) -> None:
    """Raises UserError if a world's database is not as it was made: a flipped bit in a record changes what
    agents read, and SQLite notices nothing.

    Takes as long as reading the file.
    """
    for finding in changed_files(live_generation(folder), DATABASE_FILE):
        raise UserError(
            f"The shop's database has changed since {folder} was made ({finding.text.partition(':')[0]}): "
            "`drretail world check` says more; make the world anew."
        )


def check_index(db: sqlite3.Connection, catalog: TantivyCatalog) -> Iterator[Finding]:
    stored = db.execute("SELECT product_id FROM products ORDER BY product_id")
    yield from compare_index((product_id for (product_id,) in stored), catalog.product_ids())


def check_fingerprint(db: sqlite3.Connection, manifest: Manifest, pool: str) -> Iterator[Finding]:
    """Compares the manifest's fingerprint with one of the rows."""
    products, orders = hash_lines(product_lines(db)), hash_lines(map(order_line, order_rows(db)))
    yield from compare_fingerprint(manifest, pool, products=products, orders=orders)


def hash_lines(rows: Iterable[str]) -> str:
    lines = LineHash()
    for line in rows:
        lines.add(line)
    return lines.hexdigest()


def write_world(
    folder: Path, rows: WorldRows, progress: Progress | None = None, *, is_locked: bool = False
) -> Manifest:
    """Makes a new generation live in ``folder`` and returns its manifest; the old one stays live until then.

    Writing the same world again keeps its database and index, unless they are damaged. ``is_locked`` says that the
    caller holds the folder's ``writer_lock``.

    Raises ValueError for rows out of order, and UserError if ``folder`` holds something else, if another process writes
    it, or if another world comes of the rows than was expected.
    """
    with staged(folder, is_locked=is_locked) as staging:
        intake = Intake(rows.formulation)
        _write_rows(staging, intake, rows, progress or Progress())
        manifest = intake.manifest(rows, {"tantivy": version("tantivy")})
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


def _write_rows(staging: Path, intake: Intake, rows: WorldRows, progress: Progress) -> None:
    """Writes the database and the index, in one pass over each stream."""
    store = SqliteWriter(staging / DATABASE_FILE, rows.pool, intake)
    try:
        with progress.track("products into store and index") as bar:
            index = TantivyWriter(staging / INDEX_FOLDER, intake.formulation)
            for batch in store.add_products(rows.products):
                index.add(batch)
                bar.advance(len(batch))
            index.close()
            del index  # its memory
        with progress.track("orders into the store") as bar:
            for size in store.add_orders(rows.orders):
                bar.advance(size)
            store.close()
    except BaseException:
        store.abandon()
        raise
