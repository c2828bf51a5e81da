"""The plots that an experiment has data for, each made from its scores only."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from drretail.records.comparison import PairScore
from drretail.records.run import NO_SYSTEMS, Systems, in_order, place_of
from drretail.records.score import CODE, WHOLES, MetricDescription, Score, Scoreboard, SettingTable
from drretail.records.tables.table import Cell
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.plots.drawing import BarRow, Part, Plot, Point, curve_plot, dot_plot, scatter, stacked_bars
from drretail.viewer.run_lines import RunLine
from drretail.viewer.tables.ablations import (
    HEADLINES,
    condition_of,
    headlines_first,
    row_names,
    setting_names,
    settings_of,
)
from drretail.viewer.tables.scores import part_cell, score_cell, system_names, table_key_of

MOST_SERIES = 8
"""The number of series that shapes and colours can tell apart."""
_RANGES: Mapping[str, tuple[float, float]] = {scale: (0, whole) for scale, whole in WHOLES.items()}
INTERVAL_LINES = "Lines: 95% intervals over users."


def plots_of(view: ExperimentView, lines: Sequence[RunLine]) -> tuple[list[Plot], list[Plot]]:
    """An experiment's plots, in order: first those by which systems are chosen, then the others."""
    board = view.scores.scoreboard
    first = [] if board is None else [*headline_plots(board), *filter(None, [cost_plot(board)])]
    further = [] if board is None else metric_plots(board, view.scores.scores, view.scores.metrics)
    systems = view.definition.systems
    further += [*whole_plots(view.scores.scores, view.scores.metrics, systems)]
    further += [*preference_plots(view.scores.pairs, systems)]
    # By system, the mean number of calls of each tool in runs with a report
    made: dict[str, Counter[str]] = {}
    done = [line for line in lines if line.state == "done"]
    runs = Counter(line.label for line in done)
    for line in done:
        made.setdefault(line.label, Counter()).update(line.tools)
    planned, tools = Counter(line.label for line in lines), {tool for its in made.values() for tool in its}
    calls = {
        label: {tool: Cell(its[tool] / runs[label], n=runs[label], planned=planned[label]) for tool in tools}
        for label, its in made.items()
        if its
    }
    curves, others = ablation_plots(view.scores.ablations, systems)
    further += [*others, *filter(None, [tool_plot(calls, systems)])]
    return [*first, *curves], further


def headline_plots(board: Scoreboard) -> Iterator[Plot]:
    """A dot for each system, floors and ceiling as grey ticks, for each score that differs and has intervals."""
    names = system_names((row.system for row in board.rows), board.systems)
    for column in board.columns:
        cells = {row.system: score_cell(row.cells[column.name]) for row in board.rows if column.name in row.cells}
        rows = {names[system]: [cell] for system, cell in cells.items() if not _is_bound(system, board.systems)}
        differs = len({f"{cell.number:.2f}" for cell in cells.values()}) > 1
        if column.metric and rows and differs and any(cell.ends for cell in cells.values()):
            yield dot_plot(
                file_name(f"{column.metric}-{column.variant}"),
                column.name.replace("_", " "),
                _caption(column.meaning, cells.values()),
                rows,
                bounds={names[system]: cell for system, cell in cells.items() if _is_bound(system, board.systems)},
                whole=_RANGES.get(column.unit),
            )


def cost_plot(board: Scoreboard) -> Plot | None:
    """What was bought, or else a model's first rating or score, against what a run costs in dollars, or in tokens.

    None without either, costs or intervals, or if all points are the same.
    """
    decides = [column for column in board.columns if column.decides]
    scored = [column for column in board.columns if column.metric and board.judge.judge_kind != "rule_based"]
    ratings = [column for column in scored if column.unit == "rating"]
    took = [column for unit in ("dollars", "tokens") for column in board.columns if column.unit == unit]
    if not (decides or scored) or not took:
        return None
    up, along = (decides or ratings or scored)[0], took[0]
    factor = 1 / 1000 if along.unit == "tokens" else 1
    names = system_names((row.system for row in board.rows), board.systems)
    points = [
        Point(names[row.system], cost.value * factor, score_cell(cell))
        for row in board.rows
        if not _is_bound(row.system, board.systems)
        and (cell := row.cells.get(up.name)) is not None
        and (cost := row.cells.get(along.name)) is not None
    ]
    if len({(point.x, point.y) for point in points}) < 2 or not any(point.cell.ends for point in points):
        return None
    shown = {point.name for point in points}
    systems = [names[row.system] for row in board.rows if not _is_bound(row.system, board.systems)]
    left_out = [name for name in systems if name not in shown]
    lacking = f"Left out, without a value or a cost: {', '.join(left_out)}." if left_out else ""
    cost = "dollars a run" if along.unit == "dollars" else "thousand tokens a run"
    return scatter(
        "quality-against-cost",
        f"{up.name.replace('_', ' ')} against cost",
        " ".join(filter(None, (sentence(up.meaning), INTERVAL_LINES, lacking))),
        points,
        x_name=cost,
        y_name=up.name.replace("_", " "),
    )


