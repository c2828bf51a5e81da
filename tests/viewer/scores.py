"""Scores, slices and scoreboards as metrics would make them: each field has its usual value unless a test gives
another.
"""

from collections.abc import Mapping
from typing import Any

from drretail.records.base import OfJudge
from drretail.records.comparison import ComparedRow
from drretail.records.score import BoardCell, BoardRow, Score, Scoreboard, ShownColumn
from tests.build import systems

FP = ShownColumn(
    name="FP", is_brief=True, metric="faithfulness", variant="FP", meaning="share of claims that hold", table="Table 1"
)
_PLACE = {"version": 1, "variant": "FP", "system": "a"}
_OF = {"metric": "faithfulness", "judge": "p:m", "judge_kind": "llm"}


def score(system: str = "a", variant: str = "FP", /, **fields: object) -> Score:
    usual = _OF | {"version": 1, "value": 0.5, "n_planned": 10, "n_scored": 10}
    return Score.model_validate({"system": system, "variant": variant} | usual | fields)


def of_slice(name: str, count: int = 12, /, **fields: object) -> Score:
    """A category with so many queries, of which all have a value."""
    counts = dict.fromkeys(("n_asked", "n_counted", "n_planned", "n_scored"), count)
    usual = _OF | {"by": "category", "system": "a@m", "variant": "FP", "value": 0.5, "ci_low": 0.25, "ci_high": 0.75}
    return Score.model_validate({"part": name, "version": 1} | usual | counts | fields)


def cell(value: float, of: int = 10, /, **fields: object) -> BoardCell:
    return BoardCell.model_validate(_OF | _PLACE | {"value": value, "n_scored": of, "n_planned": of} | fields)


def board(
    cells: Mapping[str, Mapping[str, BoardCell]],
    *compared: ComparedRow,
    columns: tuple[ShownColumn, ...] = (FP,),
    **fields: Any,
) -> Scoreboard:
    """Of systems with these cells by the names of their columns."""
    rows = tuple(BoardRow(system=system, cells=dict(held)) for system, held in cells.items())
    usual = {
        "judge": OfJudge(judge="a:judge", judge_kind="llm"),
        "columns": columns,
        "rows": rows,
        "compared": compared,
    }
    usual |= {"systems": systems(cells)}
    return Scoreboard.model_validate(usual | fields)
