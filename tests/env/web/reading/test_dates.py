import pytest

from drretail.env.web.reading.dates import PageDates, page_dates
from drretail.env.web.reading.parsing import parsed
from drretail.env.web.reading.structured_data import ld_nodes


def dates(head: str = "", body: str = "") -> PageDates:
    root = parsed(f"<html><head>{head}</head><body>{body}</body></html>")
    assert root is not None
    return page_dates(root, ld_nodes(root))


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ('<meta property="article:published_time" content="2023-04-05T10:00:00Z">', ""),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2023-04-05"}</script>', ""),
        ("", '<time class="entry-date" datetime="2023-04-05">April 5</time>'),
        ("", '<span itemprop="datePublished" content="2023-04-05">5 April</span>'),
        ("", '<p class="byline">By A. Writer. Published on 5 April 2023</p>'),
    ],
)
def test_the_day_of_publishing_is_found(head: str, body: str) -> None:
    assert dates(head, body) == PageDates(published="2023-04-05")


def test_the_later_of_both_days_counts() -> None:
    found = dates(
        '<meta property="article:published_time" content="2020-01-02"><meta name="last-modified" content="2023-04-05">'
    )
    assert (found.published, found.modified, found.latest) == ("2020-01-02", "2023-04-05", "2023-04-05")
    assert dates(body='<p class="pub-dates">Updated March 13, 2024</p>') == PageDates(modified="2024-03-13")


@pytest.mark.parametrize(
    "body",
    [
        "<p>The law was published on 5 April 2023 and changed much.</p>",
        '<div class="reviews"><time datetime="2023-04-05">5 April</time></div>',
        '<script type="application/ld+json">{"@type":"Comment","datePublished":"2023-04-05"}</script>',
        '<p class="byline">Updated Smarch 13, 2024</p>',
        '<time class="published" datetime="2023-13-45">never</time>',
    ],
)
def test_days_of_other_things_are_not_the_pages(body: str) -> None:
    assert dates(body=body) == PageDates()
