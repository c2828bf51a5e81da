from drretail.eval.counterfactual.advice import applied_in, handed_products, read_advice
from drretail.eval.judging.subject import Subject
from drretail.grounding.products import compact_json, product_card, record_text
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.money import Money
from drretail.records.query import Constraints, Query
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


def subject(report: str | None, constraints: Constraints | None = None) -> Subject:
    query = Query(query_id="q1", text="What now?", source="t", constraints=constraints or Constraints())
    run = a_run(LABEL, "q1-r1", report)
    return Subject(LABEL, SYSTEM, query, 1, run, evidence(BIRD, DOG), None, None)


def recommending(*products: Product) -> str:
    return "\n\n".join(f"Get the **{it.title}** [P:{it.product_id}]." for it in products)


def broken(constraints: Constraints, *products: Product) -> frozenset[str]:
    advice = read_advice(subject(recommending(*products), constraints))
    assert advice is not None
    return advice.broken


def test_the_whole_record_is_read_and_not_its_card() -> None:
    assert handed_products(evidence(BIRD)) == {BIRD.product_id: BIRD}


def test_a_run_without_a_report_gives_no_advice() -> None:
    assert read_advice(subject(None)) is None


def test_recommendations_are_those_of_the_report() -> None:
    advice = read_advice(subject(recommending(DOG)))
    assert advice is not None
    assert list(advice.recommended) == [DOG.product_id]
    assert set(advice.handed) == {BIRD.product_id, DOG.product_id}


def test_each_stated_constraint_can_be_broken() -> None:
    assert broken(Constraints(budget=Money(amount="30", currency="USD")), DOG) == {"budget"}
    assert broken(Constraints(budget=Money(amount="30", currency="USD")), BIRD) == frozenset()
    assert broken(Constraints(brands_unwanted=("Napperly",)), DOG, BIRD) == {"brands_unwanted:napperly"}
    assert broken(Constraints(brands_wanted=("Tanagrove",)), DOG) == {"brands_wanted"}
    assert broken(Constraints(brands_wanted=("Tanagrove",)), DOG, BIRD) == frozenset()
    assert broken(Constraints(must_not=("dog",)), DOG) == {"must_not:dog"}
    assert broken(Constraints(must=("bird",)), DOG) == {"must:bird"}


def test_nothing_is_broken_by_silence_or_where_no_product_meets_the_demand() -> None:
    assert broken(Constraints(must=("golden",)), DOG) == frozenset()
    advice = read_advice(subject("I do not know.", Constraints(must=("bird",), brands_wanted=("Tanagrove",))))
    assert advice is not None
    assert advice.broken == frozenset()


def test_constraints_that_a_report_states_are_read_like_a_query_s() -> None:
    assert applied_in("Your budget is $40. It must be fragrance free.") == {"budget:40", "must:fragrance free"}
    assert applied_in("No title sells one.") == frozenset()
