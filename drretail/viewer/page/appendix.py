"""The end of a report: all tables, the method, how to read the report and how to repeat it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from drretail.eval.method import method_cards
from drretail.eval.scores.slices import with_slices
from drretail.records.run import System
from drretail.records.score import Score, ShownColumn
from drretail.records.tables.table import Column, Table
from drretail.viewer.commands import commands, is_demo, query_files, score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import data_address, fragment
from drretail.viewer.run_lines import RunLine
from drretail.viewer.tables.ablations import (
    ablation_table,
    condition_of,
    headlines_first,
    main_tables,
    note_of,
    twin_table,
)
from drretail.viewer.tables.judges import audit_table, judge_table
from drretail.viewer.tables.pairs import paired
from drretail.viewer.tables.scoreboard import board_notes
from drretail.viewer.tables.scores import ANSWERED, agreement_table, model_words, score_tables, table_key_of
from drretail.viewer.tables.slices import BY, MEANINGS, SlicedTables, few_words, main_slices, sliced_tables

T = TypeVar("T")


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all metrics."""
    scores, metrics, board = view.scores.scores, view.scores.metrics, view.scores.scoreboard
    systems = view.definition.systems
    tables = score_tables(scores, metrics, systems)
    rows = [row for row in with_slices(view.folder, view.scores).slices if row.system in systems]
    slices = {sliced.table_key: sliced for sliced in sliced_tables(rows, scores, metrics=metrics, systems=systems)}
    return fragment(
        "scores.html.jinja",
        view=view,
        has_answered=any(row.manner == ANSWERED for table in tables for row in table.rows),
        unexplained=_unseen(_explained, [] if board is None else map(_explained, board.columns)),
        unsaid=_unseen(str, () if board is None else board_notes(board)),
        by_parts=list(_by_parts(view, rows)),
        # For each metric, judge and set of rules its table and its slices.
        tables=[
            (table, _telling(slices.get(key)))
            for table, key in zip(tables, dict.fromkeys(map(table_key_of, scores)), strict=True)
        ],
        pairs=[
            by_judge
            for by_judge in paired(view.scores.pairs, view.scores.ranks, systems, beside=False)
            if not by_judge.hidden
        ],
        agreement=agreement_table(view.scores.agreements, metrics),
        stale=sum(line.stale for line in lines),
        score_command=" && ".join(score_commands(view)),
    )


@dataclass(frozen=True, slots=True)
class ByPart:
    """Scores by an option, by level of difficulty, or of twins."""

    by: str
    heading: str
    tables: Sequence[Table]
    notes: Sequence[str]
    more: Sequence[Table] = ()
    """Tables of variants that the option is not mainly read for."""


def _by_parts(view: ExperimentView, slices: Sequence[Score]) -> Iterator[ByPart]:
    """One for each condition in which systems differ, then one by level and one of twins, if there are any."""
    systems = view.definition.systems
    every, metrics = view.scores.ablations, view.scores.metrics
    for by in dict.fromkeys(table.by for table in every):
        condition = condition_of(by, systems)
        tables = [table for table in every if table.by == by]
        main = main_tables(tables, condition)
        more = [table for table in headlines_first(tables) if table not in main]
        drawn = [[ablation_table(table, metrics, systems, every) for table in each] for each in (main, more)]
        yield ByPart(by, f"Score by {condition.about}", drawn[0], [note_of(condition)], drawn[1])
    levels = main_slices([row for row in slices if row.by == "level"])
    for sliced in sliced_tables(levels, view.scores.scores, metrics=metrics, systems=systems)[:1]:
        if telling := _telling(sliced, few=True):
            yield ByPart("level", "Score by level of difficulty", *telling)
    if any(row.j is not None for row in view.scores.twins):
        table = twin_table(view.scores.twins, systems)
        yield ByPart("twin", table.title, [table], table.notes)


def _telling(sliced: SlicedTables | None, *, few: bool = False) -> tuple[list[Table], list[str]] | None:
    """The tables worth showing with their notes: with several columns and, unless ``few``, a column of enough queries.

    None if there are none.
    """
    tables_by = list(zip(sliced.tables, sliced.kinds, strict=True)) if sliced else []
    telling = [
        (table, by)
        for table, by in tables_by
        if len(table.columns) > 1 and (few or not all(column.few for column in table.columns))
    ]
    if not telling:
        return None
    tables, kinds = [table for table, _ in telling], {by for _, by in telling}
    return tables, [*(MEANINGS[by] for by in BY if by in kinds), *filter(None, [few_words(tables)])]


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that repeat it."""
    return fragment(
        "method.html.jinja",
        view=view,
        judges=judge_table(view.scores.judgings, view.scores.pairs),
        audits=audit_table(view.scores.audits),
        cards=method_cards(view.folder, view.scores),
        models={label: list(model_lines(system)) for label, system in view.definition.systems.items()},
        commands=commands(view),
        files={} if is_demo(view) else {name: data_address(data) for name, data in query_files(view).items()},
    )


def _explained(column: Column | ShownColumn) -> str:
    return column.name if column.meaning else ""


def _unseen(key: Callable[[T], str], shown: Iterable[str]) -> Callable[[Iterable[T]], list[T]]:
    """A function that returns what the page has not shown yet.

    ``key`` is empty for what needs no explanation.
    """
    seen = {"", *shown}

    def new(items: Iterable[T]) -> list[T]:
        unseen = [each for each in items if key(each) not in seen]
        seen.update(map(key, unseen))
        return unseen

    return new


def model_lines(system: System) -> Iterator[str]:
    """A line for each model of a system, with its roles if there are several models."""
    roles: dict[str, list[str]] = defaultdict(list)
    for role, model in sorted(system.models.items()):
        params = "".join(f", {name} {value}" for name, value in sorted((model.params or {}).items()))
        roles[f"{model_words(model.spec, model.kind)}{params}"].append(role)
    for words, played in roles.items():
        yield f"model: {words}" if len(roles) == 1 else f"{', '.join(played)}: {words}"
