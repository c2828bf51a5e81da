"""Pairwise judging as tables: wins, ties and losses of every pair, and the strengths of several systems."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from drretail.eval.numbers.facts import MODELS_ALONE
from drretail.records.comparison import ORDER_DECIDED, PairScore
from drretail.records.figures import NOTHING as NO_VALUE
from drretail.records.figures import counted, percent
from drretail.records.run import NO_SYSTEMS, Systems
from drretail.records.score import Score
from drretail.viewer.drawing.result import Section
from drretail.viewer.drawing.table import Cell, Column, Row, Table, pivot
from drretail.viewer.tables.scores import NOTES, UNASKED, judged_by, measured_cell, notes_on, system_names

OVERALL = "overall"
SYSTEMS = 3
"""The least number of systems for strengths: for two, the win rate says the same."""
WHOLE = 3
"""The most pairs that are shown in every dimension; of more, only overall quality is shown."""
TITLE = "Side by side (pairwise)"
NOTHING = "nothing was compared yet."


def pair_sections(
    pairs: Sequence[PairScore], ranks: Sequence[Score], systems: Systems = NO_SYSTEMS
) -> Iterator[Section]:
    """For each judge and set of rules, each pair in all dimensions, or of many pairs all in overall quality."""
    for by_whom, group in groupby(pairs, key=lambda row: row.by_whom):
        rows = list(group)
        by, lacking = judged_by(rows[0]), list[str]()
        for pair, of_pair in groupby(rows, key=lambda row: f"{row.a} over {row.b}"):
            # What is missing or unused of the pair, over all dimensions.
            whole = list(of_pair)
            counts = {
                "judgements without a usable answer": sum(row.failed_verdicts for row in whole),
                "stale verdicts (another report or other words) unused": sum(row.stale_verdicts for row in whole),
                "comparisons not asked yet": sum(row.not_judged for row in whole),
                "pairs of which a report is missing": max(row.runs_failed for row in whole),
            }
            parts = [f"{count:,} {what}" for what, count in counts.items() if count]
            lacking += [f"{pair}: {', '.join(parts)}."] if parts else []
        if rows[0].note is not None:
            yield Section(TITLE, by, notes=[f"{rows[0].note}. {MODELS_ALONE}", *lacking])
        elif rows[0].contrast.outcome == "order_decided":
            rates = [row.first_position_rate for row in rows if row.first_position_rate is not None]
            low, high = percent(min(rates)), percent(max(rates))
            first = low if low == high else f"{low} to {high}"
            why = f"{ORDER_DECIDED}. {first} of its choices fell on the report that it read first."
            yield Section(TITLE, by, notes=[why, *lacking])
        elif not any(row.n_scored for row in rows):
            yield Section(TITLE, by, notes=[NOTHING, *lacking])
        else:
            shown = _tables_of(rows, [rank for rank in ranks if rank.by_whom == by_whom], systems)
            yield Section(TITLE, by, shown, lacking)


def _tables_of(rows: Sequence[PairScore], ranks: Sequence[Score], systems: Systems) -> list[Table]:
    names = system_names({label for row in rows for label in (row.a, row.b)}, systems)
    called = {(row.a, row.b): f"{names[row.a]} over {names[row.b]}" for row in rows}
    each_pair: list[Table] = []
    for pair, name in called.items():
        of_pair = {row.dimension: row for row in rows if (row.a, row.b) == pair}
        by = f"{counted(next(iter(of_pair.values())).n_planned, 'pair')} of reports"
        each_pair.append(_table(name, by, "Dimension", of_pair))
    overall = {called[row.a, row.b]: row for row in rows if row.dimension == OVERALL}
    is_short = len(each_pair) > WHOLE and bool(overall)
    *shown, last = [_table("Overall quality", "", "Pair", overall)] if is_short else each_pair
    meaning = NOTES["pairs_in_one_order"] if rows[0].rules == "paper" else NOTES["pairs"]
    shown.append(replace(last, notes=(meaning, *notes_on(names, systems))))
    # Systems as rows by overall strength, dimensions as columns, if at least three systems have opponents.
    by_system = {row.system: row for row in ranks if row.variant == OVERALL}
    if sum(row.items["opponents"] > 0 for row in by_system.values()) >= SYSTEMS:
        names = system_names(by_system, systems)
        order = sorted(by_system.values(), key=lambda row: (row.value is None, -(row.value or 0), row.system))
        met = dict.fromkeys(row.variant for row in ranks if row.items["opponents"])
        strengths = pivot(
            "Strengths, strongest first by overall",
            {
                (row.system, row.variant): Cell("n/a") if row.value is None else measured_cell(row, "signed")
                for row in ranks
            },
            {row.system: names[row.system] for row in order},
            {name: Column(name, TITLE) for name in sorted(met, key=lambda dimension: dimension != OVERALL)},
            notes=(NOTES["strengths"], *(f"{names[row.system]}: {row.note}." for row in order if row.note is not None)),
        )
        shown.append(strengths)
    return shown


def _table(title: str, by: str, heading: str, rows: Mapping[str, PairScore]) -> Table:
    columns = {name: read for name, read in _READ.items() if any(read(row) for row in rows.values())}
    return Table(
        title=title,
        by=by,
        columns=tuple(Column(name, TITLE) for name in columns),
        rows=tuple(Row(name, tuple(read(row) for read in columns.values())) for name, row in rows.items()),
        heading=heading,
        unit="pair",
    )


def _share(row: PairScore, place: int) -> Cell | None:
    """Wins, ties or losses in whole percents; below the wins, how many pairs have no value."""
    left_out = {"n/a": row.n_na, "failed": row.n_failed - row.not_judged, UNASKED: row.not_judged}
    missing = tuple(f"{count} {word}" for word, count in left_out.items() if count and place == 0)
    shares = (row.win, row.tie, row.loss)
    if place == 0 and row.win.value is None:
        alone = next((word for word, count in left_out.items() if count == row.n_planned), "")
        return Cell(alone or NO_VALUE, n=0, planned=row.n_planned, missing=() if alone else missing)
    if shares[place].value is None:
        return None
    return measured_cell(shares[place], "percent", n=row.n_scored, planned=row.n_planned, missing=missing)


_READ: Mapping[str, Callable[[PairScore], Cell | None]] = {
    "win": lambda row: _share(row, 0),
    "tie": lambda row: _share(row, 1),
    "loss": lambda row: _share(row, 2),
    "win rate": lambda row: None if row.win_rate.value is None else measured_cell(row.win_rate),
    "flips": lambda row: None if row.flip_rate is None else Cell(row.flip_rate, "percent"),
    "first": lambda row: None if row.first_position_rate is None else Cell(row.first_position_rate, "percent"),
}
