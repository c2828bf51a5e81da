import pytest

from drretail.env.web.reading.dates import PageDates, page_dates
from drretail.env.web.reading.parsing import parsed
from drretail.env.web.reading.structured_data import ld_nodes

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
