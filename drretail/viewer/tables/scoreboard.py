"""The scoreboard as a table, and its conclusions in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from drretail.agents.names import reaches_gold
from drretail.eval.compare.differences import ALONE
from drretail.eval.compare.wording import clearest, findings, largest_of, range_of, sample
from drretail.eval.scores.facts import AS_ZERO, missing_of
from drretail.eval.scores.gathering import FP
from drretail.grounding.text.wording import listed
from drretail.llm.usage import dated
from drretail.records.run import DUMPS
from drretail.records.score import BoardRow, Scoreboard, ShownColumn, Unit, place_of
from drretail.records.tables import figures
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Kind, Table, pivot
from drretail.viewer.tables.result import FALSE_ANSWERS, OUTCOME, how_often_alone, result_of
from drretail.viewer.tables.scores import judged_by, notes_on, score_cell, system_names

TITLE = "Scoreboard"
SELF_CHECKED = "*: means little here, because the agent already removes these errors from its own reports."
INTERVALS = "95% interval over users (binomial for shares, Student's t for the rest)"
SPARE: tuple[Unit, ...] = ("tokens", "words", "dollars")
"""Units that a narrow table leaves out, the first of them first."""
KINDS: Mapping[Unit, Kind] = {
    "words": "count",
    "count": "tenths",
    "tokens": "thousands",
    "percent": "tenths",
    "dollars": "dollars",
}
"""How a column's numbers are written, by unit; all other units are written as scores."""
ALWAYS_SHOWN = frozenset((OUTCOME, FP))
"""Columns that a reader looks for, even if all systems are equal there."""
LAB = "The judge lab"
JUDGE_FAILED = "failed"
"""Shown instead of a value that no report has, because the judge gave no usable answer."""


def board_table(board: Scoreboard) -> Table:
    """The board as it is drawn."""
    names = system_names((row.system for row in board.rows), board.systems)
    # In a narrow terminal, what runs took goes first, then intervals, then the last scores. The first column of each
    # metric goes after all others.
    metrics = [column.metric for column in board.columns]
    headline = {at: metric not in metrics[:at] for at, metric in enumerate(metrics)}
    order = sorted(headline, key=lambda at: (headline[at], -at))
    columns: dict[str, Column] = {}
    for at, each in enumerate(board.columns):
        spare = SPARE.index(each.unit) + 1 if each.unit in SPARE else len(SPARE) + 2 + order.index(at)
        beside = f" (in brackets: share of {each.beside_meaning})" if each.beside_meaning else ""
        in_brackets = "k" if each.unit == "tokens" else each.beside_meaning
        name = f"{each.name} ({in_brackets})" if in_brackets else each.name
        columns[each.name] = Column(name, meaning=f"{each.meaning}{beside}", spare=spare)
    return pivot(
        TITLE,
        {(row.system, "", column.name): _cell(row, column) for row in board.rows for column in board.columns},
        {row.system: names[row.system] for row in board.rows},
        columns,
        board.systems,
        by=judged_by(board.judge),
        is_stacked=True,
        spare_intervals=len(SPARE) + 1,
    )


def has_intervals(table: Table) -> bool:
    return any(cell is not None and cell.interval for row in table.rows for cell in row.cells)


def board_legends(table: Table) -> tuple[str, str]:
    """What columns and figures mean, in one line: where intervals found no room, with how to see them, or did."""
    columns = "; ".join(f"{column.name}: {column.meaning}" for column in table.columns if column.meaning) + "."
    if not has_intervals(table):
        return columns, columns
    has_floors = any(row.section == 2 for row in table.rows)
    floors = " --details shows those of the null agents and the oracle." if has_floors else ""
    wider = f"{columns} A wider terminal or --details shows the 95% intervals."
    return wider, f"{columns} Below a value: its {INTERVALS}.{floors}"


