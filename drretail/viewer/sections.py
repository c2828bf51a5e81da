"""Scores and comparisons as parts of a result: the scoreboard, slices; two systems, and all pairs on one screen.
They fit 100 columns, and 80 with fewer figures.

At the end all tables that scores have, in the order in which every output shows them: terminal, text report, page,
LaTeX, CSV. A new table is a function in ``TABLES``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from drretail.errors import check_known
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.method import judges_of_faithfulness
from drretail.eval.numbers.wording import compared_in, headlines_of, needed_sentence, row_name, sentences
from drretail.records.comparison import Comparison, JudgeTable, PairScore
from drretail.records.figures import counted, number, percent, roughly
from drretail.records.run import Systems
from drretail.records.score import WHY_NOT, Scoreboard, Scores, SliceBy
from drretail.viewer.drawing.result import Part, Prose, Section, prose
from drretail.viewer.drawing.table import Cell, Table, table_of
from drretail.viewer.tables.ablations import (
    ablation_table,
    condition_note,
    condition_of,
    headlines_first,
)
from drretail.viewer.tables.board import (
    LAB,
    BoardTables,
    board_notes,
    compared_tables,
    difference_cell,
)
from drretail.viewer.tables.pairs import pair_sections
from drretail.viewer.tables.scores import (
    BY,
    NOTES,
    judged_by,
    score_tables,
    slice_sections,
    system_names,
    table_key_of,
)


def board_parts(scores: Scores, about: Sequence[str] = (), faults: Sequence[str] = ()) -> Iterator[Part]:
    """The board on one screen for a few systems: what can be concluded, one table, and what to look at first."""
    board = scores.scoreboard
    if board is None:
        return
    tables = BoardTables(board)
    yield from prose(f"{', '.join(about)}.") if about else ()
    yield from prose(*board.not_read, board.sentence, "")
    left_out = dict.fromkeys(f"{variant.partition(':')[0]} (--details says why)." for variant in tables.left_out)
    notes = (*left_out, tables.tested, *tables.absent)
    yield replace(tables.brief, notes=tuple(filter(None, notes)))
    yield from prose(*_agreed(scores), *faults, *([""] if faults else []))


def _agreed(scores: Scores) -> Iterator[str]:
    """A sentence on how far every two judges agree in ratings (Appendix E); --details has all figures."""
    rows = [row for row in scores.agreements if row.metric == "quality" and row.rho_report is not None]
    for first, second in dict.fromkeys((row.first, row.second) for row in rows):
        its = (row for row in rows if (row.first, row.second) == (first, second))
        figures = ", ".join(f"{row.variant} {number(row.rho_report)}" for row in its)
        yield f"Spearman's ρ of {first} and {second} over reports: {figures}."


def board_details(scores: Scores, lab: Sequence[str] = ()) -> Iterator[Part]:
    """The board's tables with every interval, floors, costs, differences and notes, then the judge lab's findings.

    Other judges than the board's are named, with how far judges agree.
    """
    board = scores.scoreboard
    if board is None:
        return
    tables = BoardTables(board, full=True)
    yield from prose(*board.not_read, board.sentence, "")
    for table in (table for section in board_sections(board) for table in section.tables):
        meanings = (f"{column.name}: {column.meaning}." for column in table.columns if column.meaning)
        yield replace(table, notes=(*table.notes, *meanings))
    yield from prose(*filter(None, [tables.tested, needed_sentence(board.compared)]), "")
    notes = [note for note in board_notes(board) if note not in lab]
    if others := scores.other_judges:
        judges = (judge if rules == "default" else f"{judge} (rules of {rules})" for judge, rules in others)
        notes.append(f"Also judged by {', '.join(judges)}.")
    for title, about in (("Notes", notes), (LAB, lab)):
        if about:
            yield Table(title, (), (), notes=tuple(about))


def board_sections(board: Scoreboard) -> Iterator[Section]:
    """The board's tables with every interval, then its floors, costs and differences."""
    tables = BoardTables(board, full=True)
    for table in (*tables.tables, tables.bounded, tables.cost, *compared_tables(board.compared, tables.names)):
        if table.rows and table.columns:
            yield Section(table.title, table.by, [table])


def slice_parts(scores: Scores, by: Sequence[str]) -> Iterator[Part]:
    """The headline variants by category, kind or turn, or that there are none."""
    sections = slice_sections(scores.slices, scores.scores, by, scores.metrics, scores.systems).values()
    yield from (part for section in sections for part in section.parts)
    if not sections:
        yield Prose("There are no numbers to show by category: score the experiment with other metrics.")


