"""From raw files to a world, or to nothing at all: the order of the steps (paper App. A.2, Algorithm 1)."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from drretail.data_ingest.accounts import count_categories
from drretail.data_ingest.engines.duckdb import DuckDBEngine
from drretail.data_ingest.loading import Loaded, load_input, load_kept_rows
from drretail.data_ingest.options import IngestOptions
from drretail.data_ingest.plan import Plan, plan_inputs
from drretail.data_ingest.products import parse_json, product_of, richness
from drretail.data_ingest.profile_pool import draw_pool
from drretail.data_ingest.report import Funnel, IngestReport
from drretail.data_ingest.shapes import recognise
from drretail.data_ingest.sources import find_files, reading
from drretail.env.generations import check_is_ours
from drretail.env.manifest import CategoryCounts, Manifest, OrderRow, SourceFile
from drretail.env.profiles import ProfilePool, default_pool
from drretail.env.writing import write_world
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.shop import Product

FAKER = "faker:"


def ingest(
    paths: Sequence[Path],
    folder: Path,
    options: IngestOptions | None = None,
    progress: Progress | None = None,
    *,
    dry_run: bool = False,
) -> IngestReport:
    """Makes the world in ``folder`` from raw files and says what was read, kept and dropped, and why.

    The world is written when everything else has succeeded; ``dry_run`` ends before. Raises UserError for files that
    are missing, cut or damaged, and where no shop comes out.
    """
    options, progress = options or IngestOptions(), progress or Progress()
    check_is_ours(folder)
    pool = choose_pool(options)
    plan = plan_inputs([recognise(path) for path in find_files(paths, folder)], options)
    with TemporaryDirectory(prefix="drretail-ingest-") as name, closing(DuckDBEngine(Path(name), options)) as engine:
        loaded = _load(engine, plan, Path(name), progress)
        with progress.track("selecting products and orders"):
            engine.select()
        report = _report(engine, plan, loaded)
        _check_something_is_kept(engine, report, options)
        if dry_run:
            return report
        with progress.track("reading the products that are kept"):
            load_kept_rows(engine, plan, loaded)
        manifest = _write(engine, folder, plan, report, options, pool, progress)
    return report.model_copy(update={"world": str(folder), "fingerprint": manifest.fingerprint})


def choose_pool(options: IngestOptions) -> ProfilePool:
    """The shipped pool of names and addresses, or one drawn for "faker:LOCALE"; raises UserError for anything else."""
    if options.profile_pool is None:
        return default_pool()
    if not options.profile_pool.startswith(FAKER):
        raise UserError(f"--profile-pool {options.profile_pool!r} is unknown: write faker:LOCALE, such as faker:de_DE.")
    return draw_pool(options.profile_pool.removeprefix(FAKER), int(sha256_of(options.seed)[:8], 16))


def _load(engine: DuckDBEngine, plan: Plan, work: Path, progress: Progress) -> list[Loaded]:
    loaded = list[Loaded]()
    with progress.track("reading files", len(plan.inputs)) as bar:
        for number, item in enumerate(plan.inputs):
            bar.describe(f"reading {item.name}")
            loaded.append(load_input(engine, plan, number, work))
            bar.advance()
    return loaded


def _report(engine: DuckDBEngine, plan: Plan, loaded: Sequence[Loaded]) -> IngestReport:
    files = [file.report for file in loaded]
    categories = count_categories(engine, plan, files)
    totals = engine.query("totals")[0]
    # The tenth order with one hash; at a hundred million orders the chance of it is below 10^-12.
    assert (totals["highest_k"] or 0) <= 9, "order ids have run out of their first digit"
    return IngestReport(
        world=None,
        fingerprint=None,
        files=tuple(sorted([*files, *plan.skipped], key=lambda file: file.name)),
        categories=categories,
        products=Funnel.total(row.products for row in categories),
        reviews=Funnel.total(row.reviews for row in categories),
        users=totals["users"],
        products_without_meta=totals["without_meta"],
    )


def _check_something_is_kept(engine: DuckDBEngine, report: IngestReport, options: IngestOptions) -> None:
    if report.products.kept:
        return
    most = engine.query("totals")[0]["most_interactions"]
    raise UserError(
        f"No product is left: none of {report.products.read:,} product rows has {options.min_interactions} "
        f"interactions since {options.since} (the most, repeated rows included, is {most:,}), and "
        f"{report.products_without_meta:,} reviewed products have no product row. Lower --min-interactions or "
        "--since, or check that products and reviews belong together."
    )


def _write(
    engine: DuckDBEngine,
    folder: Path,
    plan: Plan,
    report: IngestReport,
    options: IngestOptions,
    pool: ProfilePool,
    progress: Progress,
) -> Manifest:
    with progress.track("hashing files", len(plan.inputs)) as bar:
        sources = list[SourceFile]()
        for item in plan.inputs:
            sources.append(_source_file(item.source.path, item.name))
            bar.advance()
    return write_world(
        folder,
        products=_products(engine, plan),
        orders=(OrderRow(*row) for row in engine.orders()),
        seed=options.seed,
        pool=pool,
        since=options.since,
        parameters=options.model_dump(mode="json", exclude={"seed", "since"}),
        categories=[_category_counts(row.name, report) for row in report.categories],
        sources=sources,
        versions={engine.name: engine.version},
        progress=progress,
    )


def _products(engine: DuckDBEngine, plan: Plan) -> Iterator[Product]:
    """The kept products by id; of several rows for one product the richest, of equally rich ones the first."""
    for _, rows in groupby(engine.kept_rows(), key=itemgetter(0)):
        candidates: Iterable[Product] = (
            product_of(product_id, plan.categories[category], {name: parse_json(text) for name, text in fields.items()})
            for product_id, category, fields in rows
        )
        yield max(candidates, key=richness)


def _category_counts(name: str, report: IngestReport) -> CategoryCounts:
    row = next(row for row in report.categories if row.name == name)
    dropped = {f"products: {reason}": rows for reason, rows in row.products.dropped.items()}
    dropped |= {f"reviews: {reason}": rows for reason, rows in row.reviews.dropped.items()}
    return CategoryCounts(
        name=name,
        products=row.products.kept,
        users=row.users,
        orders=row.reviews.kept,
        rows_read=row.products.read + row.reviews.read,
        dropped=dropped,
    )


def _source_file(path: Path, name: str) -> SourceFile:
    with reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return SourceFile(name=name, size=path.stat().st_size, sha256=digest)
