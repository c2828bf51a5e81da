"""Agents whose model makes one chosen mistake: its place is found, one case each."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.store.base import Store
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, default_pool, open_world, write_world
from drretail.eval.fault_place.judge import FAMILY
from drretail.eval.fault_place.placing import PLACES
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment
from drretail.llm.registry import open_model
from drretail.progress import choose_progress
from drretail.records.run import Limits
from drretail.records.score import Score
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import render_page
from tests.agents import sabotaged_shop
from tests.agents.sabotaged_shop import GOOD
from tests.agents.saboteur import SENTENCES, Saboteur, Spoiling, model

STOVE = "B0SABOT099"
"""No search for bird feeders finds it."""
QUERY = sabotaged_shop.QUERY
WRONG = SENTENCES["wrong_price"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    feeder = sabotaged_shop.PRODUCTS[0]
    more = {"product_id": STOVE, "title": "Farfield Camp Stove", "price": 45.0, "store": "Farfield", "details": {}}
    stove = feeder.model_copy(update={**more, "categories": ("Camping",), "category": "Sports_and_Outdoors"})
    folder = tmp_path_factory.mktemp("places") / "world"
    products = [*sabotaged_shop.PRODUCTS, stove]
    write_world(folder, products=products, orders=sabotaged_shop.ORDERS, seed="42", pool=default_pool())
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def spoilt(sentence: str, synthesis: Spoiling = lambda answer: answer) -> Saboteur:
    """Puts a sentence below the title of the report, and does something to what researchers hand on."""

    def spoil(answer: AIMessage) -> AIMessage:
        if not answer.text.startswith("# "):
            return answer if answer.tool_calls and "insights" not in answer.tool_calls[0]["args"] else synthesis(answer)
        title, _, rest = answer.text.partition("\n")
        return AIMessage(f"{title}\n\n{sentence}\n{rest}")

    return Saboteur(("alone", "synthesis", "report"), spoil, stubborn=True, of_reports=False)


def changed(change: "Change") -> Spoiling:
    """What a researcher hands on, changed as JSON, however it was answered."""

    def spoil(answer: AIMessage) -> AIMessage:
        if answer.tool_calls:
            call = answer.tool_calls[0]
            return AIMessage("", tool_calls=[call | {"args": change(call["args"])}])
        return AIMessage(json.dumps(change(json.loads(answer.text))))

    return spoil


class Change:
    """Of an intermediate report: forgets one product, or writes another price of it."""

    def __init__(self, price: str | None) -> None:
        self.price = price

    def __call__(self, told: dict[str, Any]) -> dict[str, Any]:
        if self.price is not None:
            return json.loads(json.dumps(told).replace("$18.75", self.price))
        named = f"P:{GOOD}"
        insights = [it for it in told["insights"] if named not in it["citations"] and "18.75" not in it["statement"]]
        sources = [it for it in told["sources"] if it["evidence"] != named]
        return {"insights": insights, "sources": sources, "open_questions": ["What else is there?"]}


def an_experiment(folder: Path, shop: World, agent: str, saboteur: Saboteur) -> Path:
    sut = SystemUnderTest.of(agent, load_agent(agent), {"": model(saboteur)}, shop, limits=Limits())
    recorded = asyncio.run(Runner(shop, "w").run(sut, QUERY))
    assert recorded.run.status == "done"
    definition = Definition(
        world_fingerprint="w",
        queries=(QUERY,),
        systems={recorded.run.system: sut.system},
        prompt_hashes={recorded.run.system: {}},
        tool_schema_hash="t",
    )
    with Experiment(folder, definition) as opened:
        opened.save(recorded.run, recorded.evidence, recorded.texts, {})
    return folder


def scored(folder: Path, store: Store | None, *metrics: str) -> dict[str, Score]:
    judge = Judge.of(open_model("offline:judge"))
    names = metrics or ("faithfulness", FAMILY)
    made = asyncio.run(score(folder, names, [judge], store=store, progress=choose_progress("none")))
    return {it.variant: it for it in made.scores if it.metric == FAMILY and it.policy == "answered"}


def places_of(folder: Path) -> dict[str, tuple[str, str]]:
    """By the words of each wrong claim, its place and why."""
    (run,) = read_view(folder).runs
    return {it.text: (it.fault.kind, it.fault.reason) for it in run.claims[0].claims if it.fault is not None}


CASES = {
    "of what it was handed": ("react", spoilt(WRONG), "distorted", "18.75"),
    "of what was handed on": ("hybrid_react", spoilt(WRONG), "distorted", "so says the intermediate report of 0.1"),
    "handed on otherwise": (
        "hybrid_react",
        spoilt(WRONG, changed(Change("$11.11"))),
        "distorted",
        "already the intermediate report of 0.1",
    ),
    "not handed on": ("hybrid_react", spoilt(WRONG, changed(Change(None))), "lost", "no intermediate report says so"),
    "of what nobody looked up": (
        "react",
        spoilt(f"The Farfield Camp Stove costs $44.00 [P:{STOVE}]."),
        "never_retrieved",
        f"never handed P:{STOVE}",
    ),
    "of what nobody has": ("react", spoilt(SENTENCES["invented_product"]), "invented", "P:B0INVENTED"),
    "of a figure that nobody has": (
        "hybrid_react",
        spoilt(f"Together they come to $93.17 with the seed feeder [P:{GOOD}]."),
        "invented",
        "93.17",
    ),
    "of no figure": ("react", spoilt(SENTENCES["wrong_place"]), "unknown", "No typed value"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_put_where_it_was_made(shop: World, tmp_path: Path, case: str) -> None:
    agent, saboteur, place, why = CASES[case]
    folder = an_experiment(tmp_path / "exp", shop, agent, saboteur)
    rows = scored(folder, shop.store)
    found = list(places_of(folder).values())
    assert {it for it, _ in found} == {place}
    assert all(why in reason for _, reason in found)
    wrong = len(found)
    assert (wrong == 1) or case == "handed on otherwise", "the report repeats what it was handed"
    assert (rows["n_wrong"].value, rows["n_placed"].value) == (wrong, wrong if place != "unknown" else 0)
    assert {it: rows[it].value for it in PLACES} == {it: float(it == place) for it in PLACES}


def test_an_honest_report_has_nothing_to_place(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "hybrid_react", spoilt(""))
    rows = scored(folder, shop.store)
    assert rows["n_wrong"].value == 0
    assert {rows[it].n_na for it in PLACES} == {1}


def test_without_a_world_there_is_no_place_and_the_reason_is_told(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    row = scored(folder, None)["n_wrong"]
    assert (row.value, row.n_na) == (None, 1)
    assert any("world is not at hand" in it for it in row.items)
    assert places_of(folder) == {}


def test_places_stay_when_it_is_scored_again_without_the_world(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    scored(folder, shop.store)
    before = {it: it.read_bytes() for it in (folder / "verdicts" / FAMILY).rglob("*.jsonl")}
    assert scored(folder, None)["n_placed"].value == 1
    assert {it: it.read_bytes() for it in (folder / "verdicts" / FAMILY).rglob("*.jsonl")} == before


def test_places_of_claims_that_were_ruled_otherwise_since_do_not_stay_without_the_world(
    shop: World, tmp_path: Path
) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    scored(folder, shop.store)
    (path,) = (it for it in (folder / "verdicts" / "faithfulness").rglob("*.jsonl") if "journal" not in it.name)
    lines = [json.loads(it) for it in path.read_text(encoding="utf-8").splitlines()]
    ruled = next(it for it in lines if it["stage"] == "support" and it["value"] == 0)
    path.write_text("".join(f"{json.dumps(it)}\n" for it in [*lines, ruled | {"value": 1.0}]), encoding="utf-8")
    row = scored(folder, None)["n_wrong"]
    assert (row.value, row.n_na) == (None, 1)
    assert any("score --world" in it for it in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 0


def test_before_claims_are_judged_there_is_no_place_and_the_reason_is_told(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    row = scored(folder, shop.store, FAMILY)["n_wrong"]
    assert row.n_na == 1
    assert any("score faithfulness" in it for it in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 1, "once they are judged it is placed"


def test_scoring_twice_adds_no_verdict(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    scored(folder, shop.store)
    (path,) = (folder / "verdicts" / FAMILY).rglob("*.jsonl")
    before = path.read_bytes()
    scored(folder, shop.store)
    assert path.read_bytes() == before


def test_the_page_shows_the_place_beside_the_claim(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    scored(folder, shop.store)
    page = render_page(folder)
    assert "Where it went wrong: <strong>distorted</strong>. The run was handed the truth" in page
