"""A model that makes one chosen mistake: it is kept and found, or mended or struck by the agent that checks itself."""

import re
from collections.abc import Iterator

import pytest

from drretail.agents.grounded_hybrid.striking import TITLE
from drretail.agents.running.runner import Recorded
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.grounding.verify.checks import Case, check_report, read_report
from drretail.records.evidence import Finding
from drretail.records.run import Limits
from tests.agents import sabotaged_shop
from tests.agents.conftest import record, sut
from tests.agents.saboteur import PICKED, SENTENCES, Saboteur, liar, model
from tests.build import known

QUERY = sabotaged_shop.QUERY
FOUND = {
    "invented_product": "not_in_catalog",
    "wrong_price": "price_wrong",
    "wrong_place": "place_wrong",
    "over_budget": "over_budget",
    "unknown_citation": "unresolved_citation",
    "owned_as_new": "recommended_although_owned",
    "unwanted_brand": "unwanted_brand",
    "wrong_total": "total_wrong",
}
"""By form: invented_product, wrong_price, unknown_citation; by declared picks: the others."""
ONE_TOO_MANY = "not_wanted"
"""A second feeder where one is asked for: so is each product that a mistake puts into the cart."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = sabotaged_shop.build_shop(tmp_path_factory.mktemp("sabotage") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def played(shop: World, agent: str, saboteur: Saboteur) -> Recorded:
    return record(shop, sut(shop, model(saboteur), agent), QUERY)


def findings(shop: World, recorded: Recorded) -> list[Finding]:
    """What the checks find in the run's report."""
    run = recorded.run
    evidence = {entry.id: entry for entry in recorded.evidence}
    case = Case(run.report or "", evidence, QUERY, run.picks, run, lookup=lambda ids: shop.store.products(list(ids)))
    return check_report(case, read_report(case))


@pytest.mark.parametrize("mistake", FOUND)
def test_what_a_report_says_wrongly_is_kept_and_found(shop: World, mistake: str) -> None:
    recorded = played(shop, "react", liar(mistake))
    assert SENTENCES[mistake] in known(recorded.run.report)
    found = {finding.code for finding in findings(shop, recorded)}
    handed = {entry.id for entry in recorded.evidence}
    # Of a product that the run never looked up, only this is known: it was cited all the same.
    unread = set(re.findall(r"P:\w+", SENTENCES[mistake])) - handed
    assert found <= {FOUND[mistake], "unresolved_citation", ONE_TOO_MANY}
    assert ("unresolved_citation" if unread and mistake != "invented_product" else FOUND[mistake]) in found


IN_THE_CART = {"over_budget": ONE_TOO_MANY}
"""What is found of a mistake where the cart is looked at first: the dear one is a second feeder."""


@pytest.mark.parametrize("mistake", FOUND)
@pytest.mark.parametrize("stubborn", [False, True], ids=["mended", "struck"])
def test_the_grounded_agent_mends_or_strikes_its_models_mistakes(shop: World, mistake: str, stubborn: bool) -> None:
    recorded = played(shop, "grounded_hybrid", liar(mistake, stubborn=stubborn))
    run, code = recorded.run, IN_THE_CART.get(mistake, FOUND[mistake])
    assert run.report is not None
    telling = SENTENCES[mistake].splitlines()[-1].split(" [")[0]
    assert telling not in run.report, "what is struck is not said again where it is listed"
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
