"""``view``: one or several experiments live in the browser, with the pages on which people vote."""

from contextlib import ExitStack
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe

from drretail.addons.live.options import ViewOptions
from drretail.addons.people.voting.results import VoteResults, results_of, vote_tables
from drretail.api.observer import SILENT
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of
from drretail.api.worlds import world_of
from drretail.env.world import World
from drretail.errors import UserError, install_line
from drretail.eval.ballots import read_votes
from drretail.experiment import read_definition
from drretail.records.tables.result import Result
from drretail.viewer.summary import holds_several

NEEDED = ("starlette", "uvicorn")


@accepts(ViewOptions)
def view(options: ViewOptions) -> Result[VoteResults | None]:
    """Shows an experiment in this machine's browser until Ctrl-C.

    Returns people's votes, with ``results`` at once; None without an experiment, or for several. Raises UserError for a
    folder without one, for a port in use, and if the packages of a server are not installed.
    """
    if not options.results:
        _serve(options)
    elif options.experiment is None:
        raise UserError("Name the experiment whose votes are to be counted: drretail view EXP --results.")
    experiment = None if options.experiment is None else folder_of(options.experiment)
    if experiment is None or (not options.results and holds_several(experiment)):
        return Result(None, {})
    read_definition(experiment)
    votes = results_of(read_votes(experiment))
    return Result(votes, asdict(votes), [*vote_tables(votes)])


def _serve(options: ViewOptions) -> None:
    if options.experiment is None and options.review is None:
        raise UserError("Name the folder of an experiment, or queries to review: drretail view EXP, or --review FILE.")
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(f"The live view needs {' and '.join(missing)}: {install_line('ui')}.")
    from drretail.addons.live.access import address_of
    from drretail.addons.live.app import create_app, routes_of
    from drretail.tools.local_server import bound, port_of, serve  # imports packages that may be missing

    experiment = None if options.experiment is None else folder_of(options.experiment)
    with ExitStack() as stack:
        review: tuple[Path, World] | None = None
        if options.review is not None:
            review = Path(options.review), stack.enter_context(world_of(options.world))
        listening, token = bound(options.port), token_urlsafe(24)
        port = port_of(listening)
        routes = routes_of(experiment, port, options.n, review, with_report=options.n is None)
        address = address_of(listening, token, "/" if experiment is not None else "/review")
        observer = options.observer or SILENT

        def begun() -> None:
            observer.serving(address)
            observer.note("The server answers only this machine. Ctrl-C stops it.")

        serve(create_app(routes, token, port), listening, begun)
