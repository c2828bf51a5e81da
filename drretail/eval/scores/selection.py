"""Parts of scores: those of some metrics, and those that a scoreboard doesn't show."""

from collections.abc import Collection

from drretail.eval.registry import COUNTS_STEPS, PAIRWISE, USUAL
from drretail.records.score import Scores


def rows_of_metrics(scores: Scores, names: Collection[str]) -> Scores:
    """The scores with the rows of these metrics only. Correlations with what runs did belong to the metric process.

    Rows on other profiles belong to no metric and stay.
    """
    by_metric = ("scores", "judgings", "slices", "agreements")
    chosen = {table: tuple(row for row in getattr(scores, table) if row.metric in names) for table in by_metric}
    without = {} if PAIRWISE in names else {"pairs": (), "ranks": ()}
    without |= {} if COUNTS_STEPS in names else {"correlations": ()}
    return scores.model_copy(update=chosen | without)


def without_board_metrics(scores: Scores) -> Scores:
    """The scores without the usual metrics that have a scoreboard column, and without rows of no metric.

    Other metrics stay, since one column is not all that was asked for.
    """
    board = scores.scoreboard
    shown = {column.metric for column in board.columns} & {*USUAL} if board is not None else set[str]()
    left = rows_of_metrics(scores, {row.metric for row in scores.scores} - shown)
    paired = {"pairs": scores.pairs, "ranks": scores.ranks}
    return left.model_copy(update={**paired, "agreements": (), "correlations": (), "counterfactuals": ()})


def other_metrics(scores: Scores, names: Collection[str]) -> list[str]:
    """The metrics of these scores besides the named ones, in their order."""
    present = [*(row.metric for row in scores.scores), *([PAIRWISE] if scores.pairs else [])]
    return [name for name in dict.fromkeys(present) if name not in names]
