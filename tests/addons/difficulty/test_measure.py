"""How hard a query is: measured, levelled, and made harder."""

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import islice, product
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from drretail.addons.difficulty import derived
from drretail.addons.difficulty.derived import (
    KINDS,
    NO_CLAUSE,
    NOT_NECESSARY,
    UNMET,
    UNTYPED,
    by_clause,
    hide,
    is_necessary,
    spoil,
)
from drretail.addons.difficulty.measure import (
    Dial,
    Task,
    density,
    generate_at,
    greedy_gap,
    level_of,
    text_alone,
    with_levels,
)
from drretail.api.worlds import open_world
from drretail.cli.app import app
from drretail.env.offers import Offers
from drretail.env.world import OrderRow, World
from drretail.errors import UserError
from drretail.grounding.constraints import record_sha
from drretail.llm.prompt import tag_content
from drretail.querygen.checks.contract import HITS
from drretail.querygen.generate import Drafts, users_of
from drretail.querygen.lint import Linter
from drretail.querygen.reading import read_queries
from drretail.records.criteria import Decision, Gold, State
from drretail.records.query import QUESTIONS, Fit, Query, WantedThing
from drretail.records.shop import Money, Product
from drretail.records.wish import Hidden, Want, Wish
from tests.build import build_world, demands, known
from tests.querygen.by_model.scripted import ScriptedChat, right, scripted
from tests.querygen.conftest import make_world, world
from tests.querygen.test_reading import ALL, of_third
from tests.shop import USER, build_shop

__all__ = ["make_world", "world"]
ANNA = "ANNA"
PRICES = (90, 80, 70, 60, 50, 40, 30, 20)
ONE = Money.of(1)


def lamp(number: int) -> Product:
    """Of the same words, so that a search has them in the order of their ids: the later the cheaper, and the better."""
    return Product(
        product_id=f"LAMP{number}",
        title="Desk Lamp",
        price=PRICES[number],
        average_rating=4.0 + number / 10,
        rating_number=1000 * (number + 1),
        store="Nordlys" if number % 2 else "Tallow",
        categories=("Desk", "Desk Lamps"),
        category="Office_Products",
    )


@pytest.fixture(scope="module")
def dial(tmp_path_factory: pytest.TempPathFactory) -> Dial:
    folder = tmp_path_factory.mktemp("world")
    lamps = [lamp(number) for number in range(len(PRICES))]
    orders = [OrderRow("0000000001", ANNA, "LAMP7", 1_640_995_200_000)]
    orders += [OrderRow(f"000000000{n}", ANNA, "LAMP6", 1_640_995_200_000 + n * 86_400_000) for n in (2, 3)]
    build_world(folder, lamps, orders)
    return Dial(Offers(open_world(folder)))


def query(want: dict[str, object] | None = None, *, user: str | None = None, **wish: object) -> Query:
    wanted = {"name": "desk lamp", "kinds": ("desk lamp",), **(want or {})}
    typed = Wish.model_validate({"wants": (wanted,), **wish})
    return Query(query_id="q1", user_id=user, text="A desk lamp.", wish=typed, source="t")


@given(budget=st.none() | st.integers(20, 200), stars=st.none() | st.sampled_from([4.2, 4.5, 4.7]), n=st.integers(1, 3))
def test_with_history_more_hits_are_never_worth_less_nor_is_no_history_worth_more(
    dial: Dial, budget: int | None, stars: float | None, n: int
) -> None:
    limit = None if budget is None else Money.of(budget)
    task = dial.task(query({"rating_min": stars, "quantity": n}, user=ANNA, budget=limit))
    if task is not None:
        worth = [task.utility(hits, history=True) for hits in range(1, 9)]
        assert worth == sorted(worth)
        assert all(task.utility(k, history=True) >= task.utility(k, history=False) for k in range(1, 9))
        assert 0 <= task.loss <= 1


def task_of(dial: Dial, query: Query) -> Task:
    return known(dial.task(query))


def test_the_depth_is_the_least_number_of_hits_that_bring_nearly_the_best(dial: Dial) -> None:
    task = task_of(dial, query(budget=Money.of(55)))
    depth = known(task.depth)
    assert task.utility(depth, history=True) >= 0.95 > task.utility(depth - 1, history=True)


def test_who_knows_no_history_buys_what_the_shopper_has(dial: Dial) -> None:
    task = task_of(dial, query({"rating_min": 4.5}, user=ANNA))
    assert [pick.product for pick in task.cart(8, history=False)] == ["LAMP7"]
    assert (task.utility(8, history=False), task.utility(8, history=True)) == (0.0, 1.0)
    lost = [1 - task.utility(hits, history=history) for hits in HITS for history in (True, False)]
    assert task.loss == pytest.approx(sum(lost) / 8)


