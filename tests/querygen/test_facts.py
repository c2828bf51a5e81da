from datetime import date, timedelta

from drretail.querygen.facts import agree, implied_by, known_facts, shown_by
from drretail.querygen.history import History, Purchase
from drretail.querygen.things import thing_named

TODAY = date(2023, 9, 24)


def purchase(name: str, days_ago: int, first_days_ago: int | None = None) -> Purchase:
    return Purchase(
        product_id=name,
        thing=thing_named(name),
        day=TODAY - timedelta(days=days_ago),
        order_ids=("0000000001",),
        price=10.0,
        currency="USD",
        brand="Tallow",
        category="Home_and_Kitchen",
        first=TODAY - timedelta(days=first_days_ago or days_ago),
    )


def history(*purchases: Purchase, orders: int = 1) -> History:
    return History("ANNA", TODAY, "US", "OH", orders, 10.0, purchases, (), (), ())


def test_many_orders_belie_whoever_owns_little() -> None:
    assert not agree(shown_by(history(orders=26)), {"belongings": "few"})
    assert agree(shown_by(history(orders=2)), {"belongings": "few"})


def test_a_garden_bed_of_years_ago_belies_a_first_yard_even_if_one_was_bought_lately() -> None:
    assert agree(shown_by(history(purchase("raised garden bed", 100))), {"yard": "new"})
    assert not agree(shown_by(history(purchase("raised garden bed", 100, 900))), {"yard": "new"})


def test_baby_things_of_long_ago_allow_a_second_child_and_no_first() -> None:
    facts = shown_by(history(purchase("crib sheet", 500)))
    assert agree(facts, {"children": "second expected"})
    assert not agree(facts, {"children": "none yet"})


def test_a_shopper_with_grandparents_has_not_turned_sixty() -> None:
    assert not agree(implied_by("grandmother"), {"age": "sixty"})
    assert implied_by("sister") == {}


def test_what_the_record_shows_is_a_known_fact() -> None:
    known = known_facts()
    for it in (*known.shown, *known.relatives):
        assert it.value in known.subjects[it.subject]
