from collections.abc import Sequence

from drretail.eval.counterfactual.advice import read_advice
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.serialisation import compact_json, product_card, record_text
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.money import Money
from drretail.records.query import Constraints, Query, demands
from drretail.records.shop import Product
from tests.eval.counterfactual.made import KNOWN
from tests.eval.folders import LABEL, SYSTEM, a_run

BIRD, DOG = KNOWN["B0BIRD0000"], KNOWN["B0DOGS0000"]


def evidence(*products: Product) -> dict[str, Evidence]:
    """As the ledger holds a record that was seen first, and then its card once more."""
    return {
        f"P:{it.product_id}": Evidence(
            id=f"P:{it.product_id}",
            kind="product",
            key=it.product_id,
            title=it.title,
            texts=(
                EvidenceText(sha256="a", form="record", text=record_text(it), shown=True, path="0", seq=0),
                EvidenceText(sha256="b", form="card", text=compact_json(product_card(it)), shown=True, path="0", seq=1),
            ),
        )
        for it in products
    }


def subject(products: Sequence[Product] | None, constraints: Constraints | None = None) -> Subject:
    """Of a run that declares these picks, or none."""
    query = Query(query_id="q1", text="What now?", source="t", constraints=constraints or Constraints())
    picks = None if products is None else [it.product_id for it in products]
    run = a_run(LABEL, "q1-r1", "Look below.", picks)
    return Subject(LABEL, SYSTEM, query, 1, run, evidence(BIRD, DOG), None, None)


def broken(constraints: Constraints, *products: Product) -> frozenset[str]:
    advice = read_advice(subject(products, constraints))
    assert advice is not None
    return advice.broken


def test_recommended_are_the_picks_with_their_whole_records() -> None:
    advice = read_advice(subject([DOG]))
    assert advice is not None
    assert advice.recommended == {DOG.product_id: DOG}
    assert set(advice.handed) == {BIRD.product_id, DOG.product_id}


def test_unknown_picks_give_no_advice_and_no_picks_an_empty_one() -> None:
    assert read_advice(subject(None)) is None
    silent = read_advice(subject([], Constraints(must=demands("bird"), brands_wanted=("Tanagrove",))))
    assert silent is not None
    assert (silent.recommended, silent.broken) == ({}, frozenset())


def test_each_stated_constraint_can_be_broken() -> None:
    assert broken(Constraints(budget=Money(amount="30", currency="USD")), DOG) == {"budget"}
    assert broken(Constraints(budget=Money(amount="30", currency="USD")), BIRD) == frozenset()
    assert broken(Constraints(brands_unwanted=("Napperly",)), DOG, BIRD) == {"brands_unwanted:napperly"}
    assert broken(Constraints(brands_wanted=("Tanagrove",)), DOG) == {"brands_wanted"}
    assert broken(Constraints(brands_wanted=("Tanagrove",)), DOG, BIRD) == frozenset()
    assert broken(Constraints(must_not=demands("dog")), DOG) == {"must_not:dog"}
    assert broken(Constraints(must=demands("bird")), DOG) == {"must:bird"}


def test_nothing_is_broken_where_no_product_meets_the_demand() -> None:
    assert broken(Constraints(must=demands("golden")), DOG) == frozenset()
