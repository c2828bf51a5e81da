"""Pairs of twins as a table: a row for each system."""

from collections.abc import Sequence

from drretail.eval.compare.twins import TwinRow
from drretail.tables.table import Cell, Table, table_of

NOTE = (
    "right: refused what can't be met and bought what can. J: the share of right pairs less that of reversed ones. p: "
    "McNemar's exact test that both of a pair are refused as often."
)


def twin_table(rows: Sequence[TwinRow]) -> Table:
    """What each system decided on pairs of which the shop can meet one."""
    return table_of(
        "Twins: queries that the shop can't meet, each beside one that it can",
        ("", "right", "refused both", "bought both", "reversed", "missing", "J", "p"),
        [
            (
                row.system,
                row.right,
                row.refused_both,
                row.bought_both,
                row.reversed,
                row.missing,
                row.j,
                Cell(row.p, "p"),
            )
            for row in rows
        ],
        notes=(NOTE,),
    )
