"""`drretail world`: what a world holds, and whether it is whole."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import Json

if TYPE_CHECKING:
    from drretail.env.manifest import Manifest

# What the paper reports of its own database (App. A.2).
PAPER = {"products": 80_000, "users": 1_800_000, "orders": 4_300_000}

Spec = Annotated[str, typer.Argument(metavar="W", help="A world's folder, or 'demo' for the built-in one.")]

world_app = typer.Typer(no_args_is_help=True, help="What a world holds, and whether it is whole.")


@world_app.command("info")
def info(world: Spec, as_json: Json = False) -> None:
    """Counts by category, the fingerprint, and what the world was made from."""
    from drretail.cli.output import print_json
    from drretail.env.generations import live_generation
    from drretail.env.manifest import read_manifest

    manifest = read_manifest(live_generation(_folder(world)))
    if as_json:
        print_json({**manifest.model_dump(mode="json", exclude={"format"}), "paper": PAPER})
    else:
        _print_info(world, manifest)


@world_app.command("check")
def check(world: Spec, as_json: Json = False) -> None:
    """Compare what a world holds with what it says of itself; exit code 3 when something is wrong."""
    from drretail.cli.output import print_json, print_table
    from drretail.env.checking import check_world
    from drretail.env.generations import live_generation
    from drretail.env.manifest import read_manifest

    folder = _folder(world)
    findings = check_world(folder)
    if as_json:
        print_json({"ok": not findings, "findings": [finding.model_dump(mode="json") for finding in findings]})
    elif findings:
        rows = [(finding.severity, finding.code, finding.said, finding.found) for finding in findings]
        print_table(f"World {world}", ["severity", "what", "said", "found"], rows)
    else:
        typer.echo(f"ok {read_manifest(live_generation(folder)).fingerprint}")
    if findings:
        raise typer.Exit(3)


def _folder(spec: str) -> Path:
    """The folder of a world, damaged or not; that of the demo is built where it does not exist yet."""
    from drretail.cli.worlds import DEMO, opened_world

    if spec == DEMO:
        with opened_world(spec) as demo:
            assert demo.folder is not None, "the demo is an embedded world"
            return demo.folder
    return Path(spec)


def _print_info(world: str, manifest: "Manifest") -> None:
    from drretail.cli.output import print_table

    counts = manifest.counts.model_dump()
    print_table(
        f"World {world}",
        ["", "here", "in the paper", "share of it"],
        [(name, counts[name], paper, _share(counts[name], paper)) for name, paper in PAPER.items()],
    )
    print_table(
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
    print_table(
        "Made from",
        ["file", "bytes", "sha256"],
        [(source.name, source.size, source.sha256[:16]) for source in manifest.sources],
    )
    chosen = ", ".join(f"{name} {value}" for name, value in manifest.parameters.items() if value is not None)
    typer.echo(f"fingerprint  {manifest.fingerprint}")
    typer.echo(f"now          {manifest.now.date()} (the shop's today)")
    typer.echo(f"since        {manifest.since or '–'}")
    typer.echo(f"seed         {manifest.seed}")
    typer.echo(f"parameters   {chosen or '–'}")
    typer.echo(f"versions     {', '.join(f'{name} {value}' for name, value in manifest.versions.items())}")


def _share(part: int, whole: int) -> str:
    if not whole:
        return "–"
    return "< 0.1 %" if 0 < part < whole / 1000 else f"{100 * part / whole:.1f} %"
