"""``drretail sandbox check``: what is wrong with a sandbox, and whether a model finds its tasks fit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags
from drretail.cli.options.groups import grouped
from drretail.cli.sandboxes.found_pages import Asked, opened_asker, opened_model
from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.env.world import World


@grouped
def check(
    folder: Annotated[Path, typer.Argument(metavar="S", help="The sandbox's folder.")],
    asked: Asked,
    calls: flags.Calls,
    world: Annotated[
        str | None,
        typer.Option("--world", "-w", metavar="W", help="Its world: pages are looked through for its users."),
    ] = None,
    keep_passing: Annotated[
        Path | None, typer.Option("--keep-passing", metavar="TO", help="Copy the tasks that pass into a new sandbox.")
    ] = None,
    quiet: flags.Quiet = False,
) -> None:
    """Says what is wrong with a sandbox; ends with 3 when something is.

    Sizes, labels and gold always; with --model whether each query guides without telling, takes several sources,
    asks for what is to be found out, and can be read in one way.
    """
    from contextlib import nullcontext

    from drretail.api.worlds import opened_world
    from drretail.sandboxes.checking import check_sandbox
    from drretail.sandboxes.folder import check_new
    from drretail.sandboxes.passing import keep_passing as copy_passing

    if keep_passing is not None:
        check_new(keep_passing)
    with nullcontext() if world is None else opened_world(world, quiet=quiet) as shop:
        _check_world(folder, shop)
        found = check_sandbox(folder, shop)
    if asked.model is not None or calls.model_profile is not None:
        _review(folder, found, asked, calls, quiet=quiet)
    for query_id, faults in found.items():
        for fault in faults:
            typer.echo(f"{query_id}: {fault}")
    typer.echo(_rate([not faults for faults in found.values()]))
    passing = [query_id for query_id, faults in found.items() if not faults]
    if keep_passing is not None and passing:
        copy_passing(folder, keep_passing, passing)
        typer.echo(f"{keep_passing}: {len(passing)} tasks.")
    if any(found.values()):
        raise typer.Exit(3)


def _review(folder: Path, found: dict[str, list[str]], asked: Asked, calls: flags.Calls, *, quiet: bool) -> None:
    """Adds what a model finds wrong; tasks without gold have no query to be asked about."""
    from drretail.event_loop import run_loop
    from drretail.files import read_documents
    from drretail.records.query import Query
    from drretail.sandboxes.found.queries import lacking
    from drretail.sandboxes.found.review import reviewed

    writer = opened_model(asked, calls, quiet=quiet)
    queries = {it.query_id: it for it in read_documents(folder / "queries.jsonl", Query, "query")}
    without = set(lacking(folder, queries))
    with opened_asker(folder, writer, asked, calls) as asker:
        said = run_loop(reviewed(folder, [it for name, it in queries.items() if name not in without], asker))
        spent = writer.line(asker.usage, asker.served, quiet=quiet)
    for query_id, review in said.items():
        found[query_id] += [f"nothing usable was said of it: {review}"] if isinstance(review, str) else review.faults
    typer.echo(spent)


def _rate(passes: list[bool]) -> str:
    """How many pass, with the interval of the share."""
    from drretail.stats.intervals import share_interval
    from drretail.tables.figures import percent

    share = share_interval([float(it) for it in passes])
    told = f"{sum(passes)} of {len(passes)} queries pass"
    if share.value is None or share.low is None or share.high is None:
        return f"{told}."
    return f"{told}: {percent(share.value)}, 95 % interval {percent(share.low)} to {percent(share.high)}."


def _check_world(folder: Path, shop: "World | None") -> None:
    from drretail.env.web.sealed import read_sandbox

    if shop is not None and shop.manifest.fingerprint != read_sandbox(folder).world_fingerprint:
        raise UserError(f"{folder} was made for another shop: name its world with --world.")
