"""``drretail queries spoil``: twins of queries that the shop can't meet, each proved."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.query_files import Force, write_queries
from drretail.errors import UserError
from drretail.tables.figures import counted


def spoil(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Queries that the shop can meet, with their wishes.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE2", help="Where the pairs go.")],
    world: flags.World = "demo",
    kinds: Annotated[
        str, typer.Option("--kinds", metavar="A,B", help="Any of too_dear, not_sold, no_such_order.")
    ] = "too_dear,not_sold,no_such_order",
    absent: Annotated[
        list[str] | None,
        typer.Option("--absent", metavar="W", help="A world whose categories name what this one lacks; repeatable."),
    ] = None,
    force: Force = False,
    seed: flags.Seed = "42",
    as_json: flags.Json = False,
) -> None:
    """Writes pairs of queries: one that the shop can't meet, proved by a look at all its products, and one that it can.

    A budget lies 5 to 20 % below the cheapest cart, and 5 % above it in the twin; a thing is asked for that no product,
    title or category has, or one that the shop has; or an order is named that the user never made, or one of theirs.
    Each query gives one pair. Twins share a task_id; ids, order and sentences tell nothing. `score --metrics outcome`
    then says who refuses what, and `compare --by twin` shows the pairs.
    """
    from drretail.api.worlds import opened_world
    from drretail.env.offers import Offers
    from drretail.querygen.reading import read_queries
    from drretail.querygen.spoiling import ABSENT, KINDS, leaf_names
    from drretail.querygen.spoiling import spoil as spoiled
    from drretail.viewer.output import print_json

    queries = read_queries(file)
    names: list[str] = []
    for other in absent or ():
        with opened_world(other, quiet=True) as lent:
            names += leaf_names(Offers(lent))
    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    with opened_world(world, quiet=as_json) as shop:
        made = spoiled(queries, Offers(shop), chosen, seed, names or ABSENT)
    if not made.queries:
        why = ", ".join(f"{count} × {reason}" for reason, count in sorted(made.without.items()))
        raise UserError(f"{file} gave no pair of queries: {why or 'it holds none'}.")
    write_queries(to, made.queries, force=force)
    if as_json:
        print_json({"queries": len(made.queries), "pairs": dict(made.pairs), "without": dict(made.without)})
        return
    of_kinds = ", ".join(f"{made.pairs[kind]} {kind}" for kind in KINDS if kind in chosen)
    typer.echo(f"{counted(len(made.queries), 'query')} in pairs → {to}: {of_kinds}.")
    for why, count in sorted(made.without.items()):
        typer.echo(f"  without a pair: {count} ({why})")
