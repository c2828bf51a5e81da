"""Agents whose model makes one chosen mistake: its place is found, one case each."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from drretail.env.store.base import Store
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.eval.families.fault_place.judge import FAMILY
from drretail.eval.families.fault_place.placing import PLACES
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.llm.registry import open_model
from drretail.progress import choose_progress
from drretail.records.score import Score
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import render_page
from tests.agents import sabotaged_shop
from tests.eval.families.fault_place.mistakes import CASES, WRONG, an_experiment, build, spoilt


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = build(tmp_path_factory.mktemp("places") / "world")
    with open_world(folder, web=SandboxWeb(sabotaged_shop.PAGES)) as opened:
        yield opened


def scored(folder: Path, store: Store | None, *metrics: str) -> dict[str, Score]:
    judge = Judge.of(open_model("offline:judge"))
    names = metrics or ("faithfulness", FAMILY)
    made = asyncio.run(score(folder, names, [judge], store=store, progress=choose_progress("none")))
    return {it.variant: it for it in made.scores if it.metric == FAMILY and it.policy == "answered"}


def places_of(folder: Path) -> dict[str, tuple[str, str]]:
    """By the words of each wrong claim, its place and why."""
    (run,) = read_view(folder).runs
    return {
        claim.text: (claim.fault.kind, claim.fault.reason) for claim in run.claims[0].claims if claim.fault is not None
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
    assert any("world is not at hand" in item for item in row.items)
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
    lines = [json.loads(splitline) for splitline in path.read_text(encoding="utf-8").splitlines()]
    ruled = next(line for line in lines if line["stage"] == "support" and line.get("value") == 0)
    path.write_text("".join(f"{json.dumps(it)}\n" for it in [*lines, ruled | {"value": 1.0}]), encoding="utf-8")
    row = scored(folder, None)["n_wrong"]
    assert (row.value, row.n_na) == (None, 1)
    assert any("score --world" in item for item in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 0


def test_before_claims_are_judged_there_is_no_place_and_the_reason_is_told(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    row = scored(folder, shop.store, FAMILY)["n_wrong"]
    assert row.n_na == 1
    assert any("score faithfulness" in item for item in row.items)
    assert scored(folder, shop.store)["n_wrong"].value == 1, "once they are judged it is placed"


def test_the_page_shows_the_place_beside_the_claim(shop: World, tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", shop, "react", spoilt(WRONG))
    scored(folder, shop.store)
    page = render_page(folder)
    assert "Where it went wrong: <strong>distorted</strong>. The run was handed the truth" in page
