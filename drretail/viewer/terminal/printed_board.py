"""The scoreboard on the terminal: what can be concluded, one table that fits, and where to read on."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from drretail.viewer.output import print_table, print_text, print_title
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.conclusion import conclusion
from drretail.viewer.tables.scoreboard import LAB, printed_board
from drretail.viewer.tables.scores import NONE_HELD, Metrics

if TYPE_CHECKING:
    from drretail.records.score import Agreement
    from drretail.records.scoreboard import BoardJudge, Scoreboard


def print_scoreboard(
    board: "Scoreboard",
    agreements: "Sequence[Agreement]" = (),
    metrics: Metrics = NONE_HELD,
    lab: Sequence[str] = (),
) -> None:
    """What can be concluded, the table, what its columns mean, and what must be known beside; on stdout.

    Last what the judge lab found, a line each.

    Of several judges the first one's scores; of the others who they are, and how far they agree with it.
    """
    printed = printed_board(board, lab)
    concluded = conclusion(board)
    print_text(*filter(None, (concluded.can, concluded.cannot)), "")
    drawn = print_table(printed.table)
    print_text(printed.legend(intervals=drawn.has_intervals), *_on_others(board, agreements, metrics), "")
    differs = printed.differs if concluded.is_cut else ()
    for title, sentences in (("What differs", differs), ("Notes", printed.notes), (LAB, printed.lab)):
        if sentences:
            print_title(title)
        print_text(*sentences)


def _on_others(board: "Scoreboard", agreements: "Sequence[Agreement]", metrics: Metrics) -> Iterator[str]:
    """Who else judged, and how far every two judges agree."""
    if board.others:
        yield f"Also judged by {', '.join(_who(other.judge) for other in board.others)}: --details."
    table = agreement_table(agreements, metrics)
    for line in table.rows if table is not None else ():
        cells = zip(table.columns, line.cells, strict=True) if table is not None else ()
        told = ", ".join(f"{column.name} {cell.text} ({cell.counts})" for column, cell in cells if cell is not None)
        yield f"Agreement of {line.label}: {told}; Spearman's ρ over reports, 1 where they rank alike."


def _who(judge: "BoardJudge") -> str:
    return judge.spec if judge.rules == "default" else f"{judge.spec} (rules of {judge.rules})"
