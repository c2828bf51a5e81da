"""``drretail report``, ``export``, ``forget`` and ``view``: an experiment shown, written, or without somebody."""

from dataclasses import asdict

import typer

from drretail.api.option import keywords
from drretail.api.options.report import ExportOptions, ForgetOptions, ReportOptions, ViewOptions
from drretail.cli.options import flags
from drretail.progress import busy
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows, print_text, remark, say


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


def export(options: ExportOptions, output: flags.Output) -> None:
    """Writes runs, reports and scores for other programs, such as CSV or chat JSONL.

    With several judges, every judge's scores must meet the --where rule.
    """
    from drretail.api.report import export as export_runs

    with busy("exporting"):
        made = export_runs(**keywords(options))
    if output.as_json:
        print_json({"path": str(made.path), "written": made.written, "left_out": dict(made.left_out)})
        return
    if made.left_out:
        reasons = (f"{counted(count, 'run')} {why}" for why, count in made.left_out.items())
        remark(f"Left out: {', '.join(reasons)}.")
    typer.echo(f"{made.written} → {made.path}")


def forget(options: ForgetOptions, output: flags.Output) -> None:
    """Removes a user or a conversation from an experiment.

    It removes queries, runs, verdicts, readings, votes and profiles, and all pages, scores and exports, which may quote
    them. The shop's own records stay as they are.
    """
    from drretail.api.forget import forget as forget_in

    gone = forget_in(**keywords(options))
    if output.as_json:
        print_json(asdict(gone))
        return
    print_rows("Removed", ("file or folder",), [[name] for name in gone.removed])
    queries = counted(len(gone.queries), "conversation")
    print_text(f"Forgotten: {queries} with {counted(gone.runs, 'run')}. Kept: the other conversations.")
    if gone.still_named:
        print_text(f"Still named in: {', '.join(gone.still_named)}. Look at these files yourself.")
    say(f"Next: drretail score {options.experiment}, and drretail report, make the rest again.")


def view(options: ViewOptions, output: flags.Output) -> None:
    """Shows an experiment in your browser, and lets people vote on its reports.

    If EXP is a folder of experiments, shows a table of them.

    People compare, rate or check reports without seeing the system. EXP/votes keeps their answers. Only this machine
    can open the page (docs/viewer.md).
    """
    from drretail.api.view import names_one, serve_view, votes_of
    from drretail.viewer.voting.results import print_results, results_sentence

    def begun(address: str) -> None:
        import webbrowser

        typer.echo(address)
        say("The server answers only this machine. Ctrl-C stops it.")
        if options.browser:
            webbrowser.open(address)

    if output.as_json:
        print_json(asdict(votes_of(options)))
    elif options.results:
        print_results(votes_of(options))
    else:
        serve_view(options, begun)
        if names_one(options):
            say(results_sentence(votes_of(options)))
