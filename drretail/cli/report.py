"""``drretail report``, ``export`` and ``view``: an experiment as a page, as text, for other programs, or live."""

import typer

from drretail.api.options.report import ExportOptions, ReportOptions, ViewOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.progress import busy
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, say


@grouped
def report(options: ReportOptions, output: flags.Output) -> None:
    """Shows the reports of an experiment with every claim marked by its verdict.

    The page stands alone: one HTML file that loads nothing, to be read offline, sent or archived; one above 8 MB
    becomes a folder with an index and a page per query. With --format paper: the tables of the paper, each line of the
    experiment beside the paper's own, and what is missing. With --format plots: every plot of the page as SVG and PNG.
    With --diff A B: what A alone claims and picks, what B alone does, and what a judge ruled otherwise, answer beside
    answer. --json prints the JSON, whatever a file is written beside; a FILE that ends in .json gets it, too.
    """
    from drretail.api.report import report_with

    made = report_with(options, quiet=output.quiet)
    if output.as_json:
        print_json(made.document)
    elif made.path is None:
        typer.echo(made.text, nl=False)
    else:
        typer.echo(made.text if options.form == "plots" else str(made.path))
    if not made.is_judged and made.path is not None and not output.quiet and not output.as_json:
        say(f"No run is judged yet: drretail score {options.experiment} does it.")


@grouped
def export(options: ExportOptions, output: flags.Output) -> None:
    """Writes runs, reports and scores as chat JSONL for fine-tuning, as deep_research_bench takes reports, as CSV or
    Parquet, or as a dataset folder.

    A rule holds where every judge that scored the report says so. What was left out is counted.
    """
    from drretail.api.report import export_with

    with busy("exporting", quiet=output.quiet):
        made = export_with(options)
    if output.as_json:
        print_json({"path": str(made.path), "written": made.written, "left_out": dict(made.left_out)})
        return
    if made.left_out and not output.quiet:
        reasons = (f"{counted(count, 'run')} {why}" for why, count in made.left_out.items())
        say(f"Left out: {', '.join(reasons)}.")
    typer.echo(f"{made.written} → {made.path}")


@grouped
def view(options: ViewOptions, output: flags.Output) -> None:
    """Shows an experiment on this machine's browser while it grows, and lets people vote on its reports.

    Of a folder that holds several experiments it shows a table in order of time, from which each is opened.

    People compare two reports, rate one, or hold a claim against its sources, without being told which system wrote
    what; each answer is kept at once in EXP/votes. The report does tell it, so with --plan it is not shown. Only
    this machine is answered, at an address with a random token. docs/viewer.md tells the rest.
    """
    from drretail.api.view import names_one, serve_view, votes_of
    from drretail.viewer.voting.results import print_results, results_document, results_sentence

    def begun(address: str) -> None:
        import webbrowser

        typer.echo(address)
        say("Only this machine is answered. Ctrl-C ends it.")
        if options.browser:
            webbrowser.open(address)

    if output.as_json:
        print_json(results_document(votes_of(options)))
    elif options.results:
        print_results(votes_of(options))
    else:
        serve_view(options, begun, quiet=output.quiet)
        if names_one(options):
            say(results_sentence(votes_of(options)))
