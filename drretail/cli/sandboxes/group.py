"""``drretail sandbox``: sealed webs, one for each query."""

import typer

from drretail.cli.sandboxes.build import build
from drretail.cli.sandboxes.queries import queries
from drretail.cli.sandboxes.sandbox_check import check

sandbox_app = typer.Typer(no_args_is_help=True, help="Sealed webs, one for each query, in several sizes.")

sandbox_app.command("build")(build)
sandbox_app.command("queries")(queries)
sandbox_app.command("check")(check)
