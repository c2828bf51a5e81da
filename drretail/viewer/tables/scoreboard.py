"""Who did better over all questions, in a sentence or two; conclusions on every pair as tables; the scoreboard."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from drretail.eval.compare.differences import ALONE
from drretail.eval.compare.wording import (
    MOST,
    SIDE_BY_SIDE,
    Measure,
    by_measure,
    clearest,
    findings,
    largest_of,
    name_of,
    no_answers,
    order,
    outcome_of_all,
    range_of,
    sample,
)
from drretail.eval.scores.facts import missing_of
from drretail.eval.scores.gathering import FP
from drretail.grounding.text.wording import listed
from drretail.llm.usage import dated
from drretail.records.comparison import ORDER_DECIDED, ComparedRow, Outcome
from drretail.records.run import DUMPS, Systems, in_order, place_of
from drretail.records.score import BoardCell, BoardRow, Scoreboard, ShownColumn, Unit
from drretail.records.tables import figures
from drretail.records.tables.figures import counted, percent
from drretail.records.tables.table import Cell, Column, Kind, Row, Table, pivot
from drretail.stats.significance import fewest_users
from drretail.viewer.tables.scores import judged_by, notes_on, score_cell, system_names

OUTCOME = "feasible"
"""What code measures of the picks; it comes first if nothing is concluded."""
FALSE_ANSWERS = "false answers"
"""The same of assistants' answers, where less is better."""
_SAID: Mapping[str, str] = {OUTCOME: "buys what was asked for", FALSE_ANSWERS: "says something false"}
MOST_SHOWN = 3
"""The most measures or systems that a sentence names; the table below has the others."""
SURE = "Equal systems would show this in fewer than 1 of 20 such experiments"
BY_USER = ", unless all questions of a user fail together"


def two_of(board: Scoreboard | None, systems: Systems) -> tuple[str, ...]:
    """The labels of the systems to show first: the two whose carts differ on the most questions.

    Without any difference the first two of a scoreboard, or of their labels without one. Fewer if there are fewer.
    """
    most = max(() if board is None else of_measure(board, OUTCOME), key=lambda row: row.above + row.below, default=None)
    if most is not None and most.above + most.below:
        return (most.a, most.b) if most.above >= most.below else (most.b, most.a)
    ranked = [] if board is None else [row.system for row in board.rows]
    labels = dict.fromkeys((*ranked, *in_order(systems, systems)))
    return tuple([label for label in labels if place_of(label, systems) == "system"][:2])


def result_of(board: Scoreboard) -> str:
    """Who did better, and how sure that is; empty for a single system.

    The first of these that applies: conclusions; who more often buys what was asked for; whom a judge preferred; that
    nothing tells the systems apart. The last three say how many questions would tell.
    """
    labels = [row.system for row in board.rows if place_of(row.system, board.systems) == "system"]
    if len(labels) < 2:
        return ""
    names = system_names((row.system for row in board.rows), board.systems)
    every = findings(board.compared, names)
    shown = [finding for finding in every if finding.outcome == "higher"]
    if shown:
        parts: list[str] = []
        for each in shown:  # such as "in FP, react did better than hybrid_react"; of false answers, who has more
            where = each.about if each.about.startswith(SIDE_BY_SIDE) else f"in {each.about}"
            is_mixed = any(name_of(one[0]) == FALSE_ANSWERS for one in each.measures)
            better = f"{where}, {order(each.measures[0], names, 'is above' if is_mixed else 'did better than')}"
            more_often = order(each.measures[0], names, f"{_SAID[FALSE_ANSWERS]} more often than")
            parts.append(more_often if each.about == FALSE_ANSWERS else better)
        more = [f"and {len(parts) - MOST_SHOWN} more below"] if len(parts) > MOST_SHOWN + 1 else []
        whole = "; ".join([*parts[: MOST_SHOWN if more else None], *more])
        largest = largest_of(shown[0].measures[0])
        sure = SURE + ("" if largest.n_users in (None, largest.n_pairs) else BY_USER)
        rows = (measure[0] for one in shown for measure in one.measures)
        measures = sorted((each for each in rows if each.failed), key=lambda each: each.failed)
        failed = {each.judge: each.failed for each in measures}
        parts = [f"{whole[:1].upper()}{whole[1:]}, shown by {sample(largest.n_pairs, largest.n_users)}", sure]
        return " ".join(f"{each}." for each in [*parts, *(f"{one} {no_answers(its)}" for one, its in failed.items())])
    first = FALSE_ANSWERS if board.are_answers else OUTCOME
    bought = _how_often(board, names, first)
    if bought:
        return f"{bought} {_may_be_chance(of_measure(board, first))}"
    unread = [finding.sentence for finding in every if finding.outcome == "order_decided"]
    if unread:
        return f"{unread[0][:1].upper()}{unread[0][1:]}"
    preferences = of_measure(board, SIDE_BY_SIDE)
    if preferences and len(labels) == 2 and outcome_of_all(preferences) != "not_read":
        (row,) = preferences
        return f"{_preferences(row, names[row.a], names[row.b])} {_may_be_chance(preferences)}"
    if all(finding.outcome == "nothing" for finding in every):
        which = "both" if len(labels) == 2 else "two"
        return f"Nothing can be concluded yet: no question has a result of {which} systems."
    takes = next(filter(None, map(_takes, by_measure(board.compared))), "")
    which = "the two" if len(labels) == 2 else f"these {len(labels)}"
    return f"Nothing tells {which} systems apart.{f' {takes[0].upper()}{takes[1:]}.' if takes else ''}"


