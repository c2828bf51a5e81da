"""``synth`` and ``ingest``: raw files are made up, and become a world.

``ingest`` reads raw Amazon Reviews 2023 files, or a shop's own tables.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import date, datetime
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from drretail.api.option import accepts
from drretail.api.options.shared import paths_in, text_list
from drretail.api.options.shops import Day, IngestOptions, SynthOptions
from drretail.api.settings import read_settings, server_settings
from drretail.data_ingest.raw.shop_rows import NOT_PUBLISHED, is_mapping
from drretail.data_ingest.raw.sources import ABOUT_MADE_UP
from drretail.env.naming import is_on_servers, world_name
from drretail.errors import UnknownName, UserError
from drretail.records.figures import counted
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import Table, table_of

if TYPE_CHECKING:
    from drretail.data_ingest.plan import IngestReport, IngestSettings


@accepts(SynthOptions)
def synth(options: SynthOptions) -> Result[Any]:
    """The report on the files that were written."""
    from drretail.data_ingest.synth import write_shop  # the other commands need none of its goods

    to = Path(options.to)
    report = write_shop(
        to,
        products=options.products,
        reviews=options.reviews,
        seed=options.seed,
        categories=text_list(options.category),
        progress=choose_progress(),
    )
    files = [(file.name, file.rows, file.bytes) for file in report.files]
    tables = [table_of(f"A made-up shop in {to}", ["file", "rows", "bytes"], files)]
    if report.quirks:
        tables.append(table_of("Quirks", ["what happened to a row", "rows"], list(report.quirks.items())))
    return Result(report, report.model_dump(mode="json"), tables, path=to)


_LONGEST_SHOWN = 40
"""Characters of a cell: a row of a table on a terminal shows some five fields."""


@accepts(IngestOptions)
def ingest(options: IngestOptions) -> "Result[IngestReport]":
    """What was read, kept and dropped, and the world that was made of it.

    Raises UserError for files that can't be read as what they are, and for a world of other files or options that is
    not to be replaced.
    """
    from drretail.data_ingest.ingest import WorldTarget, ingest_files
    from drretail.env.copying import writer_to

    paths, world = paths_in(options.paths), str(options.world)
    for path in paths:
        if path.is_dir() and (mappings := sorted(path.glob("*.toml"))):
            raise UserError(f"{path} is a folder that holds a mapping: name that, drretail ingest {mappings[0]}.")
    engine, _, master = options.engine.partition(":")
    if engine not in ("duckdb", "spark") or (engine == "duckdb" and master):
        raise UnknownName("engine", options.engine, ["duckdb", "spark", "spark:MASTER"])
    run = partial(
        ingest_files,
        paths,
        options=_selection(options, paths),
        progress=choose_progress(),
        engine=engine,
        master=master or None,
        workers=options.parallel,
    )
    if options.dry_run:
        report = run(stages_folder(world), dry_run=True)
    else:
        # Unusable servers are reported before hours of reading.
        servers = server_settings()
        with writer_to(world, servers) if is_on_servers(world) else nullcontext() as write:
            target = None if write is None else WorldTarget(world, write, servers)
            report = run(stages_folder(world), into=target, replace=options.force)
    document = report.model_dump(mode="json", exclude={"format"})
    accounts = [account for account in (report.products, report.reviews) if account.came]
    is_new = report.world is not None and not report.there_already
    then = f'drretail ask "Which …?" --world {quote(str(report.world))}' if is_new else ""
    parts = [*_parts(report, "orders" if is_mapping(paths) else "reviews")]
    return Result(report, document, parts, next=then, accounts=accounts)


def _selection(options: IngestOptions, paths: Sequence[Path]) -> "IngestSettings":
    """Which rows are taken. What is not given is the paper's choice, or of a shop of one's own everything. A made-up
    shop's orders vary.
    """
    from drretail.data_ingest.plan import WHOLE_SHOP, IngestSettings
    from drretail.env.catalog.formulation import analyzer_named

    options_set: dict[str, Any] = {
        "cap": options.cap,
        "min_interactions": options.min_interactions,
        "since": _day(options.since),
        "until": _day(options.until),
    }
    return IngestSettings(
        preset=options.preset,
        category=options.category or None,
        cap_by=options.cap_by,
        seed=options.seed,
        vary_orders=options.vary_orders or any((path / ABOUT_MADE_UP).exists() for path in paths),
        analyzer=None if options.analyzer is None else analyzer_named(options.analyzer),
        **{
            **(WHOLE_SHOP if is_mapping(paths) else {}),
            **{name: value for name, value in options_set.items() if value is not None},
        },
    )


def _day(day: Day) -> date | None:
    if isinstance(day, datetime):
        return day.date()
    return date.fromisoformat(day) if isinstance(day, str) else day


def stages_folder(world: str) -> Path:
    """The folder of an ingest's finished stages: the world's own, or one in the cache for a world on servers."""
    return read_settings().cache_dir / "ingest" / world_name(world) if is_on_servers(world) else Path(world)


def _parts(report: "IngestReport", word: str) -> Iterator[Table | str]:
    from drretail.env.manifest import Counts, headline

    kept = Counts(products=report.products.used, users=report.users, orders=report.reviews.used)
    yield headline(report.counts or kept, report.priced)
    if report.there_already:
        yield f"World {report.world}, fingerprint {report.fingerprint}"
        yield "It was made from these same files with these options, so nothing was read. --force makes it again."
    else:
        yield from _rows(report, word)
        if report.world is None:
            yield "Dry run: nothing was written."
        else:
            yield f"World {report.world}, fingerprint {report.fingerprint}"
            has_orders = report.counts and report.counts.orders
            why = "the day after the last order" if has_orders else "as in every shop without orders"
            yield f"The shop's today is {report.now:%Y-%m-%d}, {why}."
        if report.replaced is not None:
            yield f"It replaced {report.replaced.headline} (fingerprint {report.replaced.fingerprint[:12]})."


def _rows(report: "IngestReport", word: str) -> Iterator[Table | str]:
    """The files, what is wrong in them, and how many rows were kept."""
    yield table_of(
        "Files",
        ["file", "holds", "category", "rows", "left out", "remark"],
        [
            (
                file.name,
                word if file.shape == "reviews" else file.shape,
                file.category,
                file.account.came,
                file.account.n_left_out,
                f"skipped: {file.skipped}" if file.skipped else "",
            )
            for file in report.files
        ],
    )
    for file in report.files:
        for note in file.notes:
            yield f"{file.name}: {note}"
    if report.world is None:
        for table in report.files:
            if table.first:
                columns = ["", *(f"row {place}" for place, _ in enumerate(table.first, 1))]
                # One line per field, one column per row; fields that no row has are left out
                turned = [
                    (_FIELDS.get(name, name), *(_short(row[name]) for row in table.first))
                    for name in table.first[0]
                    if any(row[name] not in (None, [], {}) for row in table.first)
                ]
                yield table_of(f"First rows of {table.name}", columns, turned)
    rows = [("all", report.products, report.reviews, report.users)]
    rows += [(row.name, row.products, row.reviews, row.users) for row in report.categories]
    yield table_of(
        "Products",
        ["category", "rows read", "kept", "merged", "left out"],
        [(name, account.came, account.used, account.n_merged, account.n_left_out) for name, account, _, _ in rows],
    )
    yield table_of(
        word.capitalize(),
        ["category", "read", "orders", "users", "merged", "left out"],
        [
            (name, account.came, account.used, users, account.n_merged, account.n_left_out)
            for name, _, account, users in rows
        ],
    )
    what = f"{'ordered' if word == 'orders' else 'reviewed'} product"
    if zeroless := report.without_zeros:
        has = f"{counted(zeroless, what)} {'has' if zeroless == 1 else 'have'}"
        yield f"{has} a product's id but for leading zeros, which Excel drops: save these columns as text."
    if count := report.products_without_meta - zeroless:
        has_left = any(reason.startswith(NOT_PUBLISHED) for reason in report.products.left_out)
        or_left = ", or one that is not published" if has_left else ""
        yield f"{counted(count, what)} {'has' if count == 1 else 'have'} no product row{or_left}."


_FIELDS = {"parent_asin": "product", "user_id": "user", "order_id": "order", "shop_currency": "currency"}


def _short(value: object) -> str:
    text = " > ".join(map(str, value)) if isinstance(value, list) else "–" if value is None else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
