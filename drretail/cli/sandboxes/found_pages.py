"""``sandbox build`` with a search engine and a model, as ``queries`` and ``check`` ask it too."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags
from drretail.errors import UnknownName, UserError

if TYPE_CHECKING:
    from drretail.cli.queries.by_model import QueryWriter
    from drretail.env.world import World
    from drretail.records.query import Query
    from drretail.sandboxes.counting import TokenCounter
    from drretail.sandboxes.found.asking import Asker

_MOST_TOLD = 5
OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Asked:
    """The model that builds, and what it may take."""

    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:MODEL", help="Who judges pages and writes.")
    ] = None
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", min=1, help="Tokens of this command, at most.")] = (
        None
    )
    max_dollars: Annotated[
        float | None, typer.Option("--max-dollars", min=0.0001, help="Dollars of this command, at most.")
    ] = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a build with a search engine finds, and for whom."""

    user: Annotated[
        list[str] | None, typer.Option("--user", metavar="ID", help="Without --queries: a task for this user.")
    ] = None
    results: Annotated[int, typer.Option("--results", min=10, max=100, help="Of each keyword, at most.")] = 100
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="Own files of the users: DIR/QUERY or DIR/USER/….")
    ] = None


def opened_model(asked: Asked, calls: flags.Calls, *, keyless: bool = False, quiet: bool) -> "QueryWriter":
    """The model of the flags, with its prices. Raises UserError without one: money is spent where somebody asks."""
    from drretail.api.models import Opener
    from drretail.cli.queries.by_model import chosen_writer, opened_writer
    from drretail.progress import Waits
    from drretail.settings import read_settings

    settings = read_settings()
    choice = chosen_writer(asked.model, calls.model_profile, settings)
    opener = Opener(settings, calls.base_url or (), keyless=keyless, tell=Waits(quiet=quiet))
    writer = opened_writer(choice, opener)
    if writer is None:
        raise UserError("Pages of a search engine are judged by a language model: add --model PROVIDER:MODEL.")
    return writer


def opened_asker(folder: Path, writer: "QueryWriter", asked: Asked, calls: flags.Calls) -> "Asker":
    """The model with the journal in a sandbox's folder. Raises UserError where dollars are capped without a price."""
    from drretail.eval.judging.spending import Allowance
    from drretail.llm.registry import check_priced
    from drretail.sandboxes.found.asking import Asker

    if asked.max_dollars is not None:
        check_priced([writer.model])
    allowance = Allowance(asked.max_tokens, asked.max_dollars)
    return Asker.opened(
        writer.model, folder, parallel=calls.parallel, retry_failed=calls.retry_failed, allowance=allowance
    )


def check_searched(web: str) -> None:
    """Raises UserError for a name that no web of ``sandbox build`` goes by, before anything is asked for."""
    from drretail.env.web.registry import WEBS, is_module

    name, colon, _ = web.partition(":")
    if web != OFFLINE and name not in WEBS.names() and not (colon and is_module(name)):
        raise UnknownName("web", name, [OFFLINE, *WEBS.names()])


def build_found(
    to: Path,
    queries: Path | None,
    n: int,
    world: str,
    web: str,
    sizes: Mapping[str, int],
    counter: "TokenCounter",
    seed: str,
    found: Found,
    asked: Asked,
    calls: flags.Calls,
    *,
    estimate: bool,
    quiet: bool,
) -> None:
    """Builds tasks of what a search engine finds; ends with 3 when any could not be made."""
    from drretail.api.webs import chosen_web
    from drretail.api.worlds import opened_world
    from drretail.cli.spending import show_estimates
    from drretail.event_loop import run_loop
    from drretail.progress import choose_progress
    from drretail.sandboxes.found.build import BuildSettings, FoundBuilder, begun
    from drretail.sandboxes.found.estimate import estimate_building
    from drretail.sandboxes.found.files import check_own_files
    from drretail.settings import read_settings

    writer = opened_model(asked, calls, keyless=estimate, quiet=quiet)
    if found.files is not None:
        check_own_files(found.files)
    with opened_world(world, quiet=quiet) as shop:
        wanted = _wanted(shop, queries, n, found, writer.model.spec, seed)
        if estimate:
            one = estimate_building(writer.model, len(wanted), found.results)
            show_estimates(f"Tasks to build in {to}", ["model", "tasks"], [one], writer.prices, as_json=False)
            return
        opened = chosen_web(read_settings(web=web))
        settings = BuildSettings(
            day=datetime.now(UTC).date(),
            world=shop.manifest.fingerprint,
            web=opened.provider,
            model=writer.model.spec,
            results=found.results,
            seed=seed,
        )
        day = begun(to, settings, {it.query_id for it in wanted})
        with (
            opened_asker(to, writer, asked, calls) as asker,
            choose_progress("none" if quiet else None).track(f"Building by {writer.model.spec}", len(wanted)) as bar,
        ):
            builder = FoundBuilder(
                shop, opened, asker, to, sizes, counter, files_by(shop, found.files, seed), day, found.results, seed,
                on_task=lambda _: bar.advance(),
            )  # fmt: skip
            built = run_loop(builder.build(wanted))
            spent = writer.line(asker.usage, asker.served, quiet=quiet)
    for query_id, report in built.reports.items():
        typer.echo(f"{query_id}: {report.line}.")
    for line in built.said:
        typer.echo(line)
    typer.echo(f"{to}: {len(built.tasks)} of {len(wanted)} tasks.")
    typer.echo(spent)
    end(built.failed)


def end(failed: Mapping[str, str]) -> None:
    """Names what failed on stderr, and ends with 3 where anything did."""
    from drretail.sandboxes.found.asking import CAPPED
    from drretail.viewer.output import say

    for query_id, why in failed.items():
        say(f"{query_id} was left out: {why.rstrip('.')}.")
    capped = {query_id for query_id, why in failed.items() if why.startswith(CAPPED)}
    if capped:
        say("The same command with a higher cap goes on from here.")
    if len(capped) < len(failed):
        say("--retry-failed asks anew what failed, and tries again where pages were not enough.")
    if failed:
        raise typer.Exit(3)


def files_by(shop: "World", own: Path | None, seed: str) -> "Callable[[Query], Mapping[str, bytes]]":
    """The user's files of a query: own ones where the folder has any, made ones else."""
    from drretail.sandboxes.found.files import made_files, own_files

    def of(query: "Query") -> Mapping[str, bytes]:
        names = [query.query_id, *([query.user_id] if query.user_id else [])]
        given = None if own is None else own_files(own, *names)
        return given or made_files(shop, query, seed)

    return of


def _wanted(shop: "World", queries: Path | None, n: int, found: Found, source: str, seed: str) -> "list[Query]":
    """The queries of a file, else one that is still to be written for each user."""
    from drretail.api.worlds import check_askable
    from drretail.querygen.by_model.place import places_drawn, places_of
    from drretail.querygen.reading import read_queries
    from drretail.sandboxes.found.build import unasked

    if queries is not None:
        if found.user:
            raise UserError("Tasks are for --queries or for --user, not for both.")
        asked = read_queries(queries)
        check_askable(shop, asked)
        return list(asked)
    places = places_of(shop, found.user, 1) if found.user else places_drawn(shop, n, 1, seed)
    return [unasked(it.query_id(1).replace("-m-", "-s-"), it.user_id, source) for it in places.places if it.user_id]
