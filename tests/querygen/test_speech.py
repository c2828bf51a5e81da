from random import Random

import pytest

from drretail.grounding.constraints import read_constraints
from drretail.querygen.needs import sayings
from drretail.querygen.speech import Scope, budget_sentence, told
from drretail.records.money import Money

SAID = sayings().budget
WORDINGS: list[tuple[str, str]] = [
    *((text, "total") for text in SAID.total + SAID.single),
    *((text, "per_item") for text in SAID.each),
]


@pytest.mark.parametrize("amount", ["$125", "€40", "£1,200"])
@pytest.mark.parametrize(("wording", "scope"), WORDINGS)
def test_every_wording_of_a_budget_is_read_back_as_it_was_meant(wording: str, scope: str, amount: str) -> None:
    found = read_constraints(f"I bought it back in 2021. {wording.format(amount=amount)} Look at my orders.")
    assert found.budget is not None
    assert (found.budget.amount, found.budget_scope) == (amount[1:].replace(",", ""), scope)


@pytest.mark.parametrize("scope", ["total", "single", "each"])
def test_a_budget_is_said_in_its_currency(scope: Scope) -> None:
    assert "€125" in budget_sentence(Random(1), Money(amount="125", currency="EUR"), scope)


def test_what_is_said_of_usual_spending_names_no_budget() -> None:
    assert all(read_constraints(saying.say).budget is None for saying in SAID.none)


def test_every_sentence_of_a_text_begins_with_a_capital() -> None:
    assert told("my orders tell. they do!", "", "waterproof is a must.") == (
        "My orders tell. They do! Waterproof is a must."
    )
