"""Episodes, splits, trials and tries. Also tests parts.py. replay: tests/addons/gym/test_replay.py."""

import json
import re
import sys
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.addons.gym import Shop, ShopEnv, parts
from drretail.addons.gym.env import recorded_rewards, save_rollouts
from drretail.addons.gym.parts import wanted
from drretail.agents.information import recorded_instructions
from drretail.api.run import run
from drretail.cli.app import app
from drretail.env.catalog.base import CatalogQuery
from drretail.env.session import Session, SessionSettings
from drretail.env.world import world_at
from drretail.errors import UserError, install_line
from drretail.experiments.experiment import path_of
from drretail.experiments.run_file import read_run
from drretail.progress import Progress
from drretail.querygen.reading import FIFTY, read_queries, shipped_queries
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.tools.registry import LONGEST_REPORT
from drretail.tools.toolkit import Toolkit
from tests.addons.gym.policies import QUERY, best_handed_in, best_picks, call, looked_up, search, shopped_well
from tests.shop import USER, build_shop
from tests.threads import all_at_rest

FEEDER = Want(name="feeder", kinds=("bird feeder",))
BUDGET_50, BUDGET_3 = (Wish(wants=(FEEDER,), budget=Money.of(most)) for most in (50, 3))


def test_observations_are_what_clients_of_mcp_are_told_and_our_agents_read(env: ShopEnv, shop: Shop) -> None:
    session = Session(SessionSettings(shop.world, user_id=env.query.user_id))
    assert env.reset(QUERY)[0] == recorded_instructions(env.query.text, env.query.user_id, session.settings.now)
    toolkit = Toolkit(session)
    read = toolkit.call("product_catalog_search", {"query": "diaper bag"})
    observation, reward, done, _, info = env.step(search("diaper bag"))
    assert (observation, info["evidence"]) == (read.text, list(read.evidence))
    assert (reward, done, info["error"]) == (0.0, False, None)
    in_json = {"name": "calculator", "arguments": '{"expression": "1 + 1"}'}
    assert env.step(in_json)[4]["error"] is None


WRONG = [
    ({"name": "serach", "arguments": {}}, "unknown_tool"),
    ({"name": "get_product_details", "arguments": {"product_id": "B0NONE"}}, "not_found"),
    ({"name": "get_user_profile", "arguments": {"user_id": "AE" + "X" * 26}}, "forbidden"),
    *(
        ({"name": "product_catalog_search", "arguments": arguments}, "invalid_argument")
        for arguments in ({}, {"query": 7}, ["bag"], "{broken", "[" * 100_000)
    ),
    *(
        ({"name": "submit_report", "arguments": {"report": report}}, "invalid_argument")
        for report in ("  ", "```picks\nP:B0X x 1\n```", "x" * (LONGEST_REPORT + 1))
    ),
    *((given, "invalid_argument") for given in ({"name": 3, "arguments": {}}, {"name": "submit_report"}, {}, "bags")),
]


def test_what_is_wrong_with_a_call_is_an_observation(env: ShopEnv) -> None:
    for given, error in WRONG:
        observation, reward, done, _, info = env.step(given)
        assert json.loads(observation)["error"]["type"] == error, given
        assert (reward, done, info["error"]) == (0.0, False, error)
    assert shopped_well(env)[1] == 1.0, "the rollout goes on"


def test_a_step_before_the_first_reset_after_the_end_and_in_a_closed_environment_is_refused(shop: Shop) -> None:
    with ShopEnv(shop) as env:
        with pytest.raises(UserError, match="call reset first"):
            env.step(search("bag"))
        env.reset(QUERY)
        shopped_well(env)
        with pytest.raises(UserError, match="has ended"):
            env.step(search("bag"))
        env.reset(QUERY)
        assert (env.done, env.steps) == (False, 0)
    env.close()
    with pytest.raises(UserError, match="is closed"):
        env.reset(QUERY)
    with pytest.raises(UserError, match="is closed"):
        env.step(search("bag"))


def test_what_an_environment_is_asked_for_is_checked_when_it_is_made(shop: Shop) -> None:
    for of, queries, options, message in (
        (shop, None, {"without": ["wbe"]}, "Did you mean web"),
        (shop, None, {"scope": "all"}, "no scope 'all'"),
        (shop, None, {"max_steps": 0}, "max_steps is 1 or more"),
        (shop, "dev", {}, "give them to Shop"),
        (shop.world, "trian", {}, "trian does not exist: queries are a file, or one of dev, test, all"),
        (shop.world, ["dev-99"], {}, r"no query 'dev-99'\. Did you mean dev-"),
    ):
        given: Any = options
        with pytest.raises(UserError, match=message):
            ShopEnv(of, queries, **given)
    with ShopEnv(shop.world, [QUERY]) as env:
        assert list(env.shop.queries) == [QUERY]


