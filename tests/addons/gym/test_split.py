"""Questions to train on and held-out ones: what they share, and what simple policies earn."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from drretail.addons.gym import Shop, parts
from drretail.addons.gym.parts import wanted
from drretail.api.worlds import open_world
from drretail.cli.app import app
from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.progress import Progress
from drretail.querygen.reading import FIFTY, read_queries, shipped_queries


def test_two_parts_of_one_shop_share_no_person_and_no_wish_with_each_other_or_with_the_shipped(
    shop: Shop, tmp_path: Path
) -> None:
    folder = str(shop.world.folder)
    train, held_out = parts.split(tmp_path, (6, 3), worlds=(folder, folder), seed="42", progress=Progress())
    sets = [train.queries, held_out.queries, shipped_queries(*FIFTY)]
    assert [len(queries) for queries in sets[:2]] == [6, 3]
    for of in (lambda query: query.user_id, wanted):
        values = [{of(query) for query in queries} for queries in sets]
        assert sum(map(len, values)) == len(set().union(*values)), "none is in two of them"
    assert len({query.level for query in train.queries}) == 6
    assert not list(tmp_path.iterdir()), "the shop was there"


def products(world: World) -> set[str]:
    return {hit.product_id for hit in world.catalog.search(CatalogQuery("", limit=1000)).hits}


def test_the_command_makes_up_two_shops_that_share_nothing_and_prints_floors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PRODUCTS", 200)
    monkeypatch.setattr(parts, "REVIEWS", 3_000)
    command = ["gym", "split", "--to", str(tmp_path), "--sizes", "4,2", "--json"]
    printed = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    made = printed["parts"]
    with open_world(made["train"]["world"]) as train, open_world(made["held-out"]["world"]) as held_out:
        assert not products(train) & products(held_out)
        queries = read_queries(Path(made["train"]["file"]))
        assert len(queries) == made["train"]["queries"] == 4
        with Shop.open(train, queries) as opened:
            assert not opened.left_out, "each can be rewarded"
    (of_all,) = [row for row in printed["levels"] if (row["part"], row["level"]) == ("train", "all")]
    assert of_all["queries"] == 4
    assert 0 <= of_all["one search"] < 1
    hiding = [query for query in queries if query.hidden]
    assert of_all["hide a limit"] == len(hiding) <= 2
    assert "exists: name another file" in str(CliRunner().invoke(app, [*command, "--seed", "43"]).exception)
