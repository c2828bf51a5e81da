"""Each agent with a model that makes one chosen mistake, or whose researchers fail: the record says what came of it."""

import re
from collections.abc import Iterator

import pytest

from drretail.agents.grounded_hybrid.left_out import TITLE
from drretail.agents.registry import BUILT_IN
from drretail.agents.running.runner import Recorded
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.llm.registry import open_model
from drretail.records.evidence import Finding
from drretail.records.run import Limits
from tests.agents import sabotaged_shop
from tests.agents.conftest import record, sut
from tests.agents.saboteur import (
    PICKED,
    SENTENCES,
    Saboteur,
    Spoiling,
    calling,
    liar,
    misbehaving,
    model,
    only_calling,
    saying_nothing,
    with_broken_json,
    without_its_first_source,
)
from tests.build import known

QUERY = sabotaged_shop.QUERY
FAITHFUL_TO_ITS_MODEL = [name for name in BUILT_IN if name != "grounded_hybrid"]
FOUND = {
    "invented_product": "not_in_catalog",
    "wrong_price": "price_wrong",
    "over_budget": "over_budget",
    "unknown_citation": "unresolved_citation",
    "owned_as_new": "recommended_although_owned",
    "unwanted_brand": "unwanted_brand",
    "wrong_total": "total_wrong",
}
"""By form: invented_product, wrong_price, unknown_citation; by declared picks: the others."""
FOR_A_MODEL = "wrong_place"
"""A place beside no source: neither form nor picks tell what it is said of."""
ONE_TOO_MANY = "not_wanted"
"""A second feeder where one is asked for: so is each product that a mistake puts into the cart."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = sabotaged_shop.build_shop(tmp_path_factory.mktemp("sabotage") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def played(shop: World, agent: str, saboteur: Saboteur, limits: Limits | None = None) -> Recorded:
    return record(shop, sut(shop, model(saboteur), agent, limits=limits or Limits()), QUERY)


def findings(shop: World, recorded: Recorded) -> list[Finding]:
    """What the checks find in the run's report."""
    run = recorded.run
    evidence = {entry.id: entry for entry in recorded.evidence}
    case = Case(run.report or "", evidence, QUERY, run.picks, run, lookup=lambda ids: shop.store.products(list(ids)))
    return check_report(case, read_report(case))


@pytest.mark.parametrize("agent", BUILT_IN)
def test_without_a_mistake_nothing_is_found(shop: World, agent: str) -> None:
    recorded = played(shop, agent, misbehaving(saying_nothing))
    assert (recorded.run.status, recorded.run.failed_branches) == ("done", ())
    assert findings(shop, recorded) == []


@pytest.mark.parametrize("mistake", FOUND)
@pytest.mark.parametrize("agent", FAITHFUL_TO_ITS_MODEL)
def test_what_a_report_says_wrongly_is_kept_and_found(shop: World, agent: str, mistake: str) -> None:
    recorded = played(shop, agent, liar(mistake))
    assert SENTENCES[mistake] in known(recorded.run.report)
    found = {finding.code for finding in findings(shop, recorded)}
    handed = {entry.id for entry in recorded.evidence}
    # Of a product that the run never looked up, only this is known: it was cited all the same.
    unread = set(re.findall(r"P:\w+", SENTENCES[mistake])) - handed
    assert found <= {FOUND[mistake], "unresolved_citation", ONE_TOO_MANY}
    assert ("unresolved_citation" if unread and mistake != "invented_product" else FOUND[mistake]) in found


@pytest.mark.parametrize("agent", BUILT_IN)
def test_what_only_a_model_can_read_is_no_matter_of_code(shop: World, agent: str) -> None:
    recorded = played(shop, agent, liar(FOR_A_MODEL))
    assert (recorded.run.status, recorded.run.struck, recorded.run.repairs) == ("done", (), ())
    assert SENTENCES[FOR_A_MODEL] in known(recorded.run.report)
    assert findings(shop, recorded) == []


