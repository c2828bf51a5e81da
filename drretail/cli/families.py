"""The families of scores that a command asked for: their tables are printed, the others are named."""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.records.score import Scores

PROCESS = "process"


def of_families(scores: "Scores", names: Collection[str]) -> "Scores":
    """The same with the rows of these families alone. What runs did beside their scores comes with the process.

    What other profiles change is of no family and stays.
    """
    from drretail.eval.registry import PAIRWISE

    paired, beside = PAIRWISE in names, PROCESS in names
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


def others_held(scores: "Scores", names: Collection[str]) -> str:
    """A sentence on what scores.json holds besides these families; empty where that is nothing."""
    from drretail.eval.registry import PAIRWISE

    held = [*(row.metric for row in scores.scores), *([PAIRWISE] if scores.pairs else [])]
    others = [name for name in dict.fromkeys(held) if name not in names]
    if not others:
        return ""
    return f"scores.json also holds {', '.join(others)}: score without --metrics prints all, report shows all."
