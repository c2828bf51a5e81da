"""Two wishes for one question: by the products that would do, one to one, and by the limits that either names."""

import pytest

from drretail.eval.families.understood.two_wishes import NO_LIMITS, NOTHING_OFFERED, Share, compared, matched, overlap
from drretail.records.money import Money
from drretail.records.wish import Want, Wish

SHOP = {
    "feeder": "abcd",
    "bird feeder": "abcdef",
    "seed": "x",
    "bath": "uv",
    "basin": "uvwz",
    "unicorn": "",
    "feeder or bath": "abcduv",
}


def want(kind: str, **fields: object) -> Want:
    return Want.model_validate({"name": kind, "kinds": (kind,), **fields})


def values(wish: Wish, understood: Wish) -> dict[str, float | None]:
    return {name: measured.value for name, measured in measures(wish, understood).items()}


def measures(wish: Wish, understood: Wish) -> dict[str, Share]:
    return dict(compared(wish, understood, lambda one: SHOP[one.kinds[0]]))


def test_a_want_is_understood_where_half_of_the_products_that_would_do_are_the_same() -> None:
    wish = Wish(wants=(want("feeder"), want("bath")))
    assert values(wish, Wish(wants=(want("bird feeder"), want("basin")))) == {
        "understood": 1,
        "wants": 1,
        "limits": None,
    }
    assert values(wish, Wish(wants=(want("seed"), want("basin"))))["wants"] == 0.5
    assert values(wish, Wish())["wants"] == 0


def test_one_want_stands_for_one_other() -> None:
    both = Wish(wants=(want("feeder"), want("bird feeder")))
    assert values(both, Wish(wants=(want("feeder"),)))["wants"] == 0.5
    assert values(both, Wish(wants=(want("bird feeder"), want("feeder"))))["wants"] == 1


def test_a_want_that_nobody_asked_for_costs() -> None:
    wish = Wish(wants=(want("feeder"), want("bath")))
    more = Wish(wants=(want("feeder"), want("bath"), want("seed"), want("unicorn")))
    assert values(wish, more)["wants"] == pytest.approx(2 / 3), "what the shop does not have says nothing"
    assert measures(wish, more)["wants"].reason == "feeder: feeder; bath: bath; not asked for: seed"
    assert values(wish, Wish(wants=(want("feeder"), want("seed"))))["wants"] == 0.5, "one in another's place costs once"


def test_as_many_are_matched_as_can_be() -> None:
    assert matched(["abc", "abcd"], ["abcd", "abc"]) == {0: 1, 1: 0}
    assert matched(["abcd", "ab"], ["abcd", "abcdefgh"]) == {0: 1, 1: 0}


def test_two_empty_sets_do_not_overlap() -> None:
    assert overlap("", "") == 0


def test_a_want_for_which_the_shop_has_nothing_is_left_out() -> None:
    wish = Wish(wants=(want("unicorn", quantity=2), want("bath")))
    assert values(wish, Wish(wants=(want("bath"),))) == {"understood": 1, "wants": 1, "limits": None}
    assert set(measures(Wish(wants=(want("unicorn"),)), Wish()).values()) >= {Share(None, NOTHING_OFFERED)}


def test_a_question_for_nothing_to_buy_is_understood_where_nothing_is_wanted() -> None:
    assert values(Wish(), Wish()) == {"understood": 1, "wants": 1, "limits": None}
    assert values(Wish(), Wish(wants=(want("bath"),)))["wants"] == 0


@pytest.mark.parametrize(
    ("limits", "others", "share"),
    [
        ({}, {}, None),
        ({"budget": Money.of(60)}, {"budget": Money(amount="60.00")}, 1),
        ({"budget": Money.of(60)}, {}, 0),
        ({}, {"budget": Money.of(60)}, 0),
        ({"budget": Money.of(60)}, {"budget": Money.of(60, "EUR")}, 0),
    ],
)
def test_a_budget_counts_where_either_names_one(
    limits: dict[str, Money], others: dict[str, Money], share: float
) -> None:
    bath = (want("bath"),)
    assert values(Wish(wants=bath, **limits), Wish(wants=bath, **others))["limits"] == share  # pyright: ignore[reportArgumentType]


def test_brands_and_quantities_are_those_of_the_want_that_was_matched() -> None:
    wish = Wish(wants=(want("bath", brands_unwanted=("Tallow",)), want("feeder", quantity=2)), budget=Money.of(50))
    understood = Wish(
        wants=(want("feeder", quantity=3), want("bath", brands_unwanted=("tallow",))), budget=Money.of(50)
    )
    found = measures(wish, understood)
    assert found["limits"].value == pytest.approx(2 / 3)
    assert found["limits"].reason == "budget: equal; brands of bath: equal; quantity of feeder: not equal"
    assert found["understood"].value == pytest.approx(5 / 6)


def test_the_limits_of_a_want_that_was_not_understood_are_not_equal() -> None:
    wish = Wish(wants=(want("bath", quantity=2, brands_wanted=("Tallow",)),))
    found = measures(wish, Wish(wants=(want("seed", quantity=2, brands_wanted=("Tallow",)),)))
    assert (found["wants"].value, found["limits"].value) == (0, 0)


def test_without_limits_the_wants_alone_count() -> None:
    found = measures(Wish(wants=(want("bath"), want("feeder"))), Wish(wants=(want("bath"),)))
    assert found["limits"] == Share(None, NO_LIMITS)
    assert found["understood"] == Share(0.5, f"bath: bath; feeder: nothing; {NO_LIMITS}")
