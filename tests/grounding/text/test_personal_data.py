from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.personal_data import People, personal_data, without_personal_data
from tests.grounding.shelf import ORDER, PROFILE, USER

PEOPLE = People((PROFILE,), frozenset({USER}), frozenset({ORDER.order_id}))
PARTS = [
    *(PROFILE.first_name, PROFILE.last_name, PROFILE.email, PROFILE.phone_number),
    *(PROFILE.phone_number.replace("-", ""), PROFILE.address.address1),
    *PROFILE.address.address1.split(),
    *(USER.lower(), ORDER.order_id, "a@b.example", "bird", "feeder", "(", ")", ",", '"', "+1", "'s", "é"),
    *("\u200b",),
]


@given(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from([" ", "", "-", ", "])), max_size=12))
def test_nothing_personal_is_left_and_what_is_left_is_not_touched_again(parts: list[tuple[str, str]]) -> None:
    text = "".join(part + between for part, between in parts)
    left, what = without_personal_data(text, PEOPLE)
    assert personal_data(left, PEOPLE) == []
    assert without_personal_data(left, PEOPLE) == (left, ())
    assert bool(what) == bool(personal_data(text, PEOPLE))
    assert what or left == text


@given(st.text(max_size=80))
def test_places_lie_within_any_text(text: str) -> None:
    for place in personal_data(text, PEOPLE):
        assert 0 <= place.start < place.end <= len(text)


def test_a_name_that_only_comes_together_by_taking_out_goes_too() -> None:
    first, last = PROFILE.first_name, PROFILE.last_name
    assert without_personal_data(f"feeders {first} {ORDER.order_id} {last}", PEOPLE) == (
        "feeders",
        ("an order id", "a full name"),
    )


def test_words_of_the_query_stay_in_their_order() -> None:
    said = f"best bird feeder for {PROFILE.first_name} {PROFILE.last_name} under $30, weatherproof"
    assert without_personal_data(said, PEOPLE)[0] == "best bird feeder for under $30, weatherproof"
