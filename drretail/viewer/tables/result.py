"""Who did better over all questions, in a sentence or two that name no table."""

import re
from collections.abc import Collection, Iterable, Sequence
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
"""The columns by which two systems are told apart where no judge compared them, the first that differs."""
_AHEAD = {
    "quality": "{} is rated higher ({} against {} of 10)",
    "feasible": "{} buys what was asked for, within every limit, more often ({} against {} of its answers)",
    "FP": "more of the cited claims of {} are supported by their sources ({} against {})",
}
MOST_SHOWN = 3
"""Measures in which a difference is shown that a sentence names; the table below has the others."""
_SHOWN = re.compile(r"(?P<about>.+?): (?P<order>.+ above .+?)(?: \(n = (?P<n>.+)\))?\.")
_TAKES = re.compile(r"would take about (?P<queries>more than [\d,]+ queries|[\d,]+ quer(?:y|ies))")
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
    """Who did better, and how sure that is; what it would take to tell, where nothing is shown; empty of one system."""
    labels = [row.system for row in board.rows if place_of(row.system) == "system"]
    if len(labels) < 2:
        return ""
    names = system_names(row.system for row in board.rows)
    shown = [found for sentence in board.differs if (found := _SHOWN.fullmatch(sentence))]
    if shown:
        return f"{_better(shown)} {SURE}"
    takes = _takes(board.differs)
    compared = _compared(pairs, labels)
    if compared is not None:
        return f"{_preferences(compared, names[compared.a], names[compared.b])} {_may_be_chance(compared) or takes}"
    column = _leading(board)
    if len(labels) == 2 and column is not None:
        a, b = sorted((row for row in board.rows if row.system in labels), key=lambda row: -_value(row.cells, column))
        figures = [_figure(_value(row.cells, column), column) for row in (a, b)]
        ahead = _AHEAD.get(column.name, f"{{}} is ahead in {column.name.replace('_', ' ')} ({{}} against {{}})")
        asked = max(cell.n_planned for cell in a.cells.values())
        return f"Over {counted(asked, 'answer')} each, {ahead.format(names[a.system], *figures)}. {takes}"
    if column is None:
        return (
            f"Nothing tells {'the two' if len(labels) == 2 else f'these {len(labels)}'} systems apart. {takes}".strip()
        )
    return f"No system is shown to be better than another. {takes}"


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


def _figure(value: float, column: ShownColumn) -> str:
    return percent(value) if column.unit == "share" else f"{value:.1f}"


def _leading(board: Scoreboard) -> ShownColumn | None:
    """The column that tells most of which system is better; None where all are the same in every score."""
    rows = [row for row in board.rows if place_of(row.system) == "system"]
    scored = {column.name: column for column in board.columns if column.metric}
    order = [*(scored[name] for name in LEADING if name in scored), *scored.values()]
    return next((column for column in order if len({f"{_value(row.cells, column):.2f}" for row in rows}) > 1), None)


def _takes(differs: Iterable[str]) -> str:
    """How many queries or users it would take, as the comparison found; how few can show nothing."""
    text = " ".join(differs)
    needed, fewest = _TAKES.search(text), _FEWEST.search(text)
    if needed is not None:
        return f"That may be chance: it would take about {needed['queries']} to tell."
    if fewest is not None:
        return f"That may be chance: it takes {fewest['count']} at least to tell."
    return "That may be chance." if "no difference is shown" in text else ""


def _compared(pairs: Sequence[PairScore], labels: Sequence[str]) -> PairScore | None:
    """The overall preference between two systems, where there are no more and a model judged."""
    rows = [row for row in pairs if row.dimension == PRIMARY and row.note is None and row.n_scored]
    return next((row for row in rows if len(labels) == 2 and {row.a, row.b} == set(labels)), None)


def _preferences(row: PairScore, a: str, b: str) -> str:
    """ "On 10 questions the judge preferred react 6 times and hybrid_react 3 times."."""
    won, lost = row.queries_won, row.queries_lost
    if won < lost:
        won, lost, a, b = lost, won, b, a
    on = "On the one question" if row.n_queries == 1 else f"On {row.n_queries:,} questions"
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


def _may_be_chance(row: PairScore) -> str:
    """How many questions would show as clear a preference; empty where each user does not ask one question."""
    n, won, lost = row.n_queries, row.queries_won, row.queries_lost
    if row.n_users not in (None, n) or n < 2:
        return ""
    mean = (won - lost) / n
    error = sqrt(max(0.0, (won + lost - n * mean * mean) / (n - 1) / n))
    tests = max(1, row.tests)
    needed = users_needed(Estimate(mean, error, n - 1), n, tests)
    if needed is None:
        return "That may be chance."
    return f"That may be chance: it would take about {max(needed, fewest_users(tests)):,} questions to tell."