def decision_of(board: Scoreboard) -> str:
    """How often each of several systems buys what was asked for; empty for one, and without a value."""
    rows = [row for row in board.rows if place_of(row.system, board.systems) == "system" and OUTCOME in row.cells]
    names = system_names((row.system for row in board.rows), board.systems)
    if len(rows) < 2:
        return ""
    first = rows[0].cells[OUTCOME]
    alike = f"Each system {_SAID[OUTCOME]} in {percent(first.value)} of its answers{_where(OUTCOME, first)}."
    return _how_often(board, names, OUTCOME) or alike


def _how_often(board: Scoreboard, names: Mapping[str, str], column: str) -> str:
    """ "react buys what was asked for on 7 of 10 questions, hybrid_react on 1."; empty if all do so equally often."""
    cells = {
        names[row.system]: row.cells[column]
        for row in board.rows
        if place_of(row.system, board.systems) == "system" and column in row.cells
    }
    ranked = sorted(cells, key=lambda name: -cells[name].value)
    if len({f"{cell.value:.2f}" for cell in cells.values()}) < 2:
        return ""
    compared = of_measure(board, column)
    largest = largest_of(compared) if compared else None
    questions = 0 if largest is None else largest.n_pairs
    # Counts of questions would be wrong if queries were repeated, or systems have values on different queries.
    counts = [cell.value * questions for cell in cells.values() if cell.n_scored == questions]
    is_counted = len(counts) == len(cells) and all(abs(count - round(count)) < 0.01 for count in counts)
    figures = [f"{cells[name].value * questions:.0f}" if is_counted else percent(cells[name].value) for name in ranked]
    whole = f" of {_questions(largest)}" if is_counted and largest is not None else " of its answers"
    whole += _where(column, cells[ranked[0]])
    on = "on" if is_counted else "in"
    others = [f"{name} {on} {figure}" for name, figure in zip(ranked, figures, strict=True)][1:]
    more = [f"{len(others) - MOST_SHOWN} more at most as often"] if len(others) > MOST_SHOWN else []
    return f"{', '.join([f'{ranked[0]} {_SAID[column]} {on} {figures[0]}{whole}', *others[:MOST_SHOWN], *more])}."


def how_often_alone(name: str, column: str, cell: BoardCell) -> str:
    """For example "react buys what was asked for in 3 of 12 answers."; in percent if repeats of a query weigh less."""
    right = cell.value * cell.n_scored
    is_counted = abs(right - round(right)) < 0.01
    whole = counted(cell.n_scored, "answer")
    share = f"{right:,.0f} of {whole}" if is_counted else f"{percent(cell.value)} of its answers"
    return f"{name} {_SAID[column]} in {share}{_where(column, cell)}."


def _where(column: str, cell: BoardCell) -> str:
    """Which questions a decision is about: where the shop has nothing, nothing is to be bought."""
    return " where the shop has it" if column == OUTCOME and cell.n_scored < cell.n_planned else ""


def _questions(row: ComparedRow) -> str:
    """For example "10 questions of 4 users"; without users if each asks one."""
    users = row.n_users
    of_users = f" of {counted(users, 'user')}" if users and users < row.n_pairs else ""
    return f"{counted(row.n_pairs, 'question')}{of_users}"


def _may_be_chance(measure: Measure) -> str:
    takes = _takes(measure) if measure else ""
    return f"That may be chance{f': {takes}' if takes else ''}."


def _takes(measure: Measure) -> str:
    """For example "it would take about 54 questions of 30 users to tell"; empty if the number is unknown."""
    outcome, row = outcome_of_all(measure), largest_of(measure)
    by_users = row.n_users not in (None, row.n_pairs)
    if outcome == "too_few":
        tests = max(row.tests for row in measure)
        whom = "users" if by_users else "questions"
        return f"it takes {fewest_users(max(1, tests)):,} {whom} at least to tell, even if one system wins them all"
    takes = clearest(measure) if outcome == "undecided" else None
    if takes is None or takes.queries_needed is None:
        return ""
    count = takes.queries_needed
    size = f"more than {MOST:,} questions" if count > MOST else f"about {counted(count, 'question')}"
    has_users = by_users and takes.users_needed and count <= MOST
    of_users = f" of {counted(takes.users_needed or 0, 'user')}" if has_users else ""
    ends = "" if of_users else range_of(takes)
    return f"it would take {size}{of_users} to tell{f' (80% interval: {ends} questions)' if ends else ''}"


