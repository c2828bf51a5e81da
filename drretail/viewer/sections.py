"""Scores and comparisons as parts of a result: the scoreboard, slices; two systems, and all pairs on one screen.
They fit 100 columns, and 80 with fewer figures.

At the end all tables that scores have, in the order in which every output shows them: terminal, text report, page,
LaTeX, CSV. A new table is a function in ``TABLES``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from drretail.errors import check_known
from drretail.eval.compare.rows import DONE
from drretail.eval.compare.wording import failed_judges, findings, name_of, range_of, rows_of
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.method import judges_of_faithfulness
from drretail.eval.registry import FALSE_STATEMENTS, described
from drretail.records.comparison import Comparison, JudgeTable, Reliability
from drretail.records.evidence import CITATIONS_READ, NOT_READ
from drretail.records.run import Systems
from drretail.records.score import WHOLES, WHY_NOT, Scores, SliceBy
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Part, Prose, Section, prose
from drretail.records.tables.table import Cell, Column, Table, pivot, table_of
from drretail.viewer.tables.ablations import (
    ablation_table,
    condition_of,
    headlines_first,
    note_of,
    twin_table,
)
from drretail.viewer.tables.pairs import pair_sections
from drretail.viewer.tables.scoreboard import LAB, board_legends, board_notes, board_table, conclusion, difference_cell
from drretail.viewer.tables.scores import (
    BY,
    NOTES,
    agreement_table,
    judged_by,
    measured_cell,
    score_tables,
    slice_sections,
    system_names,
    table_key_of,
)


def scoreboard_parts(scores: Scores, lab: Sequence[str] = ()) -> Iterator[Part]:
    """Conclusions, the scoreboard with its legend, and notes, then the judge lab's findings; nothing without a board.

    Other judges than the board's are named, with how far judges agree.
    """
    board = scores.scoreboard
    if board is None:
        return
    table, concluded = board_table(board), conclusion(board)
    yield from prose(*filter(None, (concluded.can, concluded.cannot)), "")
    on_others: list[str] = []
    if others := scores.other_judges:
        named = (judge if rules == "default" else f"{judge} (rules of {rules})" for judge, rules in others)
        on_others.append(f"Also judged by {', '.join(named)}: --details.")
    agreed = agreement_table(scores.agreements, scores.metrics)
    for row in agreed.rows if agreed else ():
        cells = zip(agreed.columns if agreed else (), row.cells, strict=True)
        figures = ", ".join(
            f"{column.name} {cell.text} ({cell.counts or counted(cell.n or 0, 'report')})"
            for column, cell in cells
            if cell is not None
        )
        on_others.append(f"Agreement of {row.label}: {figures}; Spearman's ρ over reports, 1 where they rank alike.")
    yield replace(table, legends=board_legends(table), notes=tuple(on_others))
    differs = board.differs if concluded.is_cut else ()
    notes = [note for note in board_notes(board) if note not in lab]
    for title, sentences in (("Is there a difference?", differs), ("Notes", notes), (LAB, lab)):
        if sentences:
            yield Table(title, (), (), notes=tuple(sentences))


def slice_parts(scores: Scores, by: Sequence[str]) -> Iterator[Part]:
    """The headline variants by category or kind, or that there are none."""
    sections = slice_sections(scores.slices, scores.scores, by, scores.metrics, scores.systems).values()
    yield from (part for section in sections for part in section.parts)
    if not sections:
        yield Prose("There are no numbers to show by category: score the experiment with other metrics.")


def slice_kinds(names: Sequence[str]) -> list[SliceBy]:
    """The kinds of slices with these names, each once. Raises UnknownName for any other name."""
    known: dict[str, SliceBy] = {kind: kind for kind in BY}
    check_known("kind of slice", known, *names)
    return [known[name] for name in dict.fromkeys(names)]


SPREADS = {
    "queries": "between queries",
    "agent": "between repeats of the agent, without the judge's noise",
    "judge": "between repeats of the judge on one report",
    "agent+judge": "between repeats of the agent where each report was judged once: its noise and the judge's together",
}


def steadiness_parts(table: JudgeTable, comparison: Comparison) -> Iterator[Part]:
    """Standard deviations, pass^k and worst of k of both sides; nothing if nothing was repeated."""
    if not table.reliability:
        return
    sides = {comparison.a: "A", comparison.b: "B"}
    several = len({row.metric for row in table.rows}) > 1
    k = max(row.k for row in table.reliability)
    repeated = ["pass^1", f"pass^{k}", "mean", f"worst of {k}"] if k > 1 else []
    shown = [name for name in SPREADS if any(_spreads(row)[name] is not None for row in table.reliability)]
    rows = [
        [
            name_of(row) if several else row.variant,
            sides[row.system],
            *(_spreads(row)[name] for name in shown),
            *[Cell(row.pass_1, "percent"), Cell(row.pass_k, "percent"), row.mean, row.worst_of_k][: len(repeated)],
        ]
        for row in table.reliability
    ]
    spare = ("mean", f"worst of {k}", "pass^1")
    columns = ["", "side", *shown, *repeated]
    yield table_of("Noise (standard deviations) and repeats", columns, rows, spare=spare).filled


def _spreads(row: Reliability) -> dict[str, float | None]:
    return dict(zip(SPREADS, (row.sd_queries, row.sd_agent, row.sd_judge, row.sd_repeats), strict=True))


ROWS = ("", "A", "B", "A−B", "p", "Holm", "shows", "takes", "n", "users")
SPARE_ROWS = ("p", "takes", "shows", "B", "A")
PAIRS = ("", "for A", "even", "for B", "n", "A's rate", "p", "Holm", "flips", "first")
SPARE_PAIRS = ("p", "first", "even", "flips")
MOST = 10_000


def comparison_parts(comparison: Comparison, cards: Mapping[str, str], *, details: bool = False) -> Iterator[Part]:
    """A comparison of two systems, from conclusions to what is missing.

    In between stand a table for each judge, repeats, and pairwise judging. ``cards`` are sentences by judge on how
    often it is right, which stand below its FP. Without ``details``, metrics without a primary score are left out and
    named.
    """
    yield from prose(*comparison.not_read, f"A = {comparison.a}", f"B = {comparison.b}", "", "What can be concluded")
    primary = [row for table in comparison.tables for row in table.rows if row.is_primary]
    # If no primary score shows a difference, that comes first
    if primary and not any(row.outcome in ("higher", "lower") for row in primary):
        names = dict.fromkeys(map(name_of, primary))
        yield Prose(f"- No difference is concluded in the primary scores: {', '.join(names)}.")
    tests = max((row.tests for row in primary), default=0)
    if tests > len(primary) + sum(pair.dimension == PRIMARY for pair in comparison.pairs):
        yield Prose(
            f"- p of primary scores is corrected for {tests} tests together, those of all pairs of systems here."
        )
    yield from prose(*(f"- {sentence}" for sentence in comparison.conclusions), "")
    if comparison.exploratory:
        yield Prose("Exploratory (nothing is concluded from these)")
        yield from prose(*(f"- {sentence}" for sentence in comparison.exploratory), "")
    chosen = {row.metric for row in primary} | ({FALSE_STATEMENTS, DONE} if primary else set[str]())
    left_out: list[str] = []
    for whole in comparison.tables:
        rows = tuple(row for row in whole.rows if details or not chosen or row.metric in chosen)
        left_out += (row.metric for row in whole.rows if row not in rows)
        if not rows:
            continue
        table = whole.model_copy(update={"rows": rows})
        yield _judge_table(table, [cards[each] for each in judges_of_faithfulness([table]) & cards.keys()])
        yield from steadiness_parts(table, comparison)
    if comparison.tables:
        yield from prose(*NOTES["compare"].splitlines(), *_steadiness_legend(comparison), "")
    for _, group in groupby(comparison.pairs, key=lambda row: row.by_whom):
        pairs = list(group)
        cells: list[list[object]] = []
        for pair in pairs:
            row = pair.contrast
            counts: list[int | None] = [row.above, row.equal, row.below, row.n_pairs]
            if row.outcome == "order_decided":
                counts = [None, None, None, pair.n_scored]
            figures = [measured_cell(pair.win_rate), Cell(row.p, "p"), Cell(row.p_holm, "p")]
            shares = [Cell(pair.flip_rate, "percent"), Cell(pair.first_position_rate, "percent")]
            cells.append([pair.dimension, *counts, *figures, *shares])
        yield table_of(f"Side by side, {judged_by(pairs[0])}", PAIRS, cells, spare=SPARE_PAIRS).filled
    if comparison.pairs:
        yield from prose(*NOTES["compare_side_by_side"].splitlines(), "")
    if comparison.missing:
        commands = (
            f"- {gap.what}." + ("" if gap.command is None else f"\n  {gap.command}") for gap in comparison.missing
        )
        yield from prose("What is missing", *commands, "")
    if left_out:
        yield Prose(f"Left out, as not primary: {', '.join(dict.fromkeys(left_out))}. --details shows them.")


def _judge_table(table: JudgeTable, cards: Iterable[str]) -> Table:
    """A row for each variant; below, why queries were dropped: variants that lost the same ones share a sentence."""
    several = len({row.metric for row in table.rows}) > 1
    lines: list[list[object]] = []
    lost: dict[str, list[str]] = {}
    for row in table.rows:
        takes, detectable = row.queries_needed, row.detectable
        ends = (range_of(row) or "").replace(" or more", "+")
        needed = takes and f"{takes}{f' ({ends})' if ends else ''}"
        # The scale may not allow a difference so large. A ratio may be above 1; then the scale sets no limit.
        whole = None if row.is_count else WHOLES.get(described(row.metric).scale)
        if whole is not None and detectable is not None and max(row.mean_a or 0, row.mean_b or 0) <= whole < detectable:
            detectable = None
        lines.append(
            [
                (name_of(row) if several else row.variant) + "*" * row.is_primary,
                row.mean_a,
                row.mean_b,
                difference_cell(row),
                Cell(row.p, "p"),
                Cell(row.p_holm, "p"),
                detectable,
                f">{MOST:,}" if takes is not None and takes > MOST else needed,
                row.n_pairs if row.n_pairs == row.n_planned else f"{row.n_pairs}/{row.n_planned}",
                row.n_users,
            ]
        )
        if row.dropped:
            why = "; ".join(f"{count:,} ({reason})" for reason, count in row.dropped.items())
            lost.setdefault(why, []).append(row.variant)
    notes = [f"Queries dropped in {', '.join(variants)}: {why}." for why, variants in lost.items()]
    title = f"Compared query by query, {judged_by(table)}"
    return table_of(title, ROWS, lines, notes=[*notes, *cards], spare=SPARE_ROWS)


def _steadiness_legend(comparison: Comparison) -> Iterable[str]:
    """What the columns of ``steadiness_parts`` mean."""
    rows = [row for table in comparison.tables for row in table.reliability]
    if not rows:
        return
    shown = [name for name in SPREADS if any(_spreads(row)[name] is not None for row in rows)]
    meanings = "; ".join(f"{name}: {SPREADS[name]}" for name in shown)
    yield f"{meanings}. Estimates from so few repeats are rough."
    k = max(row.k for row in rows)
    bars = ", ".join(f"{bar:g}" for bar in sorted({row.bar for row in rows if row.bar is not None}))
    if k > 1 and bars:
        yield (
            f"pass^1, pass^{k}: how likely one run, and all {k} runs of a query, reach the bar ({bars}); a run without "
            f"a report does not. mean, worst of {k}: of a query's runs, and of the lowest of them."
        )


CONCLUDED = "!"


def all_pairs_parts(
    comparisons: Sequence[Comparison], systems: Systems, experiment: str, cards: Mapping[str, str]
) -> Iterator[Part]:
    """Several comparisons in short; ``cards`` say how often judges are right, ``experiment`` is for commands."""
    names = system_names({label for comparison in comparisons for label in (comparison.a, comparison.b)}, systems)
    rows_shown = rows_of(comparisons)
    concluded = [finding.sentence for finding in findings(rows_shown, names, by_judge=True)]
    sentences = (f"- {sentence}" for sentence in [*concluded, *failed_judges(comparisons)])
    yield from prose("What can be concluded", *sentences, "")
    # Of several judges, the first one's.
    rows = {(row.a, row.b, name_of(row)): row for row in reversed(rows_shown)}
    if columns := list(dict.fromkeys(name_of(row) for row in rows_shown if row.difference is not None)):
        lines: list[list[object]] = []
        for a, b in ((comparison.a, comparison.b) for comparison in comparisons):
            its = (rows.get((a, b, column)) for column in columns)
            is_shown = ("higher", "lower")
            cells = (row and difference_cell(row, mark=CONCLUDED * (row.outcome in is_shown)) for row in its)
            lines.append([names[a], names[b], *cells])
        title = f"{counted(len(comparisons), 'pair')}, A−B in the primary scores, over queries that both have"
        note = (
            f"{CONCLUDED}: concluded, corrected (Holm) over all pairs of systems. The 95% intervals are not corrected."
        )
        yield table_of(title, ["A", "B", *columns], lines, notes=[note], spare=columns[::-1]).filled
    first = comparisons[0]
    yield from prose(
        *cards.values(),
        f"For all about one pair:\n  drretail compare {experiment} {first.a} {first.b}",
        f"All pairs so: drretail compare {experiment} --details",
    )


def sections(scores: Scores) -> Iterator[Section]:
    """All tables of these scores; those by slices of the queries if the scores hold slices."""
    for tables_of in TABLES:
        yield from tables_of(scores)


def metric_parts(scores: Scores) -> Iterator[Part]:
    """The same on a terminal, where a note that several tables share stands below the first, unless it is of n/a."""
    said: set[str] = set()
    for part in (part for section in sections(scores) for part in section.parts):
        if isinstance(part, Table):
            yield replace(part, notes=tuple(note for note in part.notes if note not in said))
            said.update(note for note in part.notes if not note.startswith(WHY_NOT))
        else:
            yield part


def conditions(scores: Scores) -> Iterator[Section]:
    """Scores by each condition in which systems differ."""
    every, systems = scores.ablations, scores.systems
    for by in dict.fromkeys(table.by for table in every):
        condition = condition_of(by, systems)
        ordered = headlines_first(table for table in every if table.by == by)
        drawn = [ablation_table(table, scores.metrics, systems) for table in ordered]
        yield Section(f"Score by {condition.about}", "", drawn, [note_of(condition)], address=f"by-{by}")


def twins(scores: Scores) -> Iterator[Section]:
    """What systems decided on pairs of queries of which the shop can satisfy one."""
    if any(row.j is not None for row in scores.twins):
        table = twin_table(scores.twins, scores.systems)
        yield Section(table.title, tables=[table], address="by-twin")


def metrics(scores: Scores) -> Iterator[Section]:
    """The scores of each metric by each judge, with how many verdicts are missing, and its slices apart."""
    by_slice = slice_sections(scores.slices, scores.scores, metrics=scores.metrics, systems=scores.systems)
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
        sliced = [section for (its, _), section in by_slice.items() if its == key and _telling(section)]
        tables = [each for section in sliced for each in _telling(section)]
        notes = dict.fromkeys(note for section in sliced for note in section.notes)
        more = Section(f"{table.title} in groups of queries", "", tables, [*notes]) if tables else None
        yield Section(table.title, table.by, [replace(table, notes=(*table.notes, *unused))], more=more)


def _telling(sliced: Section) -> list[Table]:
    """The tables worth showing: with several columns, and a column of enough queries."""
    several = [table for table in sliced.tables if len(table.columns) > 1]
    return [table for table in several if not all(column.few for column in table.columns)]


def citations(scores: Scores) -> Iterator[Section]:
    """How many citations of each system's reports were read, if any are in lists or were not read."""
    rows = {row.system: row.items for row in reversed(scores.scores) if row.variant == CITATIONS_READ and row.items}
    reasons = sorted({name for items in rows.values() for name in items if name.startswith(NOT_READ)})
    if not any(items.get("listed") or items["read"] < items["citations"] for items in rows.values()):
        return
    names = system_names(rows, scores.systems)
    counts = [
        [name, *(int(items.get(each, 0)) for each in ("citations", "read", *reasons, "listed"))]
        for label, name in names.items()
        if (items := rows[label])
    ]
    table = table_of("Citations", ("", "citations", "read", *reasons, "in lists"), counts)
    yield Section(table.title, "by code", [table])


