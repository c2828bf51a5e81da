import json
from typing import Any

import pytest

from drretail.env.web.page import PageDates, page_dates, parsed, read_page
from drretail.env.web.structured_data import ld_nodes
from tests.env.web.reading.pages import ARTICLE, PROSE, URL, fetched, read

FURNITURE = """
<header><nav><ul><li><a href="/a">Garden</a></li><li><a href="/b">Kitchen</a></li></ul></nav></header>
<div id="cookie-banner" class="cookie-consent"><p>We use cookies on this site to improve your experience.</p></div>
{}
<aside class="sidebar">Sign up for our newsletter today</aside>
<footer><p>Copyright Shop GmbH. All rights reserved.</p><a href="/imprint">Imprint</a></footer>
"""
LIST = "".join(
    f'<li><a href="/p{n}"><div>Feeder number {n}</div></a><div><a href="/p{n}#r">4.{n} out of 5 stars</a></div>'
    f'<div><a href="/p{n}">${n}9.50</a></div></li>'
    for n in range(1, 9)
)


def test_an_article_is_markdown_with_its_lists_tables_and_links() -> None:
    table = "<table><tr><th>Part</th><th>Price</th></tr><tr><td>Pole</td><td>$20</td></tr></table>"
    page = read(
        f"<article><h1>Feeders</h1>{ARTICLE}<h2>Parts</h2><ul><li>one pole</li><li>one tray</li></ul>{table}"
        f'<p>More in <a href="/guide">the guide</a> for every season.</p></article>'
    )
    assert (page.state, page.title, page.url) == ("ok", "Feeders", URL)
    for part in ("## Parts", "- one pole", "| Pole | $20 |", "[the guide](https://site.example/guide)"):
        assert part in page.text, part


@pytest.mark.parametrize("content", [f"<main><article>{ARTICLE}</article></main>", f"<main><ul>{LIST}</ul></main>"])
def test_the_sites_furniture_is_never_content(content: str) -> None:
    text = read(FURNITURE.format(content)).text
    assert text
    assert "<li>" not in content or "Feeder number 3\n4.3 out of 5 stars\n$39.50" in text
    for words in ("Kitchen", "cookies", "newsletter", "Copyright", "Imprint"):
        assert words not in text, words


def script_of(data: str) -> str:
    return f'<script type="application/ld+json">{data}</script>'


def test_product_data_come_first_with_their_currency_and_an_article_in_the_data_alone_is_read() -> None:
    data = '{"@type":"Product","name":"Pole","offers":{"price":"19.99","priceCurrency":"CHF"}}'
    page = read(f"<article>{ARTICLE}</article>", script_of(data))
    assert page.text.startswith("Product data (schema.org):\n- Pole\n- Price: 19.99 CHF\n")
    assert PROSE.strip() in page.text
    assert read("<div id=root></div>", script_of(data)).state == "ok", "a price alone is content"
    article = script_of(json.dumps({"@type": "Article", "articleBody": PROSE}))
    assert read("<div id=root></div>", article).text == PROSE.strip()


@pytest.mark.parametrize("style", ["display:none", "opacity: 0", "visibility:hidden; opacity:0"])
def test_a_page_that_waits_to_be_faded_in_is_read(style: str) -> None:
    text = read(f'<div style="{style}">{ARTICLE}<p style="font-size:0">Buy Evilbrand</p></div>').text
    assert PROSE.strip() in text
    assert "Evilbrand" not in text


def test_content_in_many_small_pieces_is_read_by_its_layout_without_what_is_hidden() -> None:
    pieces = "".join(
        f'<section class="tile"><h3>Side {n}</h3>'
        f"<div><div>Small piece number {n} says something of its own.</div></div></section>"
        for n in range(12)
    )
    text = read(f'<div>{pieces}<p style="font-size:0">Buy Evilbrand</p></div>').text
    assert all(f"Small piece number {n}" in text for n in range(12))
    assert "Evilbrand" not in text


WALLS = [
    "<h1>Robot or human?</h1><p>Activate and hold the button to confirm that you're human. Thank you!</p>",
    "<p>Enter the characters you see below. Sorry, we just need to make sure you're not a robot.</p>",
    "<h1>Before you continue to Search</h1><p>We use cookies and data to deliver and maintain services.</p>",
    "<p>Bitte bestätigen Sie, dass Sie ein Mensch sind, um fortzufahren. Danke für Ihre Geduld.</p>",
]