def _preferences(row: ComparedRow, a: str, b: str) -> str:
    """For example "On 10 questions the judge preferred react 6 times and hybrid_react 3 times."."""
    won, lost = row.above, row.below
    if won < lost:
        won, lost, a, b = lost, won, b, a
    on = "On the one question" if row.n_pairs == 1 else f"On {_questions(row)}"
    if not won:
        return f"{on} the judge preferred neither {a} nor {b}."
    if row.n_pairs == 1:
        return f"{on} the judge preferred {a}."
    parts = [f"preferred {a} {_times(won)}", *([f"{b} {_times(lost)}"] if lost or not row.equal else [])]
    parts += [f"neither {_times(row.equal)}"] if row.equal else []
    return f"{on} the judge {', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}."


def _times(count: int) -> str:
    words = ("never", "once", "twice", "three times", "four times", "five times", "six times", "seven times")
    return words[count] if count < len(words) else f"{count:,} times"


MOST_ROWS = 100
"""The most rows of a table; a page of ten systems would have hundreds."""
OUTCOMES: Mapping[Outcome, str] = {
    "higher": "{a} is higher",
    "lower": "{b} is higher",
    "undecided": "no difference shown",
    "too_few": "too few queries to tell",
    "missing": "not comparable",
    "not_concluded": "nothing: the judge follows rules",
    "not_read": "nothing: the judge doesn't read",
    "order_decided": ORDER_DECIDED,
    "identical": "the same on every query",
    "nothing": "no query has both",
}
"""The conclusion on ``a`` and ``b`` by outcome, ordered by how much it says."""
_ORDER = list(OUTCOMES)
_COLUMNS = (
    Column("Conclusion"),
    Column("Measure"),
    Column(
        "Difference",
        meaning="the first system's mean minus the second's (side by side: the share that it wins minus the "
        "share that it loses), with its 95% interval",
    ),
    Column("p", meaning="p-value, corrected for all tests (Holm)"),
    Column("Queries", meaning="queries with a value for both systems"),
    Column(
        "Queries needed",
        meaning="queries needed to show a difference of this size (power .8), and where their number lies in 8 of 10 "
        "experiments",
    ),
)


def concluded(board: Scoreboard) -> Table | None:
    """Each shown difference, then of each pair without one its clearest measure; None without a pair."""
    by_pair = _by_pair(board)
    if not by_pair:
        return None
    shown = [[each for each in rows if each.outcome in ("higher", "lower")] for rows in by_pair]
    chosen = [each for rows in shown for each in rows]
    chosen += [
        min(rows, key=lambda each: (_ORDER.index(each.outcome), each.queries_needed or MOST))
        for rows, differing in zip(by_pair, shown, strict=True)
        if not differing
    ]
    tests = max(row.tests for row in chosen)
    pairs = counted(len(by_pair), "pair of systems", "pairs of systems")
    note = f"p is corrected (Holm) for {counted(tests, 'test')} on {pairs}."
    return _table("What can be concluded", board, chosen, note)


def every_measure(board: Scoreboard) -> Table | None:
    """Every pair in every measure that systems are chosen by; None with one, which the short table shows."""
    every = [each for rows in _by_pair(board) for each in rows]
    return _table("Every pair in every measure", board, every) if len(by_measure(board.compared)) > 1 else None


def of_measure(board: Scoreboard, name: str) -> Measure:
    """The rows of a measure; none if it is not compared."""
    return [row for row in board.compared if row.name == name]


def _by_pair(board: Scoreboard) -> list[list[ComparedRow]]:
    by_pair: dict[frozenset[str], list[ComparedRow]] = {}
    for row in board.compared:
        by_pair.setdefault(frozenset((row.a, row.b)), []).append(row)
    return list(by_pair.values())


def _table(title: str, board: Scoreboard, compared: list[ComparedRow], *notes: str) -> Table:
    names = system_names((row.system for row in board.rows), board.systems)
    rows = [
        Row(f"{names.get(row.a, row.a)} against {names.get(row.b, row.b)}", tuple(_cells(row, names)))
        for row in compared
    ]
    more = [f"{counted(len(rows) - MOST_ROWS, 'more row')} in the export."] if len(rows) > MOST_ROWS else []
    return Table(title, _COLUMNS, tuple(rows[:MOST_ROWS]), heading="Pair", notes=(*notes, *more), unit="query")


