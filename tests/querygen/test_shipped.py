import json
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from drretail.data_ingest.demo import build_shop
from drretail.env.offers import Offers
from drretail.env.web.sandbox import cautions
from drretail.env.world import World, open_world
from drretail.progress import Progress
from drretail.querygen.decisions.answers import holds
from drretail.querygen.decisions.questions import questions_of
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.querygen.shipped import CANARY, GENERIC, GENERIC_CANARY, WORLD, shipped_queries
from drretail.records.query import NEED_KINDS
from tests.querygen.conftest import call


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build_shop(tmp_path_factory.mktemp("demo") / "demo", Progress())) as world:
        yield world


def test_the_demo_world_is_the_one_that_the_queries_were_made_for(demo: World) -> None:
    """A demo world that is changed on purpose takes a new set of queries, under a new name."""
    assert demo.manifest.fingerprint == WORLD
    assert cautions(demo.web, demo.manifest) == []
    assert {query.world_fingerprint for query in shipped_queries()} == {WORLD}


NOT_SAID = {
    "dev-02": ["price_unknown"],
    "dev-11": ["demand_unheard_of"],
    "dev-19": ["demand_unheard_of"],
    "test-04": ["demand_unheard_of"],
    "test-14": ["demand_unheard_of"],
    "test-19": ["budget_unreachable"],
    "test-25": ["demand_unheard_of"],
}
"""The frozen queries of which readers of the records found that no cart is known to meet them."""


def test_nothing_is_found_in_any_of_them_nor_between_them_but_what_readers_of_the_records_found(demo: World) -> None:
    linter = Linter(demo)
    fifty, twenty = linter.check_all(shipped_queries()), linter.check_all(shipped_queries(GENERIC))
    found = {each.query.query_id: [one.code for one in each.findings] for each in (*fifty, *twenty) if each.findings}
    assert found == NOT_SAID
    assert {each.query.query_id for each in fifty if each.reference.cheapest is None} == {*NOT_SAID}


def test_every_demand_of_the_fifty_and_the_twenty_is_decided_on_the_records_as_they_are(demo: World) -> None:
    questions, of_twenty = (
        list(questions_of(queries, Offers(demo))) for queries in (shipped_queries(), shipped_queries(GENERIC))
    )
    assert [question.key for question in (*questions, *of_twenty) if not question.is_decided] == []
    decisions = [each for query in shipped_queries() if query.gold for each in query.gold.decisions]
    assert {question.ruling.by.partition(":")[0] for question in questions} == {"model"}
    assert all(holds(decision, Offers(demo)) for decision in decisions[::20])


def test_there_are_twenty_to_develop_with_and_thirty_to_test_with_and_no_user_is_in_both() -> None:
    dev, test = shipped_queries("dev"), shipped_queries("test")
    both = (*dev, *test)
    assert (len(dev), len(test)) == (20, 30)
    assert shipped_queries() == both
    users = [{query.user_id for query in split} for split in (dev, test)]
    assert not users[0] & users[1]
    assert len(users[0] | users[1]) == 17
    assert len({query.query_id for query in both}) == 50
    assert len({query.rationale.split(". ", 1)[1] for query in both}) == 50
    assert {query.source for query in both} == {CANARY}
    assert all({query.kind for query in split} == set(NEED_KINDS) for split in (dev, test))
    for user in users[0] | users[1]:
        kinds = [query.kind for query in both if query.user_id == user]
        assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize(("flags", "count"), [([], 20), (["--split", "test"], 30), (["--split", "all"], 50)])
def test_the_command_writes_a_file_that_a_run_can_read(tmp_path: Path, flags: list[str], count: int) -> None:
    to = tmp_path / "queries.jsonl"
    result = call(None, "shipped", "--to", to, "--json", *flags)
    assert result.exit_code == 0
    assert len(read_queries(to)) == count
    document = json.loads(result.stdout)
    assert (document["queries"], document["world_fingerprint"], document["canary"]) == (count, WORLD, CANARY)
    assert document["users"] == len({query.user_id for query in read_queries(to)})


def test_the_twenty_are_of_nobody_and_about_as_long_as_the_fifty_and_each_about_other_things() -> None:
    twenty, fifty = shipped_queries(GENERIC), shipped_queries()
    assert len(twenty) == 20
    assert {(query.mode, query.user_id, query.source) for query in twenty} == {("generic", None, GENERIC_CANARY)}
    words = [fmean(len(query.text.split()) for query in queries) for queries in (twenty, fifty)]
    assert abs(words[0] - words[1]) < 10
    assert all("web_search" in query.expected_tools for query in twenty)
    wanted = [want.name for query in twenty if query.wish for want in query.wish.wants]
    assert len(wanted) == len(set(wanted))
