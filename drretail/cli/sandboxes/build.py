"""``drretail sandbox build``."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.sandboxes.found_pages import OFFLINE, Asked, Found, build_found, check_searched
from drretail.errors import UserError

QUERIES = typer.Option(
    "--queries", metavar="FILE", help="Queries, one JSON object a line. Without it, a task for each drawn user."
)
WEB = typer.Option(
    "--web", metavar="WEB", help="offline: pages made of the catalog. serper, searxng[:URL]: pages that are found."
)


@grouped
def build(
    to: flags.To,
    found: Found,
    asked: Asked,
    calls: flags.Calls,
    queries: Annotated[Path | None, QUERIES] = None,
    world: flags.World = "demo",
    web: Annotated[str, WEB] = "offline",
    sizes: Annotated[str, typer.Option("--sizes", help="Thousands of tokens.")] = "32k,64k,128k,256k,512k",
    n: Annotated[int, typer.Option("--n", min=1, help="Without --queries: so many users are drawn.")] = 10,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", help="Count with this encoding of tiktoken, which may fetch it; else characters/4."
        ),
    ] = None,
    seed: flags.Seed = "42",
    estimate: flags.Estimate = False,
    quiet: flags.Quiet = False,
) -> None:
    """Makes a web for each query: pages that answer it, pages that mislead, and noise.

    With a search engine a --model chooses what to search for and judges pages. Every call, search and page stands in
    TO/building/journal.jsonl, so that a build that was cut goes on where it stopped; exit code 3 when tasks failed.
    """
    from drretail.api.worlds import check_askable, opened_world
    from drretail.querygen.reading import read_queries
    from drretail.sandboxes.counting import counter_of
    from drretail.sandboxes.made.offline_build import build_offline, sampled_queries
    from drretail.sandboxes.sizes import read_sizes

    tokens, counter = read_sizes(sizes), counter_of(tokenizer)
    check_searched(web)
    if web != OFFLINE:
        build_found(
            to, queries, n, world, web, tokens, counter, seed, found, asked, calls, estimate=estimate, quiet=quiet
        )
        return
    of_engines = {
        "--model": asked.model, "--max-tokens": asked.max_tokens, "--max-dollars": asked.max_dollars,
        "--user": found.user, "--files": found.files, "--estimate": estimate,
    }  # fmt: skip
    if given := [name for name, it in of_engines.items() if it]:
        raise UserError(f"{', '.join(given)}: only where a search engine finds pages, with --web serper or searxng.")
    with opened_world(world, quiet=True) as shop:
        drawn = sampled_queries(shop, n, seed) if queries is None else read_queries(queries)
        check_askable(shop, drawn)
        made = build_offline(shop, drawn, to, tokens, seed, counter, lambda said: typer.echo(said, err=True))
    typer.echo(f"{to}: {len(drawn)} {'query' if len(drawn) == 1 else 'queries'}, in {', '.join(made)}.")
