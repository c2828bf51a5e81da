"""Claims settled against calculations and a user's statistics: sums, what is left of a budget, the mean order."""

import re
from collections.abc import Sequence
from decimal import Decimal

from drretail.grounding.settled import TURNED, Settled, exact, parsed_record, quote_of, words_besides
from drretail.grounding.values import compare, find_values
from drretail.grounding.vocabulary import NEUTRAL_OF_SUMS
from drretail.records.evidence import EvidenceText

_AVERAGE = re.compile(r"Your orders (?:come to|cost|average) \$[\d,.]+\d(?: on average)?\.?", re.IGNORECASE)
_TOTAL_AND_REST = re.compile(
    r"(?:Together|Altogether|In total),? (?:that|this|it) (?:is|comes to) \$(?P<total>[\d,]+(?:\.\d+)?), "
    r"\$(?P<rest>[\d,]+(?:\.\d+)?) under your (?:budget of )?\$(?P<budget>[\d,]+(?:\.\d+)?)\s*\.?",
    re.IGNORECASE,
)
_SUMMED = re.compile(r"\d+(?:\.\d+)?(?:\s*\+\s*\d+(?:\.\d+)?)+ = \d+(?:\.\d+)?")
_TAKEN = re.compile(r"(?P<from>\d+(?:\.\d+)?)\s*-\s*\d+(?:\.\d+)? = \d+(?:\.\d+)?")


def settle_average(text: str, sources: Sequence[EvidenceText]) -> Settled | None:
    """What a user's orders come to on average, by the user's statistics."""
    record = parsed_record(sources[0].text) if len(sources) == 1 else None
    values = find_values(text)
    if record is None or record.get("mean_order") is None or len(values) != 1 or not _AVERAGE.fullmatch(text.strip()):
        return None
    if values[0].currency != record.get("currency", "USD") or values[0].bound != "exact":
        return None
    match, found = compare(values[0], exact(record["mean_order"])), record["mean_order"]
    if match == "rounded":
        return None
    quote = quote_of(sources[0].text, "mean_order") or ""
    said = text[values[0].start : values[0].end]
    reason = f"the mean order is {found}" + ("" if match == "equal" else f", not {said}")
    return Settled(1 if match == "equal" else 0, reason, quote, sources[0])


def _settle_total_and_rest(text: str, sources: Sequence[EvidenceText]) -> Settled | None:
    """ "Together that is $80, $20 under your $100": a sum and what it leaves of a budget, each calculated."""
    found = _TOTAL_AND_REST.fullmatch(text.strip())
    calculations = [calculation for source in sources if (calculation := _calculation(source.text)) is not None]
    if found is None or len(calculations) != 2 or len(sources) != 2:
        return None
    total, rest, budget = (Decimal(found[name].replace(",", "")) for name in ("total", "rest", "budget"))
    summed = next((it for it in sources if _SUMMED.fullmatch(it.text)), None)
    left = next(
        (it for it in sources if (taken := _TAKEN.fullmatch(it.text)) and Decimal(taken["from"]) == budget), None
    )
    if summed is None or left is None or summed is left:
        return None
    results = [_cents(Decimal(it.text.rpartition(" = ")[2])) for it in (summed, left)]
    if [total, rest] == results and budget - total == rest:
        return Settled(1, f"the results are {results[0]} and {results[1]}", summed.text, summed)
    wrong = summed if total != results[0] else left
    return Settled(0, f"the result is {wrong.text.rpartition(' = ')[2]}", wrong.text, wrong)


def settle_sum(text: str, sources: Sequence[EvidenceText]) -> Settled | None:
    """A claim that names the result of one calculation, and nothing else."""
    if (settled := _settle_total_and_rest(text, sources)) is not None:
        return settled
    amounts = [value for value in find_values(text) if value.kind == "money"]
    if len(sources) != 1 or len(amounts) != 1 or amounts[0].low is not None or amounts[0].bound != "exact":
        return None
    calculation = _calculation(sources[0].text)
    if calculation is None or amounts[0].number in calculation[0] or TURNED.search(text):
        return None
    result, named = _cents(calculation[1]), amounts[0].number
    match = compare(amounts[0], result)
    if match == "differs":
        return Settled(0, f"the result is {result}, not {named}", sources[0].text, sources[0])
    if match == "rounded" or words_besides(text, amounts, NEUTRAL_OF_SUMS):
        return None
    return Settled(1, f"the result is {result}", sources[0].text, sources[0])


def _calculation(text: str) -> tuple[set[Decimal], Decimal] | None:
    """The terms and the result of "2 * 12.50 = 25.0"; None for anything else."""
    expression, equals, result = text.rpartition(" = ")
    if not equals or "\n" in text or not re.fullmatch(r"-?\d+(?:\.\d+)?", result):
        return None
    return {Decimal(term) for term in re.findall(r"\d+(?:\.\d+)?", expression.replace(",", ""))}, Decimal(result)


def _cents(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.01"))
