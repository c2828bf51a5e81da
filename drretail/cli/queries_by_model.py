"""``drretail queries generate --model``: queries that a language model writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from drretail.errors import UnknownName, UserError

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.querygen.by_model.place import Places
    from drretail.querygen.by_model.write import Written

MODES = ("profile_aware", "generic")
# So many failures are told one by one; --json holds all.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written: for the named users, else for so many drawn ones, else about the shop's categories."""

    world: str
    named: tuple[str, ...]
    users: int
    per_user: int
    generic: bool
    seed: str


def wished_model(flag: str | None, mode: str) -> "Model | None":
    """The model of flag or settings; None where rules write, which is so without either.

    Raises UserError for an unknown mode or model, and for generic queries without a model.
    """
    from drretail.cli.models import Opener
    from drretail.records.models import ModelChoice
    from drretail.settings import OFFLINE_MODEL, read_settings

    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    settings = read_settings(model=flag)
    spec = settings.model or OFFLINE_MODEL
    provider, _, name = spec.partition(":")
    if provider == "offline" and name and spec != OFFLINE_MODEL:
        raise UnknownName("offline query generator", name, [OFFLINE_MODEL.partition(":")[2]])
    if spec == OFFLINE_MODEL:
        if mode == "generic":
            raise UserError("Without a model only profile_aware queries can be made: add --model PROVIDER:MODEL.")
        return None
    (model,) = Opener(settings).open_all([ModelChoice(model=spec)])
    return model


def write_by_model(
    to: Path, wish: Wish, model: "Model", *, parallel: int, retry_failed: bool, as_json: bool, quiet: bool
) -> None:
    """Writes the queries to ``to``, and every call to the journal beside it; ends with 3 when any failed."""
    from drretail.cli.worlds import opened_world
    from drretail.files import write_lines
    from drretail.progress import choose_progress
    from drretail.querygen.by_model.write import Writer

    with opened_world(wish.world, quiet=quiet) as shop:
        places = _places(shop, wish)
        total = sum(place.count for place in places.places)
        with choose_progress("none" if quiet else None).track(f"Asking {model.spec}", total) as bar:
            writer = Writer(
                shop,
                model,
                to.with_name(f"{to.name}.journal.jsonl"),
                parallel=parallel,
                retry_failed=retry_failed,
                on_end=lambda _: bar.advance(),
            )
            written = writer.write(places.places)
    if written.queries:
        write_lines(to, (query.as_line() for query in written.queries))
    _tell(to, places, written, as_json=as_json, quiet=quiet)
    if written.failures:
        raise typer.Exit(3)


def _places(shop: "World", wish: Wish) -> "Places":
    from drretail.querygen.by_model.place import generic_places, places_drawn, places_of

    if wish.generic and wish.named:
        raise UserError("Generic queries have no user: leave --user away, or --mode generic.")
    if wish.generic:
        return generic_places(shop, wish.users * wish.per_user, wish.seed)
    if wish.named:
        return places_of(shop, wish.named, wish.per_user)
    return places_drawn(shop, wish.users, wish.per_user, wish.seed)


def _tell(to: Path, places: "Places", written: "Written", *, as_json: bool, quiet: bool) -> None:
    from drretail.cli.output import print_json, say

    users = len({query.user_id for query in written.queries if query.user_id is not None})
    if not quiet and places.without:
        say(f"Users without an order that was kept: {len(places.without)}.")
    if not quiet:
        _tell_failures(written)
    if as_json:
        failed = [{"query_id": it.query_id, "user_id": it.user_id, "reason": it.reason} for it in written.failures]
        print_json(
            {
                "queries": len(written.queries),
                "users": users,
                "users_without": list(places.without),
                "failed": failed,
                "usage": written.usage.model_dump(),
                "served_from_journal": written.served,
                "file": str(to) if written.queries else None,
            }
        )
        return
    of_users = f" of {users} users" if users else ""
    failed = f", {len(written.failures)} failed" if written.failures else ""
    typer.echo(f"{len(written.queries)} queries{of_users}{failed}{f' → {to}' if written.queries else ''}")
    typer.echo(_spent(written))


def _tell_failures(written: "Written") -> None:
    from drretail.cli.output import say

    for failure in written.failures[:_MOST_TOLD]:
        say(f"{failure.query_id}: {failure.reason}")
    if len(written.failures) > _MOST_TOLD:
        say(f"… and {len(written.failures) - _MOST_TOLD} more; --json lists all.")
    if written.failures:
        say("The journal keeps these failures: ask anew with --retry-failed.")


def _spent(written: "Written") -> str:
    usage = written.usage
    read = usage.input_uncached + usage.cache_read + usage.cache_creation
    served = f", {written.served:,} of them from the journal" if written.served else ""
    return f"{usage.calls:,} calls{served}; {read:,} tokens read, {usage.output:,} written"
