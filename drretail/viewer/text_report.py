"""An experiment as plain text: the board; in full with every table and the judges' cards. A page shows the answers."""

from shlex import quote
from textwrap import wrap

from drretail.eval.method import method_cards
from drretail.records.tables.figures import counted
from drretail.records.tables.result import part_lines
from drretail.records.tables.screen import on_screen
from drretail.viewer.cards import fault_lines
from drretail.viewer.commands import commands, score_command
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.sections import board_details, board_parts, metric_parts
from drretail.viewer.tables.board import about_words
from drretail.viewer.tables.false_statements import false_lines

WIDTH = 80
"""The width of sentences; tables may be wider."""


def report_as_text(view: ExperimentView, *, details: bool = False) -> str:
    """The text of a view; in short without ``details``."""
    score = score_command(view)
    fingerprint = view.definition.world_fingerprint
    origin = "of imported reports" if fingerprint is None else f"on the world {fingerprint[:12]}"
    lines = [f"Experiment {view.name} {origin}", ""]
    if view.is_of_shop:
        checked, *false = false_lines(view.runs)
        lines += [*_folded(checked, ""), *(line for statement in false for line in _folded(statement)), ""]
    if view.scores.scoreboard is not None and (details or not view.is_of_shop):
        about = about_words(view.definition, view.scores.scoreboard)
        parts = (
            board_details(view.scores, view.lab) if details else board_parts(view.scores, about, [*fault_lines(view)])
        )
        lines += part_lines(parts, WIDTH)
    if details:
        stale = sum(run.stale for run in view.runs)
        if not view.is_scored:
            lines.append(f"No scores yet: {score} makes them.")
        if view.outdated:
            lines.append(f"These scores are older than the runs: {view.outdated}. Run {score} again.")
        if view.is_scored and stale:
            verdicts = counted(stale, "verdict is", "verdicts are")
            lines.append(f"{verdicts} not used, since the report or the question has changed: run {score} again.")
        lines += [""] if view.is_scored and (view.outdated or stale) else []
        lines += part_lines(metric_parts(view.scores), WIDTH) if view.is_scored else []
        lines += [
            line for card in method_cards(view.folder, view.scores) for fact in card.text for line in _folded(fact)
        ]
    else:
        lines.append(
            f"All tables: drretail report {quote(str(view.folder))} --format text --details. The page has all answers."
        )
    lines += ["", "How to repeat it (the page has queries.jsonl)", *(f"  {line}" for line in commands(view))]
    return on_screen("\n".join(lines) + "\n")


def _folded(text: str, indent: str = "  ") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
