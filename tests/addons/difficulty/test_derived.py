"""Pairs of queries of which the shop can meet one, and queries that leave out limits until the shopper is asked."""

from pathlib import Path

import pytest

from drretail.addons.difficulty.derived import (
    ABSENT,
    KINDS,
    NO_CLAUSE,
    NOT_NECESSARY,
    UNMET,
    UNTYPED,
    by_clause,
    hide,
    spoil,
)
from drretail.env.offers import Offers
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.grounding.constraints import record_sha
from drretail.querygen.lint import Linter
from drretail.records.criteria import Decision, Gold, State
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import demands, known
from tests.shop import USER, build_shop

FEEDER = Want(name="hopper feeder", kinds=("hopper bird feeder",))
QUERY = Query(
    query_id="q1",
    user_id=USER,
    text="A hopper feeder in cedar for less than $100, please. Not above $100!",
    wish=Wish(wants=(FEEDER,), budget=Money.of(100)),
    source="t",
)
ONCE = QUERY.model_copy(update={"text": "A hopper feeder for less than $100, please."})
NOBODYS = ONCE.model_copy(update={"user_id": None, "mode": "generic"})
"""Of nobody who has a feeder already, so that another one can be had."""
OF_KIND = {"too_dear": ONCE, "not_sold": NOBODYS, "no_such_order": ONCE}


@pytest.fixture
def offers(tmp_path: Path) -> Offers:
    return Offers(open_world(build_shop(tmp_path / "world")))


@pytest.mark.parametrize("kind", KINDS)
def test_each_pair_is_proved_and_refuted_and_its_ids_tell_nothing(kind: str, offers: Offers) -> None:
    made = spoil([OF_KIND[kind]], offers, [kind], "42")
    assert dict(made.counts) == {kind: 1}
    assert len({query.task_id for query in made.queries}) == 1
    proofs = [proof for query in made.queries if (proof := offers.reference(query).proof)]
    assert {(proof.state, proof.lack) for proof in proofs} == {("proved", kind), ("refuted", None)}
    assert all(query.query_id[0] == "s" and query.query_id[1:].isalnum() for query in made.queries)
    assert len({query.text for query in made.queries}) == 2
    if kind != "too_dear":  # twins have sentences of one form
        one, other = (query.text.removeprefix(ONCE.text).split() for query in made.queries)
        assert one[:2] == other[:2] != []
        assert len(one) == len(other) or kind == "not_sold"


def test_a_query_gives_one_pair_of_the_kind_with_the_fewest(offers: Offers) -> None:
    other = NOBODYS.model_copy(update={"query_id": "q2"})
    made = spoil([ONCE, other], offers, KINDS, "42")
    assert dict(made.counts) == {"too_dear": 1, "not_sold": 1}


def test_a_budget_stands_in_the_place_of_the_texts_own_or_in_a_sentence_more(offers: Offers) -> None:
    limited = [
        (query.text, query.wish.budget) for query in spoil([ONCE], offers, ["too_dear"], "42").queries if query.wish
    ]
    budgets = sorted(budget.value for _, budget in limited if budget)
    assert budgets[0] < 39.5 < budgets[1] <= 42
    assert all(budget == int(budget) for budget in budgets)
    assert all(f"${budget.amount}" in text for text, budget in limited if budget)
    assert all("$100" not in text for text, _ in limited)
    free = ONCE.model_copy(update={"text": "A hopper feeder, please.", "wish": Wish(wants=(FEEDER,))})
    made = spoil([free], offers, ["too_dear"], "42")
    assert made.counts["too_dear"] == 1
    assert all(query.text.startswith("A hopper feeder, please. ") for query in made.queries)


def test_twins_are_proved_by_what_readers_decided(offers: Offers) -> None:
    cedar = Want(name="feeder", kinds=("bird feeder",), must=demands("cedar"))
    query = NOBODYS.model_copy(update={"text": "A feeder in cedar, please.", "wish": Wish(wants=(cedar,))})
    assert spoil([query], offers, ["too_dear"], "42").queries == [], (
        "the window feeder may be of cedar, and cost nothing"
    )
    states: dict[str, State] = {"B0TEST0001": "met", "B0TEST0003": "broken"}
    read = tuple(
        Decision(
            want="feeder",
            demand="cedar",
            product_id=listing.product.product_id,
            record_sha=record_sha(listing.product),
            state=states[listing.product.product_id],
            by="person:ann",
        )
        for listing in offers.listings([*states])
    )
    decided = query.model_copy(update={"gold": Gold(query_id="q1", decisions=read)})
    made = spoil([decided], offers, ["too_dear"], "42").queries
    low, high = sorted(float(known(known(twin.wish).budget).value) for twin in made)
    assert low < 24.99 < high < 30, "the tube, which no word calls cedar, is the cheapest"


def test_the_same_seed_makes_the_same_pairs(offers: Offers) -> None:
    assert spoil([ONCE], offers, KINDS, "7").queries == spoil([ONCE], offers, KINDS, "7").queries
    assert spoil([ONCE], offers, KINDS, "7").queries != spoil([ONCE], offers, KINDS, "8").queries


def test_an_absent_thing_is_one_that_the_world_lacks(offers: Offers) -> None:
    made = spoil([NOBODYS], offers, ["not_sold"], "42", absent=("Bird Feeders", "Sets & Kits", "Cellos"))
    assert any("a cello" in query.text for query in made.queries)
    assert len(set(ABSENT)) == len(ABSENT)


