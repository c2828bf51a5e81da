"""The server of OpenEnv, driven by its own clients; skipped where openenv-core is not installed."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("openenv", reason="no OpenEnv: pip install openenv-core")

import uvicorn

from drretail.addons.gym import Shop
from drretail.addons.gym.openenv import ShopAction, ShopClient, ShopEnvironment, create_app
from drretail.querygen.reading import shipped_queries
from drretail.tools.local_server import HOST, bound, port_of
from tests.addons.gym.policies import QUERY, best_handed_in, best_picks, call, search


@contextmanager
def served(shop: Shop, log_level: str) -> Iterator[str]:
    listening = bound(0)
    # Without a set-up of uvicorn's own its records reach pytest's.
    config = uvicorn.Config(create_app(shop, rollouts=40, max_steps=5), log_config=None, log_level=log_level)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://{HOST}:{port_of(listening)}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def address(shop: Shop) -> Iterator[str]:
    with served(shop, "critical") as there:
        yield there


def test_its_own_client_plays_a_rollout_to_its_reward(address: str, shop: Shop) -> None:
    with ShopClient(base_url=address).sync() as env:
        begun = env.reset(query_id=QUERY)
        assert shop.queries[QUERY].text in begun.observation.text
        assert (len(begun.observation.tools), begun.reward, begun.done) == (10, 0.0, False)
        for product_id in (pick.product for pick in best_picks(shop)):
            seen = env.step(ShopAction(**call("get_product_details", product_id=product_id)))
            assert f"P:{product_id}" in seen.observation.evidence
        state = env.state()
        assert (state.query_id, state.step_count, state.done) == (QUERY, 2, False)
        ended = env.step(ShopAction(**best_handed_in(shop)))
        assert (ended.reward, ended.done, ended.observation.ended) == (1.0, True, "report")
        assert ended.observation.parts is not None
        assert ended.observation.parts.worth == 1.0


def test_the_end_of_a_turn_has_its_parts_and_the_next_words(shop: Shop) -> None:
    turns = shipped_queries("conversations")[:6]
    with Shop.open(shop.world, turns) as talk:
        env = ShopEnvironment(talk)
        env.reset(query_id="talk-01-1")
        for pick in best_picks(talk, "talk-01-1"):
            assert env.step(ShopAction(**call("get_product_details", product_id=pick.product))).parts is None
        seen = env.step(ShopAction(**best_handed_in(talk, "talk-01-1")))
        assert (seen.done, seen.ended, seen.parts and seen.parts.value) == (False, "report", 1.0)
        assert turns[1].text in seen.text


def test_a_step_after_the_end_and_a_query_that_is_not_there_fail_and_the_connection_goes_on(address: str) -> None:
    with ShopClient(base_url=address).sync() as env:
        env.reset(query_id=QUERY)
        assert env.step(ShopAction(name=3)).observation.error == "invalid_argument"
        last = [env.step(ShopAction(**search("bag"))) for _ in range(4)][-1]
        assert (last.done, last.reward, last.observation.ended) == (True, 0.0, "step_limit")
        with pytest.raises(RuntimeError, match="call reset for another"):
            env.step(ShopAction(**search("bag")))
        with pytest.raises(RuntimeError, match="There is no query 'dev-99'"):
            env.reset(query_id="dev-99")
        assert not env.reset(seed=3).done


def test_a_client_that_leaves_puts_no_traceback_into_the_log(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    with served(shop, "error") as address:
        for _ in range(3):
            with ShopClient(base_url=address).sync() as env:
                env.reset(query_id=QUERY)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
