"""``drretail view``: an experiment live in the browser, with the pages on which people vote."""

import typer

from drretail.api.options.report import ViewOptions
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped


@grouped
def view(options: ViewOptions, output: flags.Output) -> None:
    """Shows an experiment on this machine's browser while it grows, and lets people vote on its reports.

    People compare two reports, rate one, or hold a claim against its sources, without being told which system wrote
    what; each answer is kept at once in EXP/votes. The report does tell it, so with --plan it is not shown. Only
    this machine is answered, at an address with a random token. docs/voting.md tells the rest.
    """
    from drretail.api.view import serve_view, votes_of
    from drretail.viewer.output import print_json, say
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
        if options.experiment is not None:
            say(results_sentence(votes_of(options)))