def _cells(row: ComparedRow, names: Mapping[str, str]) -> Iterator[Cell | None]:
    a, b = (names.get(label, label) for label in (row.a, row.b))
    yield Cell(OUTCOMES[row.outcome].format(a=a, b=b))
    yield Cell(name_of(row))
    yield difference_cell(row, n=row.n_pairs, planned=row.n_planned)
    yield None if row.p_holm is None else Cell(row.p_holm, "p")
    yield Cell(row.n_pairs, "count", note="" if row.n_users in (None, row.n_pairs) else counted(row.n_users, "user"))
    needed = row.queries_needed if row.outcome in ("undecided", "too_few") else None
    yield (None if needed is None else Cell(f"> {MOST:,}" if needed > MOST else f"{needed:,}", beside=range_of(row)))


def difference_cell(of: ComparedRow, **about: Any) -> Cell | None:
    """A minus B with its interval; None without a value."""
    return None if of.difference is None else Cell(of.difference, "signed", of.ci_low, of.ci_high, **about)


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
        "Scoreboard",
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
    has_floors = any(row.is_baseline for row in table.rows)
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
        if first_cell.n_scored != first_cell.n_planned and name == OUTCOME:
            some = f" (on the {first_cell.n_scored} questions that the shop can satisfy)"
        elif first_cell.n_scored != first_cell.n_planned:
            some = f" (on {first_cell.n_scored} of {first_cell.n_planned} answers)"
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
    if reasons := dict.fromkeys(why for cell in cells for why in missing_of(cell)):
        yield f"Runs without a value: {', '.join(reasons)}."
    yield from judge_failures(board)
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), board.systems, bounded=True)
    dumps = [row.system for row in board.rows if row.system in DUMPS and FP not in {*row.cells, *row.failed}]
    if dumps and any(column.name == FP for column in board.columns):
        asked = "`score(rate_floors=True)`"
        yield f"–: judges are asked about {listed(dumps)}, and rate baselines, only from Python: {asked}."
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
        is_ruled = board.judge.judge.startswith("offline:")  # which fails again
        flag = "--judge PROVIDER:MODEL" if is_ruled else "--retry failed"
        yield f"{JUDGE_FAILED}: the judge gave no usable answer on {counts} ({columns}): score {flag}."


MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    can: str
    cannot: str
    """Empty if everything is concluded."""
    is_cut: bool = False
    """True if it leaves out some comparisons."""


def conclusion(board: Scoreboard) -> Conclusion:
    """What can and can't be concluded from comparing all systems, after what is not read; of a single one, what is
    scored on half.
    """
    found = _conclusion(board)
    return replace(found, can=" ".join((*board.not_read, found.can)).strip())


def _conclusion(board: Scoreboard) -> Conclusion:
    researching = [row.system for row in board.rows if place_of(row.system, board.systems) == "system"]
    if board.differs and not board.compared and board.differs != (ALONE,):
        return Conclusion(" ".join(board.differs), "")  # every run failed
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
    result = result_of(board)
    said = [*undecided, *(finding for finding in rest if finding.sentence.casefold() == result.casefold())]
    unclear = [finding for finding in rest if finding not in said]
    more = len(unclear) - MOST_SAID
    for finding in unclear[: MOST_SAID if more > 1 else None]:
        sentences.append(finding.sentence)
    sentences += [f"{more} more are listed below."] if more > 1 else []
    return Conclusion(result, " ".join(sentences), is_cut)


def _of_one(board: Scoreboard) -> str:
    """For example "react buys what was asked for in 3 of 12 answers. FP 0.95 (.94–.96), the share of …".

    What it bought, then a score: a judge's if there is one.
    """
    row = next((row for row in board.rows if place_of(row.system, board.systems) == "system"), BoardRow(system=""))
    name = system_names((each.system for each in board.rows), board.systems).get(row.system, "")
    # One report of twenty shows nothing
    of_half = {name for name, cell in row.cells.items() if 2 * cell.n_scored >= cell.n_planned}
    first = FALSE_ANSWERS if board.are_answers else OUTCOME
    bought = how_often_alone(name, first, row.cells[first]) if first in of_half else ""
    columns = [column for column in board.columns if column.name in of_half - {first} and column.meaning]
    column = min(columns, key=lambda column: column.decides, default=None)
    if column is None or (bought and board.are_answers):
        return bought or "Nothing is scored on half of the reports yet."
    cell = _cell(row, column) or Cell(None)
    interval = f" ({cell.interval})" if cell.interval else ""
    counts = f" ({cell.denominator})" if cell.denominator else ""
    return f"{bought or f'{name}:'} {column.name} {cell.figure}{interval}{counts}, {column.meaning}."