def agreement(scores: Scores) -> Iterator[Section]:
    """How far every two judges agree."""
    table = agreement_table(scores.agreements, scores.metrics)
    if table is not None:
        yield Section(table.title, table.by, [table])


BELIEVED = 0.05
"""The limit for p after Holm: smaller ones are marked."""


def correlations(scores: Scores) -> Iterator[Section]:
    """Spearman's ρ of what runs did with what their reports score, inside systems."""
    tables: list[Table] = []
    for _, group in groupby(sorted(scores.correlations, key=lambda row: row.by_whom), key=lambda row: row.by_whom):
        rows = [*group]
        judge, _, rules = rows[0].by_whom
        by = "by code" if judge == "code" else f"judged by {judge}{'' if rules == 'default' else f', rules {rules}'}"
        counts: dict[str, int] = {}
        cells: dict[tuple[str, str, str], Cell | None] = {}
        for row in rows:
            column = f"{row.metric} {row.variant}"
            counts[column] = max(row.n, counts.get(column, 0))
            cells[row.process, "", column] = Cell(row.rho, "signed", mark="*" * (row.p_holm < BELIEVED))
        columns = {f"{row.metric} {row.variant}": row.variant for row in rows}
        heads = {key: Column(f"{variant} (n={counts[key]})") for key, variant in columns.items()}
        names = {row.process: row.process for row in rows}
        tables.append(pivot(f"process × scores, {by}", cells, names, heads, heading=""))
    if tables:
        note = (
            f"Spearman's ρ over reports of the same system; * p < {BELIEVED} after Holm over all "
            f"{len(scores.correlations)}. A correlation does not prove a cause."
        )
        yield Section("What runs did and what they score", tables=tables, notes=[note])


TABLES: tuple[Callable[[Scores], Iterable[Section]], ...] = (
    conditions,
    twins,
    metrics,
    citations,
    lambda scores: pair_sections(scores.pairs, scores.ranks, scores.systems),
    agreement,
    correlations,
)
"""What all outputs walk. A function yields nothing where the scores have nothing for it."""
