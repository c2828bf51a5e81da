"""A query as cells, and what filled cells make of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.addons.people.review.form import (
    NOTHING,
    WANT_FIELDS,
    WISH_FIELDS,
    Cells,
    Faults,
    cells_of,
    edit_by,
    wants_in,
    wish_of,
    with_wants,
)
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.addons.people.review.conftest import QUERIES
from tests.addons.people.review.scripted import simple

EMPTY_KINDS = "is empty: leaf categories of the shop, or short nouns; a product of any of them will do"
PHRASES = st.text(st.sampled_from("ab1; \\x"), min_size=1, max_size=6).map(str.strip).filter(bool)
LISTS = st.lists(PHRASES.filter(lambda value: not value.endswith("\\")), max_size=3, unique=True).map(tuple)
MONEY = st.decimals(0, 1000, places=2).map(lambda value: Money(amount=str(value)))
WANTS = st.builds(
    Want,
    name=PHRASES,
    kinds=LISTS.filter(bool),
    quantity=st.integers(1, 1000),
    optional=st.booleans(),
    again=st.booleans(),
    must=LISTS,
    must_not=LISTS,
    rating_min=st.none() | st.floats(0, 5).map(lambda value: round(value, 2)),
    ratings_min=st.none() | st.integers(0, 10_000),
    price_max=st.none() | MONEY,
    brands_wanted=LISTS,
    brands_unwanted=LISTS,
)
WISHES = st.builds(
    Wish,
    wants=st.lists(WANTS, max_size=3, unique_by=lambda value: value.name.casefold()).map(tuple),
    budget=st.none() | MONEY,
    room=st.booleans(),
    deadline=st.none() | PHRASES,
    owned=LISTS,
)


def changed(query: Query, place: int | None = None, /, **cells: str) -> Cells:
    """The form of a query with other cells; those of the want at ``place``."""
    form = cells_of(query)
    if place is None:
        return form | cells
    wants = [*wants_in(form), *([{}] if place == len(wants_in(form)) else [])]
    return with_wants(form, (want | cells if at == place else want for at, want in enumerate(wants)))


def faults(query: Query, form: Cells) -> dict[str, str]:
    with pytest.raises(Faults) as caught:
        edit_by("ann", query, form)
    return dict(caught.value.by_cell)


def test_every_field_of_a_wish_has_a_cell_that_says_what_it_means() -> None:
    assert {field.name for field in WANT_FIELDS} == set(Want.model_fields)
    assert {field.name for field in WISH_FIELDS} == (set(Wish.model_fields) - {"wants"}) | {NOTHING}
    assert all(field.label and field.meaning.endswith(".") for field in (*WANT_FIELDS, *WISH_FIELDS))


@given(WISHES, WISHES)
def test_the_cells_of_a_wish_make_that_wish_again(wish: Wish, other: Wish) -> None:
    form = cells_of(simple(1, wish=wish))
    assert wish_of(form, simple(1, wish=other)) == wish


def test_cells_as_they_were_written_change_nothing() -> None:
    for query in QUERIES:
        assert edit_by("ann", query, cells_of(query)) is None
        assert edit_by("ann", query, with_wants(cells_of(query), [*wants_in(cells_of(query)), {}])) is None


def test_a_query_without_a_wish_is_typed_from_nothing() -> None:
    query = simple(1)
    form = changed(query, 0, name="bird bath", kinds="bird bath\nBird Baths", optional="YES", price_max="€ 1.234,50")
    edit, nothing = edit_by("ann", query, form), edit_by("ann", query, changed(query, **{NOTHING: "yes"}))
    assert edit is not None
    price = Money(amount="1234.50", currency="EUR")
    bath = Want(name="bird bath", kinds=("bird bath", "Bird Baths"), optional=True, price_max=price)
    assert edit.after.wish == Wish(wants=(bath,))
    assert nothing is not None
    assert nothing.after.wish == Wish()


@pytest.mark.parametrize(
    ("cells", "column", "message"),
    [
        ({"quantity": "two"}, "quantity", "'two' is no whole number"),
        ({"quantity": "0"}, "quantity", "'0' should be greater than or equal to 1"),
        ({"rating_min": "6"}, "rating_min", "'6' should be less than or equal to 5"),
        ({"rating_min": "good"}, "rating_min", "'good' is no number of stars from 0 to 5"),
        ({"ratings_min": "4,5"}, "ratings_min", "'4,5' is no whole number"),
        ({"price_max": "60"}, "price_max", "'60' is no amount with its currency, such as 60 USD"),
        ({"price_max": "$20-30"}, "price_max", "'$20-30' is no amount with its currency, such as 60 USD"),
        ({"optional": "perhaps"}, "optional", "'perhaps' is neither yes nor no"),
        ({"kinds": " ; "}, "kinds", EMPTY_KINDS),
        ({"name": "Bird Feeder"}, "name", "'Bird Feeder' is the name of another want, too"),
    ],
)
def test_a_bad_cell_of_a_want_is_named_with_its_place(cells: Cells, column: str, message: str) -> None:
    assert faults(QUERIES[0], changed(QUERIES[0], 1, **cells)) == {f"want.1.{column}": message}


def test_a_wish_without_wants_has_to_say_that_nothing_is_to_be_bought() -> None:
    assert [*faults(QUERIES[0], with_wants(cells_of(QUERIES[0]), ()))] == ["want.0.name"]
    assert [*faults(QUERIES[0], changed(QUERIES[0], **{NOTHING: "yes"}))] == [NOTHING]
    assert [*faults(simple(1), changed(simple(1), budget="60 USD"))] == ["want.0.name"]


@pytest.mark.parametrize(
    ("cell", "amount", "currency"),
    [("$60", "60", "USD"), ("60.50USD", "60.50", "USD"), ("1,200 EUR", "1200", "EUR"), ("£9", "9", "GBP")],
)
def test_money_is_taken_as_people_write_it(cell: str, amount: str, currency: str) -> None:
    wish = wish_of(changed(QUERIES[0], budget=cell), QUERIES[0])
    assert wish is not None
    assert wish.budget == Money(amount=amount, currency=currency)