def slice_kinds(names: Sequence[str]) -> list[SliceBy]:
    """The kinds of slices with these names, each once. Raises UnknownName for any other name."""
    kinds: dict[str, SliceBy] = {kind: kind for kind in BY}
    check_known("kind of slice", kinds, *names)
    return [kinds[name] for name in dict.fromkeys(names)]


AGREED = ("", "ρ", "reports", "ρ over systems", "systems", "equal", "difference")
ROWS = ("", "A", "B", "A−B", "p", "Holm", ".10", "n", "users")


def comparison_parts(comparison: Comparison, cards: Mapping[str, str], *, details: bool = False) -> Iterator[Part]:
    """A comparison of two systems in a few sentences; with ``details``, all figures of each judge below.

    ``cards`` are sentences by judge on how often it is right.
    """
    rows = headlines_of([comparison])
    tests, users = max((row.tests for row in rows), default=0), max((row.n_users or 0 for row in rows), default=0)
    of_users = f" of {counted(users, 'user')}" if users else ""
    first, second = (f"“{name}”" if name in ("A", "B") else name for name in (comparison.a, comparison.b))
    yield Prose(f"A = {first}, B = {second}")
    yield from prose(
        *(f"- {sentence}" for sentence in (*comparison.conclusions, *filter(None, [needed_sentence(rows)])))
    )
    holm = f" Corrected (Holm) for {tests} tests." if tests > 1 else ""
    more = "" if details else " All figures: --details"
    difference = "how far the one is above the other, else A − B" if any(row.is_shown for row in rows) else "A − B"
    over = "users" if users else "queries, taken as independent"
    yield Prose(f"In brackets: {difference}; its 95% interval over {over}; n queries{of_users}.{holm}{more}")
    if not details:
        yield from prose(*cards.values())
        return
    for table in comparison.tables:
        yield _judge_table(table, [cards[judge] for judge in judges_of_faithfulness([table]) & cards.keys()])
    if comparison.tables:
        yield from prose(*NOTES["compare"].splitlines(), "")
    yield from (part for section in pair_sections(comparison.pairs, (), {}) for part in section.parts)
    for pair in comparison.pairs:
        if pair.dimension == PRIMARY and pair.longer_won is not None:
            yield Prose(_of_length(pair))


def _of_length(pair: PairScore) -> str:
    """What the length of reports has to do with preferences of overall quality."""
    even = pair.length_controlled
    ends = "" if even.ci_low is None else f" ({even.ci_low:.2f} to {even.ci_high:.2f})"
    between = (
        "One system's reports are nearly always the longer ones, so length and system can't be told apart"
        if even.value is None
        else f"Between reports of one length A's win rate is {number(even.value)}{ends}"
    )
    return f"The longer report won {percent(pair.longer_won)} of decided pairs, by {pair.judge}. {between}."


def _judge_table(table: JudgeTable, cards: Iterable[str]) -> Table:
    """A row for each variant; below, why queries were dropped: variants that lost the same ones share a sentence."""
    several = len({row.metric for row in table.rows}) > 1
    lines: list[list[object]] = []
    lost: dict[str, list[str]] = {}
    for row in table.rows:
        ends = "" if row.n_needed_low is None else f" ({roughly(row.n_needed_low)}–{roughly(row.n_needed_high)})"
        lines.append(
            [
                (row_name(row) if several else row.variant) + "*" * row.is_primary,
                row.mean_a,
                row.mean_b,
                difference_cell(row),
                Cell(row.p, "p"),
                Cell(row.p_holm, "p"),
                row.n_needed and f"{roughly(row.n_needed)}{ends}",
                row.n_pairs if row.n_pairs == row.n_due else f"{row.n_pairs}/{row.n_due}",
                row.n_users,
            ]
        )
        if row.dropped:
            why = "; ".join(f"{count:,} ({reason})" for reason, count in row.dropped.items())
            lost.setdefault(why, []).append(row.variant)
    notes = [f"Queries without a value of both in {', '.join(variants)}: {why}." for why, variants in lost.items()]
    title = f"Compared query by query, {judged_by(table)}"
    return table_of(title, ROWS, lines, notes=[*notes, *cards])


