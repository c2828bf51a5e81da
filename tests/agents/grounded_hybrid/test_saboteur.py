"""Each mistake that can be planted is mended when the model mends it, and struck when it does not."""

import asyncio
from collections.abc import Iterator

import pytest
from drretail.grounding.struck_section import TITLE
from drretail.grounding.verifying import verify

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.eval.checks.judge import case_of
from drretail.eval.judging.subject import Subject
from tests.agents import sabotaged_shop
from tests.agents.sabotaged_shop import QUERY
from tests.agents.saboteur import SENTENCES, Saboteur, liar, misbehaving, model, without_its_first_source

FOUND = {
    "invented_product": "not_in_catalog",
    "wrong_price": "price_wrong",
    "over_budget": "unresolved_citation",  # the run never looked at the dear product
    "unknown_citation": "unresolved_citation",
    "owned_as_new": "recommended_although_owned",
    "unwanted_brand": "unwanted_brand",
    "wrong_place": "wrong_place",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = sabotaged_shop.build(tmp_path_factory.mktemp("grounded") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def played(shop: World, saboteur: Saboteur) -> tuple[Recorded, list[str]]:
    """The run, and the codes of the errors that the checks and the verifier find in its report."""
    agent = load_agent("grounded_hybrid")
    sut = SystemUnderTest.of("grounded_hybrid", agent, {"": model(saboteur)}, shop)
    recorded = asyncio.run(Runner(shop, "w").run(sut, QUERY))
    evidence = {entry.id: entry for entry in recorded.evidence}
    subject = Subject(sut.label, sut.system, QUERY, 1, recorded.run, evidence, None, shop.store)
    return recorded, [finding.code for finding in verify(case_of(subject)) if finding.severity == "error"]


def test_every_mistake_has_its_test() -> None:
    assert set(FOUND) == set(SENTENCES)


@pytest.mark.parametrize("mistake", FOUND)
def test_a_mistake_that_the_model_mends_is_mended(shop: World, mistake: str) -> None:
    recorded, errors = played(shop, liar(mistake, stubborn=False))
    assert (recorded.run.status, errors, recorded.run.struck) == ("done", [], ())
    assert len(recorded.run.repairs) == 1
    assert FOUND[mistake] in recorded.run.repairs[0]
    assert "taken, left: nothing" in recorded.run.repairs[0]
    assert TITLE not in (recorded.run.report or "")


@pytest.mark.parametrize("mistake", FOUND)
def test_a_mistake_that_the_model_insists_on_is_struck_and_listed(shop: World, mistake: str) -> None:
    recorded, errors = played(shop, liar(mistake, stubborn=True))
    report = recorded.run.report or ""
    assert (recorded.run.status, errors, len(recorded.run.repairs)) == ("done", [], 2)
    assert FOUND[mistake] in {finding.code for finding in recorded.run.struck}
    body, _, listed = report.partition(f"## {TITLE}")
    for line in SENTENCES[mistake].splitlines():
        wrong = any(finding.said in line for finding in recorded.run.struck)
        assert (line in body) != wrong
    assert listed.count("\n- `") == 1


def test_a_fact_that_synthesis_lost_is_not_made_up_again(shop: World) -> None:
    recorded, errors = played(shop, misbehaving(without_its_first_source, "synthesis", stubborn=True))
    assert (recorded.run.status, errors) == ("done", [])
