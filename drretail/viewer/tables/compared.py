"""What can be concluded of every pair of systems, as tables: in a line each, and in every measure."""

from collections.abc import Iterator, Mapping

from drretail.eval.compare.wording import MOST
from drretail.records.comparison import Outcome
from drretail.records.scoreboard import ComparedMeasure, ComparedPair, Scoreboard
from drretail.tables.figures import counted
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.tables.scores import system_names

TITLE = "What can be concluded"
MOST_ROWS = 100
"""Of a table; a page of ten systems would have hundreds."""
OUTCOMES: Mapping[Outcome, str] = {
    "higher": "{a} is higher",
    "lower": "{b} is higher",
    "undecided": "no difference shown",
    "too_few": "too few queries to tell",
    "missing": "runs are missing",
    "not_concluded": "nothing: the judge follows rules",
    "identical": "the same on every query",
    "nothing": "no query has both",
}
"""What follows for ``a`` and ``b``, by outcome: what says most of a pair comes first."""
_ORDER = list(OUTCOMES)
_COLUMNS = (
    Column("Conclusion"),
    Column("Measure"),
    Column(
        "Difference",
        meaning="the first system's mean minus the second's (side by side: the share that it wins minus the "
        "share that it loses), with its 95 % interval",
    ),
    Column("p", meaning="p-value, corrected for all tests (Holm)"),
    Column("Queries", meaning="queries with a value for both systems"),
    Column("Queries needed", meaning="queries needed to show a difference of this size (power .8)"),
)


def concluded(board: Scoreboard) -> Table | None:
    """A row for each difference that is shown, and for each pair without one its clearest measure.

    Pairs of which something is concluded come first. None where no two systems are compared.
    """
    by_pair = _by_pair(board)
    if not by_pair:
        return None
    shown = [[each for each in rows if each[1].row.outcome in ("higher", "lower")] for rows in by_pair]
    chosen = [each for rows in shown for each in rows]
    chosen += [min(rows, key=_clearest) for rows, differing in zip(by_pair, shown, strict=True) if not differing]
    tests = max(pair.row.tests for _, pair in chosen)
    pairs = counted(len(by_pair), "pair of systems", "pairs of systems")
    note = f"p is corrected (Holm) for {counted(tests, 'test')} on {pairs}."
    return _table(TITLE, board, chosen, note)


def every_measure(board: Scoreboard) -> Table | None:
    """Every pair in every measure that systems are chosen by; None where the short table has all of them."""
    every = [each for rows in _by_pair(board) for each in rows]
    return _table("Every pair in every measure", board, every) if len(board.compared) > 1 else None


_Compared = tuple[ComparedMeasure, ComparedPair]


def _by_pair(board: Scoreboard) -> list[list[_Compared]]:
    """The measures of each pair, in the order of the board."""
    found: dict[frozenset[str], list[_Compared]] = {}
    for measure in board.compared:
        for pair in measure.pairs:
            found.setdefault(frozenset((pair.a, pair.b)), []).append((measure, pair))
    return list(found.values())


def _clearest(each: _Compared) -> tuple[int, int]:
    row = each[1].row
    return _ORDER.index(row.outcome), row.queries_needed or MOST


def _table(title: str, board: Scoreboard, compared: list[_Compared], *notes: str) -> Table:
    names = system_names(row.system for row in board.rows)
    rows = [
        Row(f"{names.get(pair.a, pair.a)} against {names.get(pair.b, pair.b)}", tuple(_cells(measure, pair, names)))
        for measure, pair in compared
    ]
    more = [f"{counted(len(rows) - MOST_ROWS, 'more row')} in the export."] if len(rows) > MOST_ROWS else []
    return Table(title, _COLUMNS, tuple(rows[:MOST_ROWS]), heading="Pair", notes=(*notes, *more))


def _cells(measure: ComparedMeasure, pair: ComparedPair, names: Mapping[str, str]) -> Iterator[Cell | None]:
    row = pair.row
    a, b = (names.get(label, label) for label in (pair.a, pair.b))
    yield Cell(OUTCOMES[row.outcome].format(a=a, b=b))
    yield Cell(measure.measure)
    yield None if row.difference is None else Cell(row.difference, "signed", row.ci_low, row.ci_high)
    yield None if row.p_holm is None else Cell(row.p_holm, "p")
    yield Cell(row.n_pairs, "count", counts="" if row.n_users in (None, row.n_pairs) else counted(row.n_users, "user"))
    needed = row.queries_needed if row.outcome in ("undecided", "too_few") else None
    yield (None if needed is None else Cell(f"> {MOST:,}") if needed > MOST else Cell(needed, "count"))
