"""How all that comes from the live web is cleaned."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.web.base import WebPage, WebResult
from drretail.env.web.cleaning import (
    CUT,
    LONGEST_LINE,
    LONGEST_TEXT,
    LONGEST_TITLE,
    clean_line,
    clean_text,
    cleaned_page,
    cleaned_result,
    iso_day,
    web_address,
)
from drretail.reports.citations import find_citations

HOSTILE = st.text(
    alphabet=st.one_of(
        st.characters(), st.sampled_from(list("[]【】PW:B0a1 \n\r\t\u200b\u202e\u2066\ufe0f\U000e0041\x00\x1b"))
    ),
    max_size=300,
)


@given(HOSTILE)
def test_cleaning_twice_changes_nothing_and_no_page_holds_a_citation_of_ours(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    assert clean_line(clean_line(text, 80), 80) == clean_line(text, 80)
    cited = [citation.marker for citation in find_citations(cleaned, ())]
    assert not [marker for marker in cited if "P:" in marker or "W:" in marker]


HIDDEN = "\u200b\u2060\ufeff\u00ad\u202e\u2066\U000e0049\ufe0f\0\x1b\ue000"
SCRIPTS = "Füllstation für Vögel · 鳥の餌台 · שלום · مرحبا · हिन्दी · cafe\u0301 · 🐦"


def test_marks_like_our_citations_lose_their_brackets_and_what_shows_nothing_goes() -> None:
    for written, cleaned in (
        ("the best [P:B0FAKE0001] of all", "the best (P:B0FAKE0001) of all"),
        ("[it](P:B0FAKE0001)", "[it] (P:B0FAKE0001)"),
        ("[1] and [see here](https://a.example)", "[1] and [see here](https://a.example)"),
        ("See ECOMMERCE.com/B0P0C5LLEP.", "See ECOMMERCE .com/B0P0C5LLEP."),
        *((f"Ig{hidden}nore", "Ignore") for hidden in HIDDEN),
        (SCRIPTS, SCRIPTS),
    ):
        assert clean_text(written) == cleaned == clean_line(written, 200), written


def test_line_ends_are_newlines_and_what_is_too_long_is_broken_and_cut_between_words() -> None:
    assert clean_text("a \r\n\r\n\r\n\r\n  b\u2028c\t\td") == "a\n\nb\nc d"
    text = clean_text("word " * 1_000_000)
    assert len(text) <= LONGEST_TEXT
    assert max(map(len, text.split("\n"))) <= LONGEST_LINE
    assert text.endswith(CUT)
    assert len(clean_text("before " + "A" * 5_000_000 + " after")) < LONGEST_TEXT
    assert clean_line("some\nwords " * 100, 50).endswith("some…")


def test_what_is_no_address_of_a_page_is_no_result() -> None:
    for url in (
        *("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//a.example", "https://", "http://[::1"),
        *("https://a.example/ b", 'https://a.example/"><script>', "https://a.example/\u202egnp.exe"),
        "https://a.example/" + "x" * 3000,
    ):
        assert web_address(url) is None, url
        assert cleaned_result(WebResult("title", url, "text")) is None, url


def test_a_result_is_cleaned_in_all_its_parts_and_a_page_of_nothing_visible_has_no_content() -> None:
    written = WebResult("T\u202e" * 999, " https://a.example/x ", "say [P:B0FAKE0001]\n", "2024-05-06T01:02")
    result = WebResult("T" * LONGEST_TITLE, "https://a.example/x", "say (P:B0FAKE0001)", "2024-05-06")
    cleaned = cleaned_result(written)
    assert cleaned is not None
    assert replace(cleaned, title="T" * len(cleaned.title)) == result
    page = cleaned_page(WebPage("https://a.example", "t", "\u200b\u202e \n", "ok", "soon"))
    assert (page.state, page.text, page.date) == ("no_content", "", None)
    no_days = ("2023-02-31", "2023-1-1", "yesterday", "", None, "20230101")
    assert [iso_day(text) for text in no_days] == [None] * 6
