"""What is cleaned in product texts, and what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.data_ingest.raw.products import clean_text


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("Soft<br />and warm<br>blanket", "Soft and warm blanket"),
        ('<p>One.</p><P class="x">Two.</P>', "One. Two."),
        ("<b>Soft</b>, H<sub>2</sub>O", "Soft, H2O"),
        ("a <a href='x'>link</a> here", "a link here"),
        ("Salt &amp; pepper &#34;mill&#34; &quot;set&quot;", 'Salt & pepper "mill" "set"'),
        ("leaked &lt;br&gt; markup", "leaked markup"),
        ("bell\x07 and\x00 null\x9f", "bell and null"),
        ("no\u00a0break\u00a0\u00a0space", "no break space"),
        ("line\none\ttab\r\n", "line one tab"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("a comment <!-- hidden --> gone", "a comment gone"),
    ],
)
def test_markup_entities_and_control_characters_go(raw: str, read: str) -> None:
    assert clean_text(raw) == read


@pytest.mark.parametrize(
    "text",
    [
        "I <3 my dog",
        "a <b and c> d",
        "sizes 5 < 6 > 3",
        "R&D by AT&T; &copy without its semicolon",
        "<M6> bolts, <Brand> new",
        "mojibake cafÃ© and \ufffd stay",
        "emoji 🐶 and ☕ stay",
        "[[VIDEOID:abc]] stays",
        "$5.00 – 10 % off * # _",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert clean_text(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_can_always_be_written_as_utf8(text: str) -> None:
    clean = clean_text(text)
    clean.encode("utf-8")
    assert clean == clean.strip()
    assert "  " not in clean
