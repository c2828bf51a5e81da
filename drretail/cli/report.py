"""``drretail report``: a recorded experiment as a page or as text."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags as options
from drretail.errors import UserError
from drretail.experiment import entitle

if TYPE_CHECKING:
    from drretail.viewer.experiment import ExperimentView


class Format(StrEnum):
    HTML = "html"
    TEXT = "text"
    PAPER = "paper"
    PLOTS = "plots"


MANY_RUNS = 50
"""From so many on, writing their pages is told while it goes on."""
DEFAULT_NAMES = {Format.HTML: "report.html", Format.TEXT: "report.txt", Format.PAPER: "paper.md", Format.PLOTS: "plots"}


def report(
    experiment: Annotated[Path, typer.Argument(metavar="EXP", help="The folder of an experiment.")],
    form: Annotated[
        Format,
        typer.Option("--format", help="A self-contained page, text, the paper's tables, or plots as SVG and PNG."),
    ] = Format.HTML,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Default: EXP/report.html; text to stdout; a folder of plots. A .json: JSON.",
        ),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option("--world", "-w", metavar="W", help="With --format paper: the queries' world, if moved."),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", help="What the experiment is called from now on; kept in experiment.json."),
    ] = None,
    split: Annotated[
        bool | None,
        typer.Option(
            "--split/--single",
            help="A folder with a page a query, or one file.",
            show_default="a folder above 8 MB",
        ),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Two systems' answers side by side, and what changed in them."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="With --format text: every answer and all tables, of many runs as well.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Shows the reports of an experiment with every claim marked by its verdict.

    The page stands alone: one HTML file that loads nothing, to be read offline, sent or archived; one above 8 MB
    becomes a folder with an index and a page a query. With --format paper: the tables of the paper, each line of the
    experiment beside the paper's own, and what is missing. With --format plots: every plot of the page as SVG and PNG.
    With --diff A B:
    what A alone claims and picks, what B alone does, and what a judge ruled otherwise, answer beside answer. --json
    prints the JSON, whatever a file is written beside; a FILE that ends in .json gets it, too.
    """
    if form is Format.PLOTS and diff is None:
        _plots(experiment, to or experiment / DEFAULT_NAMES[form], as_json=as_json)
        return
    if to is not None and to.is_dir():
        raise UserError(f"{to} is a folder: -o names the file to write, such as {to / DEFAULT_NAMES[form]}.")
    if diff is not None:
        _diff(experiment, form, to, *diff, as_json=as_json, quiet=quiet)
        return
    if form is Format.PAPER:
        _paper(experiment, to, world, as_json=as_json, quiet=quiet)
        return
    if title is not None:
        entitle(experiment, title)
    _shown(experiment, form, to, split=split, details=details, as_json=as_json, quiet=quiet)


def _shown(
    experiment: Path, form: Format, to: Path | None, *, split: bool | None, details: bool, as_json: bool, quiet: bool
) -> None:
    """The whole experiment as pages or as text, and where they went."""
    from drretail.eval.claims.claims import FAMILY
    from drretail.progress import busy
    from drretail.viewer.experiment import read_view
    from drretail.viewer.output import print_json, say
    from drretail.viewer.summary import summary_of
    from drretail.viewer.terminal.text_report import FEW_RUNS, text_of

    with busy("reading runs and scores", quiet=quiet):
        view = read_view(experiment)
    if form is Format.HTML:
        to = _write_pages(view, to or experiment / DEFAULT_NAMES[form], split, quiet=quiet)
        text = ""
    else:
        with busy("writing the report", quiet=quiet):
            text = text_of(view, details=details or len(view.planned) <= FEW_RUNS)
            _write(to, lambda: text, lambda: summary_of(view))
    if as_json:
        print_json({"report": None if to is None else str(to), **summary_of(view)})
    elif to is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(str(to))
        if not quiet and view.scores is None and not any((experiment / "verdicts" / FAMILY).glob("*/*/*")):
            say(f"No run is judged yet: drretail score {experiment} does it.")


