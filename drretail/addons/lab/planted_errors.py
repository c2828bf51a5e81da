"""Kinds of planted errors: wrong figures, citations, features and advice, and products that should not be taken.

Templates are English. A sentence is added after one of the report that cites the same source, or a pick.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from random import Random

from drretail.grounding.cart import Cart
from drretail.grounding.text.layout import Sentence
from drretail.grounding.verify.checks import Case, check_report
from drretail.grounding.verify.places import Passage, amounts_at
from drretail.grounding.verify.records import Ledger, all_words_of, equals, on_record
from drretail.records.query import Reference
from drretail.records.reading import Pick, Reading, ReadValue, ValueKind
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Planted:
    """A copy of the report of the run ``of``, with one error, ``report[start:end]``."""

    report: str
    start: int
    end: int
    original: str
    """The words that were replaced; blank if a sentence was added."""
    note: str
    """Why it is wrong."""
    product: str | None = None
    """What it takes besides the picks."""
    kind: str = ""
    run_id: str = ""
    of: str = ""


@dataclass(frozen=True)
class ErrorMaterial:
    """Everything that an error is made from; ``chance`` chooses places and amounts."""

    case: Case
    reading: Reading
    chance: Random

    @cached_property
    def ledger(self) -> Ledger:
        return self.case.ledger(self.reading.picks)

    @cached_property
    def shown(self) -> dict[str, Product]:
        """The products that the run was shown, by id, in the order of ids."""
        products = self.ledger.products
        return {product: products[product] for product in sorted(products) if f"P:{product}" in self.case.evidence}

    @cached_property
    def wrong(self) -> frozenset[int]:
        """The indices of sentences in which the report itself has an error."""
        findings = check_report(self.case, self.reading)
        places = [(finding.start, finding.end or finding.start) for finding in findings if finding.severity == "error"]
        return frozenset(
            index
            for index, sentence in enumerate(self.case.layout.sentences)
            for start, end in places
            if start is not None and end is not None and start < sentence.end and sentence.start < end
        )

    def sentences(self, citing: Collection[str] | None = None) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
        """Sentences of prose without an error, with the ids that they cite.

        With ``citing``, only sentences that cite a single source, and one of these.
        """
        for index, sentence in enumerate(self.case.layout.sentences):
            cited = self.case.layout.cited.get(index, ())
            of_one = citing is None or (len(cited) == 1 and cited[0] in citing)
            if sentence.kind in ("text", "item") and index not in self.wrong and of_one:
                yield sentence, cited

    def right_values(self) -> Iterator[tuple[ReadValue, Sentence]]:
        """Values that the records verify, each with its sentence, which holds no error."""
        for value in self.reading.values:
            if value.state != "verified":
                continue
            for index, sentence in enumerate(self.case.layout.sentences):
                if sentence.start <= value.start < sentence.end and index not in self.wrong:
                    yield value, sentence

    def replaced(self, start: int, end: int, words: str, note: str) -> Planted:
        report = self.case.report
        return Planted(report[:start] + words + report[end:], start, start + len(words), report[start:end], note)

    def added(self, sentence: Sentence, words: str, note: str, product: str | None = None) -> Planted:
        """The report with a sentence added after this one; ``product`` is what it takes besides the picks."""
        insertion = self.replaced(sentence.end, sentence.end, f" {words}", note)
        return replace(insertion, start=insertion.start + 1, product=product)


# Less, since stars end at 5; far less, since counts may be rough; uneven, since half of a sum may be right, too.
_FACTORS = (Decimal("0.53"), Decimal("0.61"), Decimal("0.72"))
_NOWHERE = "B0NOWHERE0"
_NUMERAL = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?")


def wrong_figure(material: ErrorMaterial, kind: ValueKind) -> Iterator[Planted]:
    """Multiplies a right figure by one of the factors, and writes it as the old one is written."""
    for value, _ in material.right_values():
        for numeral in _NUMERAL.finditer(material.case.report, value.start, value.end) if value.kind == kind else ():
            right = Decimal(numeral[0].replace(",", ""))
            new = round(right * material.chance.choice(_FACTORS), len(numeral[0].partition(".")[2]))
            words = f"{new:,}" if "," in numeral[0] else f"{new}"
            if new != right:
                yield material.replaced(numeral.start(), numeral.end(), words, f"right is {right}")
            break


def citation_moved(material: ErrorMaterial) -> Iterator[Planted]:
    """Moves a sentence's only citation to a product for which a value in the sentence is wrong."""
    for value, sentence in material.right_values():
        amounts, subject_id = amounts_at(value.kind, Passage.of(material.case.report, value.start, value.end)), value.of
        marks = [mark for mark in material.case.citations if sentence.start <= mark.start and mark.end <= sentence.end]
        if len(amounts) != 1 or subject_id[:2] != "P:" or [mark.evidence_id for mark in marks] != [subject_id]:
            continue
        others = [
            other for other, product in material.shown.items() if not equals(amounts[0], on_record(value.kind, product))
        ]
        if others:
            words = marks[0].marker.replace(subject_id[2:], material.chance.choice(others))
            yield material.replaced(marks[0].start, marks[0].end, words, f"{subject_id} is what it is said of")


