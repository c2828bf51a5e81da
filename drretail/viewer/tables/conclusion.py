"""What can be concluded from an experiment, and what can't: the two sentences that stand before its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.eval.compare.differences import ABOVE
from drretail.records.score import place_of
from drretail.records.scoreboard import Scoreboard
from drretail.tables.figures import counted
from drretail.viewer.tables.scoreboard import printed_board

MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    can: str
    cannot: str
    """Empty where everything is concluded."""
    is_cut: bool = False
    """Whether more was compared than is said here."""


def conclusion(board: Scoreboard) -> Conclusion:
    """In the words of the comparison of all systems; of a single system its first score on half of its reports."""
    researching = [row.system for row in board.rows if place_of(row.system) == "system"]
    if len(researching) < 2:
        return Conclusion(_of_one(board), " ".join(board.differs))
    shown = [sentence for sentence in board.differs if ABOVE in sentence]
    rest = [sentence for sentence in board.differs if ABOVE not in sentence]
    can = f"It can be concluded: {_joined(shown)}" if shown else "No system is shown to be better than another."
    is_cut = max(len(shown), len(rest)) > MOST_SAID + 1
    return Conclusion(can, f"Not yet: {_joined(rest)}" if rest else "", is_cut)


def _of_one(board: Scoreboard) -> str:
    """ "react: FP 0.95 (.94–.96), the share of the cited claims that their sources bear out." """
    half = board.model_copy(
        update={"columns": tuple(column for column in board.columns if _is_of_half(board, column.name))}
    )
    printed = printed_board(half)
    for line in printed.table.rows:
        for column, cell in zip(printed.table.columns, line.cells, strict=True):
            if line.place == "system" and cell is not None and column.meaning:
                interval = f" ({cell.interval})" if cell.interval else ""
                counts = f" on {counted(cell.counts, 'report')}" if cell.counts else ""
                meaning = column.meaning.partition(" (in brackets")[0]
                return f"{line.name}: {column.name} {cell.figure}{interval}{counts}, {meaning}."
    return "Nothing is scored on half of the reports yet."


def _is_of_half(board: Scoreboard, name: str) -> bool:
    """Whether no less than half of a system's reports are behind a value: one report of twenty concludes nothing."""
    cells = [row.cells.get(name) for row in board.rows if place_of(row.system) == "system"]
    return any(cell is not None and 2 * cell.n_scored >= cell.n_planned for cell in cells)


def _joined(sentences: Sequence[str]) -> str:
    more = len(sentences) - MOST_SAID
    kept = [sentence.rstrip(".") for sentence in sentences[: MOST_SAID if more > 1 else None]]
    return "; ".join([*kept, *([f"and {more} more below"] if more > 1 else [])]) + "."
