"""The board: a table of decisions, the paper's Tables 1 and 2, and those that other metrics bring, for every output.

All are pivots of the board's cells and of its comparisons. A difference stands in a row of its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from drretail.eval.metric import description_of
from drretail.eval.numbers.facts import MODELS_ALONE, NOT_RATED, missing_of
from drretail.eval.numbers.gathering import CLAIMS, FP, FR
from drretail.eval.numbers.scoreboard import DOLLARS, DONE, TOKENS, VOTES, WORDS
from drretail.eval.numbers.wording import by_measure, row_name
from drretail.eval.registry import PAPERS
from drretail.experiments.experiment import Definition
from drretail.querygen.reading import WORLD as DEMO
from drretail.records.comparison import ComparedRow
from drretail.records.figures import counted
from drretail.records.query import NOT_LAST
from drretail.records.run import place_of
from drretail.records.score import CODE, BoardRow, Scoreboard, ShownColumn, Unit, reasons_of
from drretail.reports.text.wording import listed
from drretail.stats.intervals import Clusters
from drretail.viewer.drawing.table import Cell, Column, Kind, Row, Table
from drretail.viewer.experiment import OUTCOME
from drretail.viewer.published import published_rows
from drretail.viewer.tables.scores import judged_by, notes_on, score_cell, system_names

SHOWN = "*"
"""The mark of a difference that is concluded."""
DECISION = "Decision"
DIFFERENCE = "difference"
COST, BOUNDED = "Cost", "Floors and oracle"
FEW_SYSTEMS = 4
"""Up to so many systems have a row of differences each."""
KINDS: Mapping[Unit, Kind] = {
    "words": "count",
    "count": "tenths",
    "tokens": "thousands",
    "percent": "tenths",
    "dollars": "dollars",
}
"""How a column's numbers are written, by unit; all other units are written as scores."""
LAB = "The judge lab"
ENDS = "95%"
"""The name of the column of intervals, which stands beside the first column that counts runs."""
JUDGE_FAILED = "failed"
"""Shown instead of a value that no report has, because the judge gave no usable answer."""
_WHY = {"too_few": "too few", "missing": "not comparable", "not_read": "not read", "order_decided": "not read"}


def about_words(definition: Definition, board: Scoreboard | None) -> list[str]:
    """What was asked of whom, by how many users, and who judged: "10 questions", "demo shop", "judge: openai:gpt-5"."""
    queries, shop = definition.queries, f"shop {(definition.world_fingerprint or '')[:8]}"
    users = len({*Clusters.of(queries).user_of.values()})
    shop = "demo shop" if definition.world_fingerprint == DEMO else shop
    judge = "" if board is None or not board.judge.judge else judged_by(board.judge).removeprefix("judged by ")
    planned = () if board is None else (row.cells[DONE].n_planned for row in board.rows if DONE in row.cells)
    repeats = max(planned, default=1)
    words = [
        counted(len(queries), "turn" if any(query.after for query in queries) else "question"),
        counted(users, "user") if users else "",
        "imported reports" if definition.world_fingerprint is None else shop,
        f"judge: {judge.removeprefix('a ')}" if judge else "",
        f"{repeats // len(queries)} runs each" if repeats > len(queries) else "",
    ]
    return [text for text in words if text]