def invented_feature(material: ErrorMaterial) -> Iterator[Planted]:
    """Adds a test that neither the product's record nor the report mentions."""
    for sentence, cited in material.sentences({f"P:{product_id}" for product_id in material.shown}):
        material_text = f"{all_words_of(material.shown[cited[0][2:]])} {material.case.report}"
        if "dermatologist" not in material_text.casefold():
            words = f"It was tested by dermatologists [{cited[0]}]."
            yield material.added(sentence, words, f"the record of {cited[0]} says nothing of it")


def contradicted_advice(material: ErrorMaterial) -> Iterator[Planted]:
    """Denies a sentence that cites only a page, and keeps its citations."""
    pages = {source for source, entry in material.case.evidence.items() if entry.kind == "web"}
    for sentence, _ in material.sentences(pages):
        text = material.case.report[sentence.start : sentence.end]
        begins = text[:1].lower() + text[1:] if text[1:2].islower() else text
        yield material.replaced(sentence.start, sentence.end, f"It is not true that {begins}", "the page says it")


def not_in_the_catalog(material: ErrorMaterial) -> Iterator[Planted]:
    for sentence, _ in material.sentences({f"P:{product_id}" for product_id in material.shown}):
        words = f"Take the Vellamore set as well [P:{_NOWHERE}]."
        yield material.added(sentence, words, "the shop has no such product", _NOWHERE)


def over_budget(material: ErrorMaterial) -> Iterator[Planted]:
    wish, picks, products = material.case.query.wish, material.reading.picks or (), material.ledger.products
    if wish is not None:
        carts = {other: (*picks, Pick(product=other)) for other in material.shown}
        nothing = Reference(query_id=material.case.query.query_id)
        dear = [other for other, cart in carts.items() if Cart(wish, nothing, cart, products).is_over]
        yield from _taking(material, dear, "the picks then cost more than the budget")


def owned_recommended(material: ErrorMaterial) -> Iterator[Planted]:
    return _taking(material, material.case.all_owned & material.shown.keys(), "the user has it already")


def _taking(material: ErrorMaterial, products: Collection[str], note: str) -> Iterator[Planted]:
    """Takes one of these products as well, after a sentence that cites a pick."""
    picked = {pick.product for pick in material.reading.picks or ()}
    others = sorted({*products} - picked)
    for sentence, _ in material.sentences({f"P:{product}" for product in picked}) if others else ():
        other = material.chance.choice(others)
        words = f"Take the {material.shown[other].title} as well [P:{other}]."
        yield material.added(sentence, words, note, other)


KINDS: Mapping[str, Callable[[ErrorMaterial], Iterator[Planted]]] = {
    "wrong price": partial(wrong_figure, kind="price"),
    "wrong rating": partial(wrong_figure, kind="rating"),
    "wrong rating count": partial(wrong_figure, kind="rating_count"),
    "wrong total": partial(wrong_figure, kind="total"),
    "wrong sum": partial(wrong_figure, kind="equation"),
    "citation moved to another product": citation_moved,
    "invented feature": invented_feature,
    "contradicted web advice": contradicted_advice,
    "product not in the catalog": not_in_the_catalog,
    "over budget silently": over_budget,
    "owned product recommended as new": owned_recommended,
}
"""Each function yields a copy of a report for every place that could have the error."""
