"""``queries difficulty``, ``spoil`` and ``hide`` by their options, with what they print."""

from collections import Counter
from pathlib import Path

from drretail.addons.difficulty.derived import Derived
from drretail.addons.difficulty.derived import hide as hidden
from drretail.addons.difficulty.derived import spoil as spoiled
from drretail.addons.difficulty.measure import Dial, Difficulty, with_levels
from drretail.addons.difficulty.options import DifficultyOptions, HideOptions, SpoilOptions
from drretail.api.option import accepts
from drretail.api.options.shared import names_in
from drretail.api.queries.writing import check_unused, write_queries
from drretail.api.worlds import world_of
from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.eval.baskets import NOT_REQUIRED, not_measured
from drretail.progress import choose_progress
from drretail.querygen.reading import check_made_for, read_queries
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

SPARE = ("density", "greedy gap", "offers", "slack", "wants", "lookalikes")
"""Measures that a narrow terminal leaves out, the first of them first."""


@accepts(DifficultyOptions)
def difficulty(options: DifficultyOptions) -> Result[list[Difficulty]]:
    """The measures of each query; with ``to``, a file of the queries with their levels."""
    queries, to = read_queries(Path(options.file)), None if options.to is None else Path(options.to)
    if to is not None:
        check_unused(to, force=options.force)
    rows, reasons = list[Difficulty](), dict[str, str]()
    with world_of(options.world) as shop:
        check_made_for(queries, shop.manifest.fingerprint)
        dial = Dial(Offers(shop))
        with choose_progress().track("Measuring queries", len(queries)) as bar:
            for query in queries:
                rows.append(dial.difficulty(query))
                if rows[-1].level is None:
                    reasons[query.query_id] = not_measured(query.wish, dial.offers.reference(query)) or NOT_REQUIRED
                bar.advance()
    leveled = with_levels(queries, rows)
    rows = [row.model_copy(update={"level": query.level}) for query, row in zip(leveled, rows, strict=True)]
    names = [name for name in Difficulty.model_fields if name not in ("query_id", "axes")]
    hardest_first = sorted(rows, key=lambda row: (row.level is not None, row.level, row.loss or 0), reverse=True)
    cells = [
        (row.query_id, *(getattr(row, name) for name in names), ", ".join(row.axes) or None) for row in hardest_first
    ]
    why = Counter(reasons[row.query_id] for row in rows if row.level is None)
    notes = [f"{counted(count, 'query')} without a level: {reason}." for reason, count in why.most_common()]
    heads = ("", *(name.replace("_", " ") for name in names), "axes")
    table = table_of("Difficulty, without an agent", heads, cells, notes=notes, spare=SPARE)
    document = {"queries": [row.model_dump(mode="json") for row in rows]}
    if to is None:
        return Result(rows, document, [table])
    write_queries(to, leveled, force=options.force)
    return Result(rows, document, [table, f"{counted(len(queries), 'query')} → {to}"], path=to)


@accepts(SpoilOptions)
def spoil(options: SpoilOptions) -> Result[Derived]:
    """The pairs that were written. Raises UserError if no query gave one."""
    queries = read_queries(Path(options.file))
    with world_of(options.world) as shop:
        made = spoiled(queries, Offers(shop), names_in(options.only), options.seed)
    return _derived(made, options, "pair of queries", "pairs")


@accepts(HideOptions)
def hide(options: HideOptions) -> Result[Derived]:
    """The queries that were written. Raises UserError if no query hides a limit."""
    queries = read_queries(Path(options.file))
    with world_of(options.world) as shop:
        made = hidden(queries, Offers(shop), manner=options.mode, from_record=options.record)
    return _derived(made, options, "query that hides a limit", "hidden")


def _derived(made: Derived, options: SpoilOptions | HideOptions, what: str, counts: str) -> Result[Derived]:
    """Writes queries derived from a file's. Says how many there are of each sort, and why others gave none."""
    if not made.queries:
        why = ", ".join(f"{count} × {reason}" for reason, count in sorted(made.without.items()))
        raise UserError(f"{options.file} gave no {what}: {why or 'it holds none'}.")
    to = Path(options.to)
    write_queries(to, made.queries, force=options.force)
    document = {"queries": len(made.queries), counts: dict(made.counts), "without": dict(made.without)}
    of_sorts = ", ".join(f"{count} {name}" for name, count in sorted(made.counts.items()))
    lines = [f"{counted(len(made.queries), 'query')} → {to}; {counts}: {of_sorts}."]
    lines += [f"  left out: {counted(count, 'query')} ({why})" for why, count in sorted(made.without.items())]
    return Result(made, document, lines, path=to)
