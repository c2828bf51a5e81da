"""How the report begins: what can be concluded, the scoreboard, plots, and every report's claims at a glance."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from drretail.viewer.commands import score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.page.run_tables import claims_grid
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import ablation_plots, first_plots, further_plots, tool_plot
from drretail.viewer.tables.conclusion import conclusion
from drretail.viewer.tables.scoreboard import INTERVALS, LAB, printed_board


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The opening of a report; ``lines`` tell of all its runs, by number."""
    board = view.scoreboard
    first, further = plots_of(view, lines)
    html = template("overview.html.jinja").render(
        concluded=None if board is None else conclusion(board),
        board=None if board is None else printed_board(board, view.lab),
        intervals=INTERVALS,
        lab_title=LAB,
        outdated=view.outdated,
        score_command=" && ".join(score_commands(view)),
        has_scores=view.scores is not None,
        first_plots=first,
        more_plots=further,
        grid=claims_grid(lines, links),
        used={support for line in lines for support in line.counts},
    )
    return Markup(html)  # noqa: S704 — escaped by its template


def plots_of(view: ExperimentView, lines: Sequence[RunLine]) -> tuple[list[Plot], list[Plot]]:
    """What an experiment shows in plots: those by which systems are chosen, and the others."""
    first = [] if view.scoreboard is None else list(first_plots(view.scoreboard))
    further = list(further_plots(view.scoreboard, view.scores or (), view.metrics, view.pairs, view.agreements))
    calls = tool_plot(_calls(lines))
    curves, others = ablation_plots(view.ablations)
    first += curves
    further += others
    return first, [*further, *([] if calls is None else [calls])]


def _calls(lines: Sequence[RunLine]) -> dict[str, dict[str, float]]:
    """Calls of each tool in a run that left a report, on average, by system."""
    made: dict[str, Counter[str]] = {}
    runs = Counter(line.label for line in lines if line.state == "done")
    for line in lines:
        if line.state == "done":
            made.setdefault(line.label, Counter()).update(line.tools)
    return {label: {tool: calls / runs[label] for tool, calls in its.items()} for label, its in made.items()}
