"""How shoppers put budgets and demands; each sentence says exactly what the typed constraint holds."""

from random import Random

from drretail.querygen.phrases import Phrase, sentence
from drretail.records.money import Money

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
_TOTAL = (
    "I can spend up to {amount} in total.",
    "Please keep the total under {amount}.",
    "All of it together should stay under {amount}.",
    "I've set myself a total budget of {amount}.",
    "My limit is {amount} for everything.",
)
_SINGLE = (
    "I don't want to spend more than {amount}.",
    "My limit is {amount}.",
    "Please keep it under {amount}.",
    "I can go up to {amount}, but not beyond.",
)
_EACH = (
    "No single item should cost more than {amount}.",
    "Please keep every item under {amount}.",
    "I'd pay at most {amount} each.",
    "Nothing over {amount} each, please.",
)
_ALL_FOR = {"total": _TOTAL, "single": _SINGLE, "each": _EACH}


def can_be_said(currency: str) -> bool:
    """True for currencies with a sign of their own: a bare code beside a number is easily misread."""
    return currency in _SYMBOLS


def amount(money: Money) -> str:
    """ "$60", "€60"."""
    return f"{_SYMBOLS[money.currency]}{money.amount}"


def budget_sentence(rng: Random, budget: Money | None, scope: str) -> str:
    """What is said of a budget: "total" of several things, "single" thing, or "each"; "" without one."""
    wording = rng.choice(_ALL_FOR[scope])
    return "" if budget is None else wording.format(amount=amount(budget))


def demand_sentence(rng: Random, phrase: Phrase, must: str, must_not: str) -> str:
    """ "It has to be waterproof, and please nothing with leather."; "" where nothing is demanded."""
    it = "they" if phrase.plural else "it"
    verb = rng.choice(("have to be" if phrase.plural else "has to be", "must be", "should definitely be"))
    wish = f"{it} {verb} {must}" if must else ""
    ban = f"nothing with {must_not}" if must_not else ""
    if wish and ban:
        return sentence(f"{wish}, and please {ban}.")
    return sentence(f"{wish}.") if wish else f"Please {ban}." if ban else ""


def told(*sentences: str) -> str:
    """A text of the sentences that say something."""
    return " ".join(text for text in sentences if text)
