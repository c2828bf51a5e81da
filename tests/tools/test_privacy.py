from collections.abc import Iterator

import pytest

from drretail.env.session import Attempt, Session
from drretail.env.world import World
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS, NOBODY, error_of

BORIS_ORDER = "0000000009"
CALLS = [
    ("get_user_orders", {"user_id": BORIS}),
    ("get_order_details", {"order_id": BORIS_ORDER}),
    ("get_user_profile", {"user_id": BORIS}),
    ("update_user_profile", {"user_id": BORIS, "first_name": "B"}),
    ("get_user_statistics", {"user_id": BORIS}),
]


@pytest.fixture
def scoped(world: World) -> Iterator[Toolkit]:
    with Toolkit(Session(world, user_id=ANNA)) as toolkit:
        yield toolkit


def test_a_scoped_session_refuses_every_way_to_anothers_data_and_records_it(scoped: Toolkit) -> None:
    replies = scoped.call_all(CALLS, "0.1")
    assert [reply.error for reply in replies] == ["forbidden"] * 5
    assert BORIS not in "".join(reply.text for reply in replies)
    assert [error_of(reply)["field"] for reply in replies] == ["user_id", "order_id", "user_id", "user_id", "user_id"]
    assert scoped.session.state_diff() == ()
    assert scoped.session.ledger.evidence() == ()
    refused = [Attempt("0.1", seq, name, BORIS, refused=True) for seq, (name, _) in enumerate(CALLS)]
    assert scoped.session.attempts == refused


def test_a_scoped_session_does_not_tell_whether_another_user_exists(scoped: Toolkit) -> None:
    unknown = error_of(scoped.call("get_user_profile", {"user_id": NOBODY}))
    assert unknown == error_of(scoped.call("get_user_profile", {"user_id": BORIS}))


def test_a_scoped_session_of_nobody_refuses_everyone(world: World) -> None:
    with Toolkit(Session(world)) as toolkit:
        assert toolkit.call("get_user_profile", {"user_id": ANNA}).error == "forbidden"


@pytest.mark.parametrize("acting", [ANNA, None])
def test_nobody_elses_profile_is_changed_whatever_the_scope(world: World, acting: str | None) -> None:
    with Toolkit(Session(world, user_id=acting, scope="any")) as toolkit:
        for written in (BORIS, f'"{BORIS}"', f"U:profile@{BORIS}", NOBODY):
            reply = toolkit.call("update_user_profile", {"user_id": written, "first_name": "B"})
            assert error_of(reply)["type"] == "forbidden"
            assert BORIS not in reply.text
        session = toolkit.session
        assert session.state_diff() == ()
        assert session.overlay == {}
        assert [(attempt.user_id, attempt.refused) for attempt in session.attempts] == [(BORIS, True)] * 3 + [
            (NOBODY, True)
        ]


def test_attempts_are_recorded_when_granted_in_order_of_their_places(world: World) -> None:
    with Toolkit(Session(world, user_id=ANNA, scope="any")) as toolkit:
        toolkit.call_all(CALLS, "0.10")
        toolkit.call(*CALLS[0], "0.2")
        toolkit.call("get_user_profile", {"user_id": ANNA}, "0.2")
        attempts = toolkit.session.attempts
    assert [(attempt.path, attempt.seq) for attempt in attempts] == [("0.2", 0), *(("0.10", seq) for seq in range(5))]
    assert [attempt.tool for attempt in attempts if attempt.refused] == ["update_user_profile"]