@pytest.mark.parametrize(
    ("spoilt", "error"),
    [
        (calling("bake_cake", size=3), "unknown_tool:"),
        (calling("product_catalog_search", query="bird feeder", limit="many"), "invalid_argument:"),
        (with_broken_json, "invalid_argument:"),
    ],
    ids=["unknown tool", "wrong argument", "no JSON"],
)
@pytest.mark.parametrize("agent", BUILT_IN)
def test_a_wrong_call_is_refused_and_the_run_goes_on(shop: World, agent: str, spoilt: Spoiling, error: str) -> None:
    run = played(shop, agent, misbehaving(spoilt, "alone", "researcher")).run
    refused = [step.error for step in run.steps if step.kind == "tool" and step.error]
    assert (run.status, len(refused)) == ("done", 1)
    assert refused[0].startswith(error)


@pytest.mark.parametrize("agent", BUILT_IN)
def test_an_endless_loop_ends_at_the_limits(shop: World, agent: str) -> None:
    endless = misbehaving(only_calling("calculator", expression="1+1"), "alone", "researcher", stubborn=True)
    recorded = played(shop, agent, endless, Limits(tool_turns=3, supervisor_turns=2))
    turns = [step for step in recorded.run.steps if step.kind == "model" and step.path == recorded.run.steps[-1].path]
    assert len(turns) <= 5
    assert recorded.run.status == "failed" or recorded.run.stop != "error"


IN_THE_CART = {"over_budget": ONE_TOO_MANY}
"""What is found of a mistake where the cart is looked at first: the dear one is a second feeder."""


@pytest.mark.parametrize("mistake", FOUND)
@pytest.mark.parametrize("stubborn", [False, True], ids=["mended", "struck"])
def test_the_grounded_agent_mends_or_strikes_its_models_mistakes(shop: World, mistake: str, stubborn: bool) -> None:
    recorded = played(shop, "grounded_hybrid", liar(mistake, stubborn=stubborn))
    run, code = recorded.run, IN_THE_CART.get(mistake, FOUND[mistake])
    assert run.report is not None
    assert not said(mistake, run.report), "what is struck is not said again where it is listed"
    assert PICKED.get(mistake) not in [pick.product for pick in run.picks or ()]
    assert findings(shop, recorded) == []
    assert code in run.repairs[0]
    if stubborn:
        assert (run.status, len(run.repairs)) == ("done", Limits().repairs)
        assert code in {finding.code for finding in run.struck}
        assert SENTENCES[mistake].splitlines()[-1] in {finding.text for finding in run.struck}
        assert "\n- " in run.report.partition(f"## {TITLE}")[2]
    else:
        assert (run.status, len(run.repairs), run.struck) == ("done", 1, ())
        assert "taken, left: nothing" in run.repairs[0]
        assert TITLE not in run.report


def said(mistake: str, report: str) -> bool:
    """True when the report says the telling part of a mistake, its last line without the citation."""
    return SENTENCES[mistake].splitlines()[-1].split(" [")[0] in report


SUPERVISED = [name for name in BUILT_IN if name.endswith(("hybrid", "hybrid_react"))]


@pytest.mark.parametrize("agent", SUPERVISED)
def test_a_fact_lost_in_synthesis_stays_in_the_ledger_and_leaves_the_report(shop: World, agent: str) -> None:
    forgetful = misbehaving(without_its_first_source, "synthesis", stubborn=True, report=None)
    recorded, whole = (
        played(shop, agent, forgetful),
        record(shop, sut(shop, open_model("offline:shopper"), agent), QUERY),
    )
    assert (recorded.run.status, recorded.run.struck, forgetful.spoilt > 0) == ("done", (), True)
    cited = {citation.evidence_id for citation in recorded.run.citations}
    lost = {citation.evidence_id for citation in whole.run.citations} - cited
    assert lost
    assert lost <= {entry.id for entry in recorded.evidence}
