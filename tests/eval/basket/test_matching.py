"""Which recommended product stands for which wanted thing, against all ways to match them."""

from itertools import product as ways

from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.basket.distance import Chosen, chosen_for
from drretail.records.query import Fit, WantedThing


def thing(name: str, *ids: str) -> WantedThing:
    return WantedThing(name=name, fits=tuple(Fit(product_id=it, worth=1) for it in sorted(ids)))


def pairs(chosen: list[Chosen]) -> list[tuple[str, str]]:
    return [(it.thing.name, it.fit.product_id) for it in chosen]


def test_the_product_that_is_recommended_first_stands_for_its_thing() -> None:
    assert pairs(chosen_for([thing("bath", "C"), thing("feeder", "A", "B")], ["X", "B", "A", "C"])) == [
        ("bath", "C"),
        ("feeder", "B"),
    ]


def test_a_thing_gives_way_where_another_has_nothing_else() -> None:
    things = [thing("a or b", "A", "B"), thing("b", "B")]
    assert pairs(chosen_for(things, ["B", "A"])) == [("a or b", "A"), ("b", "B")]


def test_one_product_stands_for_one_thing_and_nothing_for_what_is_not_recommended() -> None:
    assert pairs(chosen_for([thing("a", "A"), thing("b", "A")], ["A"])) == [("a", "A")]
    assert chosen_for([thing("a", "A")], []) == []


@given(
    fits=st.lists(st.sets(st.sampled_from("ABCDE")), max_size=4),
    recommended=st.lists(st.sampled_from("ABCDEX"), unique=True),
)
def test_as_many_things_as_can_be_have_a_product(fits: list[set[str]], recommended: list[str]) -> None:
    things = [thing(str(number), *of) for number, of in enumerate(fits)]
    found = chosen_for(things, recommended)
    assert len({it.fit.product_id for it in found}) == len(found)
    assert all(it.fit.product_id in recommended for it in found)
    choices = [[None, *(of & set(recommended))] for of in fits]
    best = max(
        len(taken) for way in ways(*choices) if len(taken := [it for it in way if it is not None]) == len(set(taken))
    )
    assert len(found) == best
