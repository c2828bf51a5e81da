"""From raw files to a score of next purchases, as a user goes."""

import json
from pathlib import Path

from drretail.env.world import open_world
from drretail.experiment import read_rubric
from drretail.querygen.reading import read_queries
from drretail.records.shop import VOID_STATUSES, NextPurchase
from tests.build import known
from tests.cli.commands import Command


def test_on_a_world_that_holds_orders_out_purchases_are_scored(succeeds: Command, tmp_path: Path) -> None:
    for command in (
        ("synth", "--to", "raw", "--products", "200", "--reviews", "2000"),
        ("ingest", "raw", "--world", "held", "--holdout", "last"),
        ("queries", "generate", "--world", "held", "--users", "2", "--to", "queries.jsonl"),
        ("run", "--queries", "queries.jsonl", "--to", "exp", "--agent", "plan_to_function", "--world", "held"),
    ):
        succeeds(*command, "--quiet")
    done = succeeds("score", "exp", "--json", "--quiet")
    rows = {row["variant"]: row for row in json.loads(done.stdout)["scores"] if row["metric"] == "next_purchase"}
    asked = read_queries(tmp_path / "queries.jsonl")
    assert rows["hit_item"]["n_planned"] == rows["hit_item"]["n_scored"] + rows["hit_item"]["n_na"] == len(asked)
    assert rows["hit_item"]["value"] <= rows["hit_category"]["value"], "who hits the product hits its category"
    assert rows["hit_category_wanted"]["n_scored"] <= rows["wanted"]["n_scored"]
    with open_world(tmp_path / "held") as world:
        bought = known(world.holdout).orders([known(query.user_id) for query in asked])
    for query in asked:
        frozen = known(read_rubric(tmp_path / "exp", "next_purchase", query.query_id, NextPurchase))
        of_user = [row for row in bought[known(query.user_id)] if row.order_status not in VOID_STATUSES]
        assert [goods.product_id for goods in frozen.bought] == [row.product_id for row in of_user]
    assert succeeds("score", "exp", "--json", "--quiet").stdout == done.stdout
