"""`drretail ingest`: makes a world from raw Amazon Reviews 2023 files, or from a shop's own tables."""

from contextlib import nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from drretail.api.option import Option
from drretail.api.worlds import server_settings
from drretail.cli.options import flags
from drretail.errors import UserError
from drretail.progress import choose_progress
from drretail.viewer.output import print_json, print_rows

if TYPE_CHECKING:
    from drretail.data_ingest.report import Funnel, IngestReport

_LONGEST_SHOWN = 40
Paths = Annotated[
    list[Path],
    Option("Raw files, folders of them, or your own shop's mapping (shop.toml).", argument=True, metavar="PATH…"),
]
Target = Annotated[str, Option("The folder of the new world, or servers:NAME.", short="-w", metavar="W")]


def ingest(
    paths: Paths,
    world: Target,
    output: flags.Output,
    preset: Annotated[
        Literal["paper", "ten"] | None,
        Option("paper: take only the paper's eight categories. ten: these and two more."),
    ] = None,
    category: Annotated[
        str | None, Option("The files' category, if their names don't give it.", metavar="NAME")
    ] = None,
    cap: Annotated[
        int | None, Option("Maximum products per category.", min=1, default="10000; your own shop: all")
    ] = None,
    cap_by: Annotated[
        Literal["hash", "interactions"],
        Option("Which products --cap keeps: a random draw, or those with most interactions."),
    ] = "hash",
    min_interactions: Annotated[
        int | None,
        Option(
            "Drop products with fewer reviews or orders than this, counted from --since on.",
            min=0,
            default="5; your own shop: 0",
        ),
    ] = None,
    since: Annotated[
        datetime | None,
        Option(
            "The first day of interactions to use (UTC).",
            formats=["%Y-%m-%d"],
            default="2019-01-01; your own shop: all orders",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        Option(
            "The last day of interactions (UTC); rows with later dates are bad lines.",
            formats=["%Y-%m-%d"],
            default="today",
        ),
    ] = None,
    seed: flags.Seed = "42",
    vary_orders: Annotated[
        bool, Option("Draw each order's quantity and status at random (default: 1 and Delivered).")
    ] = False,
    holdout: Annotated[
        Literal["none", "last"], Option("last: leave out each user's last order, for the metric next_purchase.")
    ] = "none",
    profile_pool: Annotated[
        str | None, Option("The country of made-up names and addresses, such as faker:de_DE.", metavar="faker:LOCALE")
    ] = None,
    analyzer: Annotated[
        str | None,
        Option(
            "The language of the texts, to search by word stems. standard: no stems.",
            metavar="LANGUAGE|standard",
            default="standard with --preset paper, else english",
        ),
    ] = None,
    engine: Annotated[
        Literal["duckdb", "spark"], Option("Where rows are selected: on this machine, or on Spark (an extra).")
    ] = "duckdb",
    master: Annotated[
        str | None, Option("With --engine spark: spark://host:port, or local[N] (default: all cores).", metavar="URL")
    ] = None,
    workers: Annotated[
        int | None, Option("The number of processes.", min=1, default="as many as make it faster")
    ] = None,
    materialize_users: flags.MaterializeUsers = False,
    replace: Annotated[bool, Option("Replace the existing world. `drretail world use` switches back.")] = False,
    dry_run: Annotated[bool, Option("Count all rows and show how the first ones are read. Make no world.")] = False,
) -> None:
    """Makes a world (a searchable shop) from raw files or from your own shop's tables."""
    from drretail.data_ingest.ingest import Target as IngestTarget
    from drretail.data_ingest.ingest import ingest as run_ingest
    from drretail.data_ingest.plan import WHOLE_SHOP, IngestOptions
    from drretail.data_ingest.raw.tables import is_mapping
    from drretail.env.catalog.formulation import analyzer_named
    from drretail.env.copying import writer_to
    from drretail.env.servers.naming import is_on_servers

    for path in paths:
        if path.is_dir() and (mappings := sorted(path.glob("*.toml"))):
            raise UserError(f"{path} is a folder that holds a mapping: name that, drretail ingest {mappings[0]}.")
    given: dict[str, Any] = {
        "cap": cap,
        "min_interactions": min_interactions,
        "since": since and since.date(),
        "until": until and until.date(),
    }
    options = IngestOptions(
        preset=preset,
        category=category or None,
        cap_by=cap_by,
        seed=seed,
        vary_orders=vary_orders,
        holdout=holdout,
        profile_pool=profile_pool,
        analyzer=None if analyzer is None else analyzer_named(analyzer),
        **{
            **(WHOLE_SHOP if is_mapping(paths) else {}),
            **{name: value for name, value in given.items() if value is not None},
        },
    )
    if master is not None and engine != "spark":
        raise UserError("--master is for --engine spark: add it, or leave --master out.")
    progress = choose_progress()
    run = partial(run_ingest, paths, options=options, progress=progress, engine=engine, master=master, workers=workers)
    if dry_run:
        report = run(stages_folder(world), dry_run=True)
    else:
        # Unusable servers are reported before hours of reading.
        servers = server_settings()
        on_servers = materialize_users or is_on_servers(world)  # writer_to refuses the option for a folder
        writer = writer_to(world, servers, materialize_users=materialize_users) if on_servers else nullcontext()
        with writer as write:
            target = None if write is None else IngestTarget(world, write, servers, materialize_users)
            report = run(stages_folder(world), into=target, replace=replace)
    if output.as_json:
        print_json(report.model_dump(mode="json", exclude={"format"}))
    elif report.there_already:
        typer.echo(_headline(report))
        typer.echo(f"World {report.world}, fingerprint {report.fingerprint}")
        typer.echo(
            "It was made from these same files with these options, so nothing was read. --replace makes it again."
        )
    else:
        _print_report(report, "orders" if is_mapping(paths) else "reviews")


def stages_folder(world: str) -> Path:
    """The folder that keeps an ingest's finished stages: the world's own, or one in the cache for a
    world on servers.
    """
    from drretail.env.servers.naming import check_place, is_on_servers, world_name
    from drretail.settings import read_settings

    check_place(world)
    return read_settings().cache_dir / "ingest" / world_name(world) if is_on_servers(world) else Path(world)


def _headline(report: "IngestReport") -> str:
    from drretail.env.manifest import Counts, headline

    kept = Counts(products=report.products.kept, users=report.users, orders=report.reviews.kept)
    return headline(report.counts or kept, report.priced)


def _print_report(report: "IngestReport", word: str) -> None:
    typer.echo(_headline(report))
    print_rows(
        "Files",
        ["file", "holds", "category", "rows", "bad lines", "remark"],
        [
            (
                file.name,
                word if file.shape == "reviews" else file.shape,
                file.category,
                file.rows,
                file.bad_lines,
                f"skipped: {file.skipped}" if file.skipped else "",
            )
            for file in report.files
        ],
    )
    for file in report.files:
        for bad in file.shown:
            typer.echo(f"{file.name}, line {bad.line}: {bad.problem}")
        for note in file.notes:
            typer.echo(f"{file.name}: {note}")
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
                print_rows(f"First rows of {table.name}", columns, turned)
    rows = [("all", report.products, report.reviews, report.users)]
    rows += [(row.name, row.products, row.reviews, row.users) for row in report.categories]
    print_rows(
        "Products",
        ["category", "rows read", "kept", "dropped", "why"],
        [(name, products.read, products.kept, *_dropped(products)) for name, products, _, _ in rows],
    )
    print_rows(
        word.capitalize(),
        ["category", "read", "orders", "users", "dropped", "why"],
        [(name, reviews.read, reviews.kept, users, *_dropped(reviews)) for name, _, reviews, users in rows],
    )
    if report.products_without_meta:
        verb = "ordered" if word == "orders" else "reviewed"
        typer.echo(f"{report.products_without_meta:,} {verb} products have no product row.")
    if report.world is None:
        typer.echo("Dry run: nothing was written.")
    else:
        typer.echo(f"World {report.world}, fingerprint {report.fingerprint}")
        last = ", the day after the last order" if report.counts and report.counts.orders else ""
        typer.echo(f"The shop's today is {report.now:%Y-%m-%d}{last}.")
        typer.echo(f'Next: drretail ask "Which …?" --world {report.world}')
    if report.replaced is not None:
        typer.echo(
            f"It replaced {report.replaced.headline} (fingerprint {report.replaced.fingerprint[:12]}); "
            f"`drretail world use {report.world} {report.replaced.generation}` goes back to it."
        )


_FIELDS = {"parent_asin": "product", "user_id": "user", "order_id": "order", "shop_currency": "currency"}


def _short(value: object) -> str:
    text = " > ".join(map(str, value)) if isinstance(value, list) else "–" if value is None else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _dropped(funnel: "Funnel") -> tuple[int, str]:
    why = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in funnel.dropped.items())
    return funnel.read - funnel.kept, why
