"""``drretail queries compare``: generic against profile-aware queries (paper Figure 5), as a table."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags as options

TITLE = "Means over the queries of each mode"
NAMES = {
    "words": "words",
    "expected_tools": "expected tools",
    "record_tools": "of these, tools of the user's record",
    "profile_mentions": "mentions of the profile",
    "specifics": "specificity: things asked for and what bounds them",
}


def compare(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files of queries, of one mode or of both.")],
    world: options.World = "demo",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Sets generic beside profile-aware queries: what they expect, say of the profile, and ask for."""
    from drretail.api.worlds import opened_world
    from drretail.querygen.comparison import compare as compared
    from drretail.querygen.lint import Linter
    from drretail.querygen.reading import read_queries
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_json, print_table

    queries = [query for file in files for query in read_queries(file)]
    with opened_world(world, quiet=quiet) as shop:
        rows = compared(queries, Linter(shop))
    if as_json:
        modes = {row.mode: {"queries": row.queries, "users": row.users, **asdict(row.means)} for row in rows}
        print_json({"modes": modes})
        return
    counts = [("queries", *(row.queries for row in rows)), ("users", *(row.users for row in rows))]
    means = [(meaning, *(getattr(row.means, name) for row in rows)) for name, meaning in NAMES.items()]
    print_table(table_of(TITLE, ["", *(row.mode.replace("_", "-") for row in rows)], [*counts, *means]))
