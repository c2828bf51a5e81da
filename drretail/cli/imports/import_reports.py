"""``drretail import``: reports, tasks and personas of other benchmarks and products, as an experiment."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.errors import UserError

QUERY_FILE = ".jsonl"


def import_reports(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="drb, drg, reporteval, dr3, liveresearch, deepshop, agenticshop, pdr, markdown, a plugin's, or "
            "module:attribute.",
        ),
    ],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, packed or not, or a folder of them.")],
    to: Annotated[
        Path, typer.Option("--to", metavar="EXP", help="The experiment's folder; FILE.jsonl for questions alone.")
    ],
    system: Annotated[
        str | None, typer.Option("--system", metavar="NAME", help="Who wrote the reports, instead of the file's name.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="The model behind them, where it is known.")
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option("--pages", metavar="DIR", help="Cited pages: a folder with index.jsonl {url, file}, or JSONL."),
    ] = None,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Makes an experiment of reports from elsewhere: deep_research_bench, ReportEval, PDR-Bench, Markdown and more.

    score, report, compare, view and export take it as their own; a second import into the same folder adds systems.
    The texts stay as they are; how their citations resolve is counted. Without reports, the questions alone are taken.
    """
    from drretail.cli.imports.printed import imported_document, print_imported, print_questions, questions_document
    from drretail.imports.formats import load_format
    from drretail.imports.recording import record, write_queries
    from drretail.progress import busy, choose_progress
    from drretail.viewer.output import print_json

    chosen = load_format(form)
    if not path.exists():
        raise UserError(f"{path} does not exist.")
    with busy("reading", quiet=quiet):
        material = chosen.read(path)
    if material.is_empty:
        raise UserError(f"{path} holds nothing of this format. {chosen.described}.")
    material = material if system is None else material.renamed(system)
    if to.suffix == QUERY_FILE and not to.is_dir():
        if pages is not None:
            raise UserError(f"{to} would be a file of questions, which holds no pages: leave --pages out.")
        queries = write_queries(material, form, to)
        print_json(questions_document(queries, to)) if as_json else print_questions(queries, to)
        return
    came = record(material, form, to, choose_progress("none" if quiet else None), model=model, pages=pages)
    print_json(imported_document(came, to, form)) if as_json else print_imported(came, to)
