from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.counterfactual.measure import changes, distance, price_position, price_spans
from tests.eval.counterfactual.made import KNOWN, advice

sets = st.frozensets(st.sampled_from("abcdef"))


def test_what_both_name_is_no_change_and_two_silent_reports_cannot_be_compared() -> None:
    assert distance(frozenset("ab"), frozenset("bc")) == 1 - 1 / 3
    assert distance(frozenset("a"), frozenset()) == 1
    assert distance(frozenset(), frozenset()) is None


@given(sets, sets, sets)
def test_the_distance_is_a_metric(one: frozenset[str], two: frozenset[str], three: frozenset[str]) -> None:
    def apart(left: frozenset[str], right: frozenset[str]) -> float:
        found = distance(left, right)
        return 0.0 if found is None else found

    assert 0 <= apart(one, two) == apart(two, one) <= 1
    assert (apart(one, two) == 0) == (one == two)
    assert apart(one, three) <= apart(one, two) + apart(two, three) + 1e-9


def test_change_is_over_all_pairs_and_what_repeats_change_is_taken_off() -> None:
    plain = [advice("B0BIRD0000"), advice("B0BIRD0001")]
    found = changes(plain, [advice("B0BIRD0000"), advice("B0DOGS0000")], "products", {})
    assert (found.change, found.repeats, found.most, found.beyond) == (0.75, 1.0, 1.0, -0.25)
    kinds = changes(plain, [advice("B0BIRD0000"), advice("B0DOGS0000")], "categories", {})
    assert (kinds.change, kinds.repeats, kinds.beyond) == (0.5, 0.0, 0.5)
    brands = changes(plain, [advice("B0DOGS0000")], "brands", {})
    assert (brands.change, brands.beyond) == (1.0, 1.0)


def test_without_repeats_only_the_change_is_known() -> None:
    found = changes([advice("B0BIRD0000")], [advice("B0DOGS0000")], "products", {})
    assert (found.change, found.repeats, found.most, found.beyond) == (1.0, None, None, None)


def test_price_levels_are_quarters_of_what_the_runs_were_handed() -> None:
    handed = {
        f"P{n}": KNOWN["B0BIRD0000"].model_copy(update={"product_id": f"P{n}", "price": float(n)}) for n in range(1, 9)
    }
    spans = price_spans([handed])
    assert [price_position(handed[f"P{n}"], spans) for n in (1, 3, 5, 8)] == [0, 1 / 3, 2 / 3, 1]
    few = price_spans([{key: handed[key] for key in list(handed)[:7]}])
    assert price_position(handed["P1"], few) is None
    assert price_position(handed["P1"].model_copy(update={"price": None}), spans) is None