def test_fifty_rollouts_side_by_side_see_nothing_of_each_other_and_leave_no_threads_behind(shop: Shop) -> None:
    assert all_at_rest()
    together = threading.Barrier(50)

    def rollout(number: int) -> tuple[str, float]:
        with ShopEnv(shop) as env:
            env.reset(QUERY)
            user = env.query.user_id
            env.step(call("update_user_profile", user_id=user, first_name=f"Shopper{number}"))
            together.wait()
            profile = env.step(call("get_user_profile", user_id=user))[0]
            together.wait()
            env.reset(QUERY)
            return json.loads(profile)["first_name"], shopped_well(env)[1]

    with ThreadPoolExecutor(50) as threads:
        found = list(threads.map(rollout, range(50)))
    assert found == [(f"Shopper{number}", 1.0) for number in range(50)]
    with ShopEnv(shop) as env:  # those that a reset cuts short neither
        for _ in range(20):
            env.reset(QUERY)
            env.step(search("bag"))
    assert all_at_rest()


def test_queries_without_a_basket_are_left_out_and_say_why(tmp_path: Path) -> None:
    asked = [
        Query(query_id="cheap", user_id=USER, text="Which bird feeder under $50?", source="test", wish=BUDGET_50),
        Query(query_id="free", user_id=USER, text="Which bird feeder under $3?", source="test", wish=BUDGET_3),
    ]
    with world_at(build_shop(tmp_path / "world")) as world, Shop.open(world, asked) as shop, ShopEnv(shop) as env:
        assert list(shop.queries) == ["cheap"]
        with pytest.raises(UserError, match="Nothing is rewarded for free: what keeps to the wish costs more"):
            env.reset("free")
        assert env.reset(seed=3, options={"query": "cheap"})[1] == env.reset(seed=3)[1] == {"query_id": "cheap"}
        with pytest.raises(UserError, match="option"):
            env.reset(options={"render": True})
        with pytest.raises(UserError, match="No query can be rewarded"):
            Shop.open(world, asked[1:])


@pytest.mark.parametrize("module", ["openenv", "verifiers"])
def test_a_missing_extra_is_named_in_one_sentence(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"drretail.addons.gym.{module}", raising=False)
    for name in [each for each in sys.modules if each.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=re.escape(f"needs the extra {module}: {install_line(module)}")):
        import_module(f"drretail.addons.gym.{module}")


def test_a_rollout_without_a_report_is_a_failed_run_and_of_its_own_world_alone(env: ShopEnv, tmp_path: Path) -> None:
    env.step({"name": "calculator", "arguments": {"expression": "1 + 1"}})
    (saved,) = save_rollouts(tmp_path / "exp", env, [env.recorded()])
    kept = read_run(path_of(tmp_path / "exp", saved))
    assert (kept.status, kept.error.kind if kept.error else None, len(kept.steps)) == ("failed", "no_report", 1)
    with world_at(build_shop(tmp_path / "world")) as world:
        query = Query(query_id="q", text="Which bird feeder?", wish=Wish(wants=(FEEDER,)), source="test")
        with Shop.open(world, query) as other, pytest.raises(UserError, match="open that world"):
            list(recorded_rewards(tmp_path / "exp", other))


def test_floors_earn_next_to_nothing_and_the_oracle_everything(shop: Shop, tmp_path: Path) -> None:
    run(shop.world, list(shop.queries.values())[:6], "react", to=tmp_path / "exp")
    by_system: dict[str, list[float]] = defaultdict(list)
    for made, reward in recorded_rewards(tmp_path / "exp", shop):
        by_system[made.system].append(reward.value)
    mean = {label: sum(values) / len(values) for label, values in by_system.items()}
    assert mean.pop("react@offline-shopper") < mean["oracle"]
    assert mean.pop("oracle") > 0.97
    assert mean.pop("null_search") < 0.5, "one hit for one thing is the right cart of a query for one thing"
    assert max(mean.values()) < 0.1


def test_two_parts_of_one_shop_share_no_person_no_wish_and_no_skeleton(shop: Shop, tmp_path: Path) -> None:
    folder = str(shop.world.folder)
    train, held_out = parts.make_parts(tmp_path, (5, 3), worlds=(folder, folder), seed="42", progress=Progress())
    sets = [train.queries, held_out.queries, shipped_queries(*FIFTY)]
    assert [sum(query.after is None for query in queries) for queries in sets[:2]] == [5, 3]
    for of in (lambda query: query.user_id, wanted):
        values = [{of(query) for query in queries} for queries in sets]
        assert sum(map(len, values)) == len(set().union(*values)), "none is in two of them"
    one, other = ({parts.skeleton(query.text) for query in queries} for queries in sets[:2])
    assert len(other) > 2
    assert not one & other
    for part, talks, refusals in ((train, 1, 1), (held_out, 1, 1)):
        followed = {query.after for query in part.queries} - {None}
        assert sum(query.after is None and query.query_id in followed for query in part.queries) == talks
        assert sum(bool(query.infeasible) for query in part.queries) <= refusals
    assert len({query.kind for query in train.queries}) == 2
    assert not list(tmp_path.iterdir()), "the shop was there"


