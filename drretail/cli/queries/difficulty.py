"""``drretail queries difficulty``: how hard queries are, measured without an agent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.worlds import opened_world
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.options.query_files import Force, check_unused, write_queries
from drretail.progress import choose_progress
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_table

if TYPE_CHECKING:
    from drretail.difficulty.measure import Difficulty
    from drretail.tables.table import Table


@grouped
def difficulty(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Queries with their wishes.")],
    output: flags.Output,
    world: flags.World = "demo",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE2", help="The file for the queries with their levels.")
    ] = None,
    force: Force = False,
) -> None:
    """Measures how hard queries are, by the carts that simple searches find.

    Eight simple solvers fill carts. The level says how much worse their carts are than the best one, from 0 (easy)
    to 9 (hard). docs/queries.md explains the columns.
    """
    from drretail.difficulty.measure import Dial, with_levels
    from drretail.env.offers import Offers
    from drretail.querygen.reading import check_made_for, read_queries

    queries = read_queries(file)
    if to is not None:
        check_unused(to, force=force)
    progress = choose_progress("none" if output.quiet else None)
    rows: list[Difficulty] = []
    with opened_world(world, quiet=output.quiet) as shop:
        check_made_for(queries, shop.manifest.fingerprint)
        dial = Dial(Offers(shop))
        with progress.track("Measuring queries", len(queries)) as bar:
            for query in queries:
                rows.append(dial.difficulty(query))
                bar.advance()
    leveled = with_levels(queries, rows)
    if to is not None:
        write_queries(to, leveled, force=force)
    if output.as_json:
        print_json({"queries": [row.model_dump(mode="json") for row in rows]})
        return
    print_table(_table(rows))
    if to is not None:
        typer.echo(f"{counted(len(leveled), 'query')} → {to}")


def _table(rows: "list[Difficulty]") -> "Table":
    """A row for each query, the hardest first."""
    from drretail.difficulty.measure import Difficulty
    from drretail.tables.table import table_of

    names = [name for name in Difficulty.model_fields if name != "query_id"]
    unmeasured = sum(row.level is None for row in rows)
    ranked = sorted(rows, key=lambda row: -1.0 if row.loss is None else row.loss, reverse=True)
    return table_of(
        "Difficulty, without an agent",
        ("", *(name.replace("_", " ") for name in names)),
        [(row.query_id, *(getattr(row, name) for name in names)) for row in ranked],
        notes=(f"{counted(unmeasured, 'query')} without a cart: they have no wish, or one that the shop can't meet.",)
        if unmeasured
        else (),
    )
