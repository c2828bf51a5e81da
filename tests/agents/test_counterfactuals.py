"""Systems that see other data than the users' own: systems of their own, run on the same queries in the same world."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.agents.registry import load_agent
from drretail.agents.running.batch import Batch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, counterfactuals
from drretail.env.world import World, open_world
from drretail.errors import UnknownName, UserError
from drretail.experiment import counterfactual_path, read_counterfactual, read_evidence, read_runs, run_folder
from drretail.llm.registry import open_model
from drretail.records.counterfactual import factual_of, kind_of
from drretail.records.query import Query
from drretail.records.run import NULL_AGENTS
from tests.agents.conftest import scripted, sut
from tests.agents.profile_minded import OBEYING
from tests.two_tastes import BIRDS, DOGS, build

QUERY = Query(query_id="q1", user_id=BIRDS, text="Which bird feeder suits me?", source="test")
NOBODY_S = Query(query_id="q2", text="Which bird feeder?", source="test")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build(tmp_path_factory.mktemp("two") / "w")) as opened:
        yield opened


@pytest.fixture
def obeying(shop: World) -> SystemUnderTest:
    return SystemUnderTest.of("obeying", OBEYING, {}, shop)


def run_all(shop: World, folder: Path, players: list[SystemUnderTest], *queries: Query) -> None:
    with open_experiment(folder, shop, queries or (QUERY,), players, "42") as experiment:
        Batch(Runner(shop, "w"), experiment).run_all(players, queries or (QUERY,))


def reports(folder: Path) -> dict[str, str | None]:
    return {run.system: run.report for run in read_runs(folder)}


def test_each_kind_is_a_system_with_a_label_of_its_own(world: World) -> None:
    plain = sut(world, scripted()[0], options={"redact": True})
    swap, neutral = counterfactuals([plain], ["swap", "neutral", "swap"])
    assert swap.label == "react@scripted-test-counterfactual-swap-redact"
    assert neutral.label == "react@scripted-test-counterfactual-neutral-redact"
    assert (kind_of(plain.system), kind_of(swap.system)) == (None, "swap")
    assert factual_of(swap.system) == plain.system
    assert (swap.agent, swap.models) == (plain.agent, plain.models)


def test_floors_have_no_counterfactual_and_wrong_kinds_are_told(obeying: SystemUnderTest, world: World) -> None:
    floor = replace(obeying, system=obeying.system.model_copy(update={"agent": NULL_AGENTS[0]}))
    assert counterfactuals([floor], ["swap"]) == []
    with pytest.raises(UnknownName, match="swap"):
        counterfactuals([obeying], ["swop"])
    blind = sut(world, scripted()[0], options={"without": ["user"]})
    with pytest.raises(UserError, match="no profile to change"):
        counterfactuals([blind], ["swap"])


def test_a_swapped_run_sees_the_partner_a_neutral_nobody(shop: World, obeying: SystemUnderTest, folder: Path) -> None:
    players = [obeying, *counterfactuals([obeying], ["swap", "neutral"])]
    run_all(shop, folder, players)
    plain, swap, neutral = (reports(folder)[player.label] or "" for player in players)
    assert "Bird Feeder" in plain
    assert "Dog Bed" in swap
    assert neutral == "I know nothing of you."
    ledger = {entry.id: entry for entry in read_evidence(run_folder(folder, players[1].label, "q1", 1))}
    assert {"U:orders", "O:0000000203", "P:B0DOGS0003"} <= set(ledger)
    assert BIRDS in ledger["U:orders"].texts[0].text
    assert DOGS not in ledger["U:orders"].texts[0].text
    assert {run.world_fingerprint for run in read_runs(folder)} == {shop.manifest.fingerprint}


def test_the_profile_that_grounded_hybrid_is_given_is_the_partner_s(shop: World, folder: Path) -> None:
    models = {"": open_model("offline:shopper")}
    plain = SystemUnderTest.of("grounded_hybrid", load_agent("grounded_hybrid"), models, shop)
    (swap,) = counterfactuals([plain], ["swap"])
    run_all(shop, folder, [swap])
    (run,) = read_runs(folder)
    assert run.status == "done"
    ledger = read_evidence(run_folder(folder, swap.label, "q1", 1))
    assert {entry.id for entry in ledger if entry.kind == "order"} == {f"O:000000020{n}" for n in range(4)}


def test_the_partner_is_frozen_and_a_second_folder_equal(shop: World, obeying: SystemUnderTest, tmp_path: Path) -> None:
    players = counterfactuals([obeying], ["swap"])
    for name in ("a", "b"):
        run_all(shop, tmp_path / name, [obeying, *players], QUERY, NOBODY_S)
    files = [Path("counterfactuals") / f"{BIRDS}.json", Path("runs") / players[0].label / "q1-r1" / "run.json"]
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    frozen = counterfactual_path(tmp_path / "a", BIRDS)
    mine = frozen.read_text().replace("unlike-2", "by hand")
    frozen.write_text(mine)
    run_all(shop, tmp_path / "a", players, QUERY)
    assert frozen.read_text() == mine


def test_without_counterfactual_systems_nobody_is_chosen(shop: World, obeying: SystemUnderTest, folder: Path) -> None:
    run_all(shop, folder, [obeying])
    assert read_counterfactual(folder, BIRDS) is None
    assert not (folder / "counterfactuals").exists()


def test_a_run_without_a_chosen_partner_is_refused(shop: World, obeying: SystemUnderTest) -> None:
    (swap,) = counterfactuals([obeying], ["swap"])
    with pytest.raises(UserError, match="Nobody was chosen"):
        asyncio.run(Runner(shop, "w").run(swap, QUERY))


def test_a_replayed_swap_is_the_same_run(shop: World, tmp_path: Path) -> None:
    models = {"": open_model("offline:shopper")}
    players = counterfactuals([SystemUnderTest.of("react", load_agent("react"), models, shop)], ["swap"])
    run_all(shop, tmp_path / "a", players)
    runner = Runner(shop, "w", replay=tmp_path / "a")
    with open_experiment(tmp_path / "b", shop, (QUERY,), players, "42") as experiment:
        Batch(runner, experiment).run_all(players, (QUERY,))
    one, two = (run_folder(tmp_path / name, players[0].label, "q1", 1) / "run.json" for name in "ab")
    assert one.read_bytes() == two.read_bytes()
