"""The beginning of a report: the result, the scoreboard, every answer at a glance; plots; what is false."""

import shlex
from collections.abc import Sequence

from markupsafe import Markup

from drretail.records.tables.figures import counted
from drretail.viewer.commands import score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.board import page_board
from drretail.viewer.page.frame import fragment
from drretail.viewer.page.links import Links
from drretail.viewer.page.outcomes import are_decided, chips, outcome_map, question_dots, researched, shown_text
from drretail.viewer.page.question import Rendered
from drretail.viewer.plots.drawing import Plot
from drretail.viewer.plots.experiment_plots import MOST_SERIES, finding_plots, plots_of
from drretail.viewer.run_lines import DECISIONS, RunLine
from drretail.viewer.tables.result import OUTCOME, concluded, decision_of, every_measure
from drretail.viewer.tables.scoreboard import (
    INTERVALS,
    LAB,
    board_notes,
    board_table,
    conclusion,
    has_intervals,
    judge_failures,
    without_equal,
)
from drretail.viewer.tables.scores import system_names

FIRST_FALSE = 12
"""So many false statements are in sight; the others are folded."""
LONG_MAP = 60
"""With more questions the map of answers has a scroll bar of its own."""


def render_overview(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """The result, the scoreboard and the map of all answers; ``lines`` are all of the report's runs, by number."""
    board = view.scores.scoreboard
    first, _ = plots_of(view, lines)
    differing, same = (None, "") if board is None else without_equal(board)
    rows = () if board is None else board.rows
    answers = researched(lines, view.definition.systems)
    table = None if differing is None else board_table(differing)
    level = _level(first, view, lines)
    return fragment(
        "overview.html.jinja",
        result=None if board is None else conclusion(board),
        decision="" if board is None or board.are_answers else decision_of(board),
        chips=chips(answers),
        names=system_names({line.label for line in answers}, view.definition.systems),
        shown_text=shown_text,
        answers=len(answers),
        shop=_shop(view),
        level=level,
        compared=None if board is None else concluded(board),
        every_measure=None if board is None else every_measure(board),
        compare_command="" if view.beside else f"drretail compare {shlex.quote(view.name)} --details",
        table=table,
        notes=[] if differing is None else [note for note in board_notes(differing) if note not in view.lab],
        lab=view.lab,
        shown=None if differing is None or table is None else page_board(differing, table, answers),
        columns=() if board is None else board_table(board).columns,
        same=same,
        intervals=INTERVALS if table is not None and has_intervals(table) else "",
        judge_failures=[] if board is None else list(judge_failures(board)),
        lab_title=LAB,
        lab_plots=finding_plots(view.folder),
        failure=view.failure,
        outdated=view.outdated,
        score_command=" && ".join(score_commands(view)),
        has_scores=view.is_scored,
        map=None
        if view.is_of_shop
        else outcome_map(answers, links, view.definition.systems, [row.system for row in rows]),
        dots=question_dots(answers, view.definition.systems, [row.system for row in rows]),
        links=links,
        decided=are_decided(answers),
        decisions={name: DECISIONS[name] for name in DECISIONS if any(line.decision == name for line in answers)},
        used={support for line in answers for support in line.counts},
        is_long=len(view.questions) > LONG_MAP,
    )


def render_plots(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """Every plot but that of what was bought, which stands beside the scoreboard; empty without any."""
    first, further = plots_of(view, lines)
    plots = [plot for plot in (*first, *further) if plot not in _level(first, view, lines)]
    if not plots:
        return Markup()
    return fragment("plots.html.jinja", plots=plots)


def _level(plots: Sequence[Plot], view: ExperimentView, lines: Sequence[RunLine]) -> list[Plot]:
    """The plot of what was bought, unless there are too many systems to see it at a glance."""
    labels = {line.label for line in researched(lines, view.definition.systems)}
    return [plot for plot in plots if plot.title == OUTCOME and len(labels) <= MOST_SERIES]


def _shop(view: ExperimentView) -> str:
    """Which shop was asked, and when its clock stood."""
    definition = view.definition
    if definition.world_fingerprint is None:
        return "Imported reports."
    day = "" if definition.now is None else f" on {definition.now.date()}"
    users = len({query.user_id for query in definition.queries} - {None})
    by = f" of {counted(users, 'user')}" if users else ""
    questions = f"{counted(len(definition.queries), 'question')}{by}"
    return f"{questions}, asked of the shop {definition.world_fingerprint[:8]}{day}."


def render_false_statements(view: ExperimentView, rendered: Sequence[Rendered], links: Links) -> Markup:
    """Statements of an assistant's or of imported answers that their sources contradict, the worst first.

    Empty if there are none, unless a judge has checked a shop's answers: then the section says so.
    """
    judge = next((run.false_by for run in view.runs if run.false_by), "")
    judge = judge or next((run.claims[0].judged.judge.spec for run in view.runs if run.claims), "")
    false = [
        (statement, links.claim(line, anchor) if links.in_folder or question.body else "")
        for question in rendered
        for statement, line, anchor in question.false
    ]
    if not false and not (view.is_of_shop and judge):
        return Markup()
    lines = [line for question in rendered for line in question.lines]
    by_label = {label: [line for line in lines if line.label == label] for label in view.definition.systems}
    return fragment(
        "false_statements.html.jinja",
        statements=sorted(false, key=lambda each: each[0].rank),
        by_label={label: its for label, its in by_label.items() if its},
        first=FIRST_FALSE,
        is_of_shop=view.is_of_shop,
        result="" if view.scores.scoreboard is None else conclusion(view.scores.scoreboard).can,
        is_looked_up=any(system.is_of_shop for system in view.definition.systems.values()),
        name=shlex.quote(view.name),
        by=judge,
        is_by_rules=judge.startswith("offline:"),
    )
