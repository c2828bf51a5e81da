"""From raw files to a score of next purchases, as a user goes."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.env.world import open_world
from drretail.experiment import read_rubric
from drretail.records.shop import VOID_STATUSES, NextPurchase
from tests.cli.commands import Command


@pytest.fixture
def held(succeeds: Command) -> str:
    """A world of synthetic rows in which each user's last order is held out."""
    succeeds("synth", "--to", "raw", "--products", "200", "--reviews", "2000", "--quiet")
    succeeds("ingest", "raw", "--world", "held", "--holdout", "last", "--quiet")
    return "held"


def scores_of(printed: str) -> list[dict[str, Any]]:
    return json.loads(printed)["scores"]


def test_on_a_world_that_holds_orders_out_purchases_are_scored(succeeds: Command, held: str, tmp_path: Path) -> None:
    succeeds("queries", "generate", "--world", held, "--users", "2", "--to", "queries.jsonl", "--quiet")
    asking = ("run", "--queries", "queries.jsonl", "--to", "exp", "--agent", "plan_to_function")
    succeeds(*asking, "--world", held, "--quiet")
    done = succeeds("score", "exp", "--json", "--quiet")
    rows = {row["variant"]: row for row in scores_of(done.stdout) if row["metric"] == "next_purchase"}
    asked = [json.loads(line) for line in (tmp_path / "queries.jsonl").read_text("utf-8").splitlines()]
    assert rows["hit_item"]["n_planned"] == len(asked)
    assert rows["hit_item"]["n_scored"] + rows["hit_item"]["n_na"] == len(asked)
    assert rows["hit_item"]["value"] <= rows["hit_category"]["value"], "who hits the product hits its category"
    assert rows["hit_category_wanted"]["n_scored"] <= rows["wanted"]["n_scored"]
    with open_world(tmp_path / held) as world:
        assert world.holdout is not None
        bought = world.holdout.orders([query["user_id"] for query in asked])
        for query in asked:
            frozen = read_rubric(tmp_path / "exp", "next_purchase", query["query_id"], NextPurchase)
            assert frozen is not None
            found = [goods.product_id for goods in frozen.bought]
            assert found == [
                row.product_id for row in bought[query["user_id"]] if row.order_status not in VOID_STATUSES
            ]
            known = {order.order_id for order in world.store.orders(query["user_id"]).orders}
            assert not known & {row.order_id for row in bought[query["user_id"]]}
    assert succeeds("score", "exp", "--json", "--quiet").stdout == done.stdout