def test_what_is_bought_amiss_takes_nothing_from_the_rest(dial: Dial) -> None:
    wants = ({"name": "any lamp", "kinds": ("lamp",), "again": True}, {"name": "new lamp", "kinds": ("desk lamp",)})
    task = task_of(dial, query(user=ANNA).model_copy(update={"wish": Wish.model_validate({"wants": wants})}))
    # Of what the shopper has, LAMP6 will do for one want, and LAMP7 for none of the other.
    assert {pick.product for pick in task.cart(8, history=False)} == {"LAMP6", "LAMP7"}
    assert task.utility(8, history=False) == 0.5


def test_history_counts_the_orders_back_to_the_oldest_that_matters(dial: Dial) -> None:
    assert dial.difficulty(query(user=ANNA)).history == 3
    assert dial.difficulty(query()).history == 0
    assert dial.difficulty(query({"again": True}, user=ANNA, orders=("0000000003",))).history == 1


def test_what_an_order_alone_names_and_what_is_hidden_is_unknown_without_history(dial: Dial) -> None:
    again = query({"again": True, "brands_wanted": ("Nordlys",)}, user=ANNA, orders=("0000000001",))
    assert text_alone(again, dial.offers).wants == ()
    assert task_of(dial, again).utility(8, history=False) == 0
    fact = Hidden.model_validate({"field": "budget", "topic": "budget", "say": "At most $25."})
    asked = task_of(dial, query(budget=Money.of(25)).model_copy(update={"hidden": (fact,)}))
    assert asked.stated.budget is None
    assert asked.utility(3, history=False) == 0


def test_lookalikes_fail_one_limit_and_no_other(dial: Dial) -> None:
    # LAMP7 is the first that would do. Of those before it LAMP1, 3 and 5 have too few stars alone, LAMP6 another maker
    # alone; LAMP0, 2 and 4 fail both.
    found = dial.difficulty(query({"rating_min": 4.55, "brands_wanted": ("Nordlys",)}))
    assert (found.lookalikes, found.fits, found.offers) == (4, 1, 8)


def test_a_demand_is_kept_as_readers_decided(dial: Dial) -> None:
    read = tuple(
        Decision(
            want="desk lamp",
            demand="dimmable",
            product_id=f"LAMP{number}",
            record_sha=record_sha(lamp(number)),
            state="met" if number == 7 else "broken",
            by="model:ann",
        )
        for number in range(len(PRICES))
    )
    asked = query({"must": ("dimmable",)}).model_copy(update={"gold": Gold(query_id="q1", decisions=read)})
    found = dial.difficulty(asked)
    assert (found.lookalikes, found.fits, found.level) == (7, 1, 7)


def test_a_query_whose_first_hit_is_nearly_the_best_is_easy_and_one_without_a_cart_is_not_measured(dial: Dial) -> None:
    hard, easy, none = (dial.difficulty(each) for each in (query({"rating_min": 4.7}), query(), query(budget=ONE)))
    assert (hard.depth, hard.level, hard.lookalikes) == (8, 7, 7)
    assert (easy.level, easy.lookalikes, easy.density, easy.slack) == (0, 0, 1.0, None)
    assert none.model_dump(exclude_none=True) == {"query_id": "q1", "axes": ()}


def thing(*prices: int, worths: Sequence[int] = (1,) * 9) -> WantedThing:
    fits = (Fit(product_id=f"{prices}{n}", price=str(price), worth=worths[n]) for n, price in enumerate(prices))
    return WantedThing(name=str(prices), fits=tuple(fits))


@given(
    prices=st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), min_size=1, max_size=3),
    budget=st.integers(1, 90),
)
def test_density_is_the_share_of_all_carts_within_the_budget(prices: list[list[int]], budget: int) -> None:
    carts = list(product(*prices))
    made = [thing(*its) for its in prices]
    share = sum(sum(cart) <= budget for cart in carts) / len(carts)
    assert density(made, Decimal(budget)) == pytest.approx(share)


def test_the_greedy_spend_the_money_on_the_first_thing() -> None:
    made = [thing(90, 10, worths=(500, 400)), thing(50, worths=(500,))]
    assert greedy_gap(made, Decimal(100), 900) == pytest.approx(1 - 500 / 900)
    assert greedy_gap(made, None, 1000) == 0


