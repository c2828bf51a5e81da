"""Offsets of a report in the report as it is rendered, with its references numbered."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.render import render_report
from drretail.records.evidence import Evidence

KNOWN = [
    Evidence(id="P:B1", kind="product", key="B1", title="Feeder", url="http://ecommerce.com/B1"),
    Evidence(id="O:0000000001", kind="order", key="0000000001", title="An order"),
]
REPORT = "One [P:B1]. Two words [P:B1; O:0000000001] here. Three [P:NONE].\n\n## Sources\n- [P:B1] Feeder\n"


def moved(words: str) -> str:
    rendered = render_report(REPORT, KNOWN)
    start, end = rendered.span(REPORT.index(words), REPORT.index(words) + len(words))
    return rendered.text[start:end]


def test_a_sentence_is_found_with_its_numbers() -> None:
    assert moved("One [P:B1].") == "One [[1]](http://ecommerce.com/B1)."
    assert moved("Two words [P:B1; O:0000000001] here.").startswith("Two words [[1]](http://ecommerce.com/B1) (order")
    assert moved("Two words [P:B1; O:0000000001] here.").endswith(") here.")
    assert moved("Three [P:NONE].") == "Three [unresolved: P:NONE]."


def test_a_span_that_ends_inside_a_mark_takes_all_of_it() -> None:
    assert moved("words [P:B1; O:") == moved("words [P:B1; O:0000000001]")
    assert moved("000000001] here") == moved("[P:B1; O:0000000001] here")


def test_words_between_marks_are_the_same_words() -> None:
    for words in ("One ", "Two words", " here. Three "):
        assert moved(words) == words


def test_what_was_taken_out_has_no_place_of_its_own() -> None:
    assert moved("- [P:B1] Feeder") == ""


@given(st.integers(0, len(REPORT)), st.integers(0, len(REPORT)))
def test_places_keep_their_order_and_stay_inside(one: int, other: int) -> None:
    rendered = render_report(REPORT, KNOWN)
    first, second = sorted((one, other))
    start, end = rendered.span(first, second)
    assert 0 <= start <= len(rendered.text)
    assert 0 <= end <= len(rendered.text)
    assert rendered.span(first, first)[0] <= rendered.span(second, second)[0]
