"""A cart beside a wish: which piece stands for which want."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from drretail.records.query import Reference, WantedThing
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Wish
from drretail.shopping.cart import OPEN, RIGHT, WRONG, Cart
from tests.goods import fit, product, thing, things, want

FEEDERS = thing("feeder", fit("A", "10", 400), fit("B", "20", 500), fit("N", None, 500))
BATHS = thing("bath", fit("C", "15", 400), quantity=2)
KNOWN = {one.product_id: one for one in (product("A", 10), product("B", 20), product("C", 15), product("D", 900))}


def cart(
    *picks: str | Pick,
    wanted: Sequence[WantedThing] = (FEEDERS, BATHS),
    products: Mapping[str, Product] = KNOWN,
    **limits: Any,
) -> Cart:
    wants = tuple(want(one.name, quantity=one.quantity, optional=one.optional) for one in wanted)
    wish = Wish.model_validate({"wants": wants, **limits})
    bought = tuple(Pick(product=pick) if isinstance(pick, str) else pick for pick in picks)
    return Cart(wish, Reference(query_id="q1", things=tuple(wanted)), bought, products)


def pieces(of: Cart) -> list[dict[str, int]]:
    """For each want how many pieces of which product stand for it."""
    return [{taken.fit.product_id: taken.pieces for taken in of_thing} for of_thing in of.taken]


def several(product_id: str, quantity: int) -> Pick:
    return Pick(product=product_id, quantity=quantity)


def test_each_want_is_given_pieces_too_few_leave_it_out_and_others_are_besides() -> None:
    whole = cart("A", several("C", 2))
    assert pieces(whole) == [{"A": 1}, {"C": 2}]
    assert (whole.left_out, dict(whole.besides), whole.share_wanted) == ([], {}, 1.0)
    more = cart("A", several("C", 3))
    assert (more.left_out, dict(more.besides), more.is_feasible) == ([], {"C": 1}, False)
    assert cart("A", several("C", 3), room=True).is_feasible
    packed = thing("bath", fit("P", is_pack=True), quantity=12)
    assert cart("P", wanted=(packed,)).left_out == []
    unknown = cart("A", several("C", 2), "Z", room=True)
    assert (unknown.unknown, unknown.is_feasible) == (["Z"], False)


def test_what_would_be_feasible_if_an_open_demand_were_met_rests_on_it() -> None:
    maybe = FEEDERS.model_copy(update={"undecided": (fit("D", "900", 500, open=("soft",)),)})
    resting = cart("D", several("C", 2), wanted=(maybe, BATHS))
    assert resting.verdict == OPEN
    too_few = cart("D", wanted=(maybe, BATHS))
    assert too_few.verdict == WRONG
    assert cart("A", several("C", 2), wanted=(maybe, BATHS)).verdict == RIGHT


def test_a_price_that_nobody_told_is_unknown_and_no_fault() -> None:
    unpriced = cart("N", several("C", 2))
    assert (unpriced.unpriced, unpriced.known_cost, unpriced.is_feasible) == (["N"], Decimal(30), True)


def most_pieces(wanted: Sequence[WantedThing], bought: Mapping[str, int]) -> int:
    """How many pieces can stand for these wants at most, by the theorem of Ford and Fulkerson: a least cut."""

    def cut(chosen: Sequence[WantedThing]) -> int:
        would_do = {fit.product_id for of in chosen for fit in of.fits}
        left_out = sum(one.quantity for one in wanted if one not in chosen)
        return left_out + sum(count for key, count in bought.items() if key in would_do)

    return min(cut(chosen) for size in range(len(wanted) + 1) for chosen in combinations(wanted, size))


@given(
    wanted=things(), bought=st.dictionaries(st.sampled_from([f"P{n}" for n in range(9)]), st.integers(1, 3), max_size=6)
)
def test_as_many_pieces_as_can_stand_for_wants_do_and_first_for_those_that_are_not_optional(
    wanted: list[WantedThing], bought: dict[str, int]
) -> None:
    picked = cart(*(several(key, count) for key, count in bought.items()), wanted=wanted)
    given_pieces = pieces(picked)
    needed = [one for one in wanted if not one.optional]
    for of, taken in zip(wanted, given_pieces, strict=True):
        assert sum(taken.values()) <= of.quantity
        assert taken.keys() <= {fit.product_id for fit in of.fits} & bought.keys()
    used = {key: sum(taken.get(key, 0) for taken in given_pieces) for key in bought}
    assert all(used[key] <= count for key, count in bought.items())
    assert dict(picked.besides) == {key: count - used[key] for key, count in bought.items() if count > used[key]}
    for_needed = sum(sum(taken.values()) for of, taken in zip(wanted, given_pieces, strict=True) if not of.optional)
    assert sum(used.values()) == most_pieces(wanted, bought)
    assert for_needed == most_pieces(needed, bought)