def without_equal(board: Scoreboard) -> tuple[Scoreboard, str]:
    """The board without columns in which all systems are equal, and a sentence that names them with their values.

    Floors and the oracle must have the same value there, too, or none. The columns of ``ALWAYS_SHOWN`` stay. The
    sentence is empty if no column is equal.
    """
    rows = [row for row in board.rows if place_of(row.system, board.systems) == "system"]
    beside = [row for row in board.rows if place_of(row.system, board.systems) != "system"]
    equal = {
        column.name: cell
        for column in board.columns
        if (cell := _shared(rows, column)) is not None
        and cell.is_number
        and all((other := _shared([row], column)) is None or other.figure == cell.figure for row in beside)
    }
    if len(rows) < 2 or not equal:
        return board, ""
    same, gone = list[str](), equal.keys() - ALWAYS_SHOWN
    for name, cell in equal.items():
        first_cell, some = rows[0].cells[name], ""
        if first_cell.n != first_cell.n_planned and name == OUTCOME:
            some = f" (on the {first_cell.n} questions that the shop can satisfy)"
        elif first_cell.n != first_cell.n_planned:
            some = f" (on {first_cell.n} of {first_cell.n_planned} answers)"
        same.append(f"{name} {cell.figure}{some}")
    columns = tuple(column for column in board.columns if column.name not in gone)
    shown = tuple(row.only({column.name for column in columns}) for row in board.rows)
    differing = board.model_copy(update={"columns": columns, "rows": shown})
    return differing, f"The same in {'both' if len(rows) == 2 else 'every system'}: {', '.join(same)}."


def _shared(rows: Sequence[BoardRow], column: ShownColumn) -> Cell | None:
    """The cell that all rows have in a column; None if they differ."""
    cells = [_cell(row, column) for row in rows]
    shown = {None if cell is None else (cell.figure, cell.beside, cell.counts) for cell in cells}
    return cells[0] if len(shown) == 1 else None


def _cell(row: BoardRow, column: ShownColumn) -> Cell | None:
    cell = row.cells.get(column.name)
    if cell is None:
        return Cell(JUDGE_FAILED) if column.name in row.failed else None
    return replace(
        score_cell(cell),
        kind=KINDS.get(column.unit, "number"),
        mark="*" if cell.self_checked else "",
        note="",
        beside=figures.short(cell.beside),
    )


def board_notes(board: Scoreboard) -> Iterator[str]:
    """What a reader must know about the numbers of the board."""
    cells = [cell for row in board.rows for cell in row.cells.values()]
    few = next((cell.n_queries for cell in cells if cell.n_queries is not None), None)
    if few is not None:
        of = counted(few, "query")
        yield f"n={few} below a value: one of its two parts comes from only {of}."
    partial = [cell for cell in cells if cell.n < cell.n_planned and cell.n_queries is None]
    if partial:
        part = f"{partial[0].n}/{partial[0].n_planned}"
        reasons = ", ".join(dict.fromkeys(why for cell in partial for why in missing_of(cell) if why != AS_ZERO))
        others = f" The others: {reasons}." if reasons else ""
        yield f"{part} below a value: only so many of the planned runs have one.{others}"
    yield from judge_failures(board)
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), board.systems, bounded=True)
    dumps = [row.system for row in board.rows if row.system in DUMPS and FP not in {*row.cells, *row.failed}]
    if dumps and any(column.name == FP for column in board.columns):
        asked = "`score(rate_floors=True)`"
        yield f"–: judges are asked about {listed(dumps)}, and rate baselines, only from Python: {asked}."
    called = system_names((row.system for row in board.rows), board.systems)
    if reaching := [called[label] for label in called if label in board.systems and reaches_gold(board.systems[label])]:
        yield f"Gold was in reach of {listed(reaching)}: code of one's own on the machine that holds it."
    yield from board.notes
    if board.prices_as_of is not None:
        yield dated(board.prices_as_of)


def judge_failures(board: Scoreboard) -> Iterator[str]:
    """A sentence on how many reports got no usable answer from the judge; nothing if there are none."""
    failed = {row.system: (max(row.failed.values()), [*row.failed]) for row in board.rows if row.failed}
    if failed:
        called = system_names((row.system for row in board.rows), board.systems)
        counts = ", ".join(f"{counted(count, 'report')} of {called[label]}" for label, (count, _) in failed.items())
        columns = ", ".join(dict.fromkeys(name for _, names in failed.values() for name in names))
        yield f"{JUDGE_FAILED}: the judge gave no usable answer on {counts} ({columns}): score --retry failed."


MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    can: str
    cannot: str
    """Empty if everything is concluded."""
    is_cut: bool = False
    """True if it leaves out some comparisons."""


def conclusion(board: Scoreboard) -> Conclusion:
    """What can and can't be concluded from comparing all systems; of a single one, what is scored on half."""
    researching = [row.system for row in board.rows if place_of(row.system, board.systems) == "system"]
    if board.differs and not board.compared and board.differs != (ALONE,):
        return Conclusion(" ".join(board.differs), "")  # every run failed, or the scores were made before 1.0
    if len(researching) < 2:
        return Conclusion(_of_one(board), "" if board.are_answers else " ".join(board.differs))
    every = findings(board.compared, system_names((row.system for row in board.rows), board.systems))
    rest = [finding for finding in every if finding.outcome != "higher"]
    is_cut = max(len(every) - len(rest), len(rest)) > MOST_SAID + 1
    # "No difference is shown in FP by 10 queries. To show differences of the size seen here takes about …".
    undecided = [finding for finding in rest if finding.outcome == "undecided" and finding.nothing]
    needed: list[tuple[int, str, str]] = []
    for finding in undecided:
        # How many queries would show the clearest of the finding's differences
        takes = [(row.queries_needed or 0, range_of(row)) for each in finding.measures if (row := clearest(each))]
        needed += [(*min(takes), finding.about)] if takes else []
    sentences = []
    if undecided:
        # "by 10 queries, 10 users", unless the findings rest on different ones
        largest = [largest_of(measure) for finding in undecided for measure in finding.measures]
        sizes = {sample(row.n_pairs, row.n_users) for row in largest}
        by = f" by {sizes.pop()}" if len(sizes) == 1 else ""
        sentences.append(f"No difference is shown in {listed(finding.about for finding in undecided)}{by}.")
    if needed:
        numbers = [
            f"{count:,}{'' if at else ' queries'}{f' (80% interval: {ends})' if ends else ''} for {about}"
            for at, (count, ends, about) in enumerate(sorted(needed))
        ]
        sentences.append(f"To show differences of the size seen here takes about {listed(numbers)}.")
    unclear = [finding for finding in rest if finding not in undecided]
    more = len(unclear) - MOST_SAID
    for finding in unclear[: MOST_SAID if more > 1 else None]:
        sentences.append(finding.sentence)
    sentences += [f"{more} more are listed below."] if more > 1 else []
    return Conclusion(result_of(board), " ".join(sentences), is_cut)


def _of_one(board: Scoreboard) -> str:
    """For example "react buys what was asked for in 3 of 12 answers. FP 0.95 (.94–.96), the share of …".

    What it bought, then a score: a judge's if there is one.
    """
    row = next((row for row in board.rows if place_of(row.system, board.systems) == "system"), BoardRow(system=""))
    name = system_names((each.system for each in board.rows), board.systems).get(row.system, "")
    # One report of twenty shows nothing
    of_half = {name for name, cell in row.cells.items() if 2 * cell.n >= cell.n_planned}
    first = FALSE_ANSWERS if board.are_answers else OUTCOME
    bought = how_often_alone(name, first, row.cells[first]) if first in of_half else ""
    columns = [column for column in board.columns if column.name in of_half - {first} and column.meaning]
    column = min(columns, key=lambda column: column.decides, default=None)
    if column is None or (bought and board.are_answers):
        return bought or "Nothing is scored on half of the reports yet."
    cell = _cell(row, column) or Cell(None)
    interval = f" ({cell.interval})" if cell.interval else ""
    of_reports = cell.denominator if "=" in cell.denominator else f"on {cell.denominator} reports"
    counts = f" {of_reports}" if cell.denominator else ""
    return f"{bought or f'{name}:'} {column.name} {cell.figure}{interval}{counts}, {column.meaning}."
