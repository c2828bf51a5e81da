"""A fetched page as clean text, with what became of it."""

import re

from lxml.html import HtmlElement

from drretail.env.web.base import WebPage
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line, clean_text
from drretail.env.web.reading.dates import page_dates
from drretail.env.web.reading.json_ld import ld_nodes
from drretail.env.web.reading.markdown import content_markdown
from drretail.env.web.reading.parsing import decoded, drop_unshown, parsed
from drretail.env.web.reading.product_data import product_data
from drretail.env.web.reading.product_text import product_text
from drretail.env.web.reading.walls import LONGEST_WALL, REFUSING, is_wall

SHORTEST = 120
"""Characters: less than that is no content but what is left of a page that only scripts can fill."""
SPARSE = 600
"""Characters: with less than that a page is looked at as it will be once its scripts have run."""
_LETTER = re.compile(r"\w")


def read_page(fetched: Fetched) -> WebPage:
    """The page's text: stated product data, then its content as markdown; the state says why there is none.

    "no_content" = nothing but navigation, or what only scripts could fill; "blocked" = a bot check, a consent wall,
    a login, or HTTP 401, 402, 403, 407, 429, 451; "error" = any other failure.
    """
    if fetched.state != "ok":
        return WebPage(fetched.url, title="", text="", state=fetched.state)
    if fetched.status is not None and fetched.status >= 400:
        return WebPage(fetched.url, title="", text="", state="blocked" if fetched.status in REFUSING else "error")
    markup = decoded(fetched)
    if fetched.content_type.startswith("text/plain"):
        return _page(fetched, "", clean_text(markup), None)
    root = parsed(markup)
    return _page(fetched, "", "", None) if root is None else _read(fetched, markup, root)


def _read(fetched: Fetched, markup: str, root: HtmlElement) -> WebPage:
    title = clean_line(_title(root), LONGEST_TITLE)
    date = page_dates(root, ld_nodes(root)).latest
    products = product_data(root)
    body = _body(markup, root, fetched.final_url or fetched.url)
    if not products and len(body) <= LONGEST_WALL and _is_walled(markup, title, body):
        return WebPage(fetched.url, title, text="", state="blocked", date=date)
    text = clean_text("\n\n".join(filter(None, (product_text(products, body), body))))
    return _page(fetched, title, text, date, shortest=1 if products else SHORTEST)


def _body(markup: str, root: HtmlElement, url: str) -> str:
    """The content; of a page that shows nearly nothing before its scripts have run, what they will show."""
    drop_unshown(root)
    body = content_markdown(root, url)
    if len(body) >= SPARSE or (later := parsed(markup)) is None:
        return body
    drop_unshown(later, waiting=True)
    fuller = content_markdown(later, url)
    return fuller if len(fuller) > 2 * len(body) else body


def _is_walled(markup: str, title: str, body: str) -> bool:
    whole = parsed(markup)  # a wall's machinery was taken out of the tree that was read
    return whole is not None and is_wall(whole, title, body)


def _page(fetched: Fetched, title: str, text: str, date: str | None, *, shortest: int = SHORTEST) -> WebPage:
    if len(text) < shortest or not _LETTER.search(text):
        return WebPage(fetched.url, title, text="", state="no_content", date=date)
    return WebPage(fetched.url, title, text, state="ok", date=date)


def _title(root: HtmlElement) -> str:
    for meta in root.iter("meta"):
        if meta.get("property") == "og:title" and meta.get("content"):
            return str(meta.get("content"))
    for tag in ("title", "h1"):
        element = next(root.iter(tag), None)
        if element is not None and element.text_content().strip():
            return str(element.text_content())
    return ""
