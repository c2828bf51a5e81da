"""Pairs of queries, of which the shop can meet one."""

from pathlib import Path

import pytest

from drretail.api.queries import spoil as command
from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.experiments.query_files import write_with_gold
from drretail.querygen.reading import read_queries
from drretail.querygen.spoil import spoil_queries
from drretail.records.criteria import OF_KIND as IS_SUCH
from drretail.records.criteria import Decision, Gold
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.shopping.constraints import record_sha
from tests.shop import PRODUCTS, USER, build_shop

FEEDER = Want(name="hopper feeder", kinds=("hopper bird feeder",))
HOPPER = PRODUCTS[1]
IS_ONE = Decision(
    want=FEEDER.name,
    demand=IS_SUCH,
    product_id=HOPPER.product_id,
    record_sha=record_sha(HOPPER),
    state="met",
    by="model:a",
)
QUERY = Query(
    query_id="q1",
    user_id=USER,
    text="A hopper feeder in cedar for less than $100, please. Not above $100!",
    wish=Wish(wants=(FEEDER,), budget=Money.of(100)),
    gold=Gold(query_id="q1", decisions=(IS_ONE,)),
    source="t",
)
ONCE = QUERY.model_copy(update={"text": "A hopper feeder for less than $100, please."})


@pytest.fixture
def offers(tmp_path: Path) -> Offers:
    return Offers(open_world(build_shop(tmp_path / "world")))


def test_a_pair_is_proved_and_refuted_and_its_ids_tell_nothing(offers: Offers) -> None:
    made = spoil_queries([ONCE, QUERY.model_copy(update={"query_id": "q2"})], offers.world, "42")
    assert (dict(made.counts), dict(made.without)) == ({"too_dear": 1}, {"no pair could be proved": 1})
    assert len({query.task_id for query in made.queries}) == 1
    proofs = [proof for query in made.queries if (proof := offers.reference(query).proof)]
    assert {(proof.state, proof.lack) for proof in proofs} == {("proved", "too_dear"), ("refuted", None)}
    assert all(query.query_id[0] == "s" and query.query_id[1:].isalnum() for query in made.queries)


def test_a_budget_stands_in_the_place_of_the_texts_own_or_in_a_sentence_more(offers: Offers) -> None:
    limited = [(q.text, q.wish.budget) for q in spoil_queries([ONCE], offers.world, "42").queries if q.wish]
    budgets = sorted(budget.value for _, budget in limited if budget)
    assert budgets[0] < 39.5 < budgets[1] <= 42
    assert all(budget == int(budget) for budget in budgets)
    assert all(f"${budget.amount}" in text for text, budget in limited if budget)
    assert all("$100" not in text for text, _ in limited)
    free = ONCE.model_copy(update={"text": "A hopper feeder, please.", "wish": Wish(wants=(FEEDER,))})
    made = spoil_queries([free], offers.world, "42")
    assert made.counts["too_dear"] == 1
    assert all(query.text.startswith("A hopper feeder, please. ") for query in made.queries)


def test_queries_of_another_world_are_refused(offers: Offers) -> None:
    with pytest.raises(UserError, match="world"):
        spoil_queries([ONCE.model_copy(update={"world_fingerprint": "f" * 64})], offers.world, "42")


def test_the_command_writes_the_pairs_and_says_what_gave_none(tmp_path: Path) -> None:
    world, asked, to = build_shop(tmp_path / "world"), tmp_path / "q.jsonl", tmp_path / "pairs.jsonl"
    untyped = ONCE.model_copy(update={"query_id": "q2", "wish": None})
    write_with_gold([ONCE, untyped], asked)
    made = command(asked, to=to, world=world).value
    assert dict(made.counts) == {"too_dear": 1}
    assert list(read_queries(to)) == made.queries
    unsold = Wish(wants=(Want(name="cello", kinds=("cello",)),), budget=Money.of(100))
    write_with_gold([QUERY.model_copy(update={"wish": unsold}), untyped], asked)
    with pytest.raises(UserError, match="gave no pair of queries: 1 × it has no wish, 1 × nothing has to be bought"):
        command(asked, to=tmp_path / "none.jsonl", world=world)
