from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.serialisation import compact_json
from drretail.viewer.claims import excerpt, find_quote, readable


def test_a_quote_is_found_whatever_its_spaces_and_case() -> None:
    text = "The Feeder\n holds  two POUNDS of seed."
    found = find_quote(text, "“the feeder holds two pounds”")
    assert found is not None
    assert text[slice(*found)] == "The Feeder\n holds  two POUNDS"


def test_a_quote_from_a_record_is_found_where_it_is_shown_readably() -> None:
    record = compact_json({"title": 'A "fine" feeder', "price": 24.99, "features": ["One", "Two"], "store": None})
    shown = readable(record)
    assert shown.splitlines()[1] == "price: 24.99"
    for quote in ('"price":24.99', '"title":"A \\"fine\\" feeder"', '["One","Two"]'):
        assert find_quote(shown, quote) is not None


def test_what_is_not_there_is_not_found() -> None:
    assert find_quote("some text", "other") is None
    assert find_quote("some text", ' "" ') is None


def test_a_long_text_is_cut_around_the_quote() -> None:
    text = "before " * 200 + "the very words" + " after" * 200
    part = excerpt(text, "the very words")
    assert (part.quote, part.cut_before, part.cut_after) == ("the very words", True, True)
    assert len(part.before) + len(part.after) < 1000
    assert f"{part.before}{part.quote}{part.after}" in text


def test_without_a_quote_the_beginning_is_shown() -> None:
    part = excerpt("words " * 500, None)
    assert (part.quote, part.cut_before, part.cut_after) == ("", False, True)
    assert part.before.startswith("words words")


@given(st.text(), st.text(), st.text())
def test_a_part_of_a_text_is_found_and_whole_excerpts_are_the_text(before: str, quote: str, after: str) -> None:
    text = before + quote + after
    part = excerpt(text, quote)
    assert len(text) > 300 or part.before + part.quote + part.after == text
