"""How commands come to a web."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drretail.env.web.base import Web
    from drretail.settings import Settings


def chosen_web(settings: "Settings", *, replayed: bool = False) -> "Web":
    """The web that the settings name; where everything is ``replayed``, no key is needed and nothing is asked.

    Raises UserError for an unknown name, a wrong argument, or a missing key.
    """
    from drretail.env.web.opening import PageOptions, WebOptions, open_web

    options = WebOptions(
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
    return open_web(settings.web, options)
