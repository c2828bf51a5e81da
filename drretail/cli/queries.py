"""``drretail queries``: questions made from real histories."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli import options

if TYPE_CHECKING:
    from drretail.querygen.generate import Generated

queries_app = typer.Typer(no_args_is_help=True, help="Questions for agents, made from users' real histories.")


@queries_app.callback()
def queries() -> None:
    """Keeps ``generate`` a command of its own, although it is the only one so far."""


@queries_app.command("generate")
def generate(
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The JSONL file to write, one query a line.")],
    world: options.World = "demo",
    users: Annotated[int, typer.Option("--users", min=1, help="How many users to draw.")] = 5,
    user: Annotated[
        list[str] | None, typer.Option("--user", metavar="ID", help="This user, instead of drawn ones; repeatable.")
    ] = None,
    per_user: Annotated[int, typer.Option("--per-user", min=1, help="Queries for each user, at most.")] = 3,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Makes queries that need a user's profile, the catalog and the web, without a model.

    The same world, user and seed give the same queries, whoever else is drawn.
    """
    from drretail.cli.output import print_json
    from drretail.cli.worlds import opened_world
    from drretail.files import write_lines
    from drretail.querygen.generate import generate_for, generate_sampled

    with opened_world(world, quiet=quiet) as shop:
        if user:
            made = generate_for(shop, user, per_user=per_user, seed=seed)
        else:
            made = generate_sampled(shop, users, per_user=per_user, seed=seed)
    write_lines(to, (query.as_line() for query in made.queries))
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
    from drretail.cli.output import say

    if made.without:
        say(f"Users from whose orders no query could be made: {len(made.without)}.")
    if made.users < users:
        say(f"Queries for {made.users} users could be made; {users} were asked for.")
    if made.fewer:
        say(f"Users with fewer than {per_user} queries: {len(made.fewer)}.")
