"""Pairs of twins in words: a row for each system."""

from collections.abc import Sequence

from drretail.eval.compare.twins import TwinRow
from drretail.eval.compare.wording import p_value

TITLE = "Twins: queries that the shop can't meet, each beside one that it can"
COLUMNS = ("", "right", "refused both", "bought both", "reversed", "missing", "J", "p")
NOTE = (
    "right: refused what can't be met and bought what can. J: the share of right pairs less that of reversed ones. p: "
    "McNemar's exact test that both of a pair are refused as often."
)


def twin_cells(rows: Sequence[TwinRow]) -> list[tuple[str, ...]]:
    """The cells of ``COLUMNS`` for each row."""
    return [
        (
            row.system,
            *map(str, (row.right, row.refused_both, row.bought_both, row.reversed, row.missing)),
            "–" if row.j is None else f"{row.j:.2f}",
            p_value(row.p).lstrip("0"),
        )
        for row in rows
    ]
