from collections.abc import Sequence
from dataclasses import replace

from drretail.eval.counterfactual.advice import read_advice
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.serialisation import compact_json, product_card, record_text
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.build import LABEL, SYSTEM
from tests.build import run as a_run
from tests.eval.counterfactual.made import KNOWN

BIRD, DOG = KNOWN["B0BIRD0000"], KNOWN["B0DOGS0000"]


def evidence(*products: Product) -> dict[str, Evidence]:
    """As the ledger holds a record that was seen first, and then its card once more."""
    return {
        f"P:{product.product_id}": Evidence(
            id=f"P:{product.product_id}",
            kind="product",
            key=product.product_id,
            title=product.title,
            texts=(
                EvidenceText(sha256="a", form="record", text=record_text(product), shown=True, path="0", seq=0),
                EvidenceText(
                    sha256="b", form="card", text=compact_json(product_card(product)), shown=True, path="0", seq=1
                ),
            ),
        )
        for product in products
    }


def subject(products: Sequence[Product] | None, wish: Wish | None = None) -> Subject:
    """Of a run that declares these picks, or none."""
    query = Query(query_id="q1", text="What now?", source="t", wish=wish)
    picks = None if products is None else [product.product_id for product in products]
    run = a_run(LABEL, "q1-r1", "Look below.", picks)
    return Subject(LABEL, SYSTEM, query, 1, run, evidence(*KNOWN.values()), None, None)


def a_wish(*kinds: str, budget: int | None = None, **limits: object) -> Wish:
    want = Want.model_validate({"name": "thing", "kinds": kinds or ("bird feeder", "dog bed"), **limits})
    return Wish(wants=(want,), budget=None if budget is None else Money.of(budget))


def broken(wish: Wish, *products: Product) -> frozenset[str]:
    advice = read_advice(subject(products, wish))
    assert advice is not None
    return advice.broken


def test_recommended_are_the_picks_with_their_whole_records() -> None:
    advice = read_advice(subject([DOG]))
    assert advice is not None
    assert advice.recommended == {DOG.product_id: DOG}
    assert advice.handed == KNOWN


def test_unknown_picks_give_no_advice_and_no_picks_an_empty_one() -> None:
    assert read_advice(subject(None)) is None
    silent = read_advice(subject([], a_wish(must=("bird",), brands_wanted=("Tanagrove",))))
    assert silent is not None
    assert (silent.recommended, silent.broken) == ({}, frozenset())


def test_each_limit_of_the_wish_can_be_broken() -> None:
    assert broken(a_wish(budget=30), DOG) == {"budget"}
    assert broken(a_wish(budget=30), BIRD) == frozenset()
    assert broken(a_wish(price_max=Money.of(30)), DOG, BIRD) == {"thing: price_max"}
    assert broken(a_wish(rating_min=4.6), BIRD) == {"thing: rating_min"}
    assert broken(a_wish(ratings_min=101), BIRD) == {"thing: ratings_min"}
    assert broken(a_wish(rating_min=4.5, ratings_min=100), BIRD) == frozenset()
    assert broken(a_wish(brands_unwanted=("Napperly",)), DOG, BIRD) == {"thing: brands_unwanted Napperly"}
    assert broken(a_wish(brands_wanted=("Tanagrove",)), DOG) == {"thing: brands_wanted"}
    assert broken(a_wish(brands_wanted=("Tanagrove",)), DOG, BIRD) == frozenset()
    assert broken(a_wish(must_not=("dog",)), DOG) == {"thing: must_not dog"}
    assert broken(a_wish(must=("bird",)), DOG) == {"thing: must bird"}


def test_the_budget_counts_every_piece() -> None:
    seen = subject([BIRD], a_wish(budget=30))
    assert seen.run is not None
    several = replace(seen, run=seen.run.model_copy(update={"picks": (Pick(product=BIRD.product_id, quantity=4),)}))
    advice = read_advice(several)
    assert advice is not None
    assert advice.broken == {"budget"}


def test_a_limit_binds_only_products_of_its_own_want() -> None:
    wish = Wish(
        wants=(
            Want(name="feeder", kinds=("bird feeder",), brands_unwanted=("Napperly",), must=("dog",)),
            Want(name="bed", kinds=("dog bed",), must_not=("bird",)),
        )
    )
    assert broken(wish, DOG, BIRD) == frozenset()


def test_a_demand_is_not_broken_where_nothing_that_was_handed_keeps_it() -> None:
    assert broken(a_wish(must=("golden",)), DOG) == frozenset()


def test_of_a_query_that_nobody_typed_nothing_is_broken() -> None:
    advice = read_advice(subject([DOG]))
    assert advice is not None
    assert advice.broken == frozenset()