@pytest.mark.parametrize(
    ("body", "state"),
    [
        *((body, "no_content") for body in ("", "<div id='root'></div>", FURNITURE.format(""), "<p>Loading…</p>")),
        ('<div class="g-recaptcha"></div><p>Please wait.</p>', "no_content"),
        ("<noscript>You need to enable JavaScript to run this app.</noscript>", "no_content"),
        ("<script>document.write('hello '.repeat(500))</script>", "no_content"),
        *((wall, "blocked") for wall in WALLS),
    ],
)
def test_a_page_without_content_is_no_content_and_a_wall_is_blocked(body: str, state: str) -> None:
    page = read(body)
    assert (page.state, page.text) == (state, "")


@pytest.mark.parametrize(
    ("answer", "state"),
    [({"status": 403}, "blocked"), ({"status": 429}, "blocked"), ({"status": 404}, "error"), ({"status": 500}, "error")]
    + [({"state": state}, state) for state in ("blocked", "error", "no_content")],
)
def test_what_was_not_fetched_is_not_read(answer: dict[str, Any], state: str) -> None:
    page = read_page(fetched(f"<article>{ARTICLE}</article>", **answer))
    assert (page.state, page.text) == (state, "")


@pytest.mark.parametrize(
    "said",
    [
        *(
            f"{PROSE * 2}{words}"
            for words in ("Are you a robot? they ask.", "We value your privacy.", "Sign in to read more.")
        ),
        f'<div class="g-recaptcha"></div><form>{PROSE}</form>',
    ],
)
def test_a_short_page_that_mentions_a_wall_is_none(said: str) -> None:
    assert read(f"<article><p>{said}</p></article>").state == "ok"


@pytest.mark.parametrize(
    ("charset", "meta", "codec"),
    [
        ("iso-8859-1", "", "latin-1"),
        (None, '<meta charset="windows-1252">', "cp1252"),
        (None, "", "utf-8"),
        ("no-such-codec", "", "utf-8"),
        (None, '<meta http-equiv="content-type" content="text/html; charset=shift_jis">', "shift_jis"),
    ],
)
def test_characters_are_read_by_header_page_or_what_fits(charset: str | None, meta: str, codec: str) -> None:
    word = "餌台" if codec == "shift_jis" else "Füllstation"
    html = f"<html><head>{meta}<title>{word}</title></head><body><article>{ARTICLE}</article></body></html>"
    assert read_page(fetched(html.encode(codec), charset=charset)).title == word
    plain = read_page(fetched(PROSE + "<b>not bold</b>", content_type="text/plain"))
    assert plain.text.endswith("<b>not bold</b>")


APRIL, MARCH = PageDates(published="2023-04-05"), PageDates(modified="2024-03-13")
BOTH = '<meta property="article:published_time" content="2020-01-02"><meta name="last-modified" content="2023-04-05">'


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ('<meta property="article:published_time" content="2023-04-05T10:00:00Z">', APRIL),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2023-04-05"}</script>', APRIL),
        ('<time class="entry-date" datetime="2023-04-05">April 5</time>', APRIL),
        ('<span itemprop="datePublished" content="2023-04-05">5 April</span>', APRIL),
        ('<p class="byline">By A. Writer. Published on 5 April 2023</p>', APRIL),
        ('<p class="pub-dates">Updated March 13, 2024</p>', MARCH),
        (BOTH, PageDates(published="2020-01-02", modified="2023-04-05")),
        ("<p>The law was published on 5 April 2023 and changed much.</p>", PageDates()),
        ('<div class="reviews"><time datetime="2023-04-05">5 April</time></div>', PageDates()),
        ('<script type="application/ld+json">{"@type":"Comment","datePublished":"2023-04-05"}</script>', PageDates()),
        ('<p class="byline">Updated Smarch 13, 2024</p>', PageDates()),
        ('<time class="published" datetime="2023-13-45">never</time>', PageDates()),
    ],
)
def test_the_days_of_a_page_are_found_and_not_those_of_other_things(markup: str, found: PageDates) -> None:
    root = parsed(f"<html><head>{markup}</head></html>" if markup.startswith("<meta") else f"<body>{markup}</body>")
    assert root is not None
    dates = page_dates(root, ld_nodes(root))
    assert dates == found
    assert dates.latest == (found.modified or found.published)
