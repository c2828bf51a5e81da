"""ingest(paths, folder, options) -> IngestReport: the order of the steps; whether a live world may be replaced."""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from drretail import __version__
from drretail.data_ingest.engines.base import Selected, SelectionTask, load_engine
from drretail.data_ingest.plan import (
    WHOLE_SHOP,
    IngestPlan,
    IngestReport,
    IngestSettings,
    Input,
    ReplacedWorld,
    plan_inputs,
    plan_shop,
)
from drretail.data_ingest.raw.columns import is_table
from drretail.data_ingest.raw.lines import LATER, last_millisecond, recognise
from drretail.data_ingest.raw.shop_rows import is_mapping, shop_sources
from drretail.data_ingest.raw.sources import file_state, find_files
from drretail.data_ingest.selected import (
    LEFT_OUT,
    OwnCategories,
    count_categories,
    selected_orders,
    selected_products,
    total_of,
)
from drretail.data_ingest.stages import cores, source_files
from drretail.env.catalog.formulation import FORMULATIONS
from drretail.env.copying import WriteWorld, find_live, opens
from drretail.env.folder import write_world
from drretail.env.manifest import STAGES, CategoryCounts, Manifest, SourceFile, WorldRows, check_is_ours, writer_lock
from drretail.env.naming import ServerSettings
from drretail.env.users import default_pool
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.figures import counted, first_few

_NAMED_FILES = 3


def _check_replaceable(
    name: str, live: Manifest, plan: IngestPlan, options: IngestSettings, workers: int, progress: Progress
) -> None:
    """Raises UserError with the live world and the differences, unless both have the same files and options."""
    other = list[str]()
    states = [(file, *file_state(path)) for file, path in plan.files()]
    if [state[:2] for state in states] != [(source.name, source.size) for source in live.sources]:
        there = [(file.name, file.size) for file in live.sources]
        other.append(f"{_files([state[:2] for state in states])} instead of {_files(there)}")
    # Names and sizes agree: only other times are a reason to hash the files.
    elif [state[2] for state in states] != [source.modified for source in live.sources]:
        files = source_files(plan, workers, progress)
        changed = [new.name for new, old in zip(files, live.sources, strict=True) if new.sha256 != old.sha256]
        if changed:
            other.append(f"other rows in {first_few(changed, _NAMED_FILES)}")
    # Those that have fields of their own in a manifest join its parameters.
    before = {**live.parameters, "seed": live.seed, "since": live.since, "analyzer": live.analyzer}
    before["profile pool"] = live.profile_pool
    now = {**_parameters(options), "seed": options.seed, "since": options.since, "analyzer": options.chosen_analyzer}
    now["profile pool"] = default_pool().hash
    other += [
        f"{option.replace('_', ' ')} {_written(now.get(option))} instead of {_written(before.get(option))}"
        for option in sorted({*before, *now})
        if now.get(option) != before.get(option)
    ]
    if other:
        raise UserError(
            f"{name} holds another world: {live.headline} (fingerprint {live.fingerprint[:12]}). What would come has "
            f"{'; '.join(other)}. Add --force to put it in the place of what is there, or give it a place of its own."
        )


def _files(files: Sequence[tuple[str, int]]) -> str:
    """ "2 files of 40.5 MB (meta_Pet_Supplies.jsonl, Pet_Supplies.jsonl)"."""
    if not files:
        return "rows of no file"
    size = sum(size for _, size in files) / 1e6
    return f"{counted(len(files), 'file')} of {size:,.1f} MB ({first_few([name for name, _ in files], _NAMED_FILES)})"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return sha256_of(value)[:8]
    return "none" if value is None else str(value)[:20]


# Bytes, in however many files. A second process saves a fourth of the time of fewer, and takes more of the processor.
WORTH_A_PROCESS = 32_000_000
# Bytes. Smaller inputs are read again in about a second, so their stages are not kept after an error.
WORTH_KEEPING = 200_000_000


@dataclass(frozen=True, slots=True)
class WorldTarget:
    """The destination of a world."""

    place: str | Path
    """A folder, or "servers:NAME"."""
    write: WriteWorld
    servers: ServerSettings | None = None

    def live(self) -> Manifest | None:
        return find_live(self.place, self.servers)

    def is_complete(self) -> bool:
        """True if the live world can be opened."""
        return self.live() is not None and opens(self.place, self.servers)


