"""What differs between a world's manifest and what its folder or servers hold."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from drretail.env.catalog.formulation import BY_VERSION
from drretail.env.manifest import INDEX_VERSION, Manifest, world_fingerprint
from drretail.records.evidence import Finding


def compare_counts(manifest: Manifest, counts: Iterable[tuple[str, int]]) -> Iterator[Finding]:
    """A fault for each number of rows that differs from the manifest."""
    for table, count in counts:
        expected = getattr(manifest.counts, table)
        if count != expected:
            yield fault("count", f"{expected} {table} in the manifest", f"{count} in the database")


def compare_fingerprint(manifest: Manifest, pool: str, *, products: str, orders: str) -> Iterator[Finding]:
    """Faults unless these hashes of pool and rows make the manifest's fingerprint."""
    if pool != manifest.profile_pool:
        yield fault("profile_pool", manifest.profile_pool, pool)
    formulation = manifest.versions.get(INDEX_VERSION, "")
    if formulation not in BY_VERSION:
        yield fault("index_formulation", formulation, f"this version of drretail searches by {' or '.join(BY_VERSION)}")
    fingerprint = world_fingerprint(
        products=products, orders=orders, seed=manifest.seed, pool=pool, formulation=formulation
    )
    if fingerprint != manifest.fingerprint:
        yield fault("fingerprint", manifest.fingerprint, fingerprint)


def compare_index(stored: Iterable[str], indexed: Iterable[str]) -> Iterator[Finding]:
    """A fault at the first product that differs between database and index, both in order of id."""
    for in_store, in_index in zip_longest(stored, indexed):
        if in_store != in_index:
            yield fault("index_products", f"product {in_store} in the database", f"{in_index} in the index")
            return


def fault(code: str, where: str, detail: str | None = None) -> Finding:
    return Finding(code=code, severity="error", text=where, found=detail)
