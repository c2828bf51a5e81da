"""What a run changes, told without asking the world again."""

from dataclasses import replace
from typing import cast

import pytest

from drretail.env.session import Session
from drretail.env.store.base import Store
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.records.run import StateChange


class Gone:
    """A store whose server has died."""

    def user(self, user_id: str) -> None:
        raise ToolError("unavailable", f"nobody answers for {user_id}")


def test_changes_are_told_even_when_the_world_can_no_longer_be_asked(world: World) -> None:
    session = Session(world)
    before = world.store.user("ANNA")
    session.update_user(before.model_copy(update={"first_name": "Ann"}))
    session.world = replace(world, store=cast(Store, Gone()))
    session.update_user(session.user("ANNA").model_copy(update={"first_name": "Anne"}))
    changed = StateChange(user_id="ANNA", field="first_name", before=before.first_name, after="Anne")
    assert session.state_diff() == (changed,)


def test_an_update_that_the_world_cannot_answer_leaves_nothing(world: World) -> None:
    session = Session(replace(world, store=cast(Store, Gone())))
    with pytest.raises(ToolError):
        session.update_user(world.store.user("ANNA"))
    assert session.state_diff() == ()
