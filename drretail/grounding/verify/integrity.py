"""What a report rests on: nothing in it is false, every pick is argued for, and its figures are supported.

All of it is about what a reader is shown. Prose is not judged: a sentence without a figure neither helps nor harms.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from drretail.grounding.report.markup import blanked
from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.numerals import SIZED, find_numerals
from drretail.grounding.text.sentences import Sentence
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.derivation import amounts_in, derivation, fits
from drretail.grounding.verify.records import Calculation, Ledger, all_words_of, on_record
from drretail.records.evidence import Evidence
from drretail.records.reading import Reading

CONTRADICTED = "a figure is contradicted by a record"
NOT_SHOWN = "a pick was shown by no tool"
NOT_ARGUED = "a pick is not argued for in what a reader sees"
UNRESOLVED = "a claim about a pick cites what no tool has shown"
_MOST_PIECES = 12
_OWN_COUNTS = 5
"""Up to so many, or up to the number of its citations, a plain number is the report's own count: "two of the 3"."""
_WRITTEN_BY_RUNS = ("C:", "U:profile")
"""Evidence into which a run itself can put numbers: calculations, and profiles, which it can change."""
_WORD = re.compile(r"[^\W\d_]")
_ENTITY = re.compile(r"&#?\w+;")


def breach(case: Case, reading: Reading) -> str:
    """The first of the four faults of a report, which make its integrity 0; empty without faults.

    A pick is argued for if it is cited, and a sentence, an item, a row or a heading has words beside its mark.
    """
    picks = {f"P:{pick.product}" for pick in reading.picks or ()}
    if any(value.state == "contradicted" for value in reading.values):
        return CONTRADICTED
    if not picks <= case.evidence.keys():
        return NOT_SHOWN
    words = blanked(case.layout.text, (match.span() for match in _ENTITY.finditer(case.layout.text)))
    argued = {
        cited
        for index, sentence in enumerate(case.layout.sentences)
        if _WORD.search(words, sentence.start, sentence.end)
        for cited in case.layout.cited.get(index, ())
    }
    if not picks <= argued & case.cited:
        return NOT_ARGUED
    unresolved = [citation.start for citation in case.citations if citation.type == "unresolved"]
    for index, sentence in enumerate(case.layout.sentences):
        is_of_pick = bool(picks.intersection(_about(case.layout, index)))
        if is_of_pick and any(sentence.start <= start < sentence.end for start in unresolved):
            return UNRESOLVED
    return ""


def borne_out(case: Case, reading: Reading) -> float:
    """How well the figures of a report support its picks, from 0 to 1.

    It is the share of the picks whose price the report names (their rating, if no price is known), times the share of
    figures that a record explains. Explained figures count once, and only those about picks; unexplained ones count
    everywhere. So true words about other things hide no invention, and one more true figure about a pick never costs
    anything.
    """
    # The ledger, with only calculations that start from a record or the query: otherwise any number can be computed.
    ledger = case.ledger(reading.picks)
    records = ledger.products.values()
    known = {on_record(kind, item) for item in records for kind in ("price", "rating", "rating_count")} - {None}
    sound: dict[str, Calculation] = {}
    for key, calculation in ledger.calculations.items():
        grounded = [number in known or ledger.names(number) for number in calculation.operands]
        others = [number for number, is_known in zip(calculation.operands, grounded, strict=True) if not is_known]
        if any(grounded) and all(number == int(number) and number <= _MOST_PIECES for number in others):
            sound[key] = calculation
            known.add(abs(calculation.result))
    layout, ledger = case.layout, replace(ledger, calculations=sound)
    picks = {f"P:{pick.product}" for pick in reading.picks or ()}
    explained: set[tuple[Decimal, Decimal]] = set()
    inventions: set[tuple[str, Decimal]] = set()
    priced: set[str] = set()
    sizes = {numeral.start for numeral in find_numerals(layout.text) if numeral.unit in SIZED}
    for sentence, about, amount in _figures(layout):
        # Numbers of the query, and the report's own counts ("two of the 3", no "3 ounces"), are not claims.
        is_small = amount.low <= max(_OWN_COUNTS, len(case.cited)) and amount.start not in sizes
        is_count = amount.kind == "number" and not amount.places and is_small
        if is_count or ledger.names(amount.low) or ledger.names(amount.high):
            continue
        of_picks = picks.intersection(about)
        if not _is_explained(amount, about, ledger, case.evidence):
            inventions.add((" ".join(case.report[sentence.start : sentence.end].split()), amount.low))
        elif of_picks:
            explained.add((amount.low, amount.high))
            priced |= {pick for pick in of_picks if _says_the_worth(amount, pick, ledger)}
    if not explained:
        return 0.0
    return len(priced) / len(picks) * len(explained) / (len(explained) + len(inventions))


def _about(layout: Layout, index: int) -> tuple[str, ...]:
    """What a sentence is about: all that it cites, else the products that the surrounding part of the report cites."""
    cited = layout.cited.get(index, ())
    is_of_products = any(source[:2] == "P:" for source in cited)
    return cited if is_of_products else (*cited, *layout.around[index])


def _figures(layout: Layout) -> Iterator[tuple[Sentence, tuple[str, ...], Amount]]:
    """Every figure with its sentence and what that is about, without dates and heads of tables."""
    undated = blanked(layout.text, ((date.start, date.end) for date in layout.dates))
    amounts = find_amounts(undated, layout.notation)
    starts = [amount.start for amount in amounts]
    for index, sentence in enumerate(layout.sentences):
        inside = amounts[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if sentence.kind != "table_head" and inside:
            about = _about(layout, index)
            yield from ((sentence, about, amount) for amount in inside)


def _is_explained(amount: Amount, about: Sequence[str], ledger: Ledger, evidence: Mapping[str, Evidence]) -> bool:
    """True if a record of what the sentence is about has the figure, or it follows from known prices."""
    products = [source.removeprefix("P:") for source in about if source[:2] == "P:"]
    items = [ledger.products[product] for product in products if product in ledger.products]
    if amount.kind == "money":
        near = dict.fromkeys([*products, *(pick.product for pick in ledger.picks or ())])
        prices = (on_record("price", item) for item in items)
        pages = (text.text for key in about if key[:2] == "W:" and key in evidence for text in evidence[key].texts)
        on_pages = (written for text in pages for written in amounts_in(text) if written.kind == "money")
        return (
            any(fits(amount, price) for price in prices)
            or derivation(amount, ledger, near) is not None
            or any({written.low, written.high} & {amount.low, amount.high} for written in on_pages)
        )
    known = [on_record(kind, item) for item in items for kind in ("rating", "rating_count")]
    worked_out = (one for each in ledger.calculations.values() for one in (each.result, *each.operands))
    if any(fits(amount, number) for number in (*known, *map(abs, worked_out))):
        return True
    entries = [evidence[key] for key in about if key in evidence and not key.startswith(_WRITTEN_BY_RUNS)]
    shown = (text.text for entry in entries for text in entry.texts)
    numbers = (one for text in (*map(all_words_of, items), *shown) for one in amounts_in(text))
    return any({number.low, number.high} & {amount.low, amount.high} for number in numbers)


def _says_the_worth(amount: Amount, pick: str, ledger: Ledger) -> bool:
    """True for the price of a pick, or for its rating if its price is unknown."""
    item = ledger.products.get(pick.removeprefix("P:"))
    if item is None:
        return False
    kind = "rating" if item.price is None else "price"
    return (amount.kind == "money") == (kind == "price") and fits(amount, on_record(kind, item))
