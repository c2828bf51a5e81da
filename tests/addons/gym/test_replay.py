"""Runs of every agent, played in the gym again, earn what they earned. Tests addons/exports/chat.py and env.py."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drretail import run
from drretail.addons.exports.formats import export_selection
from drretail.addons.exports.selection import Selection, read_where
from drretail.addons.gym import Shop, ShopEnv
from drretail.addons.gym.env import recorded_rewards, replay, save_rollouts
from drretail.api.score import score
from drretail.errors import UserError
from drretail.experiments.experiment import read_definition
from drretail.querygen.reading import shipped_queries
from drretail.tools.toolkit import Toolkit
from tests.addons.gym.policies import QUERY, best_handed_in, best_picks, shopped_well
from tests.agents.external_agents import command

DETAILS = "get_product_details"


def report_of(shop: Shop) -> str:
    return str(best_handed_in(shop)["arguments"]["report"])


def agents(shop: Shop, folder: Path) -> dict[str, Any]:
    """By kind, agents that look up the best basket in one turn and hand it in; and one of ours."""
    products = [pick.product for pick in best_picks(shop)]

    async def function(question: str, toolkit: Toolkit) -> str:
        calls = [toolkit.acall_all([(DETAILS, {"product_id": product})]) for product in products]
        await asyncio.gather(*calls)
        return report_of(shop)

    calls = "\n".join(f"call({DETAILS!r}, product_id={product!r})" for product in products)
    return {
        "function": function,
        "command": command(folder, f"{calls}\nprint({report_of(shop)!r})"),
        "ours": "react",
    }


@pytest.fixture(scope="module")
def made(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("replay")
    run(shop.world, [shop.query(QUERY)], agents(shop, home), to=home / "exp", baselines=False)
    with ShopEnv(shop) as env:
        env.reset(QUERY)
        shopped_well(env)
        save_rollouts(home / "exp", env, [env.recorded()])
    return home / "exp"


@pytest.fixture(scope="module")
def lines(made: Path) -> list[dict[str, Any]]:
    export_selection(Selection.of(made), "chat", made / "chat.jsonl")
    return [json.loads(line) for line in (made / "chat.jsonl").read_text(encoding="utf-8").splitlines()]


def test_four_kinds_of_agents_earn_the_same_when_replayed(made: Path, lines: list[dict[str, Any]], shop: Shop) -> None:
    paid = {each.run_id: reward for each, reward in recorded_rewards(made, shop)}
    assert len(lines) == len(paid) == 4
    with ShopEnv(shop, max_steps=100) as env:
        for line in lines:
            assert replay(env, line) == paid[line["run_id"]], line["run_id"]
    ours = [run_id for run_id, reward in paid.items() if reward.value < 1]
    assert [run_id.partition("@")[0] for run_id in ours] == ["ours"]


def test_the_first_turn_of_a_conversation_is_replayed_to_its_own_reward(shop: Shop, tmp_path: Path) -> None:
    with Shop.open(shop.world, shipped_queries("conversations")[:2]) as talk, ShopEnv(talk) as env:
        env.reset("talk-01-1")
        shopped_well(env)
        save_rollouts(tmp_path / "exp", env, env.turns)
        export_selection(Selection.of(tmp_path / "exp"), "chat", tmp_path / "chat.jsonl")
        assert replay(env, json.loads((tmp_path / "chat.jsonl").read_text(encoding="utf-8"))).value == 1


def test_an_export_holds_what_a_policy_sees_calls_of_one_turn_together(lines: list[dict[str, Any]], shop: Shop) -> None:
    with ShopEnv(shop) as env:
        (asked, _), tools = env.reset(QUERY), env.tools
    by_kind = {line["system"].partition("@")[0]: line for line in lines}
    for line in by_kind.values():
        assert line["messages"][0] == {"role": "user", "content": asked}
        assert [tool["function"]["name"] for tool in line["tools"]] == [tool["function"]["name"] for tool in tools]
        (last,) = line["messages"][-1]["tool_calls"]
        assert last["function"]["name"] == "submit_report"
    assert by_kind["gym"]["tools"] == tools
    turns = {  # the messages that a trainer doesn't mask
        kind: [len(message.get("tool_calls", ())) for message in line["messages"] if message["role"] == "assistant"]
        for kind, line in by_kind.items()
    }
    products = len(best_picks(shop))
    assert turns["function"] == [products, 1]
    assert turns["command"] == turns["gym"] == [1] * (products + 1)


def test_what_is_no_line_of_an_export_is_refused_in_a_sentence(env: ShopEnv) -> None:
    for line in ({}, {"query_id": QUERY}, {"query_id": QUERY, "messages": ["Hello."]}):
        with pytest.raises(ValueError, match="no line of `drretail export --format chat`"):
            replay(env, line)


def test_rollouts_are_chosen_by_their_reward_once_they_are_scored(made: Path, shop: Shop, tmp_path: Path) -> None:
    rule = read_where("reward >= .9")
    with pytest.raises(UserError, match="is not scored by reward yet: drretail score"):
        Selection.of(made, rules=[rule])
    score(made, metrics="reward")
    paid = {each.run_id: reward for each, reward in recorded_rewards(made, shop)}
    chosen = list(Selection.of(made, rules=[rule]))
    assert {each.run.run_id for each in chosen} == {run_id for run_id, reward in paid.items() if reward.value >= 0.9}
    for each in chosen:
        values = {"value" if value.variant == "reward" else value.variant: value.value for value in each.got}
        assert values == paid[each.run.run_id].model_dump(exclude={"why"})
    assert read_definition(made).systems.keys() == {run_id.partition("/")[0] for run_id in paid}
