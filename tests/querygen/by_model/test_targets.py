"""Whom queries are written for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.report.evidence_ids import short_hash
from drretail.querygen.by_model.targets import generic_targets, targets_drawn, targets_of


def test_drawn_users_without_a_kept_order_are_replaced(world: World) -> None:
    drawn = targets_drawn(world, 7, 2, "42")
    assert len(drawn.targets) == 7
    assert "DORA" not in {place.user_id for place in drawn.targets}
    assert targets_drawn(world, 8, 2, "42").without == ("DORA",)
    assert targets_drawn(world, 3, 2, "42") == targets_drawn(world, 3, 2, "42")


def test_named_users_are_kept_in_order_and_once(world: World) -> None:
    found = targets_of(world, ["CARA", "ANNA", "DORA", "CARA"], 3)
    assert [place.user_id for place in found.targets] == ["CARA", "ANNA"]
    assert found.targets[0].query_id(2) == f"{short_hash('CARA')}-m-2"  # the rules' second is "…-2"
    assert found.without == ("DORA",)


@pytest.mark.parametrize(("users", "message"), [(["NOBODY"], "no user 'NOBODY'"), (["DORA"], "None of 1 users")])
def test_users_that_cannot_be_served_are_told(world: World, users: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        targets_of(world, users, 1)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(0, 60))
def test_generic_queries_are_as_many_as_asked_and_more_of_them_change_none(world: World, count: int, more: int) -> None:
    few, many = generic_targets(world, count, "42").targets, generic_targets(world, count + more, "42").targets
    assert sum(place.count for place in few) == count
    assert all(place.user_id is None and place.count > 0 for place in few)
    assert [place.name for place in many[: len(few)]] == [place.name for place in few]
    assert all(one.count <= other.count for one, other in zip(few, many, strict=False))
    assert max(place.count for place in few) - min(place.count for place in few) <= 1
