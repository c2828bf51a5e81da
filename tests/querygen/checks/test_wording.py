"""Near-duplicates."""

from hypothesis import given
from hypothesis import strategies as st

from drretail.querygen.checks.wording import near_duplicates
from drretail.records.query import Query
from tests.querygen.checks.conftest import TEXT


def asked(query_id: str, text: str) -> Query:
    return Query(query_id=query_id, text=text, source="a test")


def test_the_same_words_in_another_order_and_form_are_the_same_question_of_one_user() -> None:
    first = asked("a", "I'm looking for a headlamp for night runs that charges by USB-C. Which has the better ratings?")
    again = asked(
        "b", "Which of them rates better? A headlamp charging over USB-C is what I look for, to run at night."
    )
    assert list(near_duplicates([first, again])) == ["b"]
    assert near_duplicates([first, again.model_copy(update={"user_id": "BERT"})]) == {}


def test_texts_that_share_a_sentence_are_two_questions() -> None:
    other = f"My sister wants to bake more. Which pans last, and which coatings are safe? {TEXT.rsplit('. ', 1)[-1]}"
    assert near_duplicates([asked("a", TEXT), asked("b", other)]) == {}


WORDS = st.lists(st.sampled_from("red blue soft hard big small".split()), min_size=4, max_size=12).map(" ".join)  # noqa: SIM905 -- words


@given(st.lists(WORDS, max_size=8))
def test_a_text_is_found_exactly_when_an_earlier_one_holds_most_of_it(texts: list[str]) -> None:
    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[start : start + 4]) for start in range(len(words) - 3)}

    queries = [asked(f"q{number}", text) for number, text in enumerate(texts)]
    expected = {
        f"q{number}"
        for number, text in enumerate(texts)
        if any(
            len(runs(text) & runs(other)) >= 0.6 * min(len(runs(text)), len(runs(other))) for other in texts[:number]
        )
    }
    assert set(near_duplicates(queries)) == expected
