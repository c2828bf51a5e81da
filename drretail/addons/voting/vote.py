"""``vote``: the pages on which people vote, in the browser."""

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe

from drretail.addons.people.results import VoteResults, ballots_account, results_of, vote_tables
from drretail.addons.voting.options import VoteOptions
from drretail.api.option import accepts
from drretail.api.options.observer import SILENT
from drretail.api.options.shared import folder_of
from drretail.errors import UserError, install_line
from drretail.eval.ballots import counted_votes
from drretail.experiments.experiment import read_definition
from drretail.viewer.drawing.result import Result

NEEDED = ("starlette", "uvicorn")


@accepts(VoteOptions)
def vote(options: VoteOptions) -> Result[VoteResults]:
    """Lets people vote in this machine's browser until Ctrl-C.

    Returns people's votes, with ``results`` at once. Raises UserError for a folder without an experiment, for a port
    in use, and if the packages of a server are not installed.
    """
    experiment = folder_of(options.experiment)
    if not options.results:
        _serve(experiment, options)
    read_definition(experiment)
    ballots, read = counted_votes(experiment)
    votes = results_of(ballots)
    accounts = [account for account in (read, ballots_account(experiment, ballots)) if account.n_left_out]
    left = sum(account.n_left_out for account in accounts)
    return Result(votes, asdict(votes), [*vote_tables(votes)], accounts=accounts, left=left)


def _serve(experiment: Path, options: VoteOptions) -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(f"Voting needs {' and '.join(missing)}: {install_line('ui')}.")
    from drretail.addons.voting.access import browser_address
    from drretail.addons.voting.app import routes_of, voting_app
    from drretail.tools.local_server import bound, port_of, serve  # imports packages that may be missing

    listening, token = bound(options.port), token_urlsafe(24)
    port = port_of(listening)
    routes = routes_of(experiment, port, options.n)
    observer = options.observer or SILENT

    def begun() -> None:
        observer.serving(browser_address(listening, token))
        observer.note("The server answers only this machine. Ctrl-C stops it.")

    serve(voting_app(routes, token, port), listening, begun)
