"""Long sources, cut to what matters to the claims."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.judging.passages import OMITTED, cut, fit, size

FILLER = "Nothing of interest stands in this paragraph, whatever it says. " * 9
LINES = [FILLER.strip()] * 350
FACT = "The Wozbek carbon filter has to be changed every 90 days."
OTHER = "Its jug is safe in the dishwasher's upper rack."


def long_page() -> str:
    return "\n\n".join([*LINES[:300], FACT, *LINES[:40], OTHER, *LINES[:10]])


def test_a_page_of_200000_characters_is_cut_to_the_passages_that_hold_the_words_of_every_claim() -> None:
    page = long_page()
    assert len(page) > 200_000
    told = cut(page, ["The Wozbek filter lasts 90 days.", "The jug may go into a dishwasher."], 4_000)
    assert size(told) <= 4_000
    assert FACT in told
    assert OTHER in told
    assert told.index(FACT) < told.index(OTHER)  # in the order of the page
    assert told.startswith("Nothing of interest")  # and its beginning, which says what it is
    assert OMITTED in told


def test_what_fits_is_left_as_it_is() -> None:
    texts = ["one", "two"]
    assert fit(texts, ["any"], 6) == texts
    assert fit([long_page()], ["any"], None) == [long_page()]


def test_short_sources_stay_whole_beside_a_long_one_and_leave_it_what_they_do_not_need() -> None:
    record, page = fit(["A short record.", long_page()], ["The Wozbek filter lasts 90 days."], 10_000)
    assert record == "A short record."
    assert FACT in page
    assert 8_000 < size(page) <= 10_000 - size(record)


def test_a_page_without_any_word_of_the_claim_keeps_its_beginning() -> None:
    told = cut("\n\n".join(f"Paragraph {number}." * 40 for number in range(50)), ["Quite something else"], 3_000)
    assert told.startswith("Paragraph 0.")
    assert 2_000 < size(told) <= 3_000


def test_other_scripts_are_measured_by_what_they_cost() -> None:
    told = cut("猫は犬より静かです。" * 5_000, ["静か"], 6_000)
    assert 3_000 < size(told) <= 6_000


PARTS = ["word ", "a. ", "\n", "\n\n", "x" * 900, "。", "é"]


@given(st.lists(st.sampled_from(PARTS), max_size=80), st.integers(0, 5_000))
def test_a_cut_text_is_never_longer_than_its_room_and_holds_nothing_new(parts: list[str], room: int) -> None:
    text = "".join(parts)
    told = cut(text, ["word"], room)
    assert size(told) <= max(room, size(OMITTED))
    assert all(piece.strip("\n") in text for piece in told.split("[…]") if piece.strip())
