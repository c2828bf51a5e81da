"""``drretail queries carry``: queries of a world for the one that was made of it by ``synth --perturb``."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.query_files import Force, write_queries
from drretail.tables.figures import counted


def carry(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Queries of the world that was perturbed.")],
    world: Annotated[Path, typer.Option("--world", "-w", metavar="W", help="The perturbed world's folder.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE2", help="Where the carried queries go.")],
    force: Force = False,
    as_json: flags.Json = False,
) -> None:
    """Writes the same questions of the same users with the brands and products of the perturbed world.

    Ids of queries, users, budgets and everything else stay, so what was answered in both worlds compares query by
    query.
    """
    from drretail.data_ingest.perturb.perturbed_world import read_perturbation
    from drretail.querygen.carrying import carried
    from drretail.querygen.reading import read_queries
    from drretail.viewer.output import print_json

    queries = read_queries(file)
    made = carried(queries, read_perturbation(world))
    write_queries(to, made, force=force)
    changed = sum(one.text != other.text for one, other in zip(queries, made, strict=True))
    if as_json:
        print_json({"queries": len(made), "texts_changed": changed, "file": str(to)})
    else:
        typer.echo(f"{counted(len(made), 'query')} → {to}; texts that name another brand or product now: {changed:,}.")
