"""``drretail queries generate --model``: queries that a language model writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from drretail.errors import UnknownName, UserError

if TYPE_CHECKING:
    from drretail.cli.queries_writer import QueryWriter
    from drretail.env.world import World
    from drretail.querygen.by_model.place import Places
    from drretail.querygen.by_model.write import Written

MODES = ("profile_aware", "generic")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written: for the named users, else for so many drawn ones, else about the shop's categories."""

    world: str
    named: tuple[str, ...]
    users: int
    per_user: int
    generic: bool
    seed: str


def wished_writer(
    flag: str | None, profile: str | None, base_urls: Sequence[str], mode: str, *, keyless: bool = False
) -> "QueryWriter | None":
    """The model of flags or settings; None where rules write, which is so without either.

    Raises UserError for an unknown mode, model or profile, and for generic queries without a model.
    """
    from drretail.cli.models import Opener
    from drretail.cli.queries_writer import chosen_writer, opened_writer
    from drretail.settings import read_settings

    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    settings = read_settings()
    choice = chosen_writer(flag, profile, settings)
    writer = opened_writer(choice, Opener(settings, base_urls, keyless=keyless))
    if writer is None and mode == "generic":
        raise UserError("Without a model only profile_aware queries can be made: add --model PROVIDER:MODEL.")
    return writer


def write_by_model(
    to: Path,
    wish: Wish,
    writer: "QueryWriter",
    *,
    parallel: int,
    retry_failed: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Writes the queries to ``to``, and every call to the journal beside it; ends with 3 when any failed."""
    from drretail.cli.queries_writer import journal_beside
    from drretail.cli.query_file import check_file, check_resumable, write_queries
    from drretail.cli.worlds import opened_world
    from drretail.progress import choose_progress
    from drretail.querygen.by_model.write import Writer

    if force:
        check_file(to)
    else:
        check_resumable(to, journal_beside(to), writer.model.spec)
    with opened_world(wish.world, quiet=quiet) as shop:
        places = _places(shop, wish)
        total = sum(place.count for place in places.places)
        with choose_progress("none" if quiet else None).track(f"Asking {writer.model.spec}", total) as bar:
            written = Writer(
                shop,
                writer.model,
                journal_beside(to),
                parallel=parallel,
                retry_failed=retry_failed,
                on_end=lambda _: bar.advance(),
            ).write(places.places)
    if written.queries:
        write_queries(to, written.queries, force=force)
    _tell(to, places, written, writer, as_json=as_json, quiet=quiet)
    if written.failures:
        raise typer.Exit(3)


def estimate_by_model(to: Path, wish: Wish, writer: "QueryWriter", *, as_json: bool, quiet: bool) -> None:
    """Prints what the queries that ``to`` still lacks are likely to take."""
    from drretail.cli.estimating import show_estimates
    from drretail.cli.queries_writer import journal_beside
    from drretail.cli.worlds import opened_world
    from drretail.querygen.by_model.estimate import estimate_writing

    with opened_world(wish.world, quiet=quiet) as shop:
        one = estimate_writing(shop, writer.model, _places(shop, wish).places, journal_beside(to))
    show_estimates(f"Queries to write to {to}", ["model", "queries"], [one], writer.prices, as_json=as_json)


def _places(shop: "World", wish: Wish) -> "Places":
    from drretail.querygen.by_model.place import generic_places, places_drawn, places_of

    if wish.generic and wish.named:
        raise UserError("Generic queries have no user: leave --user away, or --mode generic.")
    if wish.generic:
        return generic_places(shop, wish.users * wish.per_user, wish.seed)
    if wish.named:
        return places_of(shop, wish.named, wish.per_user)
    return places_drawn(shop, wish.users, wish.per_user, wish.seed)


def _tell(to: Path, places: "Places", written: "Written", writer: "QueryWriter", *, as_json: bool, quiet: bool) -> None:
    from drretail.cli.output import print_json, say
    from drretail.cli.queries_writer import say_failures

    users = len({query.user_id for query in written.queries if query.user_id is not None})
    if not quiet and places.without:
        say(f"Users without an order that was kept: {len(places.without)}.")
    if not quiet:
        say_failures({it.query_id: it.reason for it in written.failures})
    if as_json:
        failed = [{"query_id": it.query_id, "user_id": it.user_id, "reason": it.reason} for it in written.failures]
        print_json(
            {
                "queries": len(written.queries),
                "users": users,
                "users_without": list(places.without),
                "failed": failed,
                **writer.document(written.usage, written.served),
                "file": str(to) if written.queries else None,
            }
        )
        return
    of_users = f" of {users} users" if users else ""
    failed = f", {len(written.failures)} failed" if written.failures else ""
    typer.echo(f"{len(written.queries)} queries{of_users}{failed}{f' → {to}' if written.queries else ''}")
    typer.echo(writer.line(written.usage, written.served, quiet=quiet))
