"""Scores, reports and runs as HTML for a notebook's cells."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup, escape

from drretail.grounding.report.render import render_report
from drretail.records.evidence import Evidence
from drretail.records.run import Run
from drretail.records.score import Scores
from drretail.records.tables.table import Table
from drretail.viewer.experiment import read_view
from drretail.viewer.page.frame import fragment, whole_page
from drretail.viewer.page.question import Questions
from drretail.viewer.page.report_html import marked_html
from drretail.viewer.tables.scoreboard import board_notes, board_table

HEIGHT = 640
"""The height in pixels of a page inside a cell; longer pages scroll."""


def table_cell(table: Table, notes: Sequence[str] = ()) -> str:
    """A table in the notebook's own style, with its title above it and its notes below."""
    drawn = fragment("notebook_table.html.jinja", table=table)
    below = Markup("").join(Markup("<p><small>{}</small></p>").format(note) for note in notes)
    return Markup("<p><strong>{}</strong></p>{}{}").format(table.full_title, drawn, below)


def scores_cell(scores: Scores) -> str:
    """The scoreboard, or a line if nothing is scored."""
    if scores.scoreboard is None:
        return str(escape("Nothing is scored yet."))
    board = scores.scoreboard
    return table_cell(board_table(board), [*board.differs, *board_notes(board)])


def run_cell(experiment: Path, run: Run) -> str:
    """A run of an experiment as a page of its own: its question, its report with every claim marked, and its steps."""
    view = read_view(experiment)
    wanted = (run.system, run.query_id, run.repeat)
    place = [(planned.label, planned.query.query_id, planned.repeat) for planned in view.planned].index(wanted)
    question = next(question for question in view.questions if place in question.places)
    section = Questions(view).render(replace(question, places=(place,))).unfolded()
    return _framed(whole_page(run.run_id, run.system, "", (), [section]))


def report_cell(run: Run, evidence: Sequence[Evidence]) -> str:
    """The report of a run without an experiment, with numbered sources; why there is none if the run failed."""
    if run.report is None:
        why = "" if run.error is None else f": {run.error.message}"
        return str(Markup("<p>{} left no report{}</p>").format(run.system, why))
    report = marked_html(render_report(run.report, evidence).text, ()).html
    return _framed(whole_page(run.run_id, run.system, "", (), [report]))


def _framed(page: str) -> str:
    """The page in an iframe, so that its style and script stay apart from the notebook's."""
    frame = Markup('<iframe srcdoc="{}" sandbox="allow-scripts allow-popups" style="width:100%;height:{}px"></iframe>')
    return str(frame.format(page, HEIGHT))
