from dataclasses import replace
from datetime import date

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.rules.history import History, Purchase, read_history
from drretail.querygen.rules.naming import Thing
from drretail.tools.toolkit import Toolkit


def history_of(world: World, user_id: str) -> History:
    with Toolkit(Session(world, user_id=user_id)) as toolkit:
        return read_history(toolkit, user_id)


def test_the_record_names_the_orders_behind_every_fact(world: World) -> None:
    history = history_of(world, "ANNA")
    shampoo = history.owns(Thing("shampoo"))
    assert shampoo is not None
    assert len(shampoo.order_ids) == 2
    assert shampoo.day == date(2022, 7, 20)
    assert history.purchases[0] == shampoo
    assert history.state


def test_what_was_returned_is_not_owned(world: World) -> None:
    assert history_of(world, "DORA").purchases == ()


def test_a_product_without_a_good_phrase_is_left_out(world: World) -> None:
    assert history_of(world, "EMIL").purchases == ()


def test_what_is_used_up_does_not_last(world: World) -> None:
    history = history_of(world, "ANNA")
    shampoo, lamp = history.owns(Thing("shampoo")), history.owns(Thing("desk lamp"))
    assert shampoo is not None
    assert lamp is not None
    assert lamp.lasts(date(2030, 1, 1))
    assert shampoo.lasts(history.today)
    assert not shampoo.lasts(date(2030, 1, 1))


@pytest.mark.parametrize(
    ("path", "name", "used_up"),
    [
        (("Health", "Vitamins & Supplements", "Magnesium"), "magnesium tablets", True),
        (("Home", "Kitchen", "Food Containers"), "food containers", False),
        (("Baby", "Wipes & Holders", "Wipe Warmers"), "wipe warmer", False),
        (("Home", "Lamps"), "desk lamp", False),
    ],
)
def test_a_category_says_whether_a_thing_is_used_up(path: tuple[str, ...], name: str, used_up: bool) -> None:
    assert Purchase("P1", Thing(name), date(2023, 1, 1), ("1",), 9.0, None, path).uses_up == used_up


def test_an_unknown_user_is_the_users_error(world: World) -> None:
    with pytest.raises(UserError, match="NOBODY"):
        history_of(world, "NOBODY")


def test_a_thing_that_any_order_names_is_not_lacking(world: World) -> None:
    history = history_of(world, "ANNA")
    assert not history.lacks(Thing("shampoo"))
    assert history.lacks(Thing("bird bath"))
    named = replace(history, titles=("Hanging Chain and Bird Bath Value Set",))
    assert named.owns(Thing("bird bath")) is None
    assert not named.lacks(Thing("bird bath"))


def test_orders_that_are_not_kept_are_in_the_record_all_the_same(world: World) -> None:
    history = history_of(world, "DORA")
    assert history.purchases == ()
    assert history.titles
