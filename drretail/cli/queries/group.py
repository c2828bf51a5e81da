"""``drretail queries``: questions made from real histories."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.query_files import Force, check_file, check_unused, write_queries
from drretail.cli.queries.by_model import Assignment, estimate_by_model, in_own_words, opened_writer, write_by_model
from drretail.errors import UnknownName, UserError
from drretail.progress import busy
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark

if TYPE_CHECKING:
    from drretail.querygen.generate import Generated

MODES = ("profile_aware", "generic")


@in_own_words
def generate(
    to: flags.ToQueries,
    calls: flags.Calls,
    planned: flags.Planned,
    output: flags.Output,
    world: flags.World = "demo",
    users: flags.Users = 5,
    user: flags.NamedUsers = None,
    per_user: Annotated[
        int | None, Option("Maximum queries per user.", min=1, default="1; 3 with --preset paper")
    ] = None,
    preset: Annotated[str | None, Option("Make three queries per user, as in the paper.", metavar="paper")] = None,
    mode: Annotated[
        str, Option("profile_aware, or generic: queries without a user (needs --model).")
    ] = "profile_aware",
    model: Annotated[
        str | None, Option("The model that writes (default: rules, offline:shopper).", metavar="PROVIDER:MODEL")
    ] = None,
    level: Annotated[
        int | None, Option("The queries' difficulty, 0 to 9 (`drretail queries difficulty`).", min=0, max=9)
    ] = None,
    force: Force = False,
    seed: flags.Seed = "42",
) -> None:
    """Makes queries that need a user's profile, the catalog and the web.

    After an interruption the same command continues. Exit code 3: queries failed.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    writer = opened_writer(model, calls, keyless=planned.estimate)
    if writer is None and mode == "generic":
        raise UserError("Without a model only profile_aware queries can be made: add --model PROVIDER:MODEL.")
    if writer is None and model is not None:
        remark(f"{model} is no language model: rules write the queries.")
    if preset not in (None, "paper"):
        raise UnknownName("preset", preset, ["paper"])
    each = per_user or (3 if preset == "paper" else 1)
    assignment = Assignment(world, tuple(user or ()), users, each, mode == "generic", seed, level)
    if level is not None and (assignment.generic or each > 1):
        raise UserError("--level is for one query a user: leave --per-user, --preset and --mode generic out.")
    if planned.estimate:
        if writer is None:
            raise UserError("Without a model nothing is asked and nothing is spent: --estimate needs a --model.")
        estimate_by_model(to, assignment, writer, as_json=output.as_json)
        return
    if writer is not None:
        write_by_model(to, assignment, writer, calls, output, force=force)
        return
    _write_offline(to, assignment, force=force, output=output)


def _write_offline(to: Path, assignment: "Assignment", *, force: bool, output: flags.Output) -> None:
    from drretail.difficulty.leveled import generate_at
    from drretail.querygen.generate import generate_for, generate_sampled
    from drretail.querygen.users import check_users

    level = assignment.level
    check_file(to)
    if level is not None:  # the queries that the file has would be lost
        check_unused(to, force=force)
    with open_world(assignment.world) as shop, busy("writing queries"):
        if level is not None:
            check_users(shop, assignment.named)
            n = len(assignment.named) or assignment.users
            made = generate_at(shop, [level], n, seed=assignment.seed, users=assignment.named)
        elif assignment.named:
            made = generate_for(shop, assignment.named, per_user=assignment.per_user, seed=assignment.seed)
        else:
            made = generate_sampled(shop, assignment.users, per_user=assignment.per_user, seed=assignment.seed)
    write_queries(to, made.queries, force=force)
    users = len(set(assignment.named)) or assignment.users
    _tell(made, users=users, per_user=assignment.per_user, of_level="" if level is None else f" of level {level}")
    if output.as_json:
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
        typer.echo(f"{counted(len(made.queries), 'query')} of {counted(made.users, 'user')} → {to}")


def _tell(made: "Generated", *, users: int, per_user: int, of_level: str) -> None:
    """Prints on stderr how the result differs from what was requested."""
    from drretail.querygen.generate import WHY_MISSING

    if made.without:
        remark(f"Users from whose orders no query{of_level} could be made: {len(made.without)}.")
    if made.users < users:
        remark(f"Queries for {counted(made.users, 'user')} could be made; {users} were asked for.")
    if made.fewer:
        remark(f"Users with fewer than {per_user} queries: {len(made.fewer)}.")
    if made.missing_kinds:
        remark(
            f"No query of kind {', '.join(made.missing_kinds)}: these need four priced products of one category, with "
            "its name in their titles, or fields such as the occasion. `--model` writes others."
        )
    for axis in made.missing_axes:
        remark(f"No query has the axis {axis}: {WHY_MISSING[axis]}.")
