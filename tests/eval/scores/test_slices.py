import pytest

from drretail.eval.scores.slices import NO_CATEGORY, categories_of, constraint_kinds, kind_of, query_slices
from drretail.experiment import Definition
from drretail.records.money import Money
from drretail.records.query import NOBODY, Constraints, Query, demands


def query(query_id: str = "q1", **fields: object) -> Query:
    return Query.model_validate({"query_id": query_id, "text": "What now?", "source": "test", **fields})


def test_a_query_is_in_every_category_that_was_frozen_for_it() -> None:
    asked = query(constraints=Constraints(categories=("Bird Feeders", "Bowls")))
    assert categories_of(asked, {"q1": ("Patio_Lawn_and_Garden", "Pet_Supplies")}) == (
        "Patio_Lawn_and_Garden",
        "Pet_Supplies",
    )


def test_without_frozen_categories_the_names_of_the_query_stand_and_without_any_that_is_said() -> None:
    asked = query(constraints=Constraints(categories=("Bowls", "Bowls")))
    assert categories_of(asked, {"q2": ("Pet_Supplies",)}) == ("Bowls",)
    assert categories_of(query(), {}) == (NO_CATEGORY,)


def test_the_kind_is_what_was_said_and_else_the_mode() -> None:
    assert kind_of(query(kind="gift", mode="generic")) == "gift"
    assert kind_of(query(mode="generic")) == "generic"


@pytest.mark.parametrize(
    ("constraints", "kinds"),
    [
        (Constraints(), ("none",)),
        (Constraints(categories=("Bowls",)), ("none",)),
        (Constraints(budget=Money(amount="20"), must=demands("red")), ("budget", "must")),
        (Constraints(brands_wanted=("A",), brands_unwanted=("B",)), ("brand wanted", "brand unwanted")),
        (Constraints(must_not=demands("glass"), quantities={"bowl": 2}), ("must not", "quantity")),
        (Constraints(deadline="Friday", owned=("B1",)), ("deadline", "owned")),
    ],
)
def test_constraints_say_what_kinds_they_are(constraints: Constraints, kinds: tuple[str, ...]) -> None:
    assert constraint_kinds(constraints) == kinds


def test_untyped_queries_are_a_slice_of_their_own() -> None:
    queries = (query("q1", typed_by=NOBODY), query("q2"))
    definition = Definition(world_fingerprint="f", tool_schema_hash="t", queries=queries)
    slices = query_slices(definition)
    assert (slices["constraint", "not typed"], slices["constraint", "none"]) == ({"q1"}, {"q2"})


def test_slices_come_by_category_then_kind_then_constraint_in_a_fixed_order() -> None:
    definition = Definition(
        world_fingerprint="f",
        tool_schema_hash="t",
        queries=(
            query("q1", kind="gift", constraints=Constraints(categories=("b",), owned=("x",))),
            query("q2", constraints=Constraints(categories=("a",), budget=Money(amount="1"), owned=("x",))),
        ),
    )
    assert {key: sorted(ids) for key, ids in query_slices(definition).items()} == {
        ("category", "a"): ["q2"],
        ("category", "b"): ["q1"],
        ("kind", "gift"): ["q1"],
        ("kind", "profile_aware"): ["q2"],
        ("constraint", "budget"): ["q2"],
        ("constraint", "owned"): ["q1", "q2"],
    }
    assert list(query_slices(definition)) == [
        ("category", "a"),
        ("category", "b"),
        ("kind", "gift"),
        ("kind", "profile_aware"),
        ("constraint", "budget"),
        ("constraint", "owned"),
    ]