def all_pairs_parts(
    comparisons: Sequence[Comparison], systems: Systems, experiment: str, cards: Mapping[str, str]
) -> Iterator[Part]:
    """Several comparisons as one table; ``cards`` say how often judges are right, ``experiment`` is for commands."""
    names = system_names({label for comparison in comparisons for label in (comparison.a, comparison.b)}, systems)
    rows = headlines_of(comparisons)
    if not rows:
        every = dict.fromkeys(sentence for comparison in comparisons for sentence in comparison.conclusions)
        yield from prose(*(f"- {sentence}" for sentence in every))
    tested, is_shown = [row for row in rows if row.p is not None], any(row.is_shown for row in rows)
    praise = compared_in(tested).praise("no difference is shown", bare=True)
    nothing = [praise] if tested and not is_shown else []
    yield from prose(*(f"- {sentence}" for sentence in (*nothing, *sentences(rows, names, undecided=False))))
    tables = compared_tables(rows, names)
    yield from tables
    first = comparisons[0]
    yield from prose(
        *filter(None, [needed_sentence(rows)]),
        *cards.values(),
        f"All about one pair: drretail compare {experiment} {first.a} {first.b} --details",
    )


def sections(scores: Scores) -> Iterator[Section]:
    """All tables of these scores; those by slices of the queries if the scores hold slices."""
    for tables_of in TABLES:
        yield from tables_of(scores)


def metric_parts(scores: Scores) -> Iterator[Part]:
    """The same on a terminal, where a note that several tables share stands below the first, unless it is of n/a."""
    notes: set[str] = set()
    for part in (part for section in sections(scores) for part in section.parts):
        if isinstance(part, Table):
            yield replace(part, notes=tuple(note for note in part.notes if note not in notes))
            notes.update(note for note in part.notes if not note.startswith(WHY_NOT))
        else:
            yield part


def conditions(scores: Scores) -> Iterator[Section]:
    """Scores by each condition in which systems differ."""
    every, systems = scores.ablations, scores.systems
    for by in dict.fromkeys(table.by for table in every):
        condition = condition_of(by, systems)
        ordered = headlines_first(table for table in every if table.by == by)
        drawn = [ablation_table(table, scores.metrics, systems) for table in ordered]
        yield Section(f"Score by {condition.about}", "", drawn, [condition_note(condition)])


def metrics(scores: Scores) -> Iterator[Section]:
    """The scores of each metric by each judge, with how many verdicts are missing."""
    keys = dict.fromkeys(map(table_key_of, scores.scores))
    for key, table in zip(keys, score_tables(scores.scores, scores.metrics, scores.systems), strict=True):
        if not table.columns:
            yield Section(table.title, table.by, notes=table.notes)
            continue
        unused: list[str] = []
        for judging in scores.judgings:
            if (judging.metric, judging.judge, judging.judge_params, judging.rules) == key:
                words = " (another report or other words) unused"
                counts = [counted(judging.failed, "verdict failed", "verdicts failed")] if judging.failed else []
                if judging.stale:
                    counts.append(counted(judging.stale, f"stale verdict{words}", f"stale verdicts{words}"))
                if judging.not_judged:
                    counts.append(counted(judging.not_judged, "report not judged", "reports not judged"))
                unused += [f"{judging.system}: {', '.join(counts)}."] if counts else []
        yield Section(table.title, table.by, [replace(table, notes=(*table.notes, *unused))])


def agreements(scores: Scores) -> Iterator[Section]:
    """Appendix E: how far every two judges agree; nothing for one."""
    keys = dict.fromkeys((row.first, row.second, row.rules) for row in scores.agreements)
    for first, second, rules in keys:
        its = [row for row in scores.agreements if (row.first, row.second, row.rules) == (first, second, rules)]
        lines = [
            [row.variant, row.rho_report, row.n_reports, row.rho_system, row.n_systems, row.exact, row.difference]
            for row in its
            if row.n_reports
        ]
        title = f"Appendix E. Agreement of {first} and {second}{'' if rules == 'default' else f', rules {rules}'}"
        if lines:
            yield Section(title, "", [table_of(title, AGREED, lines, notes=[NOTES["agreement"]])])


TABLES: tuple[Callable[[Scores], Iterable[Section]], ...] = (
    conditions,
    metrics,
    agreements,
    lambda scores: pair_sections(scores.pairs, scores.ranks, scores.systems),
)
"""What all outputs walk. A function yields nothing where the scores have nothing for it."""
