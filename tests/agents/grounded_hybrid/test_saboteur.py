"""Each mistake that code can find is mended when the model mends it, and struck when it does not."""

import asyncio
from collections.abc import Iterator

import pytest

from drretail.agents.grounded_hybrid.left_out import TITLE
from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from tests.agents import sabotaged_shop
from tests.agents.sabotaged_shop import QUERY
from tests.agents.saboteur import (
    PICKED,
    SENTENCES,
    Saboteur,
    liar,
    misbehaving,
    model,
    without_its_first_source,
)

FOUND = {
    "invented_product": "not_in_catalog",
    "wrong_price": "price_wrong",
    "over_budget": "not_wanted",  # the dear one is a second feeder
    "unknown_citation": "unresolved_citation",
    "owned_as_new": "recommended_although_owned",
    "unwanted_brand": "unwanted_brand",
    "wrong_total": "total_wrong",
}
NOT_FOUND = {"wrong_place"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = sabotaged_shop.build(tmp_path_factory.mktemp("grounded") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def played(shop: World, saboteur: Saboteur) -> Recorded:
    agent = load_agent("grounded_hybrid")
    sut = SystemUnderTest.of("grounded_hybrid", agent, {"": model(saboteur)}, shop)
    return asyncio.run(Runner(shop, "w").run(sut, QUERY))


def test_every_mistake_has_its_test() -> None:
    assert set(FOUND) | NOT_FOUND == set(SENTENCES)


@pytest.mark.parametrize("mistake", FOUND)
def test_a_mistake_that_the_model_mends_is_mended(shop: World, mistake: str) -> None:
    run = played(shop, liar(mistake, stubborn=False)).run
    assert (run.status, run.struck, len(run.repairs)) == ("done", (), 1)
    assert FOUND[mistake] in run.repairs[0]
    assert "taken, left: nothing" in run.repairs[0]
    assert TITLE not in (run.report or "")


@pytest.mark.parametrize("mistake", FOUND)
def test_a_mistake_that_the_model_insists_on_is_struck_and_listed(shop: World, mistake: str) -> None:
    run = played(shop, liar(mistake)).run
    body, _, listed = (run.report or "").partition(f"## {TITLE}")
    assert (run.status, len(run.repairs)) == ("done", 2)
    assert FOUND[mistake] in {finding.code for finding in run.struck}
    assert SENTENCES[mistake] not in body
    assert "\n- " in listed
    assert SENTENCES[mistake].splitlines()[-1] in {finding.text for finding in run.struck}
    assert PICKED.get(mistake) not in [pick.product for pick in run.picks or ()]


@pytest.mark.parametrize("mistake", sorted(NOT_FOUND))
def test_what_code_cannot_read_is_left_to_the_judge(shop: World, mistake: str) -> None:
    run = played(shop, liar(mistake)).run
    assert (run.struck, run.repairs) == ((), ())
    assert SENTENCES[mistake] in (run.report or "")


def test_a_fact_that_synthesis_lost_is_not_made_up_again(shop: World) -> None:
    run = played(shop, misbehaving(without_its_first_source, "synthesis", stubborn=True, report=None)).run
    assert (run.status, run.struck) == ("done", ())
