"""``drretail sandbox``: sealed webs, one for each query."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.errors import UserError

sandbox_app = typer.Typer(no_args_is_help=True, help="Sealed webs, one for each query, in several sizes.")


@sandbox_app.command("build")
def build(
    to: flags.To,
    queries: Annotated[Path, typer.Option("--queries", metavar="FILE", help="Queries, one JSON object a line.")],
    world: flags.World = "demo",
    web: Annotated[str, typer.Option("--web", help="offline: pages made of the catalog.")] = "offline",
    sizes: Annotated[str, typer.Option("--sizes", help="Thousands of tokens.")] = "32k,64k,128k,256k,512k",
    seed: flags.Seed = "42",
) -> None:
    """Makes a web for each query: pages that answer it, pages that mislead, and noise."""
    from drretail.api.worlds import check_askable, opened_world
    from drretail.querygen.reading import read_queries
    from drretail.sandboxes.build import build_offline
    from drretail.sandboxes.sizes import read_sizes

    if web != "offline":
        raise UserError(f"A sandbox is made with --web offline, not {web}.")
    tokens = read_sizes(sizes)
    asked = read_queries(queries)
    with opened_world(world, quiet=True) as shop:
        check_askable(shop, asked)
        build_offline(shop, asked, to, tokens, seed)
    typer.echo(f"{to}: {len(asked)} queries, {len(tokens)} sizes.")


@sandbox_app.command("check")
def check(folder: Annotated[Path, typer.Argument(metavar="S", help="The sandbox's folder.")]) -> None:
    """Says what is wrong with a sandbox; ends with 3 when something is."""
    from drretail.sandboxes.checking import check_sandbox

    found = check_sandbox(folder)
    for query_id, faults in found.items():
        for fault in faults:
            typer.echo(f"{query_id}: {fault}")
    whole = sum(not faults for faults in found.values())
    typer.echo(f"{whole} of {len(found)} queries pass.")
    if whole < len(found):
        raise typer.Exit(3)
