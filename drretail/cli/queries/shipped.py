"""``drretail queries shipped``: the queries that come with the package."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from drretail.cli.options import flags as options
from drretail.cli.options.query_files import Force, write_queries
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from drretail.querygen.shipped import Split


def shipped(
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The JSONL file to write, one query a line.")],
    split: Annotated[
        str, typer.Option("--split", metavar="dev|test|all", help="dev to develop with, test to report with.")
    ] = "dev",
    force: Force = False,
    as_json: options.Json = False,
) -> None:
    """Writes the fifty queries over the demo world that come with drretail, or one part of them.

    docs/benchmark.md is their datasheet.
    """
    from drretail.querygen.shipped import CANARY, WORLD, shipped_queries
    from drretail.viewer.output import print_json

    queries = shipped_queries(*(() if split == "all" else (cast("Split", split),)))
    write_queries(to, queries, force=force)
    if as_json:
        print_json(
            {"queries": len(queries), "split": split, "file": str(to), "world_fingerprint": WORLD, "canary": CANARY}
        )
    else:
        typer.echo(f"{counted(len(queries), 'query')} ({split}) over the demo world → {to}")
