"""Opens worlds and webs for commands and Python, with the addresses and keys of the settings."""

import hashlib
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.env.naming import SHIPPED, is_on_servers
from drretail.env.web.base import BUILT_IN, PageOptions, Web, WebOptions, open_web
from drretail.errors import NotFound, UserError
from drretail.experiments.experiment import read_definition, run_files
from drretail.experiments.run_file import read_telemetry
from drretail.querygen.reading import check_made_for
from drretail.records.query import Query
from drretail.records.run import System
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.output import say

if TYPE_CHECKING:
    from drretail.api.settings import Settings  # pydantic-settings is loaded where settings are read
    from drretail.env.web.base import Pages
    from drretail.env.world import World


DEMO = "demo"


def open_world(
    spec: str | Path = DEMO, *, web: str | Web | None = None, mongo_url: str | None = None, es_url: str | None = None
) -> "World":
    """The world in a folder, "servers:NAME" on the servers, or a shop that ships, "demo" or the larger "market", built
    once into the cache.

    A folder named demo is "./demo". ``web`` is what agents search: a name as for ``--web``, or a Web; without one, the
    sandbox. Addresses that are not given are those of the settings. Use the world in ``with``, or close it. Raises
    UserError when there is no such world, or one that is damaged or of another format.
    """
    from drretail.api.settings import read_settings, server_settings
    from drretail.env.world import world_at

    if isinstance(web, str):
        web = chosen_web(read_settings(web=web))
    if not isinstance(spec, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]  # an open World, from untyped code
        raise UserError("A world is opened by its folder or name; this one is open already.")
    place = world_place(str(spec))
    servers = server_settings(mongo_url=mongo_url, es_url=es_url) if is_on_servers(place) else None
    return world_at(place, servers=servers, web=web)


@contextmanager
def world_of(world: "str | Path | World", web: Web | None = None) -> "Generator[World]":
    """An open world as it is, or the named one, opened with that web and closed afterwards."""
    if not isinstance(world, str | Path):
        yield world
        return
    with open_world(world, web=web) as opened:
        yield opened


@contextmanager
def recorded_world(
    experiment: Path, world: "str | Path | World | None", *, web: Web | None = None
) -> "Generator[World | None]":
    """The world that an experiment was run in: ``world``, open or by its spec, or the runs' own, with ``web``.

    None for imported reports, which have no world. None, after a line that says why, if the runs' world is missing or
    has changed. Raises UserError if there is no experiment, and if ``world`` does not exist or is a different one.
    """
    from drretail.env.world import World

    if isinstance(world, World):
        yield world
        return
    wanted = read_definition(experiment).world_fingerprint
    if wanted is None:
        if world is not None:
            raise UserError(f"{experiment} holds imported reports, which have no world: leave --world out.")
        yield None
        return
    if world is not None:
        with open_world(world, web=web) as shop:
            fingerprint = shop.manifest.fingerprint
            if fingerprint != wanted:
                raise UserError(
                    f"The world {world} ({fingerprint[:12]}) is not the one that the experiment was made in "
                    f"({wanted[:12]}): give that one, or leave --world away to go without the shop's records."
                )
            yield shop
        return
    telemetry = map(read_telemetry, run_files(experiment))
    places = dict.fromkeys(str(place) for figures in telemetry if (place := figures.get("world")) is not None)
    why = "no run says in which world it was made"
    with ExitStack() as stack:
        for place in places:
            try:
                opened = stack.enter_context(open_world(place, web=web))
            except UserError as problem:
                why = str(problem).partition(". ")[0].rstrip(".")
                continue
            if opened.manifest.fingerprint == wanted:
                yield opened
                return
            why = f"the world {place} has become another since the runs were made"
        say(f"Without the shop's records ({why}), what needs them is na. Name the world with --world.")
        yield None


def world_place(spec: str) -> str:
    """The folder or the "servers:NAME" behind a ``--world`` value, whether or not a world is there.

    Raises UserError for a text that is nearly a name on servers and is no existing folder.
    """
    if spec not in SHIPPED:
        return spec
    from drretail.api.settings import read_settings
    from drretail.data_ingest.demo import ensure_world

    return str(ensure_world(spec, read_settings().cache_dir, choose_progress()))


