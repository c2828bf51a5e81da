"""`drretail world`: shows, checks and copies worlds, and switches between their versions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.api.worlds import place_of, server_settings
from drretail.cli.options import flags
from drretail.progress import busy, choose_progress
from drretail.tables.table import Cell
from drretail.viewer.output import print_json, print_rows, say

if TYPE_CHECKING:
    from drretail.env.manifest import Manifest
    from drretail.records.evidence import Finding

# What the paper reports of its own database (App. A.2).
PAPER = {"products": 80_000, "users": 1_800_000, "orders": 4_300_000}

MENDED = (
    "Make it again with `drretail ingest … --replace`, or copy a whole one into another place "
    "with `drretail world copy`."
)

Spec = Annotated[
    str, Option("A world's folder, servers:NAME, demo or market (made-up shops).", argument=True, metavar="W")
]


def info(world: Spec, as_json: flags.Json = False) -> None:
    """Shows a world's counts, fingerprint and origin."""
    manifest = _manifest(place_of(world))
    if as_json:
        print_json({**manifest.model_dump(mode="json", exclude={"format"}), "paper": PAPER})
    else:
        _print_info(world, manifest)
        _print_kept(world, place_of(world))


def check(world: Spec, output: flags.Output) -> None:
    """Compares a world's data with its manifest. Exit code 3: something is wrong."""
    from drretail.env.checking import has_checksums
    from drretail.env.servers.naming import is_on_servers

    place = place_of(world)
    with busy("reading every row and file"):
        findings = _findings(place)
    if output.as_json:
        print_json({"ok": not findings, "findings": [finding.model_dump(mode="json") for finding in findings]})
    elif findings:
        rows = [(finding.severity, finding.code, finding.text, finding.found) for finding in findings]
        print_rows(f"World {world}", ["severity", "what", "said", "found"], rows)
    else:
        typer.echo(f"ok {_manifest(place).fingerprint}")
    if not is_on_servers(place) and not has_checksums(Path(place)):
        say("The world's files have no SHA256SUMS: their rows were compared, but not every byte.")
    if findings:
        say(MENDED)
        raise typer.Exit(3)


def copy(
    world: Spec,
    to: Annotated[str, Option("The copy's folder, or servers:NAME.", argument=True, metavar="W2")],
    output: flags.Output,
    materialize_users: flags.MaterializeUsers = False,
) -> None:
    """Copies a world and checks the copy's fingerprint."""
    from drretail.env.copying import copy_world

    progress, place = choose_progress(), place_of(world)
    manifest = copy_world(place, to, servers=server_settings(), materialize_users=materialize_users, progress=progress)
    if output.as_json:
        print_json({"world": to, "fingerprint": manifest.fingerprint, "counts": manifest.counts.model_dump()})
    else:
        typer.echo(f"World {to}, fingerprint {manifest.fingerprint}")
        _print_kept(to, to)


def use(
    world: Spec,
    generation: Annotated[
        str | None,
        Option(
            "The version: its name, or the beginning of its fingerprint (default: the other one).",
            argument=True,
            metavar="GENERATION",
        ),
    ] = None,
    as_json: flags.Json = False,
) -> None:
    """Switches a world back to the version that `ingest` replaced. Deletes nothing."""
    from drretail.env.kept_worlds import use_world

    with busy("checking what was live before"):
        manifest = use_world(place_of(world), generation, server_settings())
    if as_json:
        print_json({"world": world, "fingerprint": manifest.fingerprint, "counts": manifest.counts.model_dump()})
    else:
        typer.echo(f"{manifest.headline}\nWorld {world}, fingerprint {manifest.fingerprint}")


def _manifest(place: str) -> "Manifest":
    """The manifest of a world, even of a damaged one."""
    from drretail.env.servers.naming import is_on_servers

    if is_on_servers(place):
        from drretail.env.servers.reading import read_generation

        return read_generation(place, server_settings()).manifest
    from drretail.env.generations import live_generation
    from drretail.env.manifest import read_manifest

    return read_manifest(live_generation(Path(place)))


def _print_kept(world: str, place: str) -> None:
    """Prints which other version the world's place keeps, if any."""
    from drretail.env.kept_worlds import find_kept

    kept = find_kept(place, server_settings())
    if kept is not None and (before := kept.before) is not None:
        typer.echo(f"Also kept: {before.headline}. `drretail world use {world} {before.generation}` switches to it.")


def _findings(place: str) -> "list[Finding]":
    from drretail.env.servers.naming import is_on_servers

    if is_on_servers(place):
        from drretail.env.servers.integrity import check_servers

        return check_servers(place, server_settings())
    from drretail.env.checking import check_world

    return check_world(Path(place))


def _print_info(world: str, manifest: "Manifest") -> None:
    counts = manifest.counts.model_dump()
    typer.echo(manifest.headline)
    print_rows(
        f"World {world}",
        ["", "here", "in the paper", "share of it"],
        [(name, counts[name], paper, _share(counts[name], paper)) for name, paper in PAPER.items()],
    )
    print_rows(
        "Categories",
        ["category", "products", "share", "orders", "share", "users"],
        [
            (
                row.name,
                row.products,
                _share(row.products, counts["products"]),
                row.orders,
                _share(row.orders, counts["orders"]),
                row.users,
            )
            for row in manifest.categories
            if row.products
        ],
    )
    if manifest.sources:
        sources = [(source.name, source.size, source.sha256[:16]) for source in manifest.sources]
        print_rows("Made from", ["file", "bytes", "sha256"], sources)
    chosen = ", ".join(f"{name} {value}" for name, value in manifest.parameters.items() if value is not None)
    typer.echo(f"fingerprint  {manifest.fingerprint}")
    typer.echo(f"now          {manifest.now.date()} (the shop's today)")
    typer.echo(f"since        {manifest.since or '–'}")
    typer.echo(f"seed         {manifest.seed}")
    typer.echo(f"parameters   {chosen or '–'}")
    typer.echo(f"versions     {', '.join(f'{name} {value}' for name, value in manifest.versions.items())}")


def _share(part: int, whole: int) -> "Cell":
    return Cell(part / whole if whole else None, "fine_percent")
