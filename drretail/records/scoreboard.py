"""The scoreboard: the values by which systems are chosen, one row per system, and what can be said about their
differences.
"""

from collections.abc import Collection
from datetime import date
from typing import Literal

from pydantic import Field

from drretail.records.base import Estimated, ModelKind, Record, Rules
from drretail.records.comparison import ComparedRow
from drretail.records.run import System

Unit = Literal["share", "rating", "grade", "percent", "count", "rate", "words", "tokens", "dollars"]
"""A share is 0 to 1, a rating 0 to 10, a grade 0 to 4, a percent 0 to 100; the others are numbers of things in a report
or run.
"""


class BoardColumn(Record):
    """A variant that a metric puts on the scoreboard."""

    variant: str = ""
    name: str = ""
    """Its short heading. If blank, the variant."""
    meaning: str = ""
    """What it means, in a few plain words that begin in lower case. If blank, what the metric says
    about the variant.
    """
    beside: str = ""
    """A variant that is printed after it in brackets, needed to read it, as coverage beside clean."""
    beside_meaning: str = ""
    """What ``beside`` is a share of, in a word or two, such as "numbers checked"."""
    unit: Unit | None = None
    """Set if neither a count nor what the metric's scale says: "rate" for a count that is mostly below one."""
    decides: bool = False
    """True if it measures what was bought or refused: such columns come first."""
    of_run: str | None = None
    """Its name in a table of single runs, if a run's value is something else than a system's."""
    of_run_meaning: str | None = None


class ShownColumn(BoardColumn):
    """A column with a value in some row. Its name is different from every other column's."""

    metric: str = ""
    """Blank for words, tokens and dollars, as is the variant."""
    unit: Unit = "share"  # pyright: ignore[reportIncompatibleVariableOverride]  (records are frozen)


class BoardCell(Estimated):
    """A system's mean over its reports. A row leaves out cells without a value."""

    value: float
    beside: float | None = None
    n_scored: int
    """Reports, or runs with an answer, in the mean."""
    n_planned: int
    missing: dict[str, int] = Field(default_factory=dict[str, int], exclude_if=lambda missing: not missing)
    """The number of reports without a value of their own, by reason in words; "as 0" are those of them that count 0."""
    n_queries: int | None = None
    """As in ``Score``."""
    self_checked: bool = False
    """As in ``Score``."""


class BoardRow(Record):
    system: str
    cells: dict[str, BoardCell] = Field(default_factory=dict[str, BoardCell])
    """By the column's name."""
    failed: dict[str, int] = Field(default_factory=dict[str, int])
    """By the column's name: reports on which the judge gave no usable answer."""

    def only(self, names: Collection[str]) -> "BoardRow":
        """The row with the cells of these columns."""
        return self.model_copy(update={"cells": {name: cell for name, cell in self.cells.items() if name in names}})


class BoardJudge(Record):
    """The judge whose values the judged columns hold. The spec is blank if no model judged."""

    spec: str = ""
    kind: ModelKind = "llm"
    params_hash: str = ""
    rules: Rules = "default"


class ComparedPair(Record):
    """Two systems in one measure. A difference is the value of ``a`` minus that of ``b``."""

    a: str
    b: str
    row: ComparedRow
    """As in a ``Comparison`` of the two. For a preference side by side, the difference is the share of queries that
    ``a`` won minus the share that it lost.
    """


class ComparedMeasure(Record):
    """All pairs of systems that research, in one measure by which systems are chosen."""

    measure: str
    """The column's name, or "side by side"."""
    judge: str = ""
    failed: int = 0
    """The judge's questions in this metric without a usable answer, which its values leave out."""
    means: dict[str, float] = Field(default_factory=dict[str, float])
    """By system, over queries; for a preference, the sum of its win rates above one half."""
    pairs: tuple[ComparedPair, ...]


class Scoreboard(Record):
    """All systems in the order of tables: those that research, the best first, then floors and ceiling."""

    judge: BoardJudge
    columns: tuple[ShownColumn, ...]
    rows: tuple[BoardRow, ...]
    systems: dict[str, System] = Field(default_factory=dict[str, System], exclude=True)
    """By label, as experiment.json has them."""
    others: tuple[BoardJudge, ...] = ()
    """The other judges, and the first by other rules. Their values are in the scores, and not comparable."""
    differs: tuple[str, ...] = ()
    """Sentences on all pairs of systems that research: which differences are shown, or what it would
    take to show one.
    """
    are_answers: bool = Field(default=False, exclude_if=lambda are_answers: not are_answers)
    """True if all systems that research are assistants of a shop, whose answers cite no records."""
    compared: tuple[ComparedMeasure, ...] = ()
    """The comparisons on which these sentences rest."""
    notes: tuple[str, ...] = ()
    prices_as_of: date | None = None
    """Date of the price table, if a column of dollars rests on it."""
