"""``drretail sandbox``: sealed webs, one for each query."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.groups import grouped
from drretail.cli.sandboxes.by_model import Asked, Found, build_found
from drretail.cli.sandboxes.check import check
from drretail.cli.sandboxes.queries import queries as write_queries
from drretail.errors import UserError

sandbox_app = typer.Typer(no_args_is_help=True, help="Sealed webs, one for each query, in several sizes.")


sandbox_app.command("queries")(write_queries)
sandbox_app.command("check")(check)


@sandbox_app.command("build")
@grouped
def build(
    to: flags.To,
    found: Found,
    asked: Asked,
    calls: flags.Calls,
    queries: Annotated[
        Path | None,
        typer.Option("--queries", metavar="FILE", help="Queries, one JSON object a line; offline can't do without."),
    ] = None,
    world: flags.World = "demo",
    web: Annotated[
        str,
        typer.Option(
            "--web", metavar="WEB", help="offline: pages made of the catalog. serper, searxng[:URL]: pages found."
        ),
    ] = "offline",
    sizes: Annotated[str, typer.Option("--sizes", help="Thousands of tokens.")] = "32k,64k,128k,256k,512k",
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", help="An encoding of tiktoken that counts tokens; else characters/4.")
    ] = None,
    seed: flags.Seed = "42",
    estimate: flags.Estimate = False,
    quiet: flags.Quiet = False,
) -> None:
    """Makes a web for each query: pages that answer it, pages that mislead, and noise.

    With a search engine a --model chooses keywords and judges pages. Every call, search and page stands in
    S/building/journal.jsonl, so that a build that was cut goes on where it stopped; exit code 3 when tasks failed.
    """
    from drretail.api.worlds import check_askable, opened_world
    from drretail.querygen.reading import read_queries
    from drretail.sandboxes.build import build_offline
    from drretail.sandboxes.sizes import read_sizes

    tokens = read_sizes(sizes)
    if web != "offline":
        build_found(
            to, queries, world, web, tokens, tokenizer, seed, found, asked, calls, estimate=estimate, quiet=quiet
        )
        return
    if queries is None:
        raise UserError("Pages are made offline for queries: name a file with --queries.")
    asked_queries = read_queries(queries)
    with opened_world(world, quiet=True) as shop:
        check_askable(shop, asked_queries)
        build_offline(shop, asked_queries, to, tokens, seed)
    typer.echo(f"{to}: {len(asked_queries)} queries, {len(tokens)} sizes.")
