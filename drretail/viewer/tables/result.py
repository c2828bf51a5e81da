"""Who did better over all questions, in a sentence or two that name no table."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import sqrt

from drretail.eval.compare.differences import ABOVE
from drretail.eval.judging.dimensions import PRIMARY
from drretail.records.pairs import PairScore
from drretail.records.score import in_order, place_of
from drretail.records.scoreboard import BoardCell, Scoreboard, ShownColumn
from drretail.stats.intervals import Estimate
from drretail.stats.power import users_needed
from drretail.stats.significance import fewest_users
from drretail.tables.figures import counted, percent
from drretail.viewer.tables.scores import system_names

LEADING = ("quality", "feasible", "FP")
"""The columns by which the systems to look at first are chosen, the first that differs."""
OUTCOME = "feasible"
"""What code measures of the picks: it leads where nothing is concluded."""
MOST_SHOWN = 3
"""Measures in which a difference is shown that a sentence names; the table below has the others."""
_SHOWN = re.compile(r"(?P<about>.+?): (?P<order>.+ above .+?)(?: \(n = (?P<n>.+)\))?\.")
_SIZE = r"(?<![\d,])(?P<queries>(?:more than )?[\d,]+) quer(?:y|ies)(?:, (?P<users>(?:more than )?[\d,]+) users?)?"
_TAKES = re.compile(f"would take about {_SIZE}")
_BY = re.compile(f"by {_SIZE}")
_FEWEST = re.compile(r"it takes (?P<count>[\d,]+ (?:users|queries)) at least")
SURE = "If the systems were equal, fewer than one such experiment in twenty would say so."


def two_of(board: Scoreboard | None, systems: Collection[str]) -> tuple[str, ...]:
    """The labels of the systems to look at first: the best two of a scoreboard, else the first two; one of one."""
    labels = [label for label in in_order(systems) if place_of(label) == "system"]
    column = None if board is None or len(labels) <= 2 else _leading(board)
    if board is not None and column is not None:
        cells = {row.system: row.cells.get(column.name) for row in board.rows}
        labels.sort(key=lambda label: -(cell.value if (cell := cells.get(label)) is not None else -1.0))
    return tuple(labels[:2])


def result_of(board: Scoreboard, pairs: Sequence[PairScore] = ()) -> str:
    """Who did better, and how sure that is; empty of one system.

    In this order: what is concluded; who buys what was asked for more often; whom a judge preferred; that nothing
    tells them apart. The last three say what it would take to tell.
    """
    labels = [row.system for row in board.rows if place_of(row.system) == "system"]
    if len(labels) < 2:
        return ""
    names = system_names(row.system for row in board.rows)
    shown = [found for sentence in board.differs if (found := _SHOWN.fullmatch(sentence))]
    if shown:
        return f"{_better(shown)} {SURE}"
    about_outcome = [sentence for sentence in board.differs if OUTCOME in _subjects(sentence)]
    bought = _bought(board, names, " ".join(about_outcome))
    if bought:
        return f"{bought} {_may_be_chance(_takes(about_outcome))}"
    compared = _compared(pairs, labels)
    if compared is not None:
        preferred = _preferences(compared, names[compared.a], names[compared.b])
        return f"{preferred} {_may_be_chance(_takes_preferences(compared))}"
    takes = _takes(board.differs)
    which = "the two" if len(labels) == 2 else f"these {len(labels)}"
    return f"Nothing tells {which} systems apart.{f' {takes[0].upper()}{takes[1:]}.' if takes else ''}"


def _subjects(sentence: str) -> list[str]:
    """ "clean", "feasible" of "clean and feasible: the same in every system"."""
    return re.split(r", | and ", sentence.partition(":")[0])


def _bought(board: Scoreboard, names: Mapping[str, str], compared: str) -> str:
    """ "react buys what was asked for on 7 of 10 questions, hybrid_react on 1."; empty where all do as often."""
    cells = {
        names[row.system]: row.cells[OUTCOME]
        for row in board.rows
        if place_of(row.system) == "system" and OUTCOME in row.cells
    }
    ranked = sorted(cells, key=lambda name: -cells[name].value)
    if len({f"{cell.value:.2f}" for cell in cells.values()}) < 2:
        return ""
    size = _BY.search(compared) or re.search(_SIZE, compared)
    asked = 0 if size is None else int(size["queries"].replace(",", ""))
    # Where queries were repeated, or systems have values on other queries, counts of questions would be wrong.
    is_counted = all(cell.n_scored == asked and _is_whole(cell.value * asked) for cell in cells.values())
    figures = [f"{cells[name].value * asked:.0f}" if is_counted else percent(cells[name].value) for name in ranked]
    whole = f" of {_questions(asked, size)}" if is_counted and size is not None else " of its answers"
    on = "on" if is_counted else "in"
    others = [f"{name} {on} {figure}" for name, figure in zip(ranked, figures, strict=True)][1:]
    more = [f"{len(others) - MOST_SHOWN} more no more often"] if len(others) > MOST_SHOWN else []
    return (
        f"{', '.join([f'{ranked[0]} buys what was asked for {on} {figures[0]}{whole}', *others[:MOST_SHOWN], *more])}."
    )


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 0.01


def _questions(count: int, size: "re.Match[str]") -> str:
    users = int((size["users"] or "0").replace(",", ""))
    return f"{counted(count, 'question')}{_of_users(count, users)}"


def _of_users(questions: int, users: int | None) -> str:
    """ " of 4 users" where they are fewer than the questions."""
    return f" of {counted(users, 'user')}" if users and users < questions else ""


def _better(shown: "Sequence[re.Match[str]]") -> str:
    """ "In FP, react did better than hybrid_react, shown by 50 queries, 50 users."."""
    parts = [f"{_where(each['about'])}, {each['order'].replace(ABOVE, ' did better than ')}" for each in shown]
    more = [f"and {len(parts) - MOST_SHOWN} more below"] if len(parts) > MOST_SHOWN + 1 else []
    said = "; ".join([*parts[: MOST_SHOWN if more else None], *more])
    by = f", shown by {shown[0]['n']}" if shown[0]["n"] else ""
    return f"{said[:1].upper()}{said[1:]}{by}."


def _where(about: str) -> str:
    return about if about.startswith("side by side") else f"in {about}"


def _value(cells: "dict[str, BoardCell]", column: ShownColumn) -> float:
    return cells[column.name].value if column.name in cells else 0.0


def _leading(board: Scoreboard) -> ShownColumn | None:
    """The column that tells most of which system is better; None where all are the same in every score."""
    rows = [row for row in board.rows if place_of(row.system) == "system"]
    scored = {column.name: column for column in board.columns if column.metric}
    order = [*(scored[name] for name in LEADING if name in scored), *scored.values()]
    return next((column for column in order if len({f"{_value(row.cells, column):.2f}" for row in rows}) > 1), None)


def _takes(differs: Iterable[str]) -> str:
    """ "it would take about 54 questions to tell", as the comparison found; empty where it does not say."""
    text = " ".join(differs)
    needed, fewest = _TAKES.search(text), _FEWEST.search(text)
    if needed is not None:
        by_users = needed["users"] not in (None, needed["queries"])
        size = f"{needed['users']} users" if by_users else f"{needed['queries']} questions"
        return f"it would take about {size} to tell"
    return "" if fewest is None else f"it takes {fewest['count']} at least to tell"


def _may_be_chance(takes: str) -> str:
    return f"That may be chance{f': {takes}' if takes else ''}."


def _compared(pairs: Sequence[PairScore], labels: Sequence[str]) -> PairScore | None:
    """The overall preference between two systems, where there are no more and a model judged."""
    rows = [row for row in pairs if row.dimension == PRIMARY and row.note is None and row.judge_kind != "rule_based"]
    return next((row for row in rows if row.n_scored and len(labels) == 2 and {row.a, row.b} == set(labels)), None)


def _preferences(row: PairScore, a: str, b: str) -> str:
    """ "On 10 questions the judge preferred react 6 times and hybrid_react 3 times."."""
    won, lost = row.queries_won, row.queries_lost
    if won < lost:
        won, lost, a, b = lost, won, b, a
    on = (
        "On the one question"
        if row.n_queries == 1
        else f"On {row.n_queries:,} questions{_of_users(row.n_queries, row.n_users)}"
    )
    if not won:
        return f"{on} the judge preferred neither {a} nor {b}."
    if row.n_queries == 1:
        return f"{on} the judge preferred {a}."
    neither = row.n_queries - won - lost
    parts = [f"preferred {a} {_times(won)}", *([f"{b} {_times(lost)}"] if lost or not neither else [])]
    parts += [f"neither {_times(neither)}"] if neither else []
    return f"{on} the judge {', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}."


def _times(count: int) -> str:
    words = ("never", "once", "twice", "three times", "four times", "five times", "six times", "seven times")
    return words[count] if count < len(words) else f"{count:,} times"


def _takes_preferences(row: PairScore) -> str:
    """How many questions would show as clear a preference; of users who ask several, how few can show none."""
    n, won, lost = row.n_queries, row.queries_won, row.queries_lost
    tests = max(1, row.tests)
    fewest = fewest_users(tests)
    if row.n_users not in (None, n):
        return f"it takes {fewest:,} users at least to tell" if row.n_users < fewest else ""
    if n < 2:
        return f"it takes {fewest:,} questions at least to tell"
    mean = (won - lost) / n
    error = sqrt(max(0.0, (won + lost - n * mean * mean) / (n - 1) / n))
    needed = users_needed(Estimate(mean, error, n - 1), n, tests)
    return "" if needed is None else f"it would take about {max(needed, fewest):,} questions to tell"
