"""``drretail gym``: questions for training a policy (docs/gym.md)."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.cli.options import flags
from drretail.cli.options.query_files import Force, check_unused, write_queries
from drretail.progress import choose_progress
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows

if TYPE_CHECKING:
    from drretail.gym.split import Part

gym_app = typer.Typer(no_args_is_help=True, help="Makes questions to train a policy on.")
gym_app.callback()(lambda: None)  # with a callback, a single command keeps its name
ONE_SEARCH, ASKS_NOTHING = "one search", "asks nothing"
COLUMNS = ("part", "level", "queries", "hide a limit", ONE_SEARCH, ASKS_NOTHING)
NOTES = (
    f"{ONE_SEARCH}: the mean reward of the first hit for the question's words. {ASKS_NOTHING}: that of the best cart "
    "for what the question says, on queries that hide a limit.",
    "No person and no wish is in both parts, or in the queries that ship with drretail.",
)


@gym_app.command("split")
def split(
    to: flags.To,
    output: flags.Output,
    train: Annotated[int, Option("The number of queries to train on.", min=1)] = 100,
    held_out: Annotated[int, Option("The number of queries to measure on.", min=1)] = 40,
    train_world: Annotated[str | None, Option("The shop to train in (default: one is made up).", metavar="W")] = None,
    held_out_world: Annotated[
        str | None, Option("The shop to measure in (default: another is made up).", metavar="W")
    ] = None,
    force: Force = False,
    seed: flags.Seed = "42",
) -> None:
    """Makes queries to train on and held-out ones, about different shops, people and wishes.

    Their levels are spread from 0 to 9. Where the wish allows it, up to half hide a limit that only the shopper tells.
    Prints what simple policies earn at each level.
    """
    from drretail.gym.split import split as split_queries

    files = [to / f"{name}.jsonl" for name in ("train", "held-out")]
    for file in files:
        check_unused(file, force=force)
    worlds = (train_world, held_out_world)
    parts = split_queries(to, (train, held_out), worlds=worlds, seed=seed, progress=choose_progress())
    for part, file in zip(parts, files, strict=True):
        write_queries(file, part.queries, force=force)
    rows = [row for part in parts for row in _rows(part)]
    if output.as_json:
        made = {
            part.name: {"file": str(file), "world": part.world, "queries": len(part.queries)}
            for part, file in zip(parts, files, strict=True)
        }
        print_json({"parts": made, "levels": [dict(zip(COLUMNS, row, strict=True)) for row in rows]})
        return
    for part, file in zip(parts, files, strict=True):
        typer.echo(f"{counted(len(part.queries), 'query')} → {file}, for the world {part.world}")
    print_rows("Floors by level", COLUMNS, rows, notes=NOTES)


def _rows(part: "Part") -> Iterator[tuple[str, str, int, int, float | None, float | None]]:
    """One row per level, and one for all."""
    levels = sorted({query.level for query in part.queries if query.level is not None})
    for level in (*levels, None):
        ids = [query.query_id for query in part.queries if level is None or query.level == level]
        searched, unasked = zip(*(part.floors[query_id] for query_id in ids), strict=True)
        hiding = [reward for reward in unasked if reward is not None]
        yield part.name, "all" if level is None else str(level), len(ids), len(hiding), _mean(searched), _mean(hiding)


def _mean(rewards: Sequence[float]) -> float | None:
    return round(fmean(rewards), 2) if rewards else None
