"""How commands and Python come to a web: by its name, with the keys and addresses of the settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.errors import UserError

if TYPE_CHECKING:
    from drretail.env.web.base import Web
    from drretail.env.web.live import Pages
    from drretail.env.web.registry import WebOptions
    from drretail.env.world import World
    from drretail.records.run import System
    from drretail.settings import Settings


def chosen_web(settings: "Settings", *, replayed: bool = False) -> "Web":
    """The web that the settings name; where everything is ``replayed``, no key is needed and nothing is asked.

    Raises UserError for an unknown name, a wrong argument, or a missing key.
    """
    from drretail.env.web.registry import open_web

    return open_web(settings.web, _options(settings, replayed=replayed))


def web_of(
    world: "str | Path | World", web: "str | Web | None", settings: "Settings", *, replayed: bool = False
) -> "Web":
    """The web that agents search: the one of an open world, the one that is given, or that of the settings.

    Raises UserError for a web beside an open world, which has its own.
    """
    if isinstance(world, str | Path):
        return chosen_web(settings, replayed=replayed) if web is None or isinstance(web, str) else web
    if web is not None:
        raise UserError("The world is open already: give its web to open_world.")
    return world.web


def pages_by_label(settings: "Settings", systems: "Mapping[str, System]") -> "dict[str, Pages]":
    """Where the pages that each system cites are fetched from today: its corpus, its plugin, or the open web.

    Those of imported reports are from nobody's corpus: a file of pages that the settings name will do for them.

    Raises UserError where a system's pages were those of a corpus that the settings do not name.
    """
    from drretail.env.web.providers import open_pages
    from drretail.env.web.registry import BUILT_IN
    from drretail.env.web.sealed import served_to

    named, open_web_pages = chosen_web(settings, replayed=True), open_pages(_options(settings, replayed=True))
    pages: dict[str, Pages] = {}
    for label, system in systems.items():
        web = served_to(system, named)
        if system.web_corpus is not None and (web.provider, web.corpus) != (system.web_provider, system.web_corpus):
            raise UserError(
                f"{label} read fixed pages ({system.web_provider} {system.web_corpus[:12]}), and --web {settings.web}"
                " has others: name theirs, such as --web sandbox:FILE."
            )
        own = system.web_corpus is not None or (web.provider == system.web_provider and web.provider not in BUILT_IN)
        own = own or (system.is_imported and settings.web not in BUILT_IN and web.corpus is not None)
        pages[label] = web if own else open_web_pages
    return pages


def _options(settings: "Settings", *, replayed: bool) -> "WebOptions":
    from drretail.env.web.registry import PageOptions, WebOptions

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