def check_askable(world: "World", queries: Iterable[Query]) -> None:
    """Raises UserError for a query that was made for another world, or whose user this world does not have."""
    tasks = tuple(queries)
    check_made_for(tasks, world.manifest.fingerprint)
    check_sandbox_web(world, tasks)
    for query in tasks:
        world.check_user(query.user_id)


def check_sandbox_web(world: "World", queries: Iterable[Query]) -> None:
    """Raises UserError if the world's web is a sandbox of other queries or of another shop."""
    from drretail.env.web.sandbox import SealedWeb

    web = world.web
    if not isinstance(web, SealedWeb):
        return
    if web.about.world_fingerprint != world.manifest.fingerprint:
        raise UserError(f"{web.folder} was made for another shop: name its world with --world.")
    for query in queries:
        web.own_query(query)


def known_user(world: "World", name: str) -> str:
    """The id of the user with that id, or with that e-mail address if ``hash_users`` made ids of hashed addresses.

    Raises UserError for an e-mail address that nobody has. Any other unknown text is returned as it is.
    """
    for user_id in (name, f"u{hashlib.sha256(name.strip().lower().encode()).hexdigest()[:12]}"):
        with suppress(NotFound):
            return world.store.user(user_id).user_id
    if "@" in name:
        raise UserError(
            f"Nobody who ordered in this shop ({world.manifest.headline}) has the address {name!r}: name the shop with "
            "--world, leave the user out, or name another."
        )
    return name


def chosen_web(settings: "Settings", *, replayed: bool = False) -> Web:
    """The web that the settings name. If everything is ``replayed``, no key is needed and nothing is asked.

    Raises UserError for an unknown name, a wrong argument, or a missing key.
    """
    return open_web(settings.web, _options(settings, replayed=replayed))


def web_of(world: "str | Path | World", web: str | Web | None, settings: "Settings", *, replayed: bool = False) -> Web:
    """The web that agents search: that of an open world, the given one, or that of the settings.

    Raises UserError for a web beside an open world, which has its own.
    """
    if isinstance(world, str | Path):
        return chosen_web(settings, replayed=replayed) if web is None or isinstance(web, str) else web
    if web is not None:
        raise UserError("The world is open already: give its web to open_world.")
    return world.web


def pages_by_label(settings: "Settings", systems: Mapping[str, System]) -> "dict[str, Pages]":
    """Where the pages that each system cites are fetched from now: its corpus, its plugin, or the open web.

    Imported reports have no corpus of their own: a file of pages that the settings name is used for them. Raises
    UserError if a system's pages are from a corpus that the settings do not name.
    """
    from drretail.env.web.providers import open_pages
    from drretail.env.web.sandbox import SandboxWeb, served_to, shipped_corpora

    chosen, open_web_pages = chosen_web(settings, replayed=True), open_pages(_options(settings, replayed=True))
    pages: dict[str, Pages] = {}
    for label, system in systems.items():
        web = served_to(system, chosen)
        files = shipped_corpora().get(system.web_corpus or "")
        if files is not None and web.corpus in shipped_corpora():
            web = SandboxWeb(*files)  # the pages of its shop
        if system.web_corpus is not None and (web.provider, web.corpus) != (system.web_provider, system.web_corpus):
            raise UserError(
                f"{label} read fixed pages ({system.web_provider} {system.web_corpus[:12]}), and --web {settings.web}"
                " has others: name theirs, such as --web sandbox:FILE."
            )
        corpus = system.web_corpus is not None or (web.provider == system.web_provider and web.provider not in BUILT_IN)
        corpus = corpus or (system.is_imported and settings.web not in BUILT_IN and web.corpus is not None)
        pages[label] = web if corpus else open_web_pages
    return pages


def _options(settings: "Settings", *, replayed: bool) -> WebOptions:
    from drretail.api.settings import keep_at_home

    if settings.web.startswith("serper"):
        keep_at_home(settings, "serper_api_key", "serper_address", "web_proxy")
    return WebOptions(
        serper_key=settings.serper_api_key,
        serper_address=settings.serper_address,
        searxng_address=settings.searxng_address,
        search_seconds=settings.search_timeout,
        proxy=None if settings.web_proxy is None else settings.web_proxy.get_secret_value(),
        pages=PageOptions(
            seconds=settings.page_timeout,
            body_bytes=settings.page_bytes,
            redirects=settings.page_redirects,
            user_agent=settings.user_agent,
            robots=settings.robots,
        ),
        replayed=replayed,
    )