def metric_plots(board: Scoreboard, scores: Sequence[Score], metrics: Mapping[str, MetricDescription]) -> list[Plot]:
    """For every metric that names variants to compare: a row for each variant, a series for each system."""
    made = (_parts(board, scores, name, metric, title) for name, metric in metrics.items() for title in metric.plots)
    return [plot for plot in made if plot is not None]


def whole_plots(
    scores: Sequence[Score], metrics: Mapping[str, MetricDescription], systems: Systems = NO_SYSTEMS
) -> Iterator[Plot]:
    """For every metric with variants that add up to 1, and each judge: a bar for each system (DR³-Eval, Figure 8)."""
    shown = [row for row in scores if row.value and not _is_bound(row.system, systems)]
    for judged in dict.fromkeys(map(table_key_of, scores)):
        metric = metrics.get(judged[0])
        for title, parts in metric.wholes.items() if metric else ():
            by_cell = {
                (row.system, row.variant): score_cell(row)
                for row in shown
                if table_key_of(row) == judged and row.variant in parts
            }
            names = row_names(in_order({system for system, _ in by_cell}, systems), systems)
            kinds = {f"s{at}": part for at, part in enumerate(parts) if part in {variant for _, variant in by_cell}}
            rows = [
                BarRow(
                    name,
                    tuple(
                        Part(share, kind, f"{part.replace('_', ' ')} {share:.0%}")
                        for kind, part in kinds.items()
                        if (cell := by_cell.get((system, part))) and (share := cell.number)
                    ),
                    next(cell for (label, _), cell in by_cell.items() if label == system),
                )
                for system, name in names.items()
            ]
            if metric and rows:
                caption = f"{sentence(metric.meaning)} Judged by {judged[1]}."
                legends = {kind: part.replace("_", " ") for kind, part in kinds.items()}
                yield stacked_bars(file_name(f"{judged[0]}-{judged[1]}"), title, caption, rows, kinds=legends)


def _parts(board: Scoreboard, scores: Sequence[Score], name: str, metric: MetricDescription, title: str) -> Plot | None:
    by_cell = {
        (row.variant, row.system): score_cell(row)
        for row in scores
        if row.metric == name
        and row.value is not None
        and (row.judge == CODE or row.by_whom == board.judge.by_whom)
        and not _is_bound(row.system, board.systems)
    }
    systems = in_order({system for _, system in by_cell}, board.systems)[:MOST_SERIES]
    variants = [plot for plot in metric.plots[title] if any((plot, system) in by_cell for system in systems)]
    if len(variants) < 2:
        return None
    names = system_names(systems, board.systems)
    return dot_plot(
        file_name(title).lower(),
        title,
        _caption(
            metric.meaning, (cell for (each, system), cell in by_cell.items() if each in variants and system in systems)
        ),
        {variant.replace("_", " "): [by_cell.get((variant, system)) for system in systems] for variant in variants},
        series=[names[system] for system in systems],
        whole=_RANGES.get(metric.scale),
    )


