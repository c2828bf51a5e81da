"""``gym split``: questions for training a policy, as files (drretail/addons/gym/README.md)."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from drretail.addons.gym.options import SplitOptions
from drretail.addons.gym.parts import Part
from drretail.addons.gym.parts import split as split_queries
from drretail.api.option import accepts
from drretail.api.options.shared import names_in, texts_in
from drretail.api.queries.writing import check_unused, write_queries
from drretail.errors import UserError
from drretail.progress import choose_progress
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

ONE_SEARCH, ASKS_NOTHING = "one search", "asks nothing"
COLUMNS = ("part", "level", "queries", "hide a limit", ONE_SEARCH, ASKS_NOTHING)
NOTES = (
    f"{ONE_SEARCH}: the mean reward of the first hit for the question's words. {ASKS_NOTHING}: that of the best cart "
    "for what the question says, on queries that hide a limit.",
    "No person and no wish is in both parts, or in the queries that ship with drretail.",
)


@accepts(SplitOptions)
def split(options: SplitOptions) -> Result[Sequence[Part]]:
    """The parts that were written, and what simple policies earn at each level.

    Raises UserError if lines of a file would be lost.
    """
    to, sizes = Path(options.to), names_in([str(size) for size in texts_in(options.sizes)])
    if len(sizes) != 2 or not all(text.isdecimal() and int(text) for text in sizes):
        raise UserError(f"--sizes {','.join(sizes)}: write two numbers, such as --sizes 100,40.")
    if len(worlds := texts_in(options.world)) > 2:
        raise UserError("--world names the shop to train in, and then the one to measure in: no more.")
    files = [to / f"{name}.jsonl" for name in ("train", "held-out")]
    for file in files:
        check_unused(file, force=options.force)
    train, held_out = map(int, sizes)
    places = (worlds[0] if worlds else None, worlds[1] if len(worlds) > 1 else None)
    parts = split_queries(to, (train, held_out), worlds=places, seed=options.seed, progress=choose_progress())
    for part, file in zip(parts, files, strict=True):
        write_queries(file, part.queries, force=options.force)
    rows = [row for part in parts for row in _rows(part)]
    made = {
        part.name: {"file": str(file), "world": part.world, "queries": len(part.queries)}
        for part, file in zip(parts, files, strict=True)
    }
    lines = [
        f"{counted(len(part.queries), 'query')} → {file}, for the world {part.world}"
        for part, file in zip(parts, files, strict=True)
    ]
    document = {"parts": made, "levels": [dict(zip(COLUMNS, row, strict=True)) for row in rows]}
    return Result(parts, document, [*lines, table_of("Floors by level", COLUMNS, rows, notes=NOTES)], path=to)


def _rows(part: Part) -> Iterator[tuple[str, str, int, int, float | None, float | None]]:
    """One row per level, and one for all."""
    levels = sorted({query.level for query in part.queries if query.level is not None})
    for level in (*levels, None):
        ids = [query.query_id for query in part.queries if level is None or query.level == level]
        searched, unasked = zip(*(part.floors[query_id] for query_id in ids), strict=True)
        hiding = [reward for reward in unasked if reward is not None]
        yield part.name, "all" if level is None else str(level), len(ids), len(hiding), _mean(searched), _mean(hiding)


def _mean(rewards: Sequence[float]) -> float | None:
    return round(fmean(rewards), 2) if rewards else None
