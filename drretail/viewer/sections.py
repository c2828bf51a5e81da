"""All tables that scores have, in the order in which every output shows them: terminal, text report, page, LaTeX, CSV.

A new table is a function in ``TABLES``.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from drretail.records.score import WHY_NOT, Scores
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Part, Section
from drretail.records.tables.table import Cell, Column, Table, cell_of, pivot
from drretail.viewer.tables.ablations import (
    ablation_table,
    condition_of,
    headlines_first,
    main_tables,
    note_of,
    twin_table,
)
from drretail.viewer.tables.pairs import pair_sections
from drretail.viewer.tables.scoreboard import difference_cell
from drretail.viewer.tables.scores import (
    NOTES,
    agreement_table,
    main_slices,
    measured_cell,
    part_cell,
    score_tables,
    slice_sections,
    system_names,
    table_key_of,
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
    """Scores by each condition in which systems differ; the variants that it is not mainly read for stand apart."""
    every, systems = scores.ablations, scores.systems
    for by in dict.fromkeys(table.by for table in every):
        condition = condition_of(by, systems)
        tables = [table for table in every if table.by == by]
        main = main_tables(tables, condition)
        further = [table for table in headlines_first(tables) if table not in main]
        drawn, apart = ([ablation_table(table, scores.metrics, systems) for table in each] for each in (main, further))
        more = Section(counted(len(apart), "more table"), tables=apart) if apart else None
        yield Section(f"Score by {condition.about}", "", drawn, [note_of(condition)], more, f"by-{by}")


def levels(scores: Scores) -> Iterator[Section]:
    """Scores by the queries' level of difficulty."""
    rows = main_slices([row for row in scores.slices if row.by == "level"])
    by_level = slice_sections(rows, scores.scores, metrics=scores.metrics, systems=scores.systems).values()
    for section in [*by_level][:1]:
        if tables := _telling(section, few=True):
            yield replace(section, title="Score by level of difficulty", tables=tables, address="by-level")


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


def _telling(sliced: Section, *, few: bool = False) -> list[Table]:
    """The tables worth showing: with several columns and, unless ``few``, a column of enough queries."""
    several = [table for table in sliced.tables if len(table.columns) > 1]
    return [table for table in several if few or not all(column.few for column in table.columns)]


def agreement(scores: Scores) -> Iterator[Section]:
    """How far every two judges agree."""
    table = agreement_table(scores.agreements, scores.metrics)
    if table is not None:
        yield Section(table.title, table.by, [table])


def attacks(scores: Scores) -> Iterator[Section]:
    """What hostile texts cost each system, and what it obeyed of them."""
    by_variant = {table.variant: table.rows for table in scores.attacks}
    obeyed = {cell.system: cell for row in by_variant.get("obeyed", ()) for cell in row.cells}
    cells: dict[tuple[str, str, str], Cell | None] = {}
    columns = ("utility", "attacked", "lost", "obeyed", "n", "users")
    for of_agent in by_variant.get("feasible", ()):
        plain, attacked = of_agent.cells
        lost, followed = of_agent.steps[0].turned, obeyed.get(attacked.system)
        seen = difference_cell(lost), followed and measured_cell(followed)
        figures = (lost.mean_a, lost.mean_b, *seen, lost.n_pairs, lost.n_users)
        cells |= {(plain.system, "", name): cell_of(it) for name, it in zip(columns, figures, strict=True)}
    if cells:
        title = "Among hostile texts: the same queries with and without them"
        names = system_names([label for label, _, _ in cells], scores.systems)
        heads = {name: Column(name) for name in columns}
        table = pivot(title, cells, names, heads, scores.systems, notes=(NOTES["attacks"],))
        yield Section(title, tables=[table.filled])


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


COUNTERFACTUAL = "counterfactual, by code: the same queries with other profiles"
NAMES = {
    "change": "products changed",
    "repeats": "products changed between plain repeats",
    "beyond": "products changed beyond repeats",
    "direction": "changes towards the other profile, less the reverse",
    "ignored": "profile ignored",
    "overused_constraint": "profile over-used: a limit of the wish broken",
}
"""The row's name by measure."""


def counterfactuals(scores: Scores) -> Iterator[Section]:
    """Systems that saw other data than the users' own, beside the same systems with their own."""
    rows = scores.counterfactuals
    if not rows:
        return
    cells: dict[tuple[str, str, str], Cell | None] = {}
    for row in rows:
        # Value, interval and number of queries: 0.52 (.22–.81), 9/10, 1 na
        reasons = tuple(f"{count} {why}" for why, count in (("na", row.n_na), ("failed", row.n_failed)) if count)
        cells[row.variant, "", row.system] = replace(part_cell(row), missing=reasons)
    names = {variant: name for variant, name in NAMES.items() if any(row.variant == variant for row in rows)}
    columns = {row.system: Column(row.system) for row in rows}
    notes = [
        "Changes are from 0 (the same) to 1 (nothing in common); n counts queries. Each is compared "
        "with the same system on the users' own data. Only metrics by code score these runs."
    ]
    own = max((row.items.get("queries_of_own_history", 0) for row in rows), default=0)
    if own:
        of = max(row.n_planned for row in rows)
        notes.append(
            f"{own:,.0f} of {of:,} queries name a purchase that the other profile lacks, "
            "which causes part of the change."
        )
    for note in dict.fromkeys(row.note for row in rows if row.note is not None):
        systems = dict.fromkeys(row.system for row in rows if row.note == note)
        notes.append(f"{', '.join(systems)}: {note}.")
    table = pivot(COUNTERFACTUAL, cells, names, columns, heading="", notes=tuple(notes), unit="query")
    yield Section(table.title, tables=[table])


TABLES: tuple[Callable[[Scores], Iterable[Section]], ...] = (
    conditions,
    levels,
    twins,
    metrics,
    lambda scores: pair_sections(scores.pairs, scores.ranks, scores.systems),
    agreement,
    counterfactuals,
    attacks,
    correlations,
)
"""What all outputs walk. A function yields nothing where the scores have nothing for it."""
