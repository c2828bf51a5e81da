"""What of a report a reader is shown; nothing else is read. url_end: tests/reports/test_citations.py."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.reports.citations import find_citations
from drretail.reports.layout import find_sentences, read_layout
from drretail.reports.page import read_page
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.untrusted import visible


def shown(text: str) -> str:
    return read_page(text).shown


SEEN = "Seen words."

HIDDEN = (
    "<!-- hid -->",
    "<div hidden>hid</div>",
    '<p style="d\\69splay:none">hid</p>',
    *(f"<{name}>hid</{name}>" for name in ("script", "title", "dialog", "font")),
)


def test_what_no_renderer_shows_is_blanked() -> None:
    for hidden in HIDDEN:
        report = f"{SEEN}\n\n{hidden}\n\nMore."
        assert shown(report).split() == ["Seen", "words.", "More."], hidden
        assert len(shown(report)) == len(report)


def test_what_is_shown_stays() -> None:
    for text in (
        "3 < 4 and 5 > 2, a<b and c",
        "`<!--` begins a comment, and `-->` ends it",
        "A comment that begins in a line <!-- and never ends is words",
        "<!-- Neither does one that begins a line hide what stands below it.\n\nSeen",
        "~~was $40~~ now $30, <s>was</s> now, <svg>a drawing</svg>",
        "[1]: P:B0AAAAAAAA",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| `x\\|y` | 3",
        '<a href="https://pages.example/a?b=1">words</a>',
        "Use <nav> or <section>, not more <header>s.\n\nThen [this](https://a.example/b).",
    ):
        assert shown(text) == text


def test_attributes_without_an_address_are_blanked_and_code_hides_nothing() -> None:
    assert "seen" in shown("Words `<div hidden>` seen `</div>`")
    text = '<a href="http://ecommerce.com/B0A">this one</a> <td colspan="2" id="[P:B0C]">'
    assert [word in shown(text) for word in ("B0A", "this one", "colspan", "B0C")] == [True] * 2 + [False] * 2


def test_tags_and_fences_hide_only_themselves() -> None:
    for wrapped in (
        "Write <brand> for the maker, and <made-up>so</made-up> use <Image />.\n\n{}",
        '<div class="a">\n\n{}\n\n</div>',
        "<p>{}</p>",
        "```\n{}",
        "````markdown\n```python\nx = 1\n```\n{}\n````",
        "````markdown\n# Oak\n```\nx = 1\n```\n{}\n````",
        "Here it is:\n\n```Markdown\n# Oak\n```\n{}\n```\nx = 1\n```",
        "- ```\n  x = 1\n  ```\n- {}\n- ```\n  x = 1\n  ```",
    ):
        report = wrapped.format("Oak lasts nine years [1](https://a.example/oak).")
        assert [citation.url for citation in find_citations(report, None)][-1] == "https://a.example/oak"
        assert "Oak lasts nine years" in read_layout(report, None).text
    assert read_page('<font style="">seen</font>').has_unread
    assert not any(read_page(text).has_unread for text in ("<b", "<!-- h -->", "<b title=h>"))


def test_hidden_marks_cite_nothing_hidden_words_are_no_sentence_and_characters_that_show_nothing_go() -> None:
    report = f"{SEEN} <!-- Buy this [P:B0AAAAAAAA]. --> <span hidden>Buy that [P:B0AAAAAAAA].</span>"
    assert find_citations(report, []) == []
    assert [report[one.start : one.end] for one in find_sentences(report)] == [SEEN]
    assert visible("$1\u200b9.99, a\u00adb\U000e0041\u2060") == "$19.99, ab"
    for shaped in ("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u2b50\ufe0f", "plain\n\ttext, é"):
        assert visible(shaped) == shaped


@given(st.text(alphabet="<>!-abp|\\ =\"'/[]:#()`\n hidestylcor", max_size=200))
def test_offsets_and_lines_stay_and_what_is_shown_is_of_the_text(text: str) -> None:
    seen = shown(text)
    assert [a == "\n" for a in seen] == [b == "\n" for b in text]
    assert all(a in (b, " ") for a, b in zip(seen, text, strict=True))


def test_struck_text_is_shown_and_not_said() -> None:
    report = "It costs ~~$39.90~~ $29.90, ~~was $49~~ `$19.90`."
    assert shown(report) == report
    assert [f"{amount.low}" for amount in find_amounts(read_layout(report, None).text)] == ["29.90", "19.90"]
