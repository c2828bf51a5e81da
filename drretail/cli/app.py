"""The command line put together."""

from typing import Annotated

import typer

from drretail import __version__
from drretail.cli.ask import ask
from drretail.cli.compare import compare
from drretail.cli.demo import demo
from drretail.cli.doctor import doctor
from drretail.cli.download import download
from drretail.cli.ingest import ingest
from drretail.cli.queries.group import queries_app
from drretail.cli.report import report
from drretail.cli.run import run
from drretail.cli.score import score
from drretail.cli.synth import synth
from drretail.cli.tools import tools
from drretail.cli.world import world_app

app = typer.Typer(
    name="drretail",
    help="DeepResearch Retail: a shop of real products and orders, nine tools over it, agents that research in it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"drretail {__version__}")
        raise typer.Exit


app.command()(demo)
app.command()(synth)
app.command()(download)
app.command()(ingest)
app.add_typer(world_app, name="world")
app.command()(tools)
app.add_typer(queries_app, name="queries")
app.command()(ask)
app.command()(run)
app.command()(score)
app.command()(compare)
app.command()(report)
app.command()(doctor)
