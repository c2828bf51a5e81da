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


def test_changes_are_told_without_the_world_and_an_update_that_it_cannot_answer_leaves_nothing(world: World) -> None:
    before = world.store.user("ANNA")
    lost = replace(world, store=cast(Store, Gone()))
    session = Session(lost)
    with pytest.raises(ToolError):
        session.update_user(before)
    assert session.state_diff() == ()

    session = Session(world)
    session.update_user(before.model_copy(update={"first_name": "Ann"}))
    session.world = lost
    session.update_user(session.user("ANNA").model_copy(update={"first_name": "Anne"}))
    changed = StateChange(user_id="ANNA", field="first_name", before=before.first_name, after="Anne")
    assert session.state_diff() == (changed,)
