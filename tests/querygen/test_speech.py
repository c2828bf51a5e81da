from random import Random

import pytest

from drretail.grounding.constraints import read_constraints
from drretail.querygen.phrases import phrase_of
from drretail.querygen.speech import budget_sentence, demand_sentence
from drretail.records.money import Money


@pytest.mark.parametrize("currency", ["USD", "EUR", "GBP"])
@pytest.mark.parametrize(("scope", "read"), [("total", "total"), ("single", "total"), ("each", "per_item")])
@pytest.mark.parametrize("seed", range(12))
def test_every_wording_of_a_budget_is_read_back_as_it_was_meant(
    currency: str, scope: str, read: str, seed: int
) -> None:
    budget = Money(amount="125", currency=currency)
    found = read_constraints("I bought it back in 2021. " + budget_sentence(Random(seed), budget, scope))
    assert (found.budget, found.budget_scope) == (budget, read)


def test_without_a_budget_nothing_is_said_of_one() -> None:
    assert budget_sentence(Random(1), None, "total") == ""


def test_a_demand_says_exactly_what_is_demanded() -> None:
    said = demand_sentence(Random(1), phrase_of("hair clips"), "non slip", "metal")
    assert "non slip" in said
    assert "nothing with metal" in said
    assert said.startswith("They ")
    assert demand_sentence(Random(1), phrase_of("wig"), "", "") == ""
