"""Checks whether a world is undamaged: its content against its manifest."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from drretail.env.catalog.formulation import BY_VERSION, formulation_of_index
from drretail.env.catalog.tantivy import TantivyCatalog
from drretail.env.generations import CHECKSUMS, CURRENT, changed_files, check_index_files, live_generation
from drretail.env.manifest import (
    DATABASE_FILE,
    HOLDOUT_FILE,
    INDEX_FOLDER,
    INDEX_VERSION,
    Counts,
    LineHash,
    Manifest,
    order_line,
    read_manifest,
    world_fingerprint,
)
from drretail.env.rows import holdout_lines, order_rows, product_lines
from drretail.env.store.sqlite import SqliteStore
from drretail.errors import UserError
from drretail.records.evidence import Finding

EXAMPLES = 5
"""The most rows that are named for one kind of fault."""
ORDER_WITHOUT_PRODUCT = {
    "order_without_product": (
        "SELECT order_id, product_id FROM orders WHERE product_id NOT IN (SELECT product_id FROM products)"
    ),
}
"""Not of one's own shop, whose orders may be of products that it has no more."""
ORPHANS = {
    "order_without_user": "SELECT order_id, user FROM orders WHERE user NOT IN (SELECT k FROM users)",
    "user_without_order": "SELECT user_id, n_orders FROM users WHERE k NOT IN (SELECT user FROM orders)",
}
WRONG_SUMS = """
WITH prices AS MATERIALIZED (SELECT product_id, json_extract(record, '$.price') AS price FROM products)
SELECT user_id, n_orders, spend, last_order FROM users JOIN (
    SELECT user, count(*) AS n, max(timestamp) AS last, sum(CASE
        WHEN order_status IN ('Cancelled', 'Returned') THEN 0
        ELSE coalesce(quantity * price, 0) END) AS total
    FROM orders LEFT JOIN prices USING (product_id) GROUP BY user
) ON user = k WHERE n_orders <> n OR last_order <> last OR abs(spend - total) > 0.01
"""


def check_world(folder: Path) -> list[Finding]:
    """The faults of a world's live generation, empty if it is undamaged. Streams over all rows and files.

    Raises UserError if there is no world to check.
    """
    generation = live_generation(folder)
    named = (folder / CURRENT).read_bytes()
    findings = check_generation(generation)
    if named != f"{generation.name}\n".encode():
        findings.insert(0, fault("file_changed", CURRENT, repr(named)))
    return findings


def has_checksums(folder: Path) -> bool:
    """False for a world that was made before worlds had checksums of their files, or that has lost them."""
    return (live_generation(folder) / CHECKSUMS).is_file()