def preference_plots(pairs: Sequence[PairScore], systems: Systems = NO_SYSTEMS) -> Iterator[Plot]:
    """For every two systems and each judge: how often each system was preferred, by dimension (paper Figure 6)."""
    groups: dict[tuple[str, ...], list[PairScore]] = {}
    for row in pairs:
        if row.note is None and row.win.value is not None:
            groups.setdefault((row.a, row.b, *row.by_whom), []).append(row)
    for (first, second, judge, _, _), rows in groups.items():
        names = system_names((first, second), systems)
        a, b = names[first], names[second]
        bars = [
            BarRow(
                row.dimension.replace("_", " "),
                tuple(
                    Part(share.value, kind, f"{shares} {share.value:.0%}")
                    for kind, share, shares in (("win", row.win, a), ("tie", row.tie, "tie"), ("loss", row.loss, b))
                    if share.value
                ),
                Cell(row.win.value, n=row.n_scored, planned=row.n_planned),
            )
            for row in rows
        ]
        yield stacked_bars(
            file_name(f"pairs-{first}-{second}-{judge}"),
            f"{a} and {b}, side by side",
            "Share of queries on which the judge preferred each report. The rest are ties.",
            bars,
            ends=(f"{a} preferred", f"{b} preferred"),
            unit="pair",
        )


def ablation_plots(tables: Sequence[SettingTable], systems: Systems = NO_SYSTEMS) -> tuple[list[Plot], list[Plot]]:
    """Plots of each condition in which systems differ: those of headlines against size, then the others."""
    ordered = headlines_first(tables)
    first = [each for each in ordered if each.by == "size" and each.variant in HEADLINES]
    further = [each for each in ordered if each not in first]
    return [_ablation(each, systems) for each in first], [_ablation(each, systems) for each in further]


def _ablation(table: SettingTable, systems: Systems) -> Plot:
    rows = table.rows[:MOST_SERIES]
    condition = condition_of(table.by, systems)
    names = setting_names(table.model_copy(update={"rows": rows}), condition, systems)
    every = [cell for row in rows for cell in row.cells if cell.value is not None]
    drawn = {(row.agent, cell.part): part_cell(cell) for row in rows for cell in row.cells}
    about, variant = condition.about, table.name.replace("_", " ")
    name = file_name(f"{table.by}-{table.metric}-{table.variant}-{table.judge}")
    title = f"{variant} by {about}"
    at = {cell.part: condition.number(cell.part) for row in table.rows for cell in row.cells}
    if None not in at.values():
        curves = {
            names[row.agent]: [
                (x, drawn[row.agent, cell.part])
                for cell in row.cells
                if (x := at[cell.part]) and cell.value is not None
            ]
            for row in rows
        }
        ticks = {x: cell.part for cell in every if (x := at[cell.part]) is not None}
        caption = f"to the right: {about}, each step of the scale twice as many; judged by {table.judge}"
        return curve_plot(
            name,
            title,
            _caption(caption, drawn.values()),
            curves,
            ticks=dict(sorted(ticks.items())),
            x_name=about,
            y_name=variant,
        )
    dots = {
        condition.words(setting): [drawn.get((row.agent, setting)) for row in rows]
        for setting in settings_of(table, condition)
        if any((row.agent, setting) in drawn for row in rows)
    }
    caption = _caption(f"by {about}; judged by {table.judge}", drawn.values())
    return dot_plot(name, title, caption, dots, series=[names[row.agent] for row in rows], unit="query")


def tool_plot(calls: Mapping[str, Mapping[str, Cell]], systems: Systems = NO_SYSTEMS) -> Plot | None:
    """The mean calls of each tool in a run (paper Figure 4), given by system and tool; None without calls."""
    labels = [each for each in in_order(calls, systems) if not _is_bound(each, systems) and calls[each]][:MOST_SERIES]
    tools = sorted(
        {tool for label in labels for tool in calls[label]},
        key=lambda tool: (-max(calls[label][tool].number or 0.0 for label in labels if tool in calls[label]), tool),
    )
    if not tools:
        return None
    names = system_names(labels, systems)
    return dot_plot(
        "tool-calls",
        "Tool calls of a run",
        "Calls of each tool on average, failed ones and calls such as Reason and Finalize included.",
        {tool: [calls[label].get(tool) for label in labels] for tool in tools},
        series=[names[label] for label in labels],
        unit="run",
    )


def file_name(text: str) -> str:
    """The text with only letters, digits and hyphens, since names of systems may contain anything."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:80]


def _is_bound(label: str, systems: Systems) -> bool:
    return place_of(label, systems) in ("floor", "ceiling")


def _caption(meaning: str, cells: Iterable[Cell]) -> str:
    """What is drawn, and what its lines mean if there are any."""
    lines = INTERVAL_LINES if any(cell.ends for cell in cells) else ""
    return f"{sentence(meaning)} {lines}".strip()


def sentence(text: str) -> str:
    """The words with a capital letter and a full stop; empty if there are none."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""
