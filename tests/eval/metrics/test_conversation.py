"""Turns of conversations: right carts are not accused, wrong ones are found. Also tests shopping/conversation.py."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import drretail
from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.eval.metrics.conversation import CHANGED, HELD, METRIC, TURN, UNTOUCHED, WHOLE, turn_values
from drretail.experiments.experiment import ended_run
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Query
from drretail.records.reading import Decision, Outcome, Pick
from drretail.records.run import NULL_AGENTS
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from drretail.shopping.conversation import ConversationTurn, turns_of
from drretail.tools.toolkit import Toolkit
from drretail.viewer.drawing.result import part_lines
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
    return turns_of(queries, runs, offers.reference, store)[-1]


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


def test_in_every_turn_of_the_forty_the_right_cart_is_not_accused_and_a_wrong_one_of_each_kind_is_found(
    offers: Offers,
) -> None:
    found, missed = Counter[str](), list[str]()
    for asked, before, right in played(offers):
        assert set(valued(asked, right).values()) <= {1.0, None}, asked.query.query_id
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


COLORS = ("Mustard", "Muted Clay", "Sage")
"""Of all bibs of the shop; too few have each for it to be a word of the field."""


def bib(color: str, name: str = "bib", quantity: int = 1) -> Want:
    others = tuple(other for other in COLORS if other != color)
    must = (Demand(say=color, field="Color", any_of=(color,), none_of=others),) if color else ()
    return Want(name=name, kinds=("Bibs",), must=must, quantity=quantity)


BAG = Want(name="bag", kinds=("Diaper Bags",))
MUSTARD, SAGE, CARAMEL, CHARCOAL = "B05QGUF1HR", "B0F7V3Y889", "B08QD24CH1", "B0RLGT15JB"


def cart(*products: str) -> Picks:
    return tuple(Pick(product=product) for product in products)


def talk(offers: Offers, past: Sequence[tuple[Sequence[Want], Picks]], *wants: Want, **fields: Any) -> ConversationTurn:
    """The turn that wants these after turns with their wants and carts, all for $100."""
    wishes = [Wish(wants=tuple(its), budget=Money.of(100)) for its in (*(its for its, _ in past), wants)]
    queries = [build.query(f"t-{n}", wish=wish, after=f"t-{n - 1}" if n else None) for n, wish in enumerate(wishes)]
    carts = [picks for _, picks in past]
    return turn_of(offers, list(zip(queries, carts, strict=False)), queries[-1].model_copy(update=fields))


OTHER_OF_ITS_BRAND, CHEAPEST = "B0OZHLUP5X", "B0UXJZK5MQ"
BOTH, NOWHERE = (bib(""), BAG), bib("Plaid", "other bib")
IN_MUSTARD, TWO_BAGS = (bib("Mustard"), BAG), (bib(""), BAG.model_copy(update={"quantity": 2}))
TWO_IN_MUSTARD, WITH_PLAID = (bib("Mustard", quantity=2), BAG), (*IN_MUSTARD, NOWHERE)
FIRST, THRIFTY = [(BOTH, cart(SAGE, CARAMEL))], [(BOTH, cart(SAGE, CHEAPEST))]
SWAPPED = [*FIRST, (IN_MUSTARD, cart(MUSTARD, CHARCOAL))]
PAIR, TWO_OF_CHARCOAL = (Pick(product=MUSTARD, quantity=2),), (*cart(SAGE), Pick(product=CHARCOAL, quantity=2))
CHEAPER, OF_A_BRAND = {"relations": {"bag": "cheaper"}}, {"relations": {"bag": "other_brand"}}
CASES = [
    ("all is right", FIRST, IN_MUSTARD, {}, cart(MUSTARD, CARAMEL), "1111"),
    ("nothing changes", FIRST, IN_MUSTARD, {}, cart(SAGE, CARAMEL), "0101"),
    ("another bag comes", FIRST, IN_MUSTARD, {}, cart(MUSTARD, CHARCOAL), "0110"),
    ("the bag goes", FIRST, IN_MUSTARD, {}, cart(MUSTARD), "0010"),
    ("what is dropped goes", FIRST, (BAG,), {}, cart(CARAMEL), "1111"),
    ("what is dropped stays", FIRST, (BAG,), {}, cart(SAGE, CARAMEL), "0101"),
    ("a cheaper one", FIRST, BOTH, CHEAPER, cart(SAGE, CHARCOAL), "1111"),
    ("a dearer one", FIRST, BOTH, CHEAPER, cart(SAGE, OTHER_OF_ITS_BRAND), "0100"),
    ("none is cheaper: kept", THRIFTY, BOTH, CHEAPER, cart(SAGE, CHEAPEST), "1-11"),
    ("none is cheaper: refused", THRIFTY, BOTH, CHEAPER, (), "1-11"),
    ("none is cheaper: changed", THRIFTY, BOTH, CHEAPER, cart(SAGE, CARAMEL), "0-00"),
    ("after a refusal", [*THRIFTY, (BOTH, ())], IN_MUSTARD, {}, cart(MUSTARD, CHEAPEST), "111-"),
    ("another brand", FIRST, BOTH, OF_A_BRAND, cart(SAGE, CHARCOAL), "1111"),
    ("the same brand", FIRST, BOTH, OF_A_BRAND, cart(SAGE, OTHER_OF_ITS_BRAND), "0100"),
    ("nothing is wanted any more", FIRST, (), {}, (), "111-"),
    ("nothing is wanted any more: kept", FIRST, (), {}, cart(SAGE), "010-"),
    ("after an emptied cart", [*FIRST, ((), ())], (bib(""),), {}, cart(MUSTARD), "111-"),
    ("a wrong cart may be mended", SWAPPED, TWO_IN_MUSTARD, {}, (*PAIR, *cart(CARAMEL)), "111-"),
    ("a wrong cart may stay", SWAPPED, TWO_IN_MUSTARD, {}, (*PAIR, *cart(CHARCOAL)), "111-"),
    ("two are too dear: others", FIRST, TWO_BAGS, {}, TWO_OF_CHARCOAL, "111-"),
    ("two can be had: others", THRIFTY, TWO_BAGS, {}, TWO_OF_CHARCOAL, "0110"),
    ("one can't be had: refused", FIRST, WITH_PLAID, {}, (), "1-11"),
    ("one can't be had: to buy the others is open", FIRST, WITH_PLAID, {}, cart(MUSTARD, CARAMEL), "----"),
    ("one can't be had: another bag", FIRST, WITH_PLAID, {}, cart(MUSTARD, CHARCOAL), "0-00"),
]


@pytest.mark.parametrize(("what", "past", "wants", "fields", "picks", "marks"), CASES, ids=[case[0] for case in CASES])
def test_each_part_of_a_turn_is_right_or_wrong_by_itself(
    offers: Offers, what: str, past: Any, wants: Sequence[Want], fields: Any, picks: Picks, marks: str
) -> None:
    """``marks`` are turn, held, changed and untouched."""
    decision: Decision = "part" if NOWHERE in wants and picks else "buy" if picks else "none"
    values = valued(talk(offers, past, *wants, **fields), picks, decision)
    assert "".join("-" if value is None else f"{value:.0f}" for value in values.values()) == marks


def turns_saying(texts: Iterable[str], *wants: Want) -> list[Query]:
    """A conversation of these words, with what is wanted in each turn."""
    return [
        build.query(
            f"t-{n}",
            text,
            user_id=None,
            mode="generic",
            wish=Wish(wants=(want,)),
            after=f"t-{n - 1}" if n > 1 else None,
        )
        for n, (text, want) in enumerate(zip(texts, wants, strict=True), 1)
    ]


def test_runs_go_on_with_what_was_said_and_a_failed_turn_ends_the_rest(tmp_path: Path) -> None:
    told: list[list[str]] = []

    def agent(question: str, history: list[dict[str, str]], toolkit: object) -> dict[str, object]:
        told.append([each["content"].split("\n")[0] for each in history])
        if question.startswith("Fail"):
            raise RuntimeError("no more")
        return {"report": f"For {question} [P:{SAGE}]", "picks": [{"product": SAGE}]}

    queries = turns_saying(("A bib, please.", "Fail now.", "Thanks."), *[bib("")] * 3)
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

    queries, folder = turns_saying(carts, bib(""), bib("Mustard"), bib("Plaid")), tmp_path / "exp"
    drretail.run(queries=queries, world="demo", agents={"mine": agent}, to=folder, baselines=False)
    scores = drretail.score(folder, metrics="conversation,basket,outcome,checks")
    assert build.rows(scores, "conversation")[TURN].value == pytest.approx(2 / 3)
    assert [build.rows(scores, metric)[name].n_na for metric, name in (("basket", "right"), ("outcome", "J"))] == [3, 3]
    assert build.rows(scores, "checks")["demand_broken"].n_na == 3

    wrong = "No bib in the cart is as asked for."
    page = parse(render_page(folder))
    answers = {each.attributes["data-run"]: " ".join(each.text.split()) for each in page.all("article", "answer")}
    first, second, third = (answers[f"mine/t-{n}-r1"] for n in (1, 2, 3))
    assert all("✓ right" in text and "turn ✓" in text and wrong not in text for text in (first, third))
    assert "Refused: the cart stays as it was." in third
    assert "not looked up" in first
    assert all(words in second for words in ("✗ wrong thing", "turn ✗", "changed ✗", f"✗ {wrong}"))
    printed = "\n".join(part_lines(scores.result().parts, 100))
    assert "3 turns, 1 user" in printed
    assert f"✗ mine turn 2: {wrong}" in " ".join(printed.split())
    assert "turn 1:" not in printed


def test_research_that_once_finds_nothing_is_not_taken_for_a_shops_assistant(tmp_path: Path) -> None:
    """Its last answer cites nothing, and its session knows the products of the turns before."""

    def agent(question: str, toolkit: Toolkit) -> str:
        price = toolkit.call("get_product_details", {"product_id": SAGE}).value["price"]
        return "I found no other." if question == "Another?" else f"It costs ${price} [P:{SAGE}]."

    queries, folder = turns_saying(("Any bib.", "Another?"), bib(""), bib("")), tmp_path / "exp"
    drretail.run(queries=queries, world="demo", agents={"mine": agent}, to=folder, baselines=False)
    board = build.known(drretail.score(folder, metrics="faithfulness,false_statements").scoreboard)
    assert not board.are_answers


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents and the floors in a conversation of three turns, scored."""

    def agent(product: str) -> Callable[[str], dict[str, object]]:
        return lambda question: {"report": f"This, for {question}", "picks": [{"product": product}]}

    folder = tmp_path_factory.mktemp("talked") / "exp"
    wants = bib("Sage", quantity=2), bib("Mustard", quantity=2), bib("Mustard", quantity=3)
    queries = turns_saying(("Two for the baby.", "In mustard.", "Three."), *wants)  # no floor finds them by these words
    drretail.run(queries=queries, world="demo", agents={"sage": agent(SAGE), "mustard": agent(MUSTARD)}, to=folder)
    drretail.score(folder, metrics="conversation")
    return folder


def test_first_turns_are_compared_though_the_floors_of_later_ones_are_the_oracle_there(talked: Path) -> None:
    compared = drretail.compare(talked, "sage", "mustard", by="turn").comparisons
    assert [comparison.part for comparison in compared] == ["turn 1", "turn 2", "turn 3"]
    assert "as well as the oracle" not in " ".join(compared[0].conclusions)


def test_of_floors_that_get_no_conversation_right_the_best_gets_most_turns_right(talked: Path) -> None:
    scores = drretail.score(talked, metrics="conversation")
    (best,) = {row.b for row in build.known(scores.scoreboard).floors}
    turns = {row.system: row.value for row in scores.scores if row.variant == TURN and row.system in NULL_AGENTS}
    assert turns[best] == max(value for value in turns.values() if value is not None) == pytest.approx(2 / 3)
