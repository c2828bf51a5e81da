"""The hundred and twenty queries of the market shop: what they hold."""

from collections import Counter
from collections.abc import Iterator

import pytest

from drretail.data_ingest.demo import MARKET as SHOP
from drretail.data_ingest.demo import build_shop
from drretail.env.offers import Offers
from drretail.env.web.sandbox import cautions
from drretail.env.world import World, open_world
from drretail.progress import Progress
from drretail.querygen.decisions import questions_of
from drretail.querygen.lint import Linter
from drretail.querygen.reading import MARKET, MARKET_CANARY, MARKET_WORLD, shipped_queries
from drretail.records.query import Query

DEV, TEST = (shipped_queries(split) for split in MARKET)
ALL = (*DEV, *TEST)
THIRDS = {"easy": range(3), "middle": range(3, 6), "hard": range(6, 10)}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build_shop(tmp_path_factory.mktemp("market") / "shop", Progress(), SHOP)) as world:
        yield world


def of_third(name: str) -> list[Query]:
    return [query for query in ALL if query.level in THIRDS[name]]


def test_the_market_is_large_and_has_pages_of_its_own(market: World) -> None:
    assert market.manifest.fingerprint == MARKET_WORLD
    assert {query.world_fingerprint for query in ALL} == {MARKET_WORLD}
    assert market.manifest.counts.products == 4_000
    assert cautions(market.web, market.manifest) == []
    pages = {query.gold.web_question.answers[0].url for query in ALL if query.gold and query.gold.web_question}
    assert {market.web.fetch(url).state for url in pages} == {"ok"}


def test_sixty_are_to_look_at_and_sixty_for_results_and_no_shopper_is_in_both() -> None:
    assert (len(DEV), len(TEST)) == (60, 60)
    users = [{query.user_id for query in split} for split in (DEV, TEST)]
    assert not users[0] & users[1]
    assert len(users[0] | users[1]) >= 80
    assert {query.source for query in ALL} == {MARKET_CANARY}
    assert len({query.query_id for query in ALL}) == 120


def test_each_third_has_forty_with_twins_hidden_limits_and_pages_that_disagree() -> None:
    special: Counter[str] = Counter()
    for third in map(of_third, THIRDS):
        axes = Counter(axis for query in third for axis in query.axes)
        assert len(third) == 40
        assert all(axes[axis] >= 3 for axis in ("infeasible", "asking", "conflict"))
        special += axes
    assert (special["infeasible"], special["asking"], special["conflict"]) == (20, 20, 20)
    paired = Counter(query.task_id for query in ALL if query.task_id)
    assert sorted(paired.values()) == [2] * 20


def test_nothing_is_found_in_any_of_them_and_each_asks_what_its_web_answers(market: World) -> None:
    checked = Linter(market).check_all(ALL)
    assert {each.query.query_id: each.findings for each in checked if each.findings} == {}
    assert all(query.gold and query.gold.web_question and query.gold.web_question.answers for query in ALL)
    proofs = Counter(
        (bool(each.query.infeasible), each.reference.proof and each.reference.proof.state) for each in checked
    )
    assert proofs == {(True, "proved"): 20, (False, "refuted"): 100}


def test_every_demand_is_decided_on_the_records_as_they_are(market: World) -> None:
    questions = list(questions_of(ALL, Offers(market)))
    assert [question.key for question in questions if not question.is_decided] == []
    assert {question.ruling.by.partition(":")[0] for question in questions} == {"field", "model"}
