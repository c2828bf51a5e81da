"""The scoreboard: what systems are chosen by, one row a system, and what can be said of their differences."""

from datetime import date
from typing import Literal

from pydantic import Field

from drretail.records.base import Record, Rules
from drretail.records.comparison import ComparedRow
from drretail.records.run import ModelKind

Unit = Literal["share", "rating", "grade", "percent", "count", "words", "tokens", "dollars"]
"""0 to 1, 0 to 10, or a number of things a report or run."""


class BoardColumn(Record):
    """A variant that a family of metrics puts on the scoreboard."""

    variant: str
    name: str = ""
    """What stands above it, short; blank: the variant."""
    meaning: str = ""
    """What it is, in a few plain words that begin in lower case; blank: what the family says of the variant."""
    beside: str = ""
    """A variant that is printed behind it in brackets: what must be known to read it, as coverage beside clean."""
    beside_meaning: str = ""
    of_run: str | None = None
    """Its name in a table of single runs, where a run's value is something else than a system's."""
    of_run_meaning: str | None = None


class ShownColumn(Record):
    """A column with a value in some row."""

    name: str
    """Of which no two columns have the same."""
    metric: str = ""
    """Blank of words, tokens and dollars."""
    variant: str = ""
    meaning: str = ""
    unit: Unit = "share"
    beside_meaning: str = ""
    of_run: str | None = None
    """As in ``BoardColumn``, and so is ``of_run_meaning``."""
    of_run_meaning: str | None = None


class BoardCell(Record):
    """A system's mean over its reports; one without a value is left out of its row."""

    value: float
    ci_low: float | None = None
    ci_high: float | None = None
    beside: float | None = None
    n_scored: int
    """Reports, or runs with an answer, that the mean is of."""
    n_planned: int
    n_queries: int | None = None
    """As in ``Score``."""
    self_checked: bool = False
    """As in ``Score``."""


class BoardRow(Record):
    system: str
    cells: dict[str, BoardCell] = Field(default_factory=dict[str, BoardCell])
    """By the column's name."""
    failed: dict[str, int] = Field(default_factory=dict[str, int])
    """By the column's name: on how many reports the judge gave no usable answer."""


class BoardJudge(Record):
    """Whose values the columns of judged families hold; a spec that is blank where no model judged."""

    spec: str = ""
    kind: ModelKind = "llm"
    params_hash: str = ""
    rules: Rules = "default"


class JudgedRows(Record):
    """The judged columns alone, by another judge or other rules; not comparable with the first one's."""

    judge: BoardJudge
    rows: tuple[BoardRow, ...]


class ComparedPair(Record):
    """Two systems in one measure; a difference is that of ``a`` less ``b``."""

    a: str
    b: str
    row: ComparedRow
    """As in a ``Comparison`` of the two. Of a preference side by side the difference is the share of queries that
    ``a`` won less the share that it lost."""


class ComparedMeasure(Record):
    """All pairs of systems that research, in one measure by which systems are chosen."""

    measure: str
    """The column's name, or "side by side"."""
    judge: str = ""
    means: dict[str, float] = Field(default_factory=dict[str, float])
    """By system, over queries; of a preference its win rates above one half, added up."""
    pairs: tuple[ComparedPair, ...]


class Scoreboard(Record):
    """All systems in the order of tables: those that research, then floors and ceiling."""

    judge: BoardJudge
    columns: tuple[ShownColumn, ...]
    rows: tuple[BoardRow, ...]
    others: tuple[JudgedRows, ...] = ()
    differs: tuple[str, ...] = ()
    """Sentences on all pairs of systems that research: what is shown to differ, or what it would take to show it."""
    compared: tuple[ComparedMeasure, ...] = ()
    """What these sentences rest on."""
    notes: tuple[str, ...] = ()
    prices_as_of: date | None = None
    """Where a column of dollars rests on the price table."""
