"""``drretail queries``: questions made from real histories."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags as options
from drretail.cli.options.query_files import Force, check_file, write_queries
from drretail.cli.queries.check import check
from drretail.cli.queries.comparison import compare
from drretail.cli.queries.review import review
from drretail.cli.queries.shipped import shipped
from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.querygen.generate import Generated

queries_app = typer.Typer(no_args_is_help=True, help="Questions for agents, made from users' real histories.")


queries_app.command("check")(check)
queries_app.command("compare")(compare)
queries_app.command("review")(review)
queries_app.command("shipped")(shipped)


@queries_app.command("generate")
def generate(
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The JSONL file to write, one query a line.")],
    world: options.World = "demo",
    users: Annotated[int, typer.Option("--users", min=1, help="How many users to draw.")] = 5,
    user: Annotated[
        list[str] | None, typer.Option("--user", metavar="ID", help="This user, instead of drawn ones; repeatable.")
    ] = None,
    per_user: Annotated[int, typer.Option("--per-user", min=1, help="Queries for each user, at most.")] = 3,
    mode: Annotated[
        str, typer.Option("--mode", help="profile_aware, or generic: without a user, for comparison; needs a --model.")
    ] = "profile_aware",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER:MODEL", help="Who writes; without one, rules do: offline:shopper."),
    ] = None,
    model_profile: options.ModelProfile = None,
    base_url: options.BaseUrl = None,
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Calls of the model at the same time.")] = 4,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask the model anew for queries that failed.")
    ] = False,
    force: Force = False,
    estimate: options.Estimate = False,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Makes queries that need a user's profile, the catalog and the web.

    Without a model, the same world, user and seed give the same queries, whoever else is drawn. A model's calls stand
    in FILE.journal.jsonl, so that a run that was cut goes on where it stopped; exit code 3 when queries failed.
    A file that holds anything else is left as it is, unless --force is given.
    """
    from drretail.cli.queries.by_model import Wish, estimate_by_model, wished_writer, write_by_model

    writer = wished_writer(model, model_profile, base_url or [], mode, keyless=estimate)
    wish = Wish(world, tuple(user or ()), users, per_user, mode == "generic", seed)
    if estimate:
        if writer is None:
            raise UserError("Without a model nothing is asked and nothing is spent: --estimate needs a --model.")
        estimate_by_model(to, wish, writer, as_json=as_json, quiet=quiet)
        return
    if writer is not None:
        write_by_model(
            to, wish, writer, parallel=parallel, retry_failed=retry_failed, force=force, as_json=as_json, quiet=quiet
        )
        return
    _write_offline(to, world, users, user, per_user, seed, force=force, as_json=as_json, quiet=quiet)


def _write_offline(
    to: Path,
    world: str,
    users: int,
    user: list[str] | None,
    per_user: int,
    seed: str,
    *,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from drretail.cli.options.worlds import opened_world
    from drretail.querygen.generate import generate_for, generate_sampled
    from drretail.viewer.output import print_json

    check_file(to)
    with opened_world(world, quiet=quiet) as shop:
        if user:
            made = generate_for(shop, user, per_user=per_user, seed=seed)
        else:
            made = generate_sampled(shop, users, per_user=per_user, seed=seed)
    write_queries(to, made.queries, force=force)
    if not quiet:
        _tell(made, users=len(set(user or ())) or users, per_user=per_user)
    if as_json:
        print_json(
            {
                "queries": len(made.queries),
                "users": made.users,
                "users_without": list(made.without),
                "users_with_fewer": list(made.fewer),
                "file": str(to),
            }
        )
    else:
        typer.echo(f"{len(made.queries)} queries of {made.users} users → {to}")


def _tell(made: "Generated", *, users: int, per_user: int) -> None:
    """What was not as asked for, on stderr."""
    from drretail.viewer.output import say

    if made.without:
        say(f"Users from whose orders no query could be made: {len(made.without)}.")
    if made.users < users:
        say(f"Queries for {made.users} users could be made; {users} were asked for.")
    if made.fewer:
        say(f"Users with fewer than {per_user} queries: {len(made.fewer)}.")
