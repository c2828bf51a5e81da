"""Parts of scores: those of some families, and those that a scoreboard doesn't show."""

from collections.abc import Collection

from drretail.eval.registry import COUNTS_STEPS, PAIRWISE, USUAL
from drretail.records.score import Scores


def rows_of_families(scores: Scores, names: Collection[str]) -> Scores:
    """The same with the rows of these families alone. What runs did beside their scores comes with the process.

    What other profiles change is of no family and stays.
    """
    paired, beside = PAIRWISE in names, COUNTS_STEPS in names
    return scores.model_copy(
        update={
            "scores": tuple(row for row in scores.scores if row.metric in names),
            "judgings": tuple(row for row in scores.judgings if row.metric in names),
            "slices": tuple(row for row in scores.slices if row.metric in names),
            "agreements": tuple(row for row in scores.agreements if row.metric in names),
            "pairs": scores.pairs if paired else (),
            "ranks": scores.ranks if paired else (),
            "correlations": scores.correlations if beside else (),
        }
    )


def without_board_families(scores: Scores) -> Scores:
    """The same without the usual families that have a column on the scoreboard, and without what is of no family.

    Of the other families one column is not all that was asked for.
    """
    board = scores.scoreboard
    shown = {column.metric for column in board.columns} & {*USUAL} if board is not None else set[str]()
    left = rows_of_families(scores, {row.metric for row in scores.scores} - shown)
    paired = {"pairs": scores.pairs, "ranks": scores.ranks}
    return left.model_copy(update={**paired, "agreements": (), "correlations": (), "counterfactuals": ()})


def other_families(scores: Scores, names: Collection[str]) -> list[str]:
    """The families of these scores besides the named ones, in their order."""
    present = [*(row.metric for row in scores.scores), *([PAIRWISE] if scores.pairs else [])]
    return [name for name in dict.fromkeys(present) if name not in names]
