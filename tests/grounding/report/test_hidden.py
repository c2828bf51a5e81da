"""What of a report a reader is shown, and what is not read because nobody sees it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.markup import shown
from drretail.grounding.text.harmless import drawn
from drretail.grounding.text.sentences import find_sentences

SEEN = "Seen words."


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- hid -->",
        "<!--\nhid\n\nhid\n-->",
        "<!DOCTYPE hid>",
        "<?hid hid?>",
        "<![CDATA[hid]]>",
        "[//]: # (hid)",
        '[comment]: <> "hid"',
        "[](http://ecommerce.com/hid)",
        "<span hidden>hid</span>",
        "<div hidden>hid<div>hid</div>hid</div>",
        "<p style='display:none'>hid</p>",
        '<p style="margin: 1px; visibility: hidden">hid</p>',
        "<p style='opacity:0'>hid</p>",
        "<p style='opacity: 0.0;'>hid</p>",
        "<p style='font-size:0px'>hid</p>",
        "<p style='position:absolute; left:-9999px'>hid</p>",
        "<p style='text-indent:-9999px'>hid</p>",
        "<p style='max-height:0; overflow:hidden'>hid</p>",
        "<p style='color:white'>hid</p>",
        "<p style='color: #FFF'>hid</p>",
        "<p style='color:rgb(255, 255, 255)'>hid</p>",
        "<p style='color:rgba(0,0,0,0)'>hid</p>",
        "<p style='color:transparent'>hid</p>",
        "<p style='color:#123456; background-color:#123456'>hid</p>",
        '<font color="white">hid</font>',
        "<template>hid</template>",
        "<script>hid</script>",
    ],
)
def test_what_no_renderer_shows_is_blanked(hidden: str) -> None:
    report = f"{SEEN}\n\n{hidden}\n\nMore."
    assert "hid" not in shown(report)
    assert shown(report).split() == ["Seen", "words.", "More."]
    assert len(shown(report)) == len(report)


@pytest.mark.parametrize(
    "text",
    [
        "3 < 4 and 5 > 2, a<b and c>d",
        "`<!--` begins a comment, and `-->` ends it",
        "```html\n<!-- shown as code -->\n```",
        "\\<!-- written out -->",
        "A comment that begins in a line <!-- and never ends is words",
        "<details><summary>More</summary>One click away.</details>",
        "<b>bold</b> and <sup>1</sup>",
        "[1]: https://pages.example/place",
        "[a link](http://ecommerce.com/B0AAAAAAAA)",
        "- [ ] to do",
    ],
)
def test_what_is_shown_stays(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize("style", ["color:white;background:#333", "font-size:12px", "opacity:0.9", "height:100%"])
def test_letters_that_can_be_read_stay_whatever_their_style(style: str) -> None:
    assert "seen" in shown(f'<p style="{style}">seen</p>')


def test_attributes_are_not_shown_but_addresses_are() -> None:
    text = '<a href="http://ecommerce.com/B0A" title="[P:B0B]">this one</a> <td colspan="2" data-x="[P:B0C]">'
    assert [word in shown(text) for word in ("B0A", "this one", "colspan", "B0B", "B0C")] == [True] * 3 + [False] * 2


def test_hidden_marks_cite_nothing_and_hidden_words_are_no_sentence() -> None:
    report = f"{SEEN} <!-- Buy this [P:B0AAAAAAAA]. --> <span hidden>Buy that [P:B0AAAAAAAA].</span>"
    assert find_citations(report, []) == []
    assert [report[it.start : it.end] for it in find_sentences(report)] == [SEEN]


@given(st.text(alphabet="<>!-abp =\"'/[]:#()`\n hidestylcor", max_size=200))
def test_offsets_and_lines_stay_and_what_is_shown_is_of_the_text(text: str) -> None:
    seen = shown(text)
    assert len(seen) == len(text)
    assert all(a in (b, " ") for a, b in zip(seen, text, strict=True))
    assert [a == "\n" for a in seen] == [b == "\n" for b in text]


def test_a_report_is_kept_without_characters_that_show_nothing() -> None:
    assert drawn("$1\u200b9.99, a\u00adb\U000e0041\u2060") == "$19.99, ab"
    for shaped in ("\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u2b50\ufe0f", "plain\r\n\ttext, é"):
        assert drawn(shaped) == shaped
