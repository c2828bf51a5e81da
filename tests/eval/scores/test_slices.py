import pytest

from drretail.eval.scores.slices import NO_CATEGORY, categories_of, kind_of, parts_of, query_slices
from drretail.experiment import Definition
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish


def query(query_id: str = "q1", **fields: object) -> Query:
    return Query.model_validate({"query_id": query_id, "text": "What now?", "source": "test", **fields})


def wish(of_want: dict[str, object] | None = None, **of_wish: object) -> Wish:
    want = {"name": "bowl", "kinds": ("bowl",), **(of_want or {})}
    return Wish.model_validate({"wants": (want,), **of_wish})


def test_a_query_is_in_every_category_that_was_frozen_for_it() -> None:
    asked = query(wish=wish())
    assert categories_of(asked, {"q1": ("Patio_Lawn_and_Garden", "Pet_Supplies")}) == (
        "Patio_Lawn_and_Garden",
        "Pet_Supplies",
    )


def test_without_frozen_categories_that_is_said() -> None:
    assert categories_of(query(), {"q2": ("Pet_Supplies",)}) == (NO_CATEGORY,)


def test_the_kind_is_what_was_said_and_else_the_mode() -> None:
    assert kind_of(query(kind="gift", mode="generic")) == "gift"
    assert kind_of(query(mode="generic")) == "generic"


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        (None, ("not typed",)),
        (Wish(), ("nothing to buy",)),
        (wish(), ("none",)),
        (wish(owned=("B1",)), ("none",)),
        (wish({"must": ("red",)}, budget=Money(amount="20")), ("budget", "must")),
        (
            wish({"price_max": Money(amount="20"), "rating_min": 4, "ratings_min": 50}),
            ("price_max", "stars", "ratings"),
        ),
        (wish({"brands_wanted": ("A",), "must_not": ("glass",), "quantity": 2}), ("brands", "must_not", "quantity")),
        (wish({"brands_unwanted": ("A",), "optional": True}), ("brands", "optional")),
        (wish({"kinds": ("bowl", "plate"), "again": True}), ("alternatives", "again")),
        (wish(room=True, deadline="Friday"), ("room", "deadline")),
    ],
)
def test_a_wish_has_the_parts_that_any_of_its_wants_has(found: Wish | None, parts: tuple[str, ...]) -> None:
    plain = Want(name="plate", kinds=("plate",))
    beside = found.model_copy(update={"wants": (plain, *found.wants)}) if found and found.wants else found
    assert parts_of(found) == parts_of(beside) == parts


def test_slices_come_by_category_then_kind_then_part_of_the_wish_in_a_fixed_order() -> None:
    queries = (
        query("q1", kind="gift", wish=wish(deadline="Friday")),
        query("q2", wish=wish({"quantity": 2}, budget=Money(amount="1"), deadline="Friday")),
        query("q3"),
    )
    definition = Definition(
        world_fingerprint="f", tool_schema_hash="t", queries=queries, categories={"q1": ("b",), "q2": ("a",)}
    )
    slices = query_slices(definition)
    assert {key: sorted(ids) for key, ids in slices.items()} == {
        ("category", "a"): ["q2"],
        ("category", "b"): ["q1"],
        ("category", "none named"): ["q3"],
        ("kind", "gift"): ["q1"],
        ("kind", "profile_aware"): ["q2", "q3"],
        ("constraint", "budget"): ["q2"],
        ("constraint", "quantity"): ["q2"],
        ("constraint", "deadline"): ["q1", "q2"],
        ("constraint", "not typed"): ["q3"],
    }
    assert [name for by, name in slices if by == "constraint"] == ["budget", "quantity", "deadline", "not typed"]
