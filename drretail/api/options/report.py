"""What ``report`` is given."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import shared

ReportFormat = Literal["html", "text", "paper", "plots"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """An experiment, and the form in which it is shown."""

    experiment: shared.Experiment
    form: Annotated[
        ReportFormat,
        Option("A self-contained page, text, the paper's tables, or plots as SVG and PNG.", flag="--format"),
    ] = "html"
    _: KW_ONLY
    to: Annotated[
        str | Path | None,
        Option(
            "The file to write, as JSON where its name ends in .json; plots: a folder.",
            flag="--output",
            short="-o",
            metavar="FILE",
            default="EXP/report.html; text to stdout",
        ),
    ] = None
    diff: Annotated[
        tuple[str, str] | None,
        Option(
            "The answers of two systems side by side, and what changed in them.", metavar="A B", type=tuple[str, str]
        ),
    ] = None
    title: Annotated[str | None, Option("What the experiment is called from now on; kept in experiment.json.")] = None
    split: Annotated[
        bool | None,
        Option("A folder with a page per query, or one file.", flag="--split/--single", default="a folder above 8 MB"),
    ] = None
    details: Annotated[bool, Option("With --format text: every answer and all tables, of many runs as well.")] = False
    world: shared.MovedWorld = None
