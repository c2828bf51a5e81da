"""How shoppers put budgets, and how sentences make a text."""

import re
from random import Random
from typing import Literal

from drretail.querygen.needs import sayings
from drretail.querygen.phrases import sentence
from drretail.records.money import Money

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
_BEGINNING = re.compile(r"(?<=[.?!] )[a-z]")

Scope = Literal["total", "single", "each"]


def can_be_said(currency: str) -> bool:
    """True for currencies with a sign of their own: a bare code beside a number is easily misread."""
    return currency in _SYMBOLS


def amount(money: Money) -> str:
    """ "$60", "€60"."""
    return f"{_SYMBOLS[money.currency]}{money.amount}"


def budget_sentence(rng: Random, budget: Money, scope: Scope) -> str:
    """What is said of a budget: "total" of several things, "single" thing, or "each"."""
    said = sayings().budget
    wordings = {"total": said.total, "single": said.single, "each": said.each}[scope]
    return rng.choice(wordings).format(amount=amount(budget))


def told(*sentences: str) -> str:
    """A text of the sentences that say something, each with a capital."""
    text = " ".join(sentence(part) for part in sentences if part)
    return _BEGINNING.sub(lambda match: match[0].upper(), text)
