"""``drretail sandbox``: sealed webs, one for each query."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.sandboxes.build import build

sandbox_app = typer.Typer(no_args_is_help=True, help="Sealed webs, one for each query, in several sizes.")


sandbox_app.command("build")(build)


@sandbox_app.command("check")
def check(folder: Annotated[Path, typer.Argument(metavar="S", help="The sandbox's folder.")]) -> None:
    """Says what is wrong with a sandbox; ends with 3 when something is."""
    from drretail.sandboxes.checking import check_sandbox

    found = check_sandbox(folder)
    for query_id, faults in found.items():
        for fault in faults:
            typer.echo(f"{query_id}: {fault}")
    whole = sum(not faults for faults in found.values())
    typer.echo(f"{whole} of {len(found)} queries pass.")
    if whole < len(found):
        raise typer.Exit(3)
