"""``drretail sandbox queries``: queries for tasks that were built without one."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.sandboxes.found_pages import Asked, end, opened_asker, opened_model


@grouped
def queries(
    folder: Annotated[Path, typer.Argument(metavar="S", help="The sandbox's folder.")],
    asked: Asked,
    calls: flags.Calls,
    world: flags.World = "demo",
    quiet: flags.Quiet = False,
) -> None:
    """Writes the query of each task backwards from its pages and files, with gold, checklist and rubric.

    Tasks with gold stay as they are. Every call stands in the folder's journal; exit code 3 when queries failed.
    """
    from drretail.api.worlds import opened_world
    from drretail.cli.queries.by_model import say_wrong
    from drretail.env.web.sealed import read_sandbox
    from drretail.errors import UserError
    from drretail.event_loop import run_loop
    from drretail.files import read_documents
    from drretail.progress import choose_progress
    from drretail.records.query import Query
    from drretail.sandboxes.found.queries import lacking, write_queries

    about = read_sandbox(folder)
    asked_here = {it.query_id: it for it in read_documents(folder / "queries.jsonl", Query, "query")}
    if not lacking(folder, asked_here):
        typer.echo(f"{folder}: every task has its query and gold.")
        return
    writer = opened_model(asked, calls, quiet=quiet)
    with opened_world(world, quiet=quiet) as shop, opened_asker(folder, writer, asked, calls) as asker:
        if shop.manifest.fingerprint != about.world_fingerprint:
            raise UserError(f"{folder} was made for another shop: name its world with --world.")
        with choose_progress("none" if quiet else None).track(f"Asking {writer.model.spec}") as bar:
            made = run_loop(write_queries(shop, folder, asker, on_task=lambda _: bar.advance()))
        spent = writer.line(asker.usage, asker.served, quiet=quiet)
    if not quiet:
        say_wrong(made.wrong)
    typer.echo(f"{folder}: {len(made.written)} queries written.")
    typer.echo(spent)
    end(made.failed)
