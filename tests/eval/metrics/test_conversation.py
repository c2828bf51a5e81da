"""Turns of conversations: right carts are not accused, and a wrong one of each kind is found."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import drretail
from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.eval.metrics.conversation import CHANGED, HELD, METRIC, TURN, UNTOUCHED, WHOLE, turn_values
from drretail.experiment import ended_run
from drretail.grounding.conversation import ConversationTurn, turns_of
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Query
from drretail.records.reading import Decision, Outcome, Pick
from drretail.records.shop import Money
from drretail.records.tables.result import part_lines
from drretail.records.wish import Demand, Want, Wish
from tests import build
from tests.viewer.dom import parse
from tests.viewer.experiment import render_page

Picks = tuple[Pick, ...]
FORTY = shipped_queries("conversations")


@pytest.fixture(scope="module")
def offers() -> Iterator[Offers]:
    with open_world("demo") as world:
        yield Offers(world)


def turn_of(offers: Offers, past: Sequence[tuple[Query, Picks]], query: Query) -> ConversationTurn:
    """The turn after these; an empty cart is a refusal."""
    store = offers.world.store
    runs = [build.run(picks=picks, outcome=outcome_of(picks)) for _, picks in past]
    queries = [*(turn for turn, _ in past), query]
    return turns_of(queries, runs, offers.reference, lambda ids: store.products(list(ids)))[-1]


def outcome_of(picks: Picks) -> Outcome:
    return Outcome(decision="buy" if picks else "none")


def played(offers: Offers) -> Iterator[tuple[ConversationTurn, Picks, Picks]]:
    """Each turn of the forty with the cart before it and the right one."""
    past: list[tuple[Query, Picks]] = []
    for query in FORTY:
        past = past if query.after else []
        asked = turn_of(offers, past, query)
        best = asked.followed.best
        right = () if best is None else best.picks
        before = next((picks for turn, picks in reversed(past) if not turn.infeasible), ())
        yield asked, before, right
        past.append((query, right))


def valued(asked: ConversationTurn, picks: Picks, decision: Decision | None = None) -> Mapping[str, float | None]:
    outcome = outcome_of(picks) if decision is None else Outcome(decision=decision)
    measured = turn_values(asked.answered(build.run(picks=picks, outcome=outcome)))
    return {name: one.value for name, one in measured.items()}


def test_forty_conversations_of_four_to_six_turns_ship() -> None:
    lengths = Counter(query.query_id.rpartition("-")[0] for query in FORTY)
    assert len(lengths) == 40
    assert {*lengths.values()} <= {4, 5, 6}
    kinds = {relation for query in FORTY for relation in query.relations.values()}
    assert kinds == {"other", "other_brand", "cheaper", "back"}
    assert sum(bool(query.infeasible) for query in FORTY) >= 5


def test_right_carts_are_not_accused_in_any_turn(offers: Offers) -> None:
    for asked, _, right in played(offers):
        assert set(valued(asked, right).values()) <= {1.0, None}, asked.query.query_id


def test_impossible_turns_are_proved_and_others_have_a_basket(offers: Offers) -> None:
    for query in FORTY:
        proof = build.known(offers.reference(query).proof)
        assert (proof.state == "proved") is bool(query.infeasible), query.query_id


def test_a_wrong_cart_of_each_kind_is_found_in_every_turn(offers: Offers) -> None:
    found, missed = Counter[str](), list[str]()
    for asked, before, right in played(offers):
        more = tuple(pick.model_copy(update={"quantity": pick.quantity + 1}) for pick in right[:1])
        beside = Pick(product=next(p for p in ("B0WZ27MB0F", "B0MA2NG01Q") if p not in {x.product for x in right}))
        wrong = {
            "something besides": (*right, beside),
            "a piece too many": (*more, *right[1:]) if not has_packs(asked) else (*right, beside),
            "the last left out": right[:-1],
        }
        changes = asked.before is not None and (asked.wish != asked.before.wish or asked.query.relations)
        if changes and asked.can_be_met and not loosens(asked, before):
            wrong["the cart before"] = before
        if not asked.can_be_met:
            wrong = {"bought anyway": (*before, beside)}
        for kind, picks in wrong.items():
            value = valued(asked, picks)[TURN]
            found[kind] += value == 0
            missed += [f"{asked.query.query_id}: {kind}"] * (value != 0)
    assert not missed
    assert min(found.values()) >= 5


def has_packs(asked: ConversationTurn) -> bool:
    return any(fit.is_pack for thing in asked.followed.things for fit in thing.fits)


def loosens(asked: ConversationTurn, before: Picks) -> bool:
    """True where the cart before happens to do for what is asked now as well."""
    return valued(asked, before)[TURN] == 1 and not asked.query.relations


def bib(color: str, name: str = "bib", quantity: int = 1) -> Want:
    must = (Demand(say=color, field="Color", any_of=(color,)),) if color else ()
    return Want(name=name, kinds=("Bibs",), must=must, quantity=quantity)


BAG = Want(name="bag", kinds=("Diaper Bags",))
MUSTARD, SAGE, CARAMEL, CHARCOAL = "B05QGUF1HR", "B0F7V3Y889", "B08QD24CH1", "B0RLGT15JB"


def cart(*products: str) -> Picks:
    return tuple(Pick(product=product) for product in products)


def follow_up(offers: Offers, before: Picks, *wants: Want, **fields: Any) -> ConversationTurn:
    """A turn after one that wanted a bib and a bag for $100."""
    return talk(offers, [((bib(""), BAG), before)], *wants, **fields)


def talk(offers: Offers, past: Sequence[tuple[Sequence[Want], Picks]], *wants: Want, **fields: Any) -> ConversationTurn:
    """The turn that wants these after turns with their wants and carts, all for $100."""
    wishes = [Wish(wants=tuple(its), budget=Money.of(100)) for its in (*(its for its, _ in past), wants)]
    queries = [build.query(f"t-{n}", wish=wish, after=f"t-{n - 1}" if n else None) for n, wish in enumerate(wishes)]
    carts = [picks for _, picks in past]
    return turn_of(offers, list(zip(queries, carts, strict=False)), queries[-1].model_copy(update=fields))


def test_parts_say_which_of_them_a_cart_misses(offers: Offers) -> None:
    asked = follow_up(offers, cart(SAGE, CARAMEL), bib("Mustard"), BAG)
    every = {TURN: 1, HELD: 1, CHANGED: 1, UNTOUCHED: 1}
    assert valued(asked, cart(MUSTARD, CARAMEL)) == every
    assert valued(asked, cart(SAGE, CARAMEL)) == every | {TURN: 0, CHANGED: 0}
    assert valued(asked, cart(MUSTARD, CHARCOAL)) == every | {TURN: 0, UNTOUCHED: 0}
    assert valued(asked, cart(MUSTARD)) == every | {TURN: 0, HELD: 0, UNTOUCHED: 0}


def test_what_is_dropped_must_go(offers: Offers) -> None:
    asked = follow_up(offers, cart(SAGE, CARAMEL), BAG)
    assert valued(asked, cart(CARAMEL))[TURN] == 1
    assert valued(asked, cart(SAGE, CARAMEL)) == {TURN: 0, HELD: 1, CHANGED: 0, UNTOUCHED: 1}


def test_a_cheaper_one_is_cheaper_than_the_systems_own(offers: Offers) -> None:
    asked = follow_up(offers, cart(SAGE, CARAMEL), bib(""), BAG, relations={"bag": "cheaper"})
    assert valued(asked, cart(SAGE, CHARCOAL))[TURN] == 1
    assert valued(asked, cart(SAGE, "B0OZHLUP5X"))[CHANGED] == 0
    # Of the cheapest there is none: to keep it is right, and so is to refuse.
    asked = follow_up(offers, cart(SAGE, "B0UXJZK5MQ"), bib(""), BAG, relations={"bag": "cheaper"})
    assert valued(asked, cart(SAGE, "B0UXJZK5MQ"))[TURN] == 1
    assert valued(asked, ())[TURN] == 1
    assert valued(asked, cart(SAGE, CARAMEL))[TURN] == 0


def test_a_refusal_leaves_the_cart_to_the_next_turn(offers: Offers) -> None:
    cheapest = cart(SAGE, "B0UXJZK5MQ")
    past = [((bib(""), BAG), cheapest), ((bib(""), BAG), ())]  # no bag is cheaper
    assert valued(talk(offers, past, bib("Mustard"), BAG), cart(MUSTARD, "B0UXJZK5MQ"))[TURN] == 1
    refused = follow_up(offers, cheapest, bib(""), BAG, relations={"bag": "cheaper"})
    after = refused.answered(build.run(picks=(), outcome=outcome_of(()))).followed_by(refused.query, refused.reference)
    assert build.known(after.before).pieces == {SAGE: 1, "B0UXJZK5MQ": 1}


def test_a_cart_is_emptied_where_nothing_is_wanted_any_more(offers: Offers) -> None:
    asked = follow_up(offers, cart(SAGE, CARAMEL))
    assert valued(asked, ())[TURN] == 1
    assert valued(asked, cart(SAGE))[TURN] == valued(asked, cart(SAGE))[CHANGED] == 0
    past = [((bib(""), BAG), cart(SAGE, CARAMEL)), ((), ())]
    assert valued(talk(offers, past, bib("")), cart(MUSTARD))[TURN] == 1


def test_who_mends_a_wrong_cart_is_not_accused(offers: Offers) -> None:
    swapped = [((bib(""), BAG), cart(SAGE, CARAMEL)), ((bib("Mustard"), BAG), cart(MUSTARD, CHARCOAL))]
    asked = talk(offers, swapped, bib("Mustard", quantity=2), BAG)
    two = Pick(product=MUSTARD, quantity=2)
    assert valued(asked, (two, *cart(CARAMEL))) == {TURN: 1, HELD: 1, CHANGED: 1, UNTOUCHED: None}
    assert valued(asked, (two, *cart(CHARCOAL)))[TURN] == 1
    assert valued(asked, cart(SAGE, CARAMEL))[TURN] == 0


def test_a_number_of_pieces_that_the_own_product_does_not_allow_is_of_another(offers: Offers) -> None:
    bags = BAG.model_copy(update={"quantity": 2})
    asked = follow_up(offers, cart(SAGE, CARAMEL), bib(""), bags)  # two of $47 are too dear
    assert valued(asked, (*cart(SAGE), Pick(product=CHARCOAL, quantity=2)))[TURN] == 1
    asked = follow_up(offers, cart(SAGE, CHARCOAL), bib(""), bags)
    assert valued(asked, (*cart(SAGE), Pick(product=CHARCOAL, quantity=2)))[TURN] == 1
    assert valued(asked, (*cart(SAGE), Pick(product="B0UXJZK5MQ", quantity=2)))[TURN] == 0


def test_of_two_wants_that_one_can_not_be_had_the_cart_may_stay_and_to_buy_the_other_is_open(offers: Offers) -> None:
    nothing = bib("Plaid", "other bib")
    asked = follow_up(offers, cart(SAGE, CARAMEL), bib("Mustard"), BAG, nothing)
    assert valued(asked, cart(SAGE, CARAMEL), "part")[TURN] == valued(asked, ())[TURN] == 1
    assert {*valued(asked, cart(MUSTARD, CARAMEL), "part").values()} == {None}
    assert valued(asked, cart(MUSTARD, CHARCOAL), "part") == {TURN: 0, HELD: None, CHANGED: 0, UNTOUCHED: 0}
    assert valued(asked, cart(MUSTARD, CARAMEL))[TURN] == 0  # nothing is refused
    # Later turns follow what was bought of it.
    past = [((bib(""), BAG), cart(SAGE, CARAMEL)), ((bib("Mustard"), BAG, nothing), cart(MUSTARD, CARAMEL))]
    assert valued(talk(offers, past, bib("Mustard")), cart(MUSTARD))[TURN] == 1


def test_another_brand_is_none_of_the_systems_own(offers: Offers) -> None:
    asked = follow_up(offers, cart(SAGE, CARAMEL), bib(""), BAG, relations={"bag": "other_brand"})
    assert valued(asked, cart(SAGE, CHARCOAL))[TURN] == 1
    assert valued(asked, cart(SAGE, "B0OZHLUP5X"))[TURN] == 0  # also by Marlowby


def test_runs_go_on_with_what_was_said_and_a_failed_turn_ends_the_rest(tmp_path: Path) -> None:
    told: list[list[str]] = []

    def agent(question: str, history: list[dict[str, str]], toolkit: object) -> dict[str, object]:
        told.append([each["content"].split("\n")[0] for each in history])
        if question.startswith("Fail"):
            raise RuntimeError("no more")
        return {"report": f"For {question} [P:{SAGE}]", "picks": [{"product": SAGE}]}

    wish = Wish(wants=(bib(""),))
    texts = ("A bib, please.", "Fail now.", "Thanks.")
    queries = [
        build.query(f"t-{n}", text, user_id=None, mode="generic", wish=wish, after=f"t-{n - 1}" if n > 1 else None)
        for n, text in enumerate(texts, 1)
    ]
    drretail.run(queries=queries, world="demo", agents={"mine": agent}, to=tmp_path / "exp", baselines=False)
    folder = tmp_path / "exp"
    runs = {name: build.known(ended_run(folder, "mine", name, 1)) for name in ("t-1", "t-2", "t-3")}
    assert runs["t-1"].status == "done"
    assert build.known(runs["t-2"].error).kind == "agent"
    assert build.known(runs["t-3"].error).kind == "no_turn_before"
    assert told == [[], ["A bib, please.", f"For A bib, please. [P:{SAGE}]"]]
    scores = drretail.score(tmp_path / "exp", metrics="conversation")
    assert build.rows(scores, "conversation")[WHOLE].value == 0
    assert METRIC.variants == (TURN, HELD, CHANGED, UNTOUCHED, WHOLE)
    assert drretail.forget(folder, conversation="t-2").value.queries == ("t-1", "t-2", "t-3"), "others quote its words"


def test_what_is_wrong_with_a_turn_is_shown_everywhere_and_nothing_contradicts_it(tmp_path: Path) -> None:
    carts = {"Any bib.": f"P:{SAGE} x 1", "In mustard.": f"P:{SAGE} x 1", "In plaid.": "none: demands"}

    def agent(question: str) -> str:
        return f"It is this [P:{SAGE}].\n\n```picks\n{carts[question]}\n```"

    wishes = [Wish(wants=(bib(color),)) for color in ("", "Mustard", "Plaid")]
    queries = [
        build.query(f"t-{n}", text, user_id=None, mode="generic", wish=wish, after=f"t-{n - 1}" if n > 1 else None)
        for n, (text, wish) in enumerate(zip(carts, wishes, strict=True), 1)
    ]
    folder = tmp_path / "exp"
    drretail.run(queries=queries, world="demo", agents={"mine": agent}, to=folder, baselines=False)
    scores = drretail.score(folder, metrics="conversation,basket,outcome,checks")
    assert build.rows(scores, "conversation")[TURN].value == pytest.approx(2 / 3)
    assert [build.rows(scores, metric)[name].n_na for metric, name in (("basket", "right"), ("outcome", "J"))] == [3, 3]
    assert build.rows(scores, "checks")["without_demand_broken"].n_na == 3

    wrong = "No bib in the cart is as asked for."
    page = parse(render_page(folder))
    answers = {each.attributes["data-run"]: " ".join(each.text.split()) for each in page.all("article", "answer")}
    first, second, third = (answers[f"mine/t-{n}-r1"] for n in (1, 2, 3))
    assert all("✓ right" in text and "turn ✓" in text and wrong not in text for text in (first, third))
    assert "Refused: the cart stays as it was." in third
    assert all(words in second for words in ("✗ wrong thing", "turn ✗", "changed ✗", f"✗ {wrong}"))
    printed = "\n".join(part_lines(scores.result().parts, 100))
    assert "3 turns of 1 conversation, 1 user" in printed
    assert f"✗ mine turn 2: {wrong}" in " ".join(printed.split())
    assert "turn 1:" not in printed
