"""A fetched page as clean text, with what became of it."""

import re

from lxml.html import HtmlElement

from drretail.env.web.base import WebPage
from drretail.env.web.fetching.fetched import Fetched
from drretail.env.web.reading.cleaning import LONGEST_TITLE, clean_line, clean_text
from drretail.env.web.reading.dates import page_dates
from drretail.env.web.reading.markdown import SHORTEST, content_markdown, count_words, without_repeats
from drretail.env.web.reading.parsing import decoded, drop_unshown, parsed
from drretail.env.web.reading.product_data import product_data, product_text
from drretail.env.web.reading.structured_data import ld_nodes

REFUSING = frozenset({401, 402, 403, 407, 429, 451})
"""HTTP answers by which a site does not let us look."""
LONGEST_WALL = 2_500
"""Characters of text: a page that says more is a page, even if it speaks of captchas."""
LONGEST_SHELL = 600
"""The same for pages with nothing but the machinery of a check in them."""
_SAYS = re.compile(
    r"verify(?:ing)? (?:that )?you(?:'re| are) (?:a |not a )?(?:human|robot|bot)|are you (?:a )?(?:human|robot)|"
    r"not a robot|robot or human|confirm (?:that )?you(?:'re| are) (?:a )?human|press (?:&|and) hold|"
    r"complete the (?:captcha|security check)|(?:enter|type) the characters|solve (?:the|this) (?:captcha|puzzle)|"
    r"checking your browser|checking if the site connection is secure|just a moment\W*$|pardon our interruption|"
    r"unusual (?:traffic|activity) from your|automated (?:access|requests|queries|traffic)|"
    r"access (?:to this page )?(?:has been |is )?(?:denied|blocked)|you have been blocked|"
    r"request (?:was |has been )?blocked|blocked by (?:our )?security|too many requests|rate limit(?:ed)? exceeded|"
    r"enable javascript and cookies to continue|please (?:turn on|enable) (?:javascript|js) and disable|"
    r"reference #\d+\.[0-9a-f]|\bray id\b|\bincident id\b|"
    r"before you continue to|we (?:value|care about|respect) your privacy|"
    r"(?:accept|agree to|consent to) (?:all |our |the use of )?cookies? (?:to|and) (?:continue|proceed)|"
    r"(?:not available|unavailable) (?:for legal reasons|in your (?:country|region))|"
    r"(?:log|sign) in to (?:continue|read|view|see)|subscribe to (?:continue|keep) reading|subscribers? only|"
    r"bestätigen sie, dass sie (?:ein )?mensch|kein roboter|zugriff verweigert|"
    r"n'êtes pas un robot|accès refusé|no eres un robot|acceso denegado",
    re.IGNORECASE | re.MULTILINE,
)
_MACHINERY = re.compile(
    r"cf-(?:challenge|turnstile|browser-verification)|challenge-(?:form|platform|running)|__cf_chl|px-captcha|"
    r"perimeterx|captcha-delivery|datadome|_incapsula_|distil_|g-recaptcha|h-?captcha|arkoselabs|awswafcaptcha|"
    r"validatecaptcha",
    re.IGNORECASE,
)
_ATTRIBUTES = ("id", "class", "src", "action")


def is_wall(page: HtmlElement, title: str, text: str) -> bool:
    """True for a page whose text is short and says, or whose elements show, that something stands before the page."""
    if len(text) > LONGEST_WALL:
        return False
    if _SAYS.search(f"{title}\n{text}"):
        return True
    return len(text) <= LONGEST_SHELL and any(
        _MACHINERY.search(value[:500])
        for element in page.iter("form", "div", "script", "iframe", "section", "main")
        for name in _ATTRIBUTES
        if (value := element.get(name)) is not None
    )


FULLER = 3
"""How many times the words of what is shown, without furniture, must be there before hidden blocks and furniture count
as content: a hidden sentence does not, a hidden page does (on marked pages 1.5 to 5 give alike F1)."""
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
    nodes = ld_nodes(root)
    date = page_dates(root, nodes).latest
    products = product_data(root)
    body = _body(markup, root, fetched.final_url or fetched.url, of_product=bool(products))
    if len(body) < SHORTEST:
        body = max([body, *(str(node.get("articleBody") or "") for node in nodes)], key=len)
    if not products and len(body) <= LONGEST_WALL and _is_walled(markup, title, body):
        return WebPage(fetched.url, title, text="", state="blocked", date=date)
    text = clean_text("\n\n".join(filter(None, (product_text(products, body), body))))
    return _page(fetched, title, text, date, shortest=1 if products else SHORTEST)


def _body(markup: str, root: HtmlElement, url: str, *, of_product: bool) -> str:
    """The content; where the page hides most of it, or has it in what looks like furniture, what scripts will show."""
    drop_unshown(root)
    body = content_markdown(root, url, of_product=of_product)
    least = FULLER * count_words(body)
    if (later := parsed(markup)) is not None:
        drop_unshown(later, waiting=True)
        if count_words(str(later.text_content())) > least:
            whole = content_markdown(later, url, of_product=of_product, furniture=True)
            body = whole if count_words(whole) > least else body
    return without_repeats(body)


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
