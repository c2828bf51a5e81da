"""Whether the typed constraints say what the text says."""

import re
from collections.abc import Iterator

from drretail.grounding.constraints.budget import read_budget
from drretail.grounding.constraints.listing import folded
from drretail.grounding.constraints.quantities import read_deadline
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.query import Constraints

CODES = {
    "budget_not_in_text": "the typed budget is not the one in the text",
    "budget_not_typed": "the text names a budget that the constraints lack",
    "constraint_not_in_text": "a typed demand, brand, quantity or deadline is not in the text",
    "deadline_not_typed": "the text names a deadline that the constraints lack",
}

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=1)} | {"pair": 2, "couple": 2, "both": 2}
_SPELT = dict(enumerate(_WORDS, start=1)) | {6: "six|half a dozen", 12: "twelve|dozen"}
_PAIR = re.compile(r"\b(?:pair|couple|both|twins?|double)\b", re.IGNORECASE)
# Words that may say in some way that an amount is for each thing.
_EACH = re.compile(
    r"\b(?:each|either|neither|every|apiece|a\s+piece|per|single|any|both|nothing|none|one)\b", re.IGNORECASE
)


def check(case: Case) -> Iterator[Finding]:
    constraints, text = case.query.constraints, case.query.text
    yield from _budget(case)
    words = set(folded(text).split())
    demands = [it for demand in (*constraints.must, *constraints.must_not) for it in (demand.property, demand.of) if it]
    for phrase in (*demands, *constraints.brands_wanted, *constraints.brands_unwanted, *constraints.quantities):
        missing = [word for word in folded(phrase).split() if not {word, f"{word}s", word.removesuffix("s")} & words]
        if missing:
            yield found("constraint_not_in_text", phrase, f"the text lacks {', '.join(missing)}")
    yield from _quantities(constraints, text)
    deadline = read_deadline(text)
    if constraints.deadline is not None and not set(folded(constraints.deadline).split()) <= words:
        yield found("constraint_not_in_text", constraints.deadline, deadline)
    if constraints.deadline is None and deadline is not None:
        yield found("deadline_not_typed", deadline, severity="warning")


def _quantities(constraints: Constraints, text: str) -> Iterator[Finding]:
    for thing, number in constraints.quantities.items():
        counted = numbers_of(thing, text)
        if number > 1 and (number not in counted if counted else not says_number(text, number)):
            told = f", but {' or '.join(map(str, counted))}" if counted else ""
            said = f"the text doesn't say that {number} of {thing!r} are wanted{told}"
            yield found("constraint_not_in_text", f"{number} × {thing}", said)


def says_number(text: str, number: int) -> bool:
    """True when the text holds the number, in digits or as a word, whatever it counts."""
    forms = [str(number), *([_SPELT[number]] if number in _SPELT else [])]
    said = re.search(rf"(?<![\w.$€£])(?:{'|'.join(forms)})(?!\w|[.,]\d)", text, re.IGNORECASE)
    return bool(said) or (number == 2 and bool(_PAIR.search(text)))


def numbers_of(thing: str, text: str) -> tuple[int, ...]:
    """How many of a thing the text says are wanted, wherever a number stands before its name."""
    name = re.escape(thing.removesuffix("s"))
    counts = re.compile(
        rf"(?<![\w.,$€£-])(?P<number>\d{{1,2}}|{'|'.join(_WORDS[1:])})\s+(?:(?:more|new|such|of\s+the)\s+)?{name}(?:e?s)?\b",
        re.IGNORECASE,
    )
    said = (match["number"].casefold() for match in counts.finditer(text))
    return tuple(dict.fromkeys(_NUMBERS.get(it) or int(it) for it in said))


def _budget(case: Case) -> Iterator[Finding]:
    constraints, text = case.query.constraints, case.query.text
    read = read_budget(text)
    typed = None if constraints.budget is None else (constraints.budget, constraints.budget_scope)
    if typed is None and read is not None:
        yield found("budget_not_typed", _told(*read), severity="warning")
    elif typed is not None and (read is None or _differs(case, typed, read)):
        told = None if read is None else f"the text says {_told(*read)}"
        yield found("budget_not_in_text", _told(*typed), told)


def _differs(case: Case, typed: tuple[Money, str], read: tuple[Money, str]) -> bool:
    """In amount or currency, or in what is bounded.

    "No more than $30" of the one thing that is asked for is a total and per item alike; so it is not for several.
    """
    if (typed[0].value, typed[0].currency) != (read[0].value, read[0].currency):
        return True
    if typed[1] == read[1] or sum(slot.quantity for slot in case.slots) < 2:
        return False
    return read[1] == "per_item" or not _says_each(case.query.text)


def _says_each(text: str) -> bool:
    """True when a sentence with an amount may mean each thing, in words that reading it does not know."""
    sentences = (it for it in re.split(r"(?<=[.!?])\s+|\n", text) if find_money(it))
    return any(_EACH.search(sentence) for sentence in sentences)


def _told(budget: Money, scope: str) -> str:
    return format_money(budget.value, budget.currency) + (" each" if scope == "per_item" else "")
