"""``drretail queries show``: the questions of a file, to be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags as options
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from drretail.records.query import Query

LINE = 88
"""Characters that a line of prose has at most, however wide the terminal is."""


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .jsonl file of queries.")],
    only: Annotated[
        str | None,
        typer.Option("--only", metavar="N|ID,ID", help="Only the first N queries, or those of these ids."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Why each was made, whom it is of, and which tools it expects.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Shows the questions of a file, each with what is typed of it. Nothing is checked, and no world is needed."""
    from drretail.agents.running.shard import only as only_those
    from drretail.querygen.reading import read_queries
    from drretail.viewer.output import print_json, stdout_console

    queries = read_queries(file)
    if only is not None:
        queries = only_those(queries, only)
    if as_json:
        print_json({"queries": [query.model_dump(mode="json") for query in queries]})
        return
    width = min(LINE, stdout_console().width)
    for query in queries:
        typer.echo("\n".join(_shown(query, width, details=details)) + "\n")
    users = len({query.user_id for query in queries} - {None})
    of_users = f" of {counted(users, 'user')}" if users else ""
    typer.echo(f"{counted(len(queries), 'query')}{of_users}")


def _shown(query: "Query", width: int, *, details: bool) -> Iterator[str]:
    """A heading, the question, and below it what is typed."""
    from drretail.grounding.text.wishes import wish_lines
    from drretail.querygen.review.item import harmless, wrapped

    heading = [query.query_id, *([query.kind] if query.kind else []), query.mode.replace("_", "-")]
    yield harmless(" · ".join(heading).replace("\n", " "))
    yield from wrapped(query.text.splitlines(), width)
    typed = ["what it wants is not typed"] if query.wish is None else wish_lines(query.wish)
    if details:
        tools = ", ".join(query.expected_tools) or "none"
        whom = query.user_id or "nobody in particular"
        typed += [f"expected tools: {tools}", f"of: {whom}", f"made by: {query.source}"]
        typed += [f"why: {query.rationale}"] if query.rationale else []
    else:
        typed = [line for line in typed if not line.startswith("owned:")]
    yield from wrapped(typed, width, bullet="· ")