@dataclass(frozen=True)
class BoardTables:
    """The tables of a board; ``full`` ones have the interval and the denominator in every cell. With ``paper``, and on
    a board by the paper's rules, Tables 1 and 2 have all of the paper's columns, and its own rows below.
    """

    board: Scoreboard
    full: bool = False
    paper: bool = False

    @property
    def is_papers(self) -> bool:
        return self.paper or self.board.judge.rules == "paper"

    @cached_property
    def unrated(self) -> list[ShownColumn]:
        """The columns of faithfulness by a judge that follows rules, which decides too few claims for a number.

        It lists only those that have a mark or a figure.
        """
        if self.board.judge.judge_kind != "rule_based":
            return []
        shares = [column for column in self.board.columns if column.variant.split("_")[0] in (FP, FR)]
        return [column for column in shares if column.metric == CLAIMS]

    @cached_property
    def columns(self) -> list[ShownColumn]:
        return [column for column in self.board.columns if column not in self.unrated]

    def _papers(self, columns: Sequence[ShownColumn]) -> list[ShownColumn]:
        """These columns of one table, for a table of the paper all of its columns, also those without a value here."""
        described = next((description_of(name) for name in PAPERS if name in {each.metric for each in columns}), None)
        if described is None or not self.is_papers:
            return [*columns]
        here = {column.variant: column for column in columns}
        metric = columns[0].metric
        return [
            here.get(column.variant)
            or ShownColumn.model_validate({**dict(column), "name": column.variant, "metric": metric, "unit": "share"})
            for column in described.scoreboard
        ]

    @property
    def absent(self) -> list[str]:
        """A sentence on the columns and tables that the board lacks, for each reason."""
        unrated = (column.name for column in self.unrated)
        lacking = {**dict.fromkeys(unrated, f"{NOT_RATED}. {MODELS_ALONE}"), **self.board.absent}
        by_reason = {why: [name for name, its in lacking.items() if its == why] for why in lacking.values()}
        return [f"{listed(names)}: {why}" for why, names in by_reason.items()]

    @property
    def left_out(self) -> list[str]:
        """A sentence for each counted column that is over fewer runs than planned, with the reasons."""
        rows = (
            (column.name, row.cells[column.name])
            for column in self.columns
            if column.is_counted and column.metric
            for row in self.systems
            if column.name in row.cells
        )
        phrases = (
            f"{name} leaves out {cell.n_planned - cell.n_scored:,} of {counted(cell.n_planned, 'answer')}: "
            f"{'; '.join(reasons)}."
            for name, cell in rows
            if (reasons := [reason for reason in reasons_of(cell.items) if reason != NOT_LAST])
        )
        return [*dict.fromkeys(phrases)]

    @cached_property
    def names(self) -> Mapping[str, str]:
        return system_names((row.system for row in self.board.rows), self.board.systems)

    def of_place(self, *places: str) -> list[BoardRow]:
        return [row for row in self.board.rows if place_of(row.system, self.board.systems) in places]

    @cached_property
    def systems(self) -> list[BoardRow]:
        """The systems that research, the best first."""
        return self.of_place("system")

    @cached_property
    def bounds(self) -> list[BoardRow]:
        """The best null agent, and the oracle: by the first column of decisions that any of them has."""
        name = next((column.name for column in self.board.columns if column.decides and column.metric), OUTCOME)
        floors = [row for row in self.of_place("floor") if name in row.cells]
        best = self.board.floors[0].b if self.board.floors else ""
        floors.sort(key=lambda row: (row.system != best, -row.cells[name].value))
        return [*floors[:1], *self.of_place("ceiling")]

    @cached_property
    def baseline(self) -> str:
        """The label of the system that the others are compared with; empty if none are compared."""
        return self.board.compared[0].b if self.board.compared else ""

    @cached_property
    def base(self) -> BoardRow | None:
        return next((row for row in self.systems if row.system == self.baseline), None)

    @cached_property
    def compared(self) -> Mapping[tuple[str, str], ComparedRow]:
        """The tested comparisons by system and column."""
        return {(row.a, row_name(row)): row for row in self.board.compared}

    @cached_property
    def tables(self) -> list[Table]:
        """The tables in order, that of decisions first; none without a column."""
        by_table: dict[str, list[ShownColumn]] = {"": []}
        for column in self.columns:
            if column.name not in (WORDS, DOLLARS) and not (column.name == DONE and self._all_done):
                by_table.setdefault(column.table, []).append(column)
        return [self._table(title, columns) for title, columns in by_table.items() if columns]

    @property
    def brief(self) -> Table:
        """All tables in one, as a terminal shows it."""
        shown = [column for column in self.columns if column.is_brief]
        shown = [column for column in shown if not (column.name == DONE and self._all_done)]
        shown.sort(key=lambda column: column.name == TOKENS)
        table = self._pivot("", shown, self.bounds, brief=True)
        rare = sum(column.name == DONE or column.metric == VOTES for column in shown)
        most = max(_NAME - 6 * rare, _SHORTEST, _NARROW - _FIGURE * len(shown))
        names = cut_names([row.name for row in table.rows if row.place != DIFFERENCE], most)
        sides = dict(
            zip(self.names.values(), cut_names([*self.names.values()], (most - len(_MINUS)) // 2), strict=True)
        )
        steps = [
            _MINUS.join(map(sides.__getitem__, row.name.split(_MINUS))) for row in table.rows if row.place == DIFFERENCE
        ]
        names[len(self.systems) : len(self.systems)] = steps
        rows = [replace(row, name=name) for row, name in zip(table.rows, names, strict=True)]
        heads = [Column(column.name, group=column.table, meaning=column.meaning) for column in shown]
        return replace(table, columns=tuple(heads), rows=tuple(rows), by="")

    @property
    def cost(self) -> Table:
        """What runs took: the share that is done, words, tokens, dollars, of all systems."""
        wanted = [column for column in self.board.columns if not column.metric]
        return replace(self._pivot(COST, wanted, self.of_place("floor", "ceiling"), differs=False), by="per run")

    @property
    def bounded(self) -> Table:
        """The decisions of all null agents and the oracle."""
        wanted = [column for column in self.board.columns if column.decides and column.metric]
        table = self._pivot(BOUNDED, wanted, self.of_place("floor", "ceiling"), differs=False)
        return replace(table, rows=tuple(row for row in table.rows if row.is_baseline))

    @property
    def tested(self) -> str:
        """How many differences were tested against the baseline, and how many of these are more than chance."""
        rows = [row for row in self.board.compared if row.p is not None]
        if not rows:
            return ""
        tests = counted(len(rows), "difference was", "differences were")
        shown = sum(row.is_shown for row in rows)
        if len(rows) == 1:
            finding = "it is more than chance" if shown else "it is not more than chance"
        else:
            finding = f"{f'{shown:,}' if shown else 'none'} {'are' if shown > 1 else 'is'} more than chance"
        return f"{tests} tested against {self.names.get(self.baseline, self.baseline)}, {finding}."

    @property
    def _all_done(self) -> bool:
        return all(row.cells[DONE].value == 1 for row in self.systems if DONE in row.cells)

    def _table(self, title: str, columns: Sequence[ShownColumn]) -> Table:
        bounds = self.bounds if len(self.systems) == 1 else []
        table = self._pivot(title or DECISION, self._papers(columns), bounds)
        is_of_unrated = self.is_papers and title in {column.table for column in self.unrated}
        notes = self.absent if is_of_unrated else [] if title else self.left_out
        return replace(table, notes=tuple(notes))

    def _pivot(
        self,
        title: str,
        columns: Sequence[ShownColumn],
        bounds: Sequence[BoardRow],
        *,
        brief: bool = False,
        differs: bool = True,
    ) -> Table:
        """A row for each system, then for the differences of few systems from the baseline, then for the bounds."""
        steps = list[BoardRow]()
        if differs and self.base is not None and len(self.systems) <= FEW_SYSTEMS:
            steps = [row for row in self.systems if row is not self.base]
        shown = [*self.systems, *bounds]
        pairs = [pair for column in columns for pair in self._column(column, shown, steps, brief=brief)]
        systems, names = self.board.systems, self.names
        rows = [
            Row(names[row.system], tuple(cells[at] for _, cells in pairs), row.system, place_of(row.system, systems))
            for at, row in enumerate(shown)
        ]
        differences = [
            Row(
                f"{names[row.system]}{_MINUS}{names[self.baseline]}",
                tuple(cells[at] for _, cells in pairs),
                "",
                DIFFERENCE,
            )
            for at, row in enumerate(steps, len(shown))
        ]
        rows[len(self.systems) : len(self.systems)] = differences
        for name, its in (published_rows(columns[0].metric) if self.is_papers and columns else {}).items():
            published = tuple(its.get(column.variant) for column in columns)
            rows += (
                [Row(f"{name} (paper)", published, name, "paper")]
                if any(published) and len(published) == len(pairs)
                else []
            )
        names_shown = [head.name for head, _ in pairs]
        if (name := next((column.name for column in columns if column.variant == OUTCOME), None)) in names_shown:
            for floor in self.board.needs:
                cell = Cell(floor.value, "short", n=floor.n, planned=floor.n_asked, note=floor.of_needing)
                its = (cell if shown_name == name else None for shown_name in names_shown)
                rows.append(Row(floor.name, tuple(its), place="floor"))
        judged = {column.name for column in columns if column.metric not in ("", VOTES) and not column.decides}
        is_judged = any(row.cells[name].judge != CODE for row in self.board.rows for name in judged & row.cells.keys())
        by = judged_by(self.board.judge) if is_judged else ""
        return Table(title, tuple(head for head, _ in pairs), tuple(rows), by=by, heading="System")

    def _column(
        self, column: ShownColumn, rows: Sequence[BoardRow], steps: Sequence[BoardRow], *, brief: bool
    ) -> Iterator[tuple[Column, list[Cell | None]]]:
        """The column's cells, then those of differences; beside what was bought its interval, and both of its parts."""
        is_rated = column.name not in {other.name for other in self.unrated}
        cells = [board_cell(row, column, brief=brief, full=self.full) if is_rated else None for row in rows]
        cells += [self._difference(column, row, brief=brief) for row in steps]
        name, is_led = column.name, column.name in {name for _, name in self.compared}
        head = Column(name, meaning=column.meaning, leads=is_led)
        if self.full or brief or not (column.is_counted and column.metric):
            yield head, cells
        else:
            yield head, [cell and replace(cell, low=None, high=None) for cell in cells]
            if column.name == next(column.name for column in self.columns if column.is_counted and column.metric):
                ends = [Cell(f"{cell.interval}%") if cell and cell.interval else None for cell in cells]
                yield Column(ENDS, meaning=f"95% interval of {name} over users"), ends
        for at, part in enumerate(() if brief else column.apart):
            held = {
                row.system: list(row.cells[column.name].parts.values())[at]
                for row in (*rows, *steps)
                if column.name in row.cells and row.cells[column.name].parts
            }
            if held:
                yield self._part(f"that {part}", held, rows, steps)

    def _part(
        self, part: str, held: Mapping[str, tuple[float, int]], rows: Sequence[BoardRow], steps: Sequence[BoardRow]
    ) -> tuple[Column, list[Cell | None]]:
        """How many runs of a part of the questions are right; of how many, above the column if all have as many."""
        sizes = {size for _, size in held.values()}
        is_alike = len(sizes) == 1
        counts = (held.get(row.system) for row in rows)
        cells: list[Cell | None] = [
            None if its is None else Cell(its[0], "of_all", n=None if is_alike else its[1]) for its in counts
        ]
        base = held.get(self.baseline)
        for row in steps:
            of_system = held.get(row.system)
            cells.append(
                Cell(of_system[0] - base[0], "of_all", signed=True) if of_system and base and is_alike else None
            )
        return Column(f"on {min(sizes):,} {part}" if is_alike else f"on those {part}"), cells

    def _difference(self, column: ShownColumn, row: BoardRow, *, brief: bool) -> Cell | None:
        """A system minus the baseline: with its interval if it is tested, or else of the two values as shown."""
        if column.name in {other.name for other in self.unrated}:
            return None
        tested, mine = self.compared.get((row.system, column.name)), row.cells.get(column.name)
        theirs = None if self.base is None else self.base.cells.get(column.name)
        if mine is None or theirs is None:
            return None
        value, kind = mine.value - theirs.value, _kind(column, brief=brief)
        if tested is not None and tested.difference is not None:
            value = tested.difference
        if mine.count is not None and theirs.count is not None and mine.n_scored == theirs.n_scored and not self.full:
            value, kind = mine.count - theirs.count, "of_all"
        cell = Cell(value, kind, signed=True)
        if tested is None or brief:
            return cell if tested is None else replace(cell, mark=SHOWN * tested.is_shown)
        return replace(cell, low=tested.ci_low, high=tested.ci_high, mark=SHOWN * tested.is_shown)


_NAME = 17
"""The width of names in the terminal's table of at most 100 columns."""
_SHORTEST = 9
_NARROW, _FIGURE = 80, 7
"""The width of a narrow terminal, and about that of a column: what few columns leave there is for names."""
_MINUS = " − "


def cut_names(names: Sequence[str], most: int) -> list[str]:
    """The names, long ones cut at the end, or if that makes two alike, each of their words."""
    cuts = [_clipped(name, most) for name in names]
    if len({*cuts}) == len({*names}):
        return cuts
    words = [_in_short_words(name, most) for name in names]
    return words if len({*words}) == len({*names}) else list(names)


def _clipped(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _in_short_words(name: str, most: int) -> str:
    """The name with its longest words shortened evenly, but for their numbers: "plan_to_fu+ws-re2"."""
    words = re.findall(r"[^\W\d_]+|[\W\d_]+", name)
    while sum(map(len, words)) > most and max(map(len, words)) > 2:
        longest = max(range(len(words)), key=lambda at: len(words[at]))
        words[longest] = words[longest][:-1]
    return "".join(words)


def _kind(column: ShownColumn, *, brief: bool) -> Kind:
    if brief and column.unit == "share":
        return "short"
    return "tenths" if brief and column.unit in ("rating", "grade") else KINDS.get(column.unit, "number")


def board_cell(row: BoardRow, column: ShownColumn, *, brief: bool = False, full: bool = False) -> Cell | None:
    """One number: "9 of 10" in a column that counts runs; what it is over only where runs lack a value."""
    cell = row.cells.get(column.name)
    if cell is None:
        return Cell(JUDGE_FAILED) if column.name in row.failed else None
    if cell.count is not None:
        counted_runs = Cell(cell.count, "fraction" if brief else "of_all", n=cell.n_scored)
        return counted_runs if brief else replace(counted_runs, low=cell.ci_low, high=cell.ci_high)
    if full:
        return replace(score_cell(cell), kind=KINDS.get(column.unit, "number"), note="")
    shown = Cell(cell.value, _kind(column, brief=brief))
    if cell.metric == VOTES and column.is_brief and not brief:
        shown = replace(shown, low=cell.ci_low, high=cell.ci_high)
    lacks = cell.n_scored < cell.n_planned and not brief
    return replace(shown, n=cell.n_scored, planned=cell.n_planned) if lacks else shown


def compared_tables(rows: Sequence[ComparedRow], names: Mapping[str, str]) -> list[Table]:
    """For each judge a row for each pair of systems and a column for each headline: the difference with its interval,
    or why there is no conclusion. What code measures stands in each.
    """
    judges = [*dict.fromkeys(row.judge for row in rows if row.judge != CODE)] or [CODE]
    by_judge = ([row for row in rows if row.judge in (CODE, judge)] for judge in judges)
    return [_compared_table(its, names, judge) for judge, its in zip(judges, by_judge, strict=True) if its]


def _compared_table(rows: Sequence[ComparedRow], names: Mapping[str, str], judge: str) -> Table:
    columns = [*dict.fromkeys(row_name(measure[0]) for measure in by_measure(rows))]
    by_pair: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in rows:
        cells = by_pair.setdefault((row.a, row.b), {})
        cell = difference_cell(row, mark=SHOWN * row.is_shown, n=row.n_pairs, planned=row.n_planned)
        cells.setdefault(row_name(row), cell or Cell(_WHY.get(row.outcome, "–")))
    tests = max((row.tests for row in rows), default=0)
    over = "users" if any(row.n_users for row in rows) else "queries, taken as independent,"
    concluded = f" {SHOWN}: concluded, corrected (Holm) for {counted(tests, 'test')}." if tests else ""
    note = (
        f"The first system minus the second.{concluded} "
        f"Each 95% interval over {over} is of its own difference, and not corrected."
    )
    lines = [
        Row(f"{names.get(a, a)} − {names.get(b, b)}", tuple(map(cells.get, columns)))
        for (a, b), cells in by_pair.items()
    ]
    by = "" if judge == CODE else f"judged by {judge}"
    heads = tuple(map(Column, columns))
    return Table("Differences", heads, tuple(lines), by=by, heading="Systems", notes=(note,), unit="query")


def difference_cell(of: ComparedRow, **about: Any) -> Cell | None:
    """A minus B with its interval; None without a value."""
    return None if of.difference is None else Cell(of.difference, "signed", of.ci_low, of.ci_high, **about)


def board_notes(board: Scoreboard) -> Iterator[str]:
    """What a reader must know about the numbers of the board."""
    cells = [cell for row in board.rows for cell in row.cells.values()]
    if reasons := dict.fromkeys(why for cell in cells for why in missing_of(cell)):
        yield f"Runs without a value: {', '.join(reasons)}."
    yield from notes_on((row.system for row in board.rows), board.systems, bounded=True)
    yield from board.notes
