"""The options of ``report``, ``export``, ``forget`` and ``view``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import research, shared

ReportFormat = Literal["html", "text", "latex", "paper", "plots"]


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """An experiment, and the form in which it is shown."""

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
    title: Annotated[str | None, Option("The experiment's new title.")] = None
    split: Annotated[
        bool | None,
        Option("A folder with a page per query, or one file.", flag="--split/--single", default="a folder above 8 MB"),
    ] = None
    details: Annotated[bool, Option("With --format text: print every answer and all tables.")] = False
    world: shared.MovedWorld = None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """An experiment, the form in which it is written, and which of its runs."""

    experiment: shared.Experiment
    form: Annotated[
        str,
        Option(
            "chat, roles, drb, csv, statements, parquet, dataset, sandbox, inspect, a plugin's, or module:attribute.",
            flag="--as",
            metavar="FORM",
        ),
    ]
    to: Annotated[
        str | Path | None, Option("The file or folder to write.", default="EXP/exports/, named by its form")
    ] = None
    _: KW_ONLY
    systems: Annotated[
        shared.Texts, Option("A system to export.", flag="--system", metavar="LABEL", type=list[str])
    ] = ()
    where: Annotated[
        shared.Texts,
        Option("A rule that exported runs meet, such as 'FP >= 0.8' or 'overall > 6'.", metavar="RULE", type=list[str]),
    ] = ()
    floors: Annotated[bool, Option("Also export the null agents and the oracle.")] = False
    failed: Annotated[bool, Option("Also export runs without a report.")] = False
    redact: Annotated[bool, Option("Replace users by pseudonyms, and remove names, addresses and numbers.")] = False
    names: shared.Names = None
    force: Annotated[bool, Option("Replace an existing export.")] = False


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """An experiment, and the user or the conversation that is removed from it."""

    experiment: shared.Experiment
    _: KW_ONLY
    user: Annotated[str | None, Option("The user, by id.", metavar="U")] = None
    conversation: Annotated[str | None, Option("The conversation, by its id in the log or here.", metavar="C")] = None


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """An experiment, queries to review, or both, and how they are served."""

    experiment: shared.SomeExperiment = None
    _: KW_ONLY
    plan: Annotated[int | None, Option("Show only the voting, with this many items per person.", min=1)] = None
    with_report: Annotated[bool, Option("With --plan: also show the experiment's page, which names the systems.")] = (
        False
    )
    review: Annotated[str | Path | None, Option("Queries for people to review.", metavar="QUERIES.jsonl")] = None
    world: research.World = "demo"
    port: Annotated[int, Option("The port; 0 for any free one.", min=0, max=65535)] = 0
    browser: Annotated[bool, Option("Open the page in the browser.", flag="--open")] = False
    results: Annotated[bool, Option("Print the votes. Start no server.")] = False
