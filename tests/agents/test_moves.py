"""Agents in a shop that moves: the same run however its researchers are delayed, cut or replayed."""

import asyncio
import random
from pathlib import Path
from typing import Any

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition, moved, with_baselines
from drretail.env.altered.moves import Moves
from drretail.env.session import Session
from drretail.env.world import World
from drretail.experiment import Experiment
from drretail.records.run import System
from drretail.tools.toolkit import Toolkit
from tests.agents.conftest import QUERY, calls, cut, lines_of, run_in, sut
from tests.agents.hybrid_react.cast import BATH, DONE, FEEDER, Cast, cast, launch
from tests.shop import USER

FILES = ("run.json", "evidence.jsonl.gz", "results.jsonl.gz")
MOVES = "prices:1,stock:0.5"
FIRST, LAST = (("get_product_details", {"product_id": f"B0TEST000{number}"}) for number in (1, 4))


def delayed(seed: int | None) -> Cast:
    """Five researchers in two turns, who open the same pages; with a seed, each turn takes another few milliseconds."""
    dice = random.Random(seed)
    research = {
        "a": (calls(FEEDER, FIRST), calls(LAST), calls(FIRST), calls(DONE)),
        "b": (calls(LAST), calls(DONE)),
        "c": (calls(BATH, LAST, FIRST), calls(FIRST, LAST), calls(DONE)),
        "d": (calls(FIRST, LAST), calls(DONE)),
        "e": (calls(BATH), calls(LAST), calls(DONE)),
    }
    turns = (launch("a", "b", "c"), launch("d", "e"), calls(DONE))
    return cast(turns, research, pause=lambda role, about: 0.0 if seed is None else dice.uniform(0, 0.02))


def kept(folder: Path, world: World, seed: int | None, **given: Any) -> list[bytes]:
    """The files of a run in a moving shop."""
    (player,) = moved([sut(world, delayed(seed).models(), "hybrid_react")], MOVES)
    with Experiment(folder, definition(world, (QUERY,), [player], "42")) as experiment:
        run = asyncio.run(Runner(world, "w", **given).run_into(experiment, player, QUERY))
    assert run.status == "done", run.error
    return [(run_in(folder) / file).read_bytes() for file in FILES]


def test_a_run_is_the_same_to_the_byte_however_it_is_delayed_cut_and_replayed(world: World, tmp_path: Path) -> None:
    whole = kept(tmp_path / "whole", world, None)
    journal = lines_of(run_in(tmp_path / "whole"))
    for seed in range(4):
        folder = tmp_path / str(seed)
        assert kept(folder, world, seed) == whole, seed
        assert kept(tmp_path / f"{seed}-again", world, seed, replay=folder) == whole, seed
        cut(run_in(folder), b"".join(journal[: 1 + seed * len(journal) // 4]))
        assert kept(folder, world, seed) == whole, seed


def test_a_page_shows_what_holds_now_and_a_search_what_the_index_holds(world: World) -> None:
    moving = Session(world, user_id=USER, moves=Moves("q", {"prices": 1.0}, world.manifest.now))
    with Toolkit(moving) as toolkit:
        opened = [toolkit.call(*FIRST).value for _ in range(10)]
        found = toolkit.call("product_catalog_search", {"query": "tube feeder"}).value
    assert opened[0]["price"] == 24.99
    assert opened[-1]["price"] != 24.99
    assert [page["as_of"][-5:] for page in opened[:2]] == ["00:00", "00:01"]
    assert all(page["availability"] == "in stock" for page in opened)
    assert found["hits"][0]["price"] == 24.99
    assert "availability" not in found["hits"][0]
    assert moving.store_seen.products(["B0TEST0001"])["B0TEST0001"].price == opened[-1]["price"]


def test_what_moves_stands_in_the_label_and_floors_have_no_moving_shop(world: World) -> None:
    plain = sut(world, delayed(None).models(), "hybrid_react")
    (beside,) = moved(with_baselines([plain], world), "stock:.5,prices:1")
    assert beside.system.options == {"moves": "prices:1,stock:0.5"}
    short = System(agent="react", models={}, options=beside.system.options)
    assert short.label() == "react-moves-prices-1-stock-0.5"
