"""Who did better over all questions, in a sentence or two, and conclusions on every pair as tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from drretail.eval.compare.wording import (
    MOST,
    SIDE_BY_SIDE,
    Measure,
    beside,
    by_measure,
    clearest,
    findings,
    largest_of,
    more_failures,
    name_of,
    no_answers,
    order,
    outcome_of_all,
    range_of,
    sample,
)
from drretail.records.comparison import ComparedRow, Finished, Outcome
from drretail.records.score import BoardCell, Scoreboard, Systems, in_order, place_of
from drretail.records.tables.figures import counted, percent
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.stats.significance import fewest_users
from drretail.viewer.tables.scores import system_names

OUTCOME = "feasible"
"""What code measures of the picks; it comes first if nothing is concluded."""
FALSE_ANSWERS = "false answers"
"""The same of assistants' answers, where less is better."""
_SAID: Mapping[str, str] = {OUTCOME: "buys what was asked for", FALSE_ANSWERS: "says something false"}
MOST_SHOWN = 3
"""The most measures or systems that a sentence names; the table below has the others."""
SURE = "Equal systems would show this in fewer than 1 of 20 such experiments"
BY_USER = ", unless all questions of a user fail together"
"""Then in up to 6 of 20 (benchmarks/failures.py)."""


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
    counts = [cell.value * questions for cell in cells.values() if cell.n == questions]
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
    right = cell.value * cell.n
    is_counted = abs(right - round(right)) < 0.01
    whole = counted(cell.n, "answer")
    share = f"{right:,.0f} of {whole}" if is_counted else f"{percent(cell.value)} of its answers"
    return f"{name} {_SAID[column]} in {share}{_where(column, cell)}."


def _where(column: str, cell: BoardCell) -> str:
    """Which questions a decision is about: where the shop has nothing, nothing is to be bought."""
    return " where the shop has it" if column == OUTCOME and cell.n < cell.n_planned else ""


def _questions(row: ComparedRow) -> str:
    """For example "10 questions of 4 users"; without users if each asks one."""
    users = row.n_users
    of_users = f" of {counted(users, 'user')}" if users and users < row.n_pairs else ""
    return f"{counted(row.n_pairs, 'question')}{of_users}"


def _may_be_chance(measure: Measure) -> str:
    takes = _takes(measure) if measure else ""
    return f"That may be chance{f': {takes}' if takes else ''}."


def _takes(measure: Measure) -> str:
    """For example "it would take about 54 questions to tell"; empty if the number is unknown."""
    outcome, row = outcome_of_all(measure), largest_of(measure)
    by_users = row.n_users not in (None, row.n_pairs)
    if outcome == "too_few":
        tests = max(row.tests for row in measure)
        whom = "users" if by_users else "questions"
        return f"it takes {fewest_users(max(1, tests)):,} {whom} at least to tell, even if one system wins them all"
    takes = clearest(measure) if outcome in ("undecided", "undone") else None
    if takes is None or takes.queries_needed is None:
        return ""
    of_users = by_users and takes.users_needed is not None
    count, noun = (takes.users_needed or 0, "user") if of_users else (takes.queries_needed, "question")
    size = f"more than {MOST:,} {noun}s" if count > MOST else f"about {counted(count, noun)}"
    ends = "" if of_users else range_of(takes)
    return f"it would take {size} to tell{f' (80% interval: {ends} questions)' if ends else ''}"


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


TITLE = "What can be concluded"
MOST_ROWS = 100
"""The most rows of a table; a page of ten systems would have hundreds."""
OUTCOMES: Mapping[Outcome, str] = {
    "higher": "{a} is higher",
    "lower": "{b} is higher",
    "undone": "nothing: {failures} would undo it",
    "answers_less": "nothing: the better answers less",
    "undecided": "no difference shown",
    "too_few": "too few queries to tell",
    "missing": "runs are missing",
    "not_concluded": "nothing: the judge follows rules",
    "not_read": "nothing: the judge doesn't read",
    "identical": "the same on every query",
    "nothing": "no query has both",
}
"""The conclusion on ``a`` and ``b`` by outcome, ordered by how much it says; ``failures`` would undo one."""
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
    Column("Among finished", meaning="the difference among reports that both finished, with its 95% interval"),
    Column("Failures", meaning="the first system's and the second's, of the queries that both ran"),
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
    return _table(TITLE, board, chosen, note)


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
    yield Cell(OUTCOMES[row.outcome].format(a=a, b=b, failures=more_failures(row)))
    yield Cell(name_of(row))
    yield difference_cell(row, n=row.n_pairs, planned=row.n_planned)
    yield None if row.p_holm is None else Cell(row.p_holm, "p")
    yield Cell(row.n_pairs, "count", note="" if row.n_users in (None, row.n_pairs) else counted(row.n_users, "user"))
    needed = row.queries_needed if row.outcome in ("undecided", "undone", "too_few") else None
    yield (None if needed is None else Cell(f"> {MOST:,}" if needed > MOST else f"{needed:,}", beside=range_of(row)))
    yield row.finished and difference_cell(row.finished, n=row.finished.n_pairs)
    _, failures = beside(row)
    yield Cell(failures) if failures else None


def difference_cell(of: ComparedRow | Finished, **about: Any) -> Cell | None:
    """A minus B with its interval; None without a value."""
    return None if of.difference is None else Cell(of.difference, "signed", of.ci_low, of.ci_high, **about)