def _plots(experiment: Path, to: Path, *, as_json: bool) -> None:
    """Every plot of the page as files in a folder."""
    from itertools import chain

    from drretail.viewer.experiment import read_view
    from drretail.viewer.output import print_json
    from drretail.viewer.page.overview import plots_of
    from drretail.viewer.page.run_lines import run_line
    from drretail.viewer.plots.files import write_plots

    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file: -o names the folder for plots.")
    view = read_view(experiment)
    lines = [run_line(view.runs[place], question) for question in view.questions for place in question.places]
    written = write_plots([*chain(*plots_of(view, lines))], to)
    if as_json:
        print_json({"plots": [str(path) for path in written]})
    else:
        for path in written:
            typer.echo(str(path))


def _write_pages(view: "ExperimentView", to: Path, split: bool | None, *, quiet: bool) -> Path:
    """Writes the report where its size lets it be, and gives what to open; a name that ends in .json gets the JSON."""
    from drretail.progress import choose_progress
    from drretail.viewer.page.document import write_report
    from drretail.viewer.summary import summary_of

    if to.suffix.casefold() == ".json":
        _write(to, str, lambda: summary_of(view))
        return to
    many = len(view.runs) >= MANY_RUNS
    form = "auto" if split is None else "split" if split else "single"
    with choose_progress(None if many and not quiet else "none").track("Writing pages", len(view.runs)) as bar:
        return write_report(view, to, form, bar)


def _diff(experiment: Path, form: Format, to: Path | None, a: str, b: str, *, as_json: bool, quiet: bool) -> None:
    from drretail.progress import busy
    from drretail.viewer.diff.answers import read_diff
    from drretail.viewer.diff.diff_html import diff_page
    from drretail.viewer.diff.diff_text import diff_document, diff_text
    from drretail.viewer.output import print_json

    if form is Format.PAPER:
        raise UserError("--diff has no tables of the paper: leave --format out, or give --format text.")
    if form is Format.PLOTS:
        raise UserError("--diff has no plots: leave --format out, or give --format text.")
    with busy("comparing answers", quiet=quiet):
        diff = read_diff(experiment, a, b)
    if form is Format.HTML:
        to = to or experiment / f"diff-{diff.a}~{diff.b}.html"
    with busy("writing the answers side by side", quiet=quiet):
        _write(to, lambda: diff_page(diff) if form is Format.HTML else diff_text(diff), lambda: diff_document(diff))
    if as_json:
        print_json({"report": None if to is None else str(to), **diff_document(diff)})
    else:
        typer.echo(diff_text(diff) if to is None else str(to), nl=to is not None)


def _paper(experiment: Path, to: Path | None, world: str | None, *, as_json: bool, quiet: bool) -> None:
    from drretail.api.judges import world_of
    from drretail.progress import busy
    from drretail.querygen.lint import Linter
    from drretail.viewer.output import print_json
    from drretail.viewer.paper.markdown_tables import markdown_of
    from drretail.viewer.paper.tables import read_paper_view

    with world_of(experiment, world, quiet=quiet) as shop, busy("reading runs and scores", quiet=quiet):
        view = read_paper_view(experiment, None if shop is None else Linter(shop))
    _write(to, lambda: markdown_of(view), view.document)
    if as_json:
        print_json({"report": None if to is None else str(to), **view.document()})
    else:
        typer.echo(markdown_of(view) if to is None else str(to), nl=to is not None)


def _write(to: Path | None, text: Callable[[], str], document: Callable[[], dict[str, Any]]) -> None:
    """The text into a file, or the document where its name ends in .json; nothing without a file."""
    from drretail.files import write_atomically
    from drretail.viewer.output import json_text

    if to is not None:
        write_atomically(to, f"{json_text(document())}\n" if to.suffix.casefold() == ".json" else text())
