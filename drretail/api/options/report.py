"""The options of ``report``, ``import``, ``forget`` and ``view``."""

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
    title: Annotated[str | None, Option("The experiment's new title.", flag="")] = None
    split: Annotated[
        bool | None,
        Option("A folder with a page per query, or one file.", flag="--split/--single", default="a folder above 8 MB"),
    ] = None
    details: Annotated[bool, Option("With --format text: print every answer and all tables.")] = False
    world: shared.MovedWorld = None


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Makes an experiment from reports: Markdown, Word, PDF, chat logs, and ten benchmarks' files.

    docs/exchange.md lists the files of each FORMAT. Word and PDF need the extra `documents`.

    A second import into the same folder adds systems.
    """

    form: Annotated[
        str,
        Option(
            "drb, drg, reporteval, dr3, liveresearch, deepshop, agenticshop, arena, ecomagentbench, pdr, chat, "
            "markdown (also for Word and PDF files), a plugin's, or module:attribute.",
            argument=True,
            metavar="FORMAT",
        ),
    ]
    path: Annotated[
        str | Path, Option("A file (it may be compressed), or a folder of them.", argument=True, metavar="PATH")
    ]
    to: Annotated[
        str | Path, Option("The experiment's folder; or FILE.jsonl, to import only the questions.", metavar="EXP")
    ]
    _: KW_ONLY
    system: Annotated[
        str | None, Option("The system that wrote the reports (default: the file's name).", metavar="NAME")
    ] = None
    model: Annotated[str | None, Option("The model that wrote the reports.", metavar="PROVIDER:MODEL")] = None
    pages: Annotated[
        str | Path | None,
        Option("The cited pages: a JSONL file, or a folder with an index.jsonl of {url, file}.", metavar="PATH"),
    ] = None
    world: Annotated[
        "str | Path | research.OpenWorld | None",
        Option("The shop whose records are used to check claims about products.", short="-w", metavar="W", type=str),
    ] = None
    redact: Annotated[
        bool, Option("Remove personal data (e-mail, phone, IBAN, card, street) before anything is written.")
    ] = False
    names: shared.Names = None


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """Removes a user or a conversation from an experiment.

    It removes queries, runs, verdicts, readings, votes and profiles, and all pages, scores and exports, which may quote
    them. The shop's own records stay as they are.
    """

    experiment: shared.Experiment
    _: KW_ONLY
    user: Annotated[str | None, Option("The user, by id.", metavar="U")] = None
    conversation: Annotated[str | None, Option("The conversation, by its id in the log or here.", metavar="C")] = None


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """An experiment, queries to review, or both, and how they are served."""

    experiment: shared.SomeExperiment = None
    _: KW_ONLY
    n: Annotated[int | None, Option("Show only the voting, with this many items per person.", min=1)] = None
    review: Annotated[str | Path | None, Option("Queries for people to review.", metavar="QUERIES.jsonl")] = None
    world: research.World = "demo"
    port: Annotated[int, Option("The port; 0 for any free one.", min=0, max=65535)] = 0
    results: Annotated[bool, Option("Print the votes. Start no server.")] = False