def test_what_cannot_be_changed_or_met_gives_no_pair_and_is_counted(offers: Offers) -> None:
    untyped = ONCE.model_copy(update={"wish": None})
    bath = Wish(wants=(Want(name="bath", kinds=("bird bath",)),), budget=Money.of(5))
    made = spoil([QUERY, untyped, ONCE.model_copy(update={"wish": bath})], offers, ["too_dear"], "42")
    assert (made.queries, sum(made.without.values())) == ([], 3)


@pytest.mark.parametrize(
    ("query", "kinds", "message"),
    [
        (ONCE.model_copy(update={"world_fingerprint": "f" * 64}), ["too_dear"], "world"),
        (ONCE, [], "no kind of spoiled queries ''. Known are"),
        (ONCE, ["dear"], "no kind of spoiled queries 'dear'"),
    ],
)
def test_another_world_and_an_unknown_kind_are_refused(
    query: Query, kinds: list[str], message: str, offers: Offers
) -> None:
    with pytest.raises(UserError, match=message):
        spoil([query], offers, kinds, "42")


BIRD_FEEDER = Want(name="bird feeder", kinds=("bird feeder",), again=True)
TEXT = "I'd like a bird feeder. It should cost $30 at most."
LIMITED = Query(
    query_id="q1", user_id=USER, text=TEXT, wish=Wish(wants=(BIRD_FEEDER,), budget=Money.of(30)), source="t"
)
"""The best feeder of the shop costs more, and the one that $30 buys is worth no less."""


def wanting(text: str = TEXT, **changed: object) -> Query:
    fields = {name: value for name, value in changed.items() if name in Want.model_fields}
    want = {**BIRD_FEEDER.model_dump(), **fields}
    budget = changed.get("budget", Money.of(30))
    return LIMITED.model_copy(update={"text": text, "wish": Wish.model_validate({"wants": (want,), "budget": budget})})


CEDAR = wanting("A bird feeder, please. It has to be of cedar.", must=("cedar",), budget=None)


def test_the_clause_of_a_necessary_limit_becomes_what_the_shopper_says(offers: Offers) -> None:
    made = hide([CEDAR], offers, manner="open", questions=4)
    (query,) = made.queries
    assert query.text == "A bird feeder, please."
    assert [(fact.topic, fact.field, fact.value, fact.say) for fact in query.hidden] == [
        ("feature", "must", "cedar", "It has to be of cedar.")
    ]
    assert (query.query_id, query.wish, query.manner, query.questions) == ("q1-hidden", CEDAR.wish, "open", 4)
    assert query.full_text == CEDAR.text
    assert Linter(offers.world).findings(query) == Linter(offers.world).findings(CEDAR)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (wanting("I'd like a bird feeder. It should cost $500 at most.", budget=Money.of(500)), NOT_NECESSARY),
        (LIMITED.model_copy(update={"wish": None}), UNTYPED),
        (wanting("A bird feeder. $2 at most.", budget=Money.of(2)), UNMET),
        (CEDAR.model_copy(update={"text": "A bird feeder of cedar, please."}), NO_CLAUSE),
        (CEDAR.model_copy(update={"text": "A bird feeder, please. Of cedar. Yes, cedar."}), NO_CLAUSE),
        (CEDAR.model_copy(update={"text": "A bird feeder, please."}), NO_CLAUSE),
    ],
    ids=["kept by the best cart", "not typed", "not sold", "in the want's sentence", "stated twice", "not stated"],
)
def test_what_cannot_be_left_out_is_not_hidden(query: Query, why: str, offers: Offers) -> None:
    assert dict(hide([query], offers).without) == {why: 1}


@pytest.mark.parametrize(
    ("text", "left", "say"),
    [
        (
            "A bird feeder, please. I want it quiet and of cedar.",
            "A bird feeder, please. I want it quiet.",
            "Of cedar.",
        ),
        ("Which bird feeder is best, and made of cedar?", "Which bird feeder is best?", "Made of cedar."),
        ("A bird feeder? It has to be of cedar, too.", "A bird feeder?", "It has to be of cedar, too."),
        ("The same bird feeder would do, so would one of cedar, I'm open.", None, None),
        ("The old bird feeder broke. Of cedar, or which?", None, None),
        ("A bird feeder, please. It should be quiet, sturdy and of cedar.", None, None),
        ("Is it time? I need a bird feeder of cedar.", None, None),
    ],
)
def test_only_a_clause_without_which_a_sentence_still_asks_is_hidden(
    text: str, left: str | None, say: str | None
) -> None:
    (part,) = (part for part in (CEDAR.wish or Wish()).parts() if part.field == "must")
    rest, says = by_clause(text, CEDAR.wish or Wish(), [part])
    assert (rest, *says.values()) == ((text,) if say is None else (left, say))


def test_what_an_order_shows_is_left_to_the_record_where_that_is_asked_for(offers: Offers) -> None:
    text = "A bird feeder, please. Tanagrove has to have made it."
    other = wanting(text, brands_wanted=("Tanagrove",), must=("cedar",), budget=None)
    parts = [part for part in (other.wish or Wish()).parts() if part.field == "brands_wanted"]
    assert by_clause(text, other.wish or Wish(), parts)[1]
    weatherproof = CEDAR.model_copy(update={"user_id": "AF" + "Y" * 26})  # who ordered the feeder of cedar
    (query,) = hide([weatherproof], offers, from_record=True).queries
    assert [(fact.known_from, fact.shown_by) for fact in query.hidden] == [("record", ("O:0000000003",))]