def check_generation(generation: Path) -> list[Finding]:
    """The faults of one generation."""
    changed = list(changed_files(generation))
    try:
        manifest = read_manifest(generation)
        store = SqliteStore(generation / DATABASE_FILE, manifest.seed)
    except UserError as problem:
        return [*changed, fault("unreadable", str(problem))]
    with closing(store):
        if _holds_updates(store):  # updates change the file; its rows are checked below
            changed = [finding for finding in changed if not finding.text.startswith(DATABASE_FILE)]
        try:
            check_index_files(generation)
            formulation = formulation_of_index(manifest.versions.get(INDEX_VERSION, ""), "The index")
            with closing(TantivyCatalog(generation / INDEX_FOLDER, formulation)) as catalog:
                holdout = generation / HOLDOUT_FILE
                held_out = hash_lines(holdout_lines(holdout)) if holdout.is_file() else None
                db = store.connection()
                tables = Counts.model_fields
                counts = ((name, db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in tables)  # noqa: S608
                checks: list[Iterator[Finding]] = [
                    check_integrity(db),
                    check_rows(db, ORPHANS if manifest.is_own_shop else ORDER_WITHOUT_PRODUCT | ORPHANS, "{} ({})"),
                    # Users' aggregates, by which queries draw users, must be those of their orders.
                    check_rows(db, {"user_sums": WRONG_SUMS}, "{}: {} orders, spend {:.2f}, the last at {}"),
                    compare_counts(manifest, counts),
                    check_fingerprint(db, manifest, store.pool.hash, held_out),
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


def check_database(folder: Path, store: SqliteStore) -> None:
    """Raises UserError if a world's database is not as it was made: a flipped bit in a record changes what
    agents read, and SQLite notices nothing.

    Takes as long as reading the file. After profile updates, which change it, only ``check_world`` can tell.
    """
    for finding in changed_files(live_generation(folder), DATABASE_FILE):
        if not _holds_updates(store):
            raise UserError(
                f"The shop's database has changed since {folder} was made ({finding.text.partition(':')[0]}): "
                "`drretail world check` says more; make the world anew."
            )


def _holds_updates(store: SqliteStore) -> bool:
    try:
        return store.connection().execute("SELECT 1 FROM profile_updates").fetchone() is not None
    except sqlite3.Error:
        return False


def check_integrity(db: sqlite3.Connection) -> Iterator[Finding]:
    for (line,) in db.execute(f"PRAGMA integrity_check({EXAMPLES})"):
        if line != "ok":
            yield fault("database_damaged", line)


def check_rows(db: sqlite3.Connection, wrong: Mapping[str, str], form: str) -> Iterator[Finding]:
    """For each statement of ``wrong``, some of the rows that it finds, as faults of its code."""
    for code, statement in wrong.items():
        for row in db.execute(f"{statement} LIMIT {EXAMPLES}"):
            yield fault(code, form.format(*row))


def check_index(db: sqlite3.Connection, catalog: TantivyCatalog) -> Iterator[Finding]:
    stored = db.execute("SELECT product_id FROM products ORDER BY product_id")
    yield from compare_index((product_id for (product_id,) in stored), catalog.product_ids())


def check_fingerprint(db: sqlite3.Connection, manifest: Manifest, pool: str, holdout: str | None) -> Iterator[Finding]:
    """Compares the manifest's fingerprint with one computed from the rows; ``holdout`` is the hash of the held-out
    orders.
    """
    products, orders = hash_lines(product_lines(db)), hash_lines(map(order_line, order_rows(db)))
    yield from compare_fingerprint(manifest, pool, products=products, orders=orders, holdout=holdout)


def hash_lines(rows: Iterable[str]) -> str:
    lines = LineHash()
    for line in rows:
        lines.add(line)
    return lines.hexdigest()


def compare_counts(manifest: Manifest, counts: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """A fault for each number of rows that differs from the manifest. Worlds on servers use this too, as all below."""
    for table, count in counts:
        expected = getattr(manifest.counts, table)
        if count != expected:
            yield fault("count", f"{expected} {table} in the manifest", f"{count} in the database")


def compare_fingerprint(
    manifest: Manifest, pool: str, *, products: str, orders: str, holdout: str | None
) -> Iterator[Finding]:
    """Faults unless these hashes of pool and rows make the manifest's fingerprint."""
    if pool != manifest.profile_pool:
        yield fault("profile_pool", manifest.profile_pool, pool)
    formulation = manifest.versions.get(INDEX_VERSION, "")
    if formulation not in BY_VERSION:
        yield fault("index_formulation", formulation, f"this version of drretail searches by {' or '.join(BY_VERSION)}")
    fingerprint = world_fingerprint(
        products=products, orders=orders, seed=manifest.seed, pool=pool, formulation=formulation, holdout=holdout
    )
    if fingerprint != manifest.fingerprint:
        yield fault("fingerprint", manifest.fingerprint, fingerprint)


def compare_index(stored: Iterable[str], indexed: Iterable[str]) -> Iterator[Finding]:
    """A fault at the first product that differs between database and index, both in order of id."""
    for in_store, in_index in zip_longest(stored, indexed):
        if in_store != in_index:
            yield fault("index_products", f"product {in_store} in the database", f"{in_index} in the index")
            return


def fault(code: str, where: str, found: str | None = None) -> Finding:
    return Finding(code=code, severity="error", text=where, found=found)