@pytest.mark.parametrize(("loss", "level"), [(0, 0), (0.1, 1), (0.3, 3), (0.2999, 2), (0.95, 9), (1, 9)])
def test_the_level_is_the_tenth_of_the_loss(loss: float, level: int) -> None:
    assert level_of(loss) == level


def test_the_twin_that_cannot_be_met_has_the_level_of_the_other(dial: Dial) -> None:
    met = query({"rating_min": 4.7}).model_copy(update={"task_id": "t"})
    unmet = query(budget=Money.of(1)).model_copy(update={"query_id": "q2", "task_id": "t", "infeasible": True})
    pair = [met, unmet]
    levels = with_levels(pair, [dial.difficulty(each) for each in pair])
    assert [Query.model_validate_json(each.as_line()).level for each in levels] == [7, 7]
    assert not any('"level"' in each.as_line() for each in pair), "one without a level is written as before"
    alone = levels[1:]
    assert with_levels(alone, map(dial.difficulty, alone)) == alone, "its level stays where its twin is in another file"


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
    limited = [(q.text, q.wish.budget) for q in spoil([ONCE], offers, ["too_dear"], "42").queries if q.wish]
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
    assert spoil([query], offers, ["too_dear"], "42").queries == [], "it may be of cedar, and cost nothing"
    states: dict[str, State] = {"B0TEST0001": "met", "B0TEST0003": "broken"}
    read = tuple(
        Decision(
            want="feeder",
            demand="cedar",
            product_id=listing.product.product_id,
            record_sha=record_sha(listing.product),
            state=states[listing.product.product_id],
            by="model:ann",
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


def test_an_absent_thing_is_one_that_the_world_lacks(offers: Offers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(set(derived.ABSENT)) == len(derived.ABSENT)
    monkeypatch.setattr(derived, "ABSENT", ("bird feeder", "cello"))
    made = spoil([NOBODYS], offers, ["not_sold"], "42")
    assert any("a cello" in query.text for query in made.queries)


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
def test_other_worlds_and_kinds_are_refused(query: Query, kinds: list[str], message: str, offers: Offers) -> None:
    with pytest.raises(UserError, match=message):
        spoil([query], offers, kinds, "42")


BIRD_FEEDER = Want(name="bird feeder", kinds=("bird feeder",), again=True)
TEXT = "I'd like a bird feeder. It should cost $30 at most."
LIMITED = Query(query_id="q1", user_id=USER, text=TEXT, wish=Wish(wants=(BIRD_FEEDER,), budget=Money.of(30)), source="")
"""The best feeder of the shop costs more, and the one that $30 buys is worth no less."""


def wanting(text: str = TEXT, **changed: object) -> Query:
    fields = {name: value for name, value in changed.items() if name in Want.model_fields}
    want = {**BIRD_FEEDER.model_dump(), **fields}
    budget = changed.get("budget", Money.of(30))
    return LIMITED.model_copy(update={"text": text, "wish": Wish.model_validate({"wants": (want,), "budget": budget})})


CEDAR = wanting("A bird feeder, please. It has to be of cedar.", must=("cedar",), budget=None)


def test_the_clause_of_a_necessary_limit_becomes_what_the_shopper_says(offers: Offers) -> None:
    made = hide([CEDAR], offers, manner="open")
    (query,) = made.queries
    assert query.text == "A bird feeder, please."
    assert [(fact.topic, fact.field, fact.value, fact.say) for fact in query.hidden] == [
        ("feature", "must", "cedar", "It has to be of cedar.")
    ]
    assert (query.query_id, query.wish, query.manner, query.questions) == ("q1-hidden", CEDAR.wish, "open", QUESTIONS)
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
def test_only_a_clause_without_which_a_sentence_asks_is_hidden(text: str, left: str | None, say: str | None) -> None:
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


USERS = ["ANNA", "CARA", "FAYE", "GUNN_1", "GUNN_2"]


def test_queries_have_the_level_that_is_measured_and_nothing_is_found_in_them(world: World) -> None:
    made = generate_at(world, [4, 5], 4, seed="42").queries
    dial, linter = Dial(Offers(world)), Linter(world)
    assert [query.level for query in made] == [dial.difficulty(query).level for query in made]
    assert not [finding.code for query in made for finding in linter.findings(query)]


def test_users_without_a_query_of_the_level_are_named_and_where_nobody_has_one_the_nearest_is(world: World) -> None:
    with pytest.raises(
        UserError, match=r"of level 9 .* of 1 user: theirs have .* and (\d)\. Try --level \1, or other users"
    ):
        generate_at(world, [9], 9, seed="42", users=USERS[:1])
    with open_world("demo") as demo:
        made = generate_at(demo, [3, 5], 4, seed="42")
    assert {query.level for query in made.queries} == {3, 5}
    assert len({query.user_id for query in made.queries}) == len(made.queries) == made.users
    assert not {*made.without} & {query.user_id for query in made.queries}


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["queries", *arguments])


def test_the_commands_write_levels(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to, measured = str(tmp_path / "made.jsonl"), tmp_path / "measured.jsonl"
    place = ["--world", str(world.folder)]
    made = call("generate", "--level", "5", "--n", "2", "--to", to, *place)
    assert made.exit_code == 0
    assert "2 queries of 2 users" in made.stdout
    found = call("difficulty", to, "--to", str(measured), "--json", *place)
    assert [row["level"] for row in json.loads(found.stdout)["queries"]] == [5, 5]
    assert measured.read_text("utf-8") == Path(to).read_text("utf-8")
    loud, quiet = (call("difficulty", to, *place, *flag) for flag in ([], ["-q"]))
    assert ("Measuring queries" in loud.stderr, quiet.stderr) == (True, "")
    assert loud.stdout == quiet.stdout != ""
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"query_id": "q", "text": "Which lamp?"}\n')
    assert "1 query without a level: " in call("difficulty", str(plain), *place).stdout
    assert call("generate", "--level", "5", "--per-user", "2", "--to", to, *place).exit_code != 0
    chat = ScriptedChat(answer=right)
    monkeypatch.setattr("drretail.llm.registry.open_model", lambda *_, **__: scripted(chat))
    worded = tmp_path / "worded.jsonl"
    by_model = call("generate", "--level", "5", "--n", "2", "--to", str(worded), "--model", "fake:x", *place)
    drafts, queries = read_queries(Path(to)), read_queries(worded)
    assert [query.user_id for query in queries] == [draft.user_id for draft in drafts]
    told = [tag_content("needs", asked[1].text) or "" for asked in chat.asked if len(asked) == 2]
    assert sorted(f"axes: {', '.join(draft.axes)}" for draft in drafts) == sorted(
        line for needs in told for line in needs.splitlines() if line.startswith("axes")
    )
    measured_again = Counter(query.level for query in queries)
    assert f"Of level {', '.join(f'{level} ({count})' for level, count in measured_again.items())}" in by_model.stdout


def test_a_file_that_exists_is_refused_at_once(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for slow in ("drretail.addons.difficulty.measure.generate_at", "drretail.addons.difficulty.measure.Dial"):
        monkeypatch.setattr(slow, lambda *_, **__: pytest.fail("this is slow"))
    used, shipped = tmp_path / "used.jsonl", str(tmp_path / "dev.jsonl")
    used.write_text("somebody's work\n")
    call("shipped", "--to", shipped)
    for command in (["generate", "--level", "5"], ["difficulty", shipped]):
        refused = call(*command, "--to", str(used), "--world", str(world.folder))
        assert str(refused.exception) == f"{used} exists: name another file, or add --force."


def test_the_hardest_leave_a_shallow_solver_little(market: World) -> None:
    dial = Dial(Offers(market))
    tasks = [task for query in of_third("hard") if (task := dial.task(query))]
    assert len(tasks) == 33  # seven can't be met
    assert fmean(task.utility(5, history=False) for task in tasks) < 0.6
    assert with_levels(ALL, [dial.difficulty(query) for query in ALL]) == list(ALL)


def test_who_buys_the_best_of_each_kind_without_reading_on_is_nearly_always_wrong(market: World) -> None:
    offers, right = Offers(market), 0
    for query in ALL:
        wish, reference = query.wish or Wish(), offers.reference(query)
        limits = [part for part in wish.parts() if part.field not in ("owned", "quantity")]
        if reference.best is not None:
            right += not is_necessary(limits, query, offers)
    assert right <= 5
    assert all(is_necessary(query.hidden, query, offers) for query in ALL if query.hidden)


def test_each_demand_of_a_draft_makes_it_harder_than_the_others_alone_do(market: World) -> None:
    drafts, dial, lost = Drafts(market, "42"), Dial(Offers(market)), list[float]()
    users = islice(users_of(market, 25, "42"), 25)
    for query in (draft for user in users for draft in islice(drafts.of(user, 5), 1)):
        wish = query.wish or Wish()
        for part in (part for part in wish.parts() if part.field == "must"):
            task, before = (dial.task(query.model_copy(update={"wish": each})) for each in (wish, wish.without([part])))
            assert task is not None
            assert before is not None
            lost.append(task.loss - before.loss)
    assert len(lost) > 15
    assert min(lost) > 0
