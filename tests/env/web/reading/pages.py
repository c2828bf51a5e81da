"""Pages made up for the tests of reading."""

from drretail.env.web.base import Fetched, WebPage
from drretail.env.web.page import read_page

URL = "https://site.example/page"
PROSE = (
    "A tube feeder keeps seed dry and suits small birds that cling to its perches. Hang it about five feet above the "
    "ground, and ten feet away from anything that a squirrel could jump from. "
)
ARTICLE = "".join(f"<p>{PROSE} This is paragraph {number}.</p>" for number in range(4))


def fetched(html: str | bytes, **given: object) -> Fetched:
    body = html.encode() if isinstance(html, str) else html
    fields = {"url": URL, "final_url": URL, "state": "ok", "status": 200, "content_type": "text/html", "body": body}
    return Fetched(**(fields | given))  # pyright: ignore[reportArgumentType] — the fields of a dataclass by name


def read(body: str, head: str = "<title>Feeders</title>") -> WebPage:
    return read_page(fetched(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"))
