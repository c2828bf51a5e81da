"""The measures of a report's cart beside the best basket. Also tests eval/metrics/basket.py and records/query.py."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drretail.eval.baskets import MEASURES, NOT_REQUIRED, References, covered, feasible, not_measured
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Metric
from drretail.eval.registry import load_metric
from drretail.experiments import experiment
from drretail.records.query import Query, lack_in_words
from drretail.records.reading import Pick
from drretail.records.score import JudgeRef, Score
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.shopping.basket import reference_of
from drretail.shopping.cart import Cart
from drretail.shopping.listing import Listing, listing_of
from tests import build
from tests.build import LABEL, known
from tests.goods import EVIDENCE, KETTLE, PAN, product

RATED = {"average_rating": 4.0, "rating_number": 10_000}
BEST = RATED | {"average_rating": 5.0}
FEEDERS = (product("A", 10, **RATED), product("B", 20, **BEST), product("N", None, **BEST))
BATHS = (product("C", 15, **RATED),)
FEEDER, BATH = Want(name="feeder", kinds=("feeder",)), Want(name="bath", kinds=("bath",), quantity=2)
OFFERED = {"feeder": FEEDERS, "bath": BATHS, "bowl": (product("D", 900, **RATED),), "hat": ()}


def cart(*picks: str | Pick, wants: tuple[Want, ...] = (FEEDER, BATH), **limits: Any) -> Cart:
    wish = Wish.model_validate({"wants": wants, "budget": Money.of(50)} | limits)
    offered: list[list[Listing]] = [[listing_of(one) for kind in want.kinds for one in OFFERED[kind]] for want in wants]
    query = Query(query_id="q1", text="?", wish=wish, source="t")
    known = {one.product_id: one for of_kind in OFFERED.values() for one in of_kind}
    bought = tuple(Pick(product=pick) if isinstance(pick, str) else pick for pick in picks)
    records = {pick.product: known[pick.product] for pick in bought if pick.product in known}
    return Cart(wish, reference_of(query, offered), bought, records)


def measured(*picks: str | Pick, **given: Any) -> dict[str, float | None]:
    found = {name: measure(cart(*picks, **given)).value for name, measure in MEASURES.items()}
    return {name: None if value is None else round(value, 3) for name, value in found.items()}


TWO_BATHS = Pick(product="C", quantity=2)


@pytest.mark.parametrize(
    ("picks", "limits", "expected"),
    [
        (["B", TWO_BATHS], {}, (1, 1, 1)),
        ([TWO_BATHS, "A"], {}, (1, 1, 0.889)),  # the cheapest basket is worth less than the best
        ([], {}, (0, 0, 0)),
        (["B", "C"], {}, (0.5, 0, 0.778)),  # half of a quantity covers no want, and is worth half
        (["N", TWO_BATHS], {}, (1, 0, 0)),  # an unknown price keeps to no budget
        (["N", TWO_BATHS], {"budget": None}, (1, 1, 1)),  # where no price counts, an unknown one is worth as much
        (["B", TWO_BATHS], {"budget": Money.of(45)}, (1, 0, 0)),
    ],
)
def test_what_a_cart_comes_to_beside_its_references(
    picks: list[str | Pick], limits: dict[str, Any], expected: tuple[float | None, ...]
) -> None:
    assert measured(*picks, **limits) == dict(zip(MEASURES, expected, strict=True))


def test_the_whole_cart_counts_without_alternatives_and_what_may_be_left_out_is_no_fault() -> None:
    stuffed = measured("B", TWO_BATHS, "D")
    assert (stuffed["feasible"], stuffed["utility_ratio"]) == (0, 0)
    besides = measured("A", "B", TWO_BATHS, budget=Money.of(500))
    assert (besides["covered"], besides["feasible"], besides["utility_ratio"]) == (1, 0, 0.667)
    assert measured("A", "B", TWO_BATHS, budget=Money.of(500), room=True)["feasible"] == 1

    assert measured(Pick(product="B", alternatives=("A", "D")), TWO_BATHS)["feasible"] == 1

    maybe = BATH.model_copy(update={"optional": True})
    assert list(measured("B", wants=(FEEDER, maybe)).values()) == [1, 1, 1]
    assert measured("B", TWO_BATHS, wants=(FEEDER, maybe))["feasible"] == 1


def test_to_keep_what_one_has_is_right_where_the_question_is_whether_to_buy() -> None:
    maybe = (BATH.model_copy(update={"optional": True}),)
    assert not_measured(Wish(wants=maybe), cart(wants=maybe).reference) is None
    kept, other = cart(wants=maybe), cart("B", wants=maybe)
    assert [feasible(of).value for of in (kept, other)] == [1, 0]
    assert (covered(kept).value, covered(kept).reason) == (None, NOT_REQUIRED)


def test_without_a_basket_to_compare_with_the_reason_is_given_instead() -> None:
    dear = Wish(wants=(Want(name="bowl", kinds=("bowl",)),), budget=Money.of(50))
    for wish, lack in ((None, "not_typed"), (Wish(), "no_things"), (dear, "too_dear")):
        wants = () if wish is None else wish.wants
        offered = [[listing_of(one) for kind in want.kinds for one in OFFERED[kind]] for want in wants]
        reference = reference_of(Query(query_id="q1", text="?", wish=wish, source="t"), offered)
        assert (reference.best, reference.lack) == (None, lack)
        assert not_measured(wish, reference) == lack_in_words(lack)  # pyright: ignore[reportArgumentType]


WISH = Wish(wants=(Want(name="kettle", kinds=("kettle",)),), budget=Money.of(60))
QUERY = build.query(text="A kettle, under $60?", wish=WISH)
PICKS = {"q1-r1": [KETTLE.product_id], "q1-r2": [], "q1-r3": [PAN.product_id], "q1-r4": None}
"""Declared by four reports of the same words; the last declares none, and its form tells none."""


def an_experiment(folder: Path, note: str = "") -> Path:
    runs = {
        name: build.run(name, "Look below.", picks, notes=(note,) if note and picks is None else ())
        for name, picks in PICKS.items()
    }
    return build.experiment(folder, {LABEL: runs}, queries=[QUERY], evidence=EVIDENCE.values())


def rows(folder: Path, **given: Any) -> dict[str, Score]:
    return build.rows(build.scored(folder, "basket", **given))


REFERENCES = {"q1": reference_of(QUERY, [[listing_of(KETTLE)]])}


def test_declared_picks_are_measured_once_there_are_references_and_unknown_ones_are_na(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp")
    before = rows(folder)
    assert {(row.value, row.n_na) for row in before.values()} == {(None, 4)}
    assert NO_WORLD in next(folder.glob("verdicts/basket/code/*/q1-r1.jsonl")).read_text(encoding="utf-8")

    found, whole = rows(folder, references=REFERENCES), REFERENCES["q1"]
    kept = known(experiment.REFERENCES.read(folder, "q1"))
    assert [(want.name, want.fits, want.undecided) for want in kept.wants] == [("kettle", 1, 0)]
    assert (kept.best, kept.cheapest) == (whole.best, whole.cheapest)
    assert {name: row.value for name, row in rows(folder).items()} == {name: row.value for name, row in found.items()}
    assert list(found) == list(load_metric("basket").variants)
    assert found["covered"].value == pytest.approx(1 / 3)
    assert (found["covered"].n_scored, found["covered"].n_na, found["covered"].n_failed) == (3, 1, 0)
    assert found["utility_ratio"].value == pytest.approx(1 / 3)
    assert found["covered"].items == {
        **{"n/a: the report's picks are not known": 1, "picks declared": 3, "picks unknown": 1}
    }


def test_questions_come_before_what_code_measures_and_a_reference_is_worked_out_once_for_that(tmp_path: Path) -> None:
    order: list[str] = []
    shop: Any = SimpleNamespace(reference=lambda query: order.append(query.query_id) or REFERENCES[query.query_id])
    asking = Metric("asking", 1, lambda *_: order.append("asked"), lambda *_: [], ("a",))
    references, judge = References(shop, {"q1": QUERY}), Judge(JudgeRef(spec="a:b", kind="llm"), "b")
    build.scored(an_experiment(tmp_path / "exp"), ["basket", asking], judge, references=references)
    assert (order[0], order.count("q1")) == ("asked", 1)


def test_a_run_that_was_asked_for_picks_and_declared_none_earns_nothing(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path / "exp", note="picks_missing: the report declares no picks")
    found = rows(folder, references=REFERENCES)
    assert (found["feasible"].n_scored, found["feasible"].value) == (4, 0.25)
