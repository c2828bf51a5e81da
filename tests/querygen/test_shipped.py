import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from drretail.data_ingest.demo import build_shop
from drretail.difficulty.measure import Dial, with_levels
from drretail.env.offers import Offers
from drretail.env.web.sandbox import cautions
from drretail.env.world import World, open_world
from drretail.progress import Progress
from drretail.querygen.decisions.answers import holds
from drretail.querygen.decisions.questions import questions_of
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.querygen.shipped import CANARY, GENERIC, GENERIC_CANARY, GRADED, GRADED_CANARY, WORLD, shipped_queries
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
    fifty, sixty = linter.check_all(shipped_queries()), linter.check_all(shipped_queries(GRADED))
    twenty = linter.check_all(shipped_queries(GENERIC))
    all_of_them = (*fifty, *sixty, *twenty)
    found = {each.query.query_id: [one.code for one in each.findings] for each in all_of_them if each.findings}
    numbered = {key for key, codes in found.items() if set(codes) == {"order_number_in_text"}}
    assert {key: codes for key, codes in found.items() if key not in numbered} == NOT_SAID
    # Those of the sixty were made harder by the numbers of old orders.
    assert all(key.startswith("graded-") for key in numbered)
    # What would do for dev-02 has no price, in which no check finds a fault.
    assert {each.query.query_id for each in fifty if each.reference.cheapest is None} == {*NOT_SAID, "dev-02"}


def test_every_demand_of_the_fifty_and_the_twenty_is_decided_on_the_records_as_they_are(demo: World) -> None:
    questions, of_twenty = (
        questions_of(queries, Offers(demo)) for queries in (shipped_queries(), shipped_queries(GENERIC))
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


def test_the_sixty_are_of_three_levels_with_twins_and_hidden_limits_in_each() -> None:
    sixty, fifty = shipped_queries(GRADED), shipped_queries()
    levels = [query.level for query in sixty if query.level is not None]
    thirds = Counter("easy" if level < 3 else "middle" if level < 6 else "hard" for level in levels)
    assert thirds == {"easy": 20, "middle": 20, "hard": 20}
    for low in (0, 3, 6):
        third = [query for query in sixty if query.level in range(low, low + 3 if low < 6 else 10)]
        assert sum(bool(query.hidden) for query in third) == 6
        assert sum(query.infeasible is True for query in third) == 2
    assert {query.source for query in sixty} == {GRADED_CANARY}
    assert not {query.user_id for query in sixty} & {query.user_id for query in fifty}
    # A user each, but for the two of a pair.
    assert len({query.task_id or query.user_id for query in sixty}) == 54
    assert len({query.user_id for query in sixty}) == 54


def test_the_hardest_of_the_sixty_leave_a_shallow_solver_little(demo: World) -> None:
    sixty, dial = shipped_queries(GRADED), Dial(Offers(demo))
    tasks = [task for query in sixty if query.level in range(6, 10) and (task := dial.task(query))]
    assert len(tasks) == 18  # two can't be met
    assert fmean(task.utility(5, history=False) for task in tasks) < 0.6
    assert with_levels(sixty, [dial.difficulty(query) for query in sixty]) == list(sixty)
    proofs = [dial.offers.reference(query).proof for query in sixty if query.infeasible]
    assert {proof.state for proof in proofs if proof} == {"proved"}
