"""``drretail report`` and ``view``: an experiment shown."""

from dataclasses import asdict

import typer

from drretail.api.option import keywords
from drretail.api.options.report import ReportOptions, ViewOptions
from drretail.cli.options import flags
from drretail.viewer.output import print_json, remark, say


def report(options: ReportOptions, output: flags.Output) -> None:
    """Shows an experiment's reports with every claim marked by its verdict.

    The page is one HTML file; above 8 MB it becomes a folder.
    """
    from drretail.api.report import report as report_on

    made = report_on(**keywords(options))
    if output.as_json:
        print_json(made.document)
    elif made.path is None:
        typer.echo(made.text, nl=False)
    else:
        typer.echo(made.text if options.form == "plots" else str(made.path))
    if not made.is_judged and made.path is not None and not output.as_json:
        remark(f"No run is judged yet: drretail score {options.experiment} does it.")


def view(options: ViewOptions, output: flags.Output) -> None:
    """Shows an experiment in your browser, and lets people vote on its reports.

    If EXP is a folder of experiments, shows a table of them.

    People compare, rate or check reports without seeing the system. EXP/votes keeps their answers. Only this machine
    can open the page (docs/viewer.md).
    """
    from drretail.api.view import names_one, serve_view, votes_of
    from drretail.viewer.voting.results import print_results

    def begun(address: str) -> None:
        typer.echo(address)
        say("The server answers only this machine. Ctrl-C stops it.")

    if output.as_json:
        print_json(asdict(votes_of(options)))
    elif options.results:
        print_results(votes_of(options))
    else:
        serve_view(options, begun)
        if names_one(options):
            print_results(votes_of(options))
