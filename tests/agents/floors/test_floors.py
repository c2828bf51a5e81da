"""Floors: what they answer, and that a run without a model, a tool or a word is a run like any other."""

import asyncio
import re

import pytest

from drretail.agents.baselines.null import keywords
from drretail.agents.registry import BASELINES, load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.records.query import Query
from drretail.records.run import NULL_AGENTS, ORACLE_AGENT, Limits, System
from tests.agents.conftest import QUERY


def recorded(world: World, name: str, query: Query = QUERY) -> Recorded:
    player = SystemUnderTest.of(name, load_agent(name), {}, world)
    return asyncio.run(Runner(world, "w").run(player, query))


def test_every_baseline_has_an_agent_of_that_name() -> None:
    assert set(BASELINES) == {*NULL_AGENTS, ORACLE_AGENT}
    assert all(load_agent(name).is_baseline for name in BASELINES)


@pytest.mark.parametrize(
    ("name", "report"), [("null_empty", ""), ("null_copy", QUERY.text), ("null_keywords", "bird, feeder")]
)
def test_what_research_and_effort_have_no_part_in_is_a_report_all_the_same(
    world: World, name: str, report: str
) -> None:
    run = recorded(world, name).run
    assert (run.status, run.stop, run.report, run.steps, run.usage) == ("done", "finished", report, (), {})
    assert run.report_sha is not None
    assert run.run_id == f"{name}/q1-r1"


def test_bestsellers_are_those_with_the_most_ratings_of_the_category_each_cited(world: World) -> None:
    made = recorded(world, "null_bestsellers")
    report = made.run.report or ""
    cited = re.findall(r"\[P:(\w+)\]", report)
    page = [it for step in made.run.steps[-1:] for it in step.evidence]
    assert [f"P:{product_id}" for product_id in cited] == page
    assert len(cited) == 3
    assert all(citation.type == "product" for citation in made.run.citations)
    assert "$24.99, 4.5 stars from 100 ratings [P:B0TEST0001]." in report


def test_bestsellers_of_the_whole_shop_where_nothing_is_found(world: World) -> None:
    strange = QUERY.model_copy(update={"text": "Zzyzx?"})
    report = recorded(world, "null_bestsellers", strange).run.report or ""
    assert report.count("[P:") == 3


def test_a_floor_is_the_same_whatever_is_asked_of_the_systems_beside_it(world: World) -> None:
    options = {"without": ["catalog"], "redact": True}
    player = SystemUnderTest.of(
        "null_copy", load_agent("null_copy"), {}, world, web_mode="ws", options=options, limits=Limits(tokens=5)
    )
    assert player.system == System(agent="null_copy", models={})
    assert (player.label, player.models, player.repeats(5)) == ("null_copy", {}, 1)


def test_keywords_are_the_words_that_tell_something_each_once() -> None:
    text = "I'd like a dog bed, please: the Dog's old bed is under 2 years old. A washable one!"
    assert keywords(text) == ("dog", "bed", "dog's", "old", "washable")
    assert keywords("") == ()


def test_the_best_hit_is_cited_and_put_into_the_cart(world: World) -> None:
    run = recorded(world, "null_search").run
    assert re.findall(r"\[P:(\w+)\]", run.report or "") == [pick.product for pick in run.picks or ()]
    assert len(run.picks or ()) == 1


def test_a_search_that_reads_no_question_keeps_to_no_budget(world: World) -> None:
    dear, cheap = (
        recorded(world, "null_search", QUERY.model_copy(update={"text": f"A bird feeder{limit}."})).run
        for limit in ("", " under $1")
    )
    assert dear.picks == cheap.picks != ()
    assert [step.args for step in cheap.steps] == [{"query": "bird feeder", "limit": 5}]


def test_no_hit_is_an_empty_cart(world: World) -> None:
    run = recorded(world, "null_search", QUERY.model_copy(update={"text": "Qwxyz?"})).run
    assert (run.status, run.picks, run.notes) == ("done", (), ())
