"""``drretail view``: an experiment shown in the browser."""

from dataclasses import asdict

import typer

from drretail.addons.live.options import ViewOptions
from drretail.cli.options import flags
from drretail.viewer.output import print_json, say


def view_command(options: ViewOptions, output: flags.Output) -> None:
    """Shows an experiment in your browser, and lets people vote on its reports.

    If EXP is a folder of experiments, shows a table of them.

    People compare, rate or check reports without seeing the system. EXP/votes keeps their answers. Only this machine
    can open the page (drretail/addons/live/README.md).
    """
    from drretail.addons.live.view import names_one, serve_view, votes_of
    from drretail.addons.people.voting.results import print_results

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
