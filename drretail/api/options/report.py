"""The options of ``report``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import shared

ReportFormat = Literal["html", "text", "latex", "paper", "plots"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Shows an experiment's reports with every claim marked by its verdict.

    The page is one HTML file; above 8 MB it becomes a folder.
    """

    experiment: shared.Experiment
    form: Annotated[
        ReportFormat,
        Option("A page, text, the scoreboard for LaTeX, the paper's tables, or plots as SVG and PNG.", flag="--format"),
    ] = "html"
    _: KW_ONLY
    to: Annotated[
        str | Path | None,
        Option(
            "The file to write (.json for JSON); for plots a folder.",
            metavar="FILE",
            default="EXP/report.html; text and LaTeX to stdout",
        ),
    ] = None
    diff: Annotated[
        tuple[str, str] | None, Option("Show how two systems' answers differ.", metavar="A B", type=tuple[str, str])
    ] = None
    title: Annotated[str | None, Option("The experiment's new title.", flag="")] = None
    split: Annotated[
        bool | None,
        Option("A folder with a page per query, or one file.", flag="--split/--single", default="a folder above 8 MB"),
    ] = None
    details: Annotated[bool, Option("With --format text: print every answer and all tables.")] = False
    world: shared.MovedWorld = None
