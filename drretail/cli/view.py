"""``drretail view``: an experiment live in the browser, with the pages on which people vote."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags as options
from drretail.errors import UserError, install_line

if TYPE_CHECKING:
    from drretail.env.world import World

NEEDED = ("starlette", "uvicorn")


def view(
    experiment: Annotated[
        Path | None, typer.Argument(metavar="[EXP]", help="The folder of an experiment; may be left out with --review.")
    ] = None,
    plan: Annotated[
        int | None,
        typer.Option(
            "--plan",
            metavar="N",
            min=1,
            help="Voting alone, without the report: so many items each.",
            show_default="21, beside the report",
        ),
    ] = None,
    with_report: Annotated[
        bool, typer.Option("--with-report", help="With --plan: the report as well, which names the systems.")
    ] = False,
    review: Annotated[
        Path | None, typer.Option("--review", metavar="QUERIES.jsonl", help="Also the review of these queries.")
    ] = None,
    world: options.World = "demo",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    results: Annotated[bool, typer.Option("--results", help="Print what people have voted, and end.")] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Shows an experiment on this machine's browser while it grows, and lets people vote on its reports.

    People compare two reports, rate one, or hold a claim against its sources, without being told which system wrote
    what; each answer is kept at once in EXP/votes. The report does tell it, so with --plan it is not shown. Only
    this machine is answered, at an address with a random token. docs/voting.md tells the rest.
    """
    if experiment is None and review is None:
        raise UserError("Name the folder of an experiment, or queries to review: drretail view EXP, or --review FILE.")
    if results or as_json:
        _print_results(experiment, as_json=as_json)
        return
    _require_packages()
    if review is None:
        _serve(experiment, plan, port, browser=browser, with_report=with_report)
        return
    from drretail.api.worlds import opened_world

    with opened_world(world, quiet=quiet) as shop:
        _serve(experiment, plan, port, review=(review, shop), browser=browser, with_report=with_report)


def _print_results(experiment: Path | None, *, as_json: bool) -> None:
    from drretail.eval.ballots import read_votes
    from drretail.experiment import read_definition
    from drretail.viewer.output import print_json
    from drretail.viewer.voting.results import print_results, results_document, results_of

    if experiment is None:
        raise UserError("Name the experiment whose votes are to be counted: drretail view EXP --results.")
    read_definition(experiment)
    results = results_of(read_votes(experiment))
    if as_json:
        print_json(results_document(results))
    else:
        print_results(results)


def _require_packages() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(f"The live view needs {' and '.join(missing)}: {install_line(*missing)}.")


def _serve(
    experiment: Path | None,
    plan: int | None,
    port: int,
    *,
    browser: bool,
    with_report: bool,
    review: "tuple[Path, World] | None" = None,
) -> None:
    """Until Ctrl-C; then a line on what people have said."""
    import secrets
    import webbrowser

    from drretail.eval.ballots import read_votes
    from drretail.local_server import bound, port_of, serve
    from drretail.viewer.live.access import address_of
    from drretail.viewer.live.app import create_app, parts_of
    from drretail.viewer.output import say
    from drretail.viewer.voting.results import told_results

    listening = bound(port)
    token = secrets.token_urlsafe(24)
    parts = parts_of(experiment, port_of(listening), plan, review, with_report=plan is None or with_report)
    app = create_app(parts, token, port_of(listening))
    address = address_of(listening, token, "/" if experiment is not None else "/review")

    def begun() -> None:
        typer.echo(address)
        say("Only this machine is answered. Ctrl-C ends it.")
        if browser:
            webbrowser.open(address)

    serve(app, listening, begun)
    if experiment is not None:
        say(told_results(read_votes(experiment)))
