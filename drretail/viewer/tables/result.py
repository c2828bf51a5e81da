"""Who did better over all questions, in a sentence or two that name no table."""

from collections.abc import Collection, Mapping

from drretail.eval.compare.differences import (
    SIDE_BY_SIDE,
    Finding,
    clearest,
    findings,
    largest_of,
    order,
    outcome_of_all,
)
from drretail.eval.compare.wording import MOST, sample
from drretail.records.comparison import ComparedRow
from drretail.records.score import in_order, place_of
from drretail.records.scoreboard import BoardCell, ComparedMeasure, Scoreboard, ShownColumn
from drretail.stats.significance import fewest_users
from drretail.tables.figures import counted, percent
from drretail.viewer.tables.scores import system_names

LEADING = ("quality", "feasible", "FP")
"""The columns by which the systems to look at first are chosen, the first that differs."""
OUTCOME = "feasible"
"""What code measures of the picks: it leads where nothing is concluded."""
MOST_SHOWN = 3
"""Measures in which a difference is shown that a sentence names; the table below has the others."""
SURE = "Equal systems would show this in fewer than 1 of 20 such experiments."


def two_of(board: Scoreboard | None, systems: Collection[str]) -> tuple[str, ...]:
    """The labels of the systems to look at first: the best two of a scoreboard, else the first two; one of one."""
    labels = [label for label in in_order(systems) if place_of(label) == "system"]
    column = None if board is None or len(labels) <= 2 else _leading(board)
    if board is not None and column is not None:
        cells = {row.system: row.cells.get(column.name) for row in board.rows}
        labels.sort(key=lambda label: -(cell.value if (cell := cells.get(label)) is not None else -1.0))
    return tuple(labels[:2])


def result_of(board: Scoreboard) -> str:
    """Who did better, and how sure that is; empty of one system.

    In this order: what is concluded; who buys what was asked for more often; whom a judge preferred; that nothing
    tells them apart. The last three say what it would take to tell.
    """
    labels = [row.system for row in board.rows if place_of(row.system) == "system"]
    if len(labels) < 2:
        return ""
    names = system_names(row.system for row in board.rows)
    found = findings(board.compared, names)
    shown = [finding for finding in found if finding.outcome == "higher"]
    if shown:
        parts = [f"{_where(each)}, {order(each.measures[0], names, 'did better than')}" for each in shown]
        more = [f"and {len(parts) - MOST_SHOWN} more below"] if len(parts) > MOST_SHOWN + 1 else []
        whole = "; ".join([*parts[: MOST_SHOWN if more else None], *more])
        largest = largest_of(shown[0].measures[0])
        return f"{whole[:1].upper()}{whole[1:]}, shown by {sample(largest.n_pairs, largest.n_users)}. {SURE}"
    by_name = {measure.measure: measure for finding in found for measure in finding.measures}
    bought = _bought(board, names, by_name.get(OUTCOME))
    if bought:
        return f"{bought} {_may_be_chance(by_name.get(OUTCOME))}"
    preferences = by_name.get(SIDE_BY_SIDE)
    if preferences is not None and len(labels) == 2:
        (pair,) = preferences.pairs
        return f"{_preferences(pair.row, names[pair.a], names[pair.b])} {_may_be_chance(preferences)}"
    takes = next(filter(None, map(_takes, board.compared)), "")
    which = "the two" if len(labels) == 2 else f"these {len(labels)}"
    return f"Nothing tells {which} systems apart.{f' {takes[0].upper()}{takes[1:]}.' if takes else ''}"


def _where(finding: Finding) -> str:
    return finding.about if finding.about.startswith(SIDE_BY_SIDE) else f"in {finding.about}"


def _bought(board: Scoreboard, names: Mapping[str, str], compared: ComparedMeasure | None) -> str:
    """ "react buys what was asked for on 7 of 10 questions, hybrid_react on 1."; empty where all do as often."""
    cells = {
        names[row.system]: row.cells[OUTCOME]
        for row in board.rows
        if place_of(row.system) == "system" and OUTCOME in row.cells
    }
    ranked = sorted(cells, key=lambda name: -cells[name].value)
    if len({f"{cell.value:.2f}" for cell in cells.values()}) < 2:
        return ""
    largest = None if compared is None else largest_of(compared)
    asked = 0 if largest is None else largest.n_pairs
    # Where queries were repeated, or systems have values on other queries, counts of questions would be wrong.
    is_counted = all(cell.n_scored == asked and _is_whole(cell.value * asked) for cell in cells.values())
    figures = [f"{cells[name].value * asked:.0f}" if is_counted else percent(cells[name].value) for name in ranked]
    whole = f" of {_questions(largest)}" if is_counted and largest is not None else " of its answers"
    on = "on" if is_counted else "in"
    others = [f"{name} {on} {figure}" for name, figure in zip(ranked, figures, strict=True)][1:]
    more = [f"{len(others) - MOST_SHOWN} more no more often"] if len(others) > MOST_SHOWN else []
    return (
        f"{', '.join([f'{ranked[0]} buys what was asked for {on} {figures[0]}{whole}', *others[:MOST_SHOWN], *more])}."
    )


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 0.01


def _questions(row: ComparedRow) -> str:
    """ "10 questions of 4 users"; without the users where each asks one."""
    users = row.n_users
    of_users = f" of {counted(users, 'user')}" if users and users < row.n_pairs else ""
    return f"{counted(row.n_pairs, 'question')}{of_users}"


def _value(cells: "dict[str, BoardCell]", column: ShownColumn) -> float:
    return cells[column.name].value if column.name in cells else 0.0


def _leading(board: Scoreboard) -> ShownColumn | None:
    """The column that tells most of which system is better; None where all are the same in every score."""
    rows = [row for row in board.rows if place_of(row.system) == "system"]
    scored = {column.name: column for column in board.columns if column.metric}
    order = [*(scored[name] for name in LEADING if name in scored), *scored.values()]
    return next((column for column in order if len({f"{_value(row.cells, column):.2f}" for row in rows}) > 1), None)


def _may_be_chance(measure: ComparedMeasure | None) -> str:
    takes = "" if measure is None else _takes(measure)
    return f"That may be chance{f': {takes}' if takes else ''}."


def _takes(measure: ComparedMeasure) -> str:
    """ "it would take about 54 questions to tell"; empty where nobody knows how many."""
    outcome, row = outcome_of_all(measure), largest_of(measure)
    by_users = row.n_users not in (None, row.n_pairs)
    if outcome == "too_few":
        tests = max(pair.row.tests for pair in measure.pairs)
        return f"it takes {fewest_users(max(1, tests)):,} {'users' if by_users else 'questions'} at least to tell"
    needed = clearest(measure) if outcome == "undecided" else None
    if needed is None:
        return ""
    questions, users = needed
    count, noun = (users, "user") if by_users and users is not None else (questions, "question")
    size = f"more than {MOST:,} {noun}s" if count > MOST else counted(count, noun)
    return f"it would take about {size} to tell"


def _preferences(row: ComparedRow, a: str, b: str) -> str:
    """ "On 10 questions the judge preferred react 6 times and hybrid_react 3 times."."""
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