def test_the_command_makes_up_two_shops_that_share_nothing_and_counts_their_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PRODUCTS", 200)
    monkeypatch.setattr(parts, "REVIEWS", 3_000)
    command = ["gym", "split", "--to", str(tmp_path), "--sizes", "2,1", "--json"]
    printed = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    made = printed["parts"]
    with world_at(made["train"]["world"]) as train, world_at(made["held-out"]["world"]) as held_out:
        pages = [world.catalog.search(CatalogQuery("", limit=1000)) for world in (train, held_out)]
        one, other = ({hit.product_id for hit in page.hits} for page in pages)
        assert one
        assert not one & other
        queries = read_queries(Path(made["train"]["file"]))
        assert len(queries) == made["train"]["queries"] >= 2
        with Shop.open(train, queries) as opened:
            assert not opened.left_out, "each can be rewarded"
    (of_all,) = [row for row in printed["kinds"] if (row["part"], row["kind"]) == ("train", "all")]
    assert of_all["questions"] == 2
    assert "exists: name another file" in str(CliRunner().invoke(app, [*command, "--seed", "43"]).exception)


def test_each_turn_of_a_conversation_is_paid_and_the_last_or_a_failed_one_ends_it(shop: Shop) -> None:
    turns = shipped_queries("conversations")[:6]
    with Shop.open(shop.world, turns) as talk, ShopEnv(talk, max_steps=3) as env:
        products = [pick.product for turn in turns for pick in best_picks(talk, turn.query_id)]

        def handed_in(turn: Query, cart_of: Query) -> tuple[str, float, bool]:
            """The step that hands in the best cart of a turn; what an earlier turn was shown is not looked up again."""
            assert env.query == turn
            cart = best_picks(talk, cart_of.query_id)
            shown = {f"P:{pick.product}" for pick in cart} <= {entry.id for entry in env.recorded().evidence}
            looked_up(env, [] if shown else [pick.product for pick in cart])
            return env.step(best_handed_in(talk, cart_of.query_id))[:3]

        env.reset("talk-01-1")
        assert products[0] == products[1] != products[2]
        carts = [*turns[:2], turns[1], *turns[3:]]  # the third turn is not done: its cart is the one before
        ends = [handed_in(turn, cart) for turn, cart in zip(turns, carts, strict=True)]
        assert [(reward, done) for _, reward, done in ends] == [(float(n != 2), n == 5) for n in range(6)]
        assert all(after.text in ends[n][0] for n, after in enumerate(turns[1:]))
        assert [recorded.run.query_id for recorded in env.turns] == [turn.query_id for turn in turns[:-1]]

        env.reset("talk-01-1")
        handed_in(turns[0], turns[0])
        _, reward, *done, info = [env.step(search("birdhouse")) for _ in range(3)][-1]
        assert (reward, done, info["ended"]) == (0.0, [False, True], "step_limit"), "no later turn is asked"
        with pytest.raises(UserError, match="begin with the first turn"):
            env.reset("talk-01-3")


def test_where_nothing_does_what_a_turn_asks_the_cart_before_is_paid_as_a_refusal(shop: Shop, tmp_path: Path) -> None:
    turns = [turn for turn in shipped_queries("conversations") if turn.query_id.startswith("talk-04")][:4]
    with Shop.open(shop.world, turns) as talk, ShopEnv(talk) as env:
        env.reset("talk-04-1")
        for turn in turns[:3]:
            handed_in = best_handed_in(talk, turn.query_id)
            assert shopped_well(env)[1:3] == (1.0, False)
        assert turns[3].infeasible
        assert env.step(handed_in)[1:3] == (1.0, True)
        whole = [*env.turns, env.recorded()]
        env.reset("talk-04-1")
        env.step(handed_in)
        save_rollouts(tmp_path / "exp", env, [*env.turns, env.recorded(), *whole])  # the first breaks off at turn two
        paid = {run.run_id[-4:]: reward.value for run, reward in recorded_rewards(tmp_path / "exp", talk)}
        assert paid == {"1-r1": 0.0, "2-r1": 0.0, "1-r2": 1.0, "2-r2": 1.0, "3-r2": 1.0, "4-r2": 1.0}
