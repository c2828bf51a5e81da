"""``drretail report``: an experiment shown."""

import typer

from drretail.api.option import keywords
from drretail.api.options.report import ReportOptions
from drretail.cli.options import flags
from drretail.viewer.output import print_json, remark


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