def ingest_files(
    paths: Sequence[Path],
    folder: Path,
    options: IngestSettings | None = None,
    progress: Progress | None = None,
    *,
    dry_run: bool = False,
    replace: bool = False,
    engine: str = "duckdb",
    master: str | None = None,
    workers: int | None = None,
    into: WorldTarget | None = None,
    today: date | None = None,
) -> IngestReport:
    """Makes the world in ``folder`` from raw files and reports what was read, kept and dropped, and why.

    ``paths`` are files and folders of Amazon Reviews 2023, or one mapping file of your own shop. Of your own shop
    everything is kept unless ``options`` say otherwise.

    With ``into`` the world is written there, and ``folder`` holds only finished stages until then. If the live world
    there was made from the same files with the same options, it is left as it is and no rows are read; any other world
    is refused. ``replace`` makes the world in either case and keeps the previous one. No other process can ingest into
    the folder at the same time.

    Rows that are dated later than the last day (``options.until``, by default ``today``, the day of the ingest) are
    bad, since the last order makes the shop's today.

    The world is written only when everything else has succeeded; ``dry_run`` ends before that. Stages that a killed run
    finished are reused. ``workers`` is the number of threads, by default as many as are useful. Neither the workers
    nor the engine change the result.

    Raises UserError if a file is missing, cut or damaged, if more than one in a hundred reviews or orders is dated too
    late, if the disk is full, if another world is live there, or if no shop comes out.
    """
    progress = progress or Progress()
    into = into or WorldTarget(folder, partial(write_world, folder, is_locked=True))
    name = str(into.place)
    check_is_ours(folder)
    plan, options = plan_paths(paths, folder, options)
    select = load_engine(engine)
    # Here or in UTC: dates without a zone are those of the shop, which may be a day ahead.
    until = options.until or today or max(datetime.now(UTC).date(), datetime.now().astimezone().date())
    dated = options.model_copy(update={"until": until})
    # At most one per core, per file and per ``WORTH_A_PROCESS`` bytes.
    useful = min(cores(), len(plan.inputs), sum(map(_size, plan.inputs)) // WORTH_A_PROCESS)
    workers = workers or max(1, useful)
    with nullcontext() if dry_run else writer_lock(folder):
        before = None if dry_run else into.live()
        if before is not None and not replace:
            wanted = dated if before.parameters.get("until") else options
            _check_replaceable(name, before, plan, wanted, workers, progress)
            # Another version of drretail may make other rows from the same files.
            if before.versions.get("drretail") == __version__ and into.is_complete():
                rmtree(folder / STAGES, ignore_errors=True)  # of a run that was killed while it removed them
                live = _made_live(name, before, None)
                return IngestReport(users=before.counts.users, there_already=True, **live)
        with _stages(folder, plan, progress, dry_run=dry_run) as stages, _writing(name):
            work = stages / engine
            work.mkdir(exist_ok=True)
            end = last_millisecond(until)
            task = SelectionTask(plan, options, work, progress, workers, master, counts_only=dry_run, until_ms=end)
            selected = select(task)
            report = _report(selected, plan)
            if options.until is None:
                _check_dates(report, until)
            _check_something_is_kept(selected, report, options)
            if dry_run:
                return report
            sources = source_files(plan, workers, progress)
            # A default day is kept only where it decided something: the same rows make the same world on each day.
            chosen = dated if any(file.late for file in report.files) else options
            manifest = _write(into.write, task, chosen, selected, report, sources)
    return report.model_copy(update=_made_live(name, manifest, before))


def plan_paths(
    paths: Sequence[Path], folder: Path, options: IngestSettings | None
) -> tuple[IngestPlan, IngestSettings]:
    """The plan for these paths, and the options with the defaults for this kind of shop."""
    if is_mapping(paths):
        mapping, sources = shop_sources(paths[0])
        options = (options or IngestSettings(**WHOLE_SHOP)).model_copy(update={"mapping": mapping})
        return plan_shop(sources, options), options
    options, sources = options or IngestSettings(), [recognise(path) for path in find_files(paths, folder)]
    for source in sources:
        if source.why is not None and is_table(source.path) and not any(path.is_dir() for path in paths):
            raise UserError(
                f"{source.path} is a table of your own: say in a mapping which column is what, and ingest that, as in "
                "`drretail ingest shop.toml --world w` (docs/shop.md)."
            )
    return plan_inputs(sources, options), options


def _made_live(name: str, manifest: Manifest, before: Manifest | None) -> dict[str, Any]:
    replaced = None
    if before is not None and before.fingerprint != manifest.fingerprint:
        replaced = ReplacedWorld(generation=before.generation, fingerprint=before.fingerprint, headline=before.headline)
    return {
        "world": name,
        "fingerprint": manifest.fingerprint,
        "now": manifest.now,
        "counts": manifest.counts,
        "priced": manifest.priced,
        "replaced": replaced,
    }


@contextmanager
def _stages(folder: Path, plan: IngestPlan, progress: Progress, *, dry_run: bool) -> Generator[Path]:
    """The folder in which the engine keeps finished stages, beside the world, until the world is complete.

    After an error the stages are kept if it took time to make them. A killed run always leaves them.
    """
    if dry_run:
        with TemporaryDirectory(prefix="drretail-ingest-") as name:
            yield Path(name)
        return
    stages = folder / STAGES
    try:
        stages.mkdir(parents=True, exist_ok=True)
        yield stages
    except UserError:
        if sum(map(_size, plan.inputs)) < WORTH_KEEPING:
            rmtree(stages, ignore_errors=True)
        else:
            progress.note(f"What was read is kept in {folder}; the same command goes on from there.")
        raise
    rmtree(stages, ignore_errors=True)


@contextmanager
def _writing(name: str) -> Generator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as problem:
        raise UserError(
            f"The world at {name} could not be written: {problem}. What was there before is unchanged."
        ) from problem


def _size(item: Input) -> int:
    """The size of a file in bytes; 0 if it has vanished, which its reader then reports."""
    try:
        return item.source.path.stat().st_size
    except OSError:
        return 0


def _report(selected: Selected, plan: IngestPlan) -> IngestReport:
    categories = count_categories(selected.tables, plan, selected.files)
    totals = selected.tables["totals"][0]
    # An id's first digit tells apart ten orders with one hash; at a hundred million orders the chance of more is below
    # 10^-12.
    if (totals["highest_k"] or 0) > 9:
        assert plan.inputs[0].source.mapping is not None, "order ids have run out of their first digit"
        raise UserError("More than ten orders are alike in user, product and time: map the column with their ids.")
    if totals["clashing_id"] is not None:
        raise UserError(
            f"{totals['clashing_id']!r} is the id of one order, and would be that of a line of another with several "
            "products: map a column with the ids of lines."
        )
    return IngestReport(
        files=tuple(sorted([*selected.files, *plan.skipped], key=lambda file: file.name)),
        categories=categories,
        products=total_of("products", (row.products for row in categories), selected.files),
        reviews=total_of("reviews", (row.reviews for row in categories), selected.files),
        users=totals["users"],
        products_without_meta=totals["without_meta"],
        without_zeros=totals["without_zeros"],
    )


def _check_dates(report: IngestReport, until: date) -> None:
    """Raises UserError if more than one in a hundred reviews or orders is dated later than the last day."""
    late = [file for file in report.files if file.late]
    count = sum(file.late for file in late)
    if 100 * count <= report.reviews.came:
        return
    place = next(fate.first for reason, fate in late[0].account.left_out.items() if reason.startswith(LATER))
    raise UserError(
        f"{count:,} of {report.reviews.came:,} reviews or orders have a date later than {until} "
        f"({late[0].name}, line {place}): mend the dates, or name the last day with --until."
    )


def _check_something_is_kept(selected: Selected, report: IngestReport, options: IngestSettings) -> None:
    """Raises UserError with the counts if no product is left, or if no order of your own shop's table is left."""
    rows, dropped = report.reviews.came, report.reviews.reasons or "none"
    if not report.products.used:
        raise UserError(
            f"No product is left of {counted(report.products.came, 'row')}: {report.products.reasons or 'none'}. "
            f"Dropped of {counted(rows, 'review')}: {dropped}. Lower --min-interactions ({options.min_interactions}) "
            f"or --since ({options.since}), or check that products and reviews belong together: a review counts for "
            "the product with its parent_asin."
        )
    if options.mapping is None or not rows or selected.tables["category_orders"]:
        return
    file = next(file for file in report.files if file.shape == "reviews")
    unknown = LEFT_OUT["no_meta"] in report.reviews.left_out and file.first
    product = f"; no product row has the id {file.first[0]['parent_asin']!r}" if unknown else ""
    zeros = f"; known but for leading zeros, which Excel drops: {n:,}" if (n := report.without_zeros) else ""
    raise UserError(f"No order is left of {counted(rows, 'row')}: {dropped}{product}{zeros}.")


def _write(
    write: WriteWorld,
    task: SelectionTask,
    options: IngestSettings,
    selected: Selected,
    report: IngestReport,
    sources: Sequence[SourceFile],
) -> Manifest:
    products = selected_products(selected, task.plan.categories, keep_titles=options.mapping is not None)
    orders = selected_orders(selected)
    categories: Iterable[CategoryCounts] = [
        CategoryCounts(
            name=row.name,
            products=row.products.used,
            users=row.users,
            orders=row.reviews.used,
            rows_read=row.products.came + row.reviews.came,
            dropped={
                f"{shape}: {reason}": fate.count
                for shape, account in (("products", row.products), ("reviews", row.reviews))
                for reason, fate in (account.left_out | account.merged).items()
            },
        )
        for row in report.categories
    ]
    if options.mapping is not None:
        own = OwnCategories(task.plan.categories[0])
        products, orders = own.take_products(products), own.take_orders(orders)
        categories = own.counts(categories)
    rows = WorldRows(
        products,
        orders,
        seed=options.seed,
        pool=default_pool(),
        formulation=FORMULATIONS[options.chosen_analyzer],
        origin={
            "since": options.since,
            "parameters": _parameters(options),
            "categories": categories,
            "sources": sources,
            "versions": {task.work.name: selected.version},
        },
    )
    return write(rows, task.progress)


def _parameters(options: IngestSettings) -> dict[str, Any]:
    """The options for a manifest's parameters, without those that have fields of their own there."""
    unsaid = {name for name in ("mapping", "until") if getattr(options, name) is None}
    parameters = options.model_dump(mode="json", exclude={"seed", "since", "analyzer", *unsaid})
    if options.mapping is not None:
        parameters["mapping"] = options.mapping.model_dump(mode="json", exclude_defaults=True)
    return parameters
