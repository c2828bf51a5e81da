"""``report``: a recorded experiment as pages and tables."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.api.option import accepts
from drretail.api.options.score import ReportOptions
from drretail.api.options.shared import folder_of
from drretail.api.worlds import recorded_world
from drretail.errors import UserError
from drretail.eval.numbers.file import outdated, outdated_note, read_scores
from drretail.files import write_atomically
from drretail.progress import Progress
from drretail.records.figures import counted
from drretail.records.score import Scores
from drretail.viewer.drawing.markup import latex_of
from drretail.viewer.drawing.progress import busy, choose_progress
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import csv_of
from drretail.viewer.experiment import accounts_of, read_view, summary_of
from drretail.viewer.page.document import write_report_page
from drretail.viewer.sections import agreements, board_sections, sections
from drretail.viewer.tables.board import BoardTables

MANY_RUNS = 50
"""From this many runs on, progress is shown while their pages are written."""
DEFAULT_NAMES = {
    "html": "report.html",
    "latex": "tables.tex",
    "csv": "tables.csv",
    "paper": "paper.md",
}


@accepts(ReportOptions)
def report(options: ReportOptions) -> Result[str]:
    """Shows the answers of an experiment with every claim marked by its verdict, as a page unless ``form`` says
    otherwise.

    The value is the tables as text, and blank for pages. Tables are written only if ``to`` names a file, or else the
    ``path`` of the result is None. Raises UserError for a folder without an experiment, for
    options that contradict each other, and if ``to`` is a folder instead of a file.
    """
    experiment, to = folder_of(options.experiment), None if options.to is None else Path(options.to)
    if to is not None and to.suffix.casefold() == ".json":
        raise UserError(f"report writes no JSON to {to.name}: --json prints a document.")
    if to is not None and to.is_dir():
        raise UserError(f"{to} is a folder: --to names the file to write, such as {to / DEFAULT_NAMES[options.form]}.")
    target = to or (experiment / DEFAULT_NAMES[options.form] if options.form == "html" else Path())
    place = next(parent for parent in (target, *target.parents) if parent.exists())
    if target != Path() and place.is_dir() and not os.access(place, os.W_OK):
        raise UserError(f"{place} is closed to this user: change its permissions, or name another place.")
    if options.form == "paper":
        return _paper(experiment, options, to)
    if options.form == "html":
        return _pages(experiment, target, options.split)
    with busy("reading runs and scores"):
        view = read_view(experiment)
    board = view.scores.scoreboard
    if board is None:
        raise UserError(f"{view.folder} has no scores yet: drretail score {quote(str(view.folder))} makes them.")
    agreed = [table for section in agreements(view.scores) for table in section.tables]
    tables = [*BoardTables(board, full=options.form == "csv").tables, *agreed]
    if options.details:
        every = [*board_sections(board), *sections(view.scores)]
        tables = [table for section in every for table in section.separate_tables]
    text = latex_of(tables) if options.form == "latex" else csv_of(tables)
    if to is not None:
        write_atomically(to, text)
    others = ", ".join(dict.fromkeys(judge for judge, _ in view.scores.other_judges))
    hints = [f"Also judged by {others}: --details has these tables."] if others and not options.details else []
    return _result(to, text, lambda: summary_of(view), hints, experiment=experiment, scores=view.scores)


def _unjudged(experiment: Path) -> list[str]:
    """What to do where no run is judged yet."""
    is_judged = (experiment / "scores.json").exists() or any((experiment / "verdicts").glob("*/*/*/*"))
    return [] if is_judged else [f"No run is judged yet: drretail score {quote(str(experiment))} does it."]


def _result(
    to: Path | None,
    text: str,
    document: Callable[[], Mapping[str, Any]],
    hints: Sequence[str] = (),
    *,
    experiment: Path,
    scores: Scores | None,
) -> Result[str]:
    """The file that was written, or the text without one; and what its numbers leave out."""
    partial = [account for account in accounts_of(experiment, scores) if account.came != account.used]
    notes = [
        f"{account.stage}: {account.used:,} of {counted(account.came, account.unit)} used; {account.reasons}."
        for account in partial
    ]
    if changes := outdated(experiment, scores):
        notes.insert(0, outdated_note(experiment, changes))
    about = {"report": None if to is None else str(to)} | (
        {"accounts": [account.document() for account in partial]} if partial else {}
    )
    shown = text.removesuffix("\n") if to is None else str(to)
    left = sum(account.has_failed for account in (scores.accounts if scores else ()))
    return Result(text, lambda: {**about, **document()}, [shown], hints=hints, notes=notes, left=left, path=to)


def _pages(experiment: Path, to: Path, split: bool | None) -> Result[str]:
    """Writes the pages.

    Unless ``split`` is given, the report's size decides between one file and a folder.
    """
    if to.suffix.casefold() in (".csv", ".tsv", ".xlsx", ".parquet"):
        raise UserError(
            f"report writes a page, not {to.name}: drretail export {quote(str(experiment))} --format csv writes tables."
        )
    form = "auto" if split is None else "split" if split else "single"
    with busy("reading runs and scores"):
        view = read_view(experiment)
    many = len(view.runs) >= MANY_RUNS
    with (choose_progress() if many else Progress()).track("Writing pages", len(view.runs)) as bar:
        page = write_report_page(view, to, form, bar)
    scores = view.scores if view.is_scored else None
    return _result(page, "", lambda: summary_of(view), _unjudged(experiment), experiment=experiment, scores=scores)


def _paper(experiment: Path, options: ReportOptions, to: Path | None) -> Result[str]:
    """The paper's tables, with the experiment's lines beside the paper's own."""
    from drretail.viewer.paper import markdown_of, read_paper_view

    with recorded_world(experiment, options.world) as shop, busy("reading runs and scores"):
        view = read_paper_view(experiment, shop)
    text = markdown_of(view)
    if to is not None:
        write_atomically(to, text)
    return _result(to, text, view.document, experiment=experiment, scores=read_scores(experiment))
