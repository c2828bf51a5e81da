"""The plots that an experiment has data for: what no table says at a glance. Each is made from its scores only."""

import re
from collections import Counter
from collections.abc import Sequence

from drretail.records.run import NO_SYSTEMS, Systems, in_order, place_of
from drretail.records.score import Scoreboard
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.plots.drawing import Plot, Point, bar_plot, frontier
from drretail.viewer.run_lines import RunLine
from drretail.viewer.tables.scores import score_cell, system_names

TOOLS = "tool-calls"
MOST_SERIES = 8
"""The number of series that shapes and colours can tell apart."""
INTERVALS = "Lines: 95% intervals over users."


def plots_of(view: ExperimentView, lines: Sequence[RunLine]) -> list[Plot]:
    """Cost against what was bought, and calls of tools."""
    board, systems = view.scores.scoreboard, view.definition.systems
    cost = None if board is None else cost_plot(board)
    tools = tool_plot(lines, systems)
    return [*filter(None, [cost, tools])]


def cost_plot(board: Scoreboard) -> Plot | None:
    """What was bought, or else a model's first rating or score, against what a run costs in dollars, or in tokens.

    None without either, costs or intervals, or if all points are the same.
    """
    is_read = board.judge.judge_kind != "rule_based"
    scored = [column for column in board.columns if column.metric and (column.decides or is_read)]
    scored.sort(key=lambda column: (not column.decides, column.unit != "rating"))
    took = [column for unit in ("dollars", "tokens") for column in board.columns if column.unit == unit]
    names = system_names((row.system for row in board.rows), board.systems)
    rows = [row for row in board.rows if place_of(row.system, board.systems) == "system"] if scored and took else []
    factor = 1000 if took and took[0].unit == "tokens" else 1
    points = [
        Point(names[row.system], cost.value / factor, score_cell(cell))
        for row in rows
        if (cell := row.cells.get(scored[0].name)) and (cost := row.cells.get(took[0].name))
    ]
    if len({(point.x, point.y) for point in points}) < 2 or not any(point.cell.ends for point in points):
        return None
    left_out = [names[row.system] for row in rows if names[row.system] not in {point.name for point in points}]
    lacking = f"Left out, without a value or a cost: {', '.join(left_out)}." if left_out else ""
    measure = scored[0].name.replace("_", " ")
    meaning = scored[0].meaning
    about = f"{meaning[:1].upper()}{meaning[1:].rstrip('.')}." if meaning else ""
    caption = " ".join(filter(None, (about, INTERVALS, lacking)))
    x_name = "thousand tokens a run" if factor > 1 else "dollars a run"
    return frontier("quality-against-cost", f"{measure} against cost", caption, points, x_name=x_name, y_name=measure)


def tool_plot(lines: Sequence[RunLine], systems: Systems = NO_SYSTEMS) -> Plot | None:
    """The mean calls of each tool in a run (paper Figure 4); None without calls."""
    done = [line for line in lines if line.state == "done" and place_of(line.label, systems) == "system"]
    labels = in_order({line.label for line in done if line.tools}, systems)[:MOST_SERIES]
    runs = {label: [line.tools for line in done if line.label == label] for label in labels}
    counts = {label: sum(map(Counter, its), Counter[str]()) for label, its in runs.items()}
    tools = sorted(
        {*sum(counts.values(), Counter[str]())}, key=lambda tool: (-max(its[tool] for its in counts.values()), tool)
    )
    names = system_names(labels, systems)
    if not tools:
        return None
    return bar_plot(
        TOOLS,
        "Tool calls of a run",
        "Calls of each tool on average, failed ones and calls such as Reason and Finalize included.",
        {tool: [counts[at][tool] / len(runs[at]) for at in labels] for tool in tools},
        [names[label] for label in labels],
    )


def plot_file_name(text: str) -> str:
    """The text with only letters, digits and hyphens, since names of systems may contain anything."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:80]
