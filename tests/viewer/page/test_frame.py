"""What every page is made with."""

from drretail.viewer.page.frame import writable


def test_no_mark_in_a_text_turns_the_words_beside_it() -> None:
    assert writable("a \u202eturned\u202c and \u2067isolated\u2069 \u200f\ud800 word") == "a turned and isolated ? word"
