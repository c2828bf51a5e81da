"""``drretail sandbox build``."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.errors import UserError

QUERIES = typer.Option(
    "--queries", metavar="FILE", help="Queries, one JSON object a line. Without it, one is made for each drawn user."
)


def build(
    to: flags.To,
    queries: Annotated[Path | None, QUERIES] = None,
    world: flags.World = "demo",
    web: Annotated[str, typer.Option("--web", help="offline: pages made of the catalog.")] = "offline",
    sizes: Annotated[str, typer.Option("--sizes", help="Thousands of tokens.")] = "32k,64k,128k,256k,512k",
    n: Annotated[int, typer.Option("--n", min=1, help="Without --queries: so many users are drawn.")] = 10,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", help="Count with this encoding of tiktoken, which may fetch it; else characters/4."
        ),
    ] = None,
    seed: flags.Seed = "42",
) -> None:
    """Makes a web for each query: pages that answer it, pages that mislead, and noise."""
    from drretail.api.worlds import check_askable, opened_world
    from drretail.querygen.reading import read_queries
    from drretail.sandboxes.counting import counter_of
    from drretail.sandboxes.made.offline_build import build_offline, sampled_queries
    from drretail.sandboxes.sizes import read_sizes

    if web != "offline":
        raise UserError(f"A sandbox is made with --web offline, not {web}.")
    tokens, counter = read_sizes(sizes), counter_of(tokenizer)
    with opened_world(world, quiet=True) as shop:
        asked = sampled_queries(shop, n, seed) if queries is None else read_queries(queries)
        check_askable(shop, asked)
        build_offline(shop, asked, to, tokens, seed, counter, lambda said: typer.echo(said, err=True))
    typer.echo(f"{to}: {len(asked)} queries, {len(tokens)} sizes.")
