"""A good report with everything that an error is made from, and the copy with the error."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject
from drretail.grounding.text.sentences import Sentence
from drretail.grounding.verify.checks import Case, check_report
from drretail.grounding.verify.records import Ledger, record_of
from drretail.records.reading import Pick, Reading
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class Planted:
    """A copy of a report with one error, ``report[start:end]``."""

    report: str
    start: int
    end: int
    original: str
    """The words that were replaced; blank if a sentence was added."""
    note: str
    """Why it is wrong."""
    picks: tuple[Pick, ...] | None = None
    """The copy's declared picks; None if they are the report's, or if nothing is declared."""

    @property
    def error(self) -> str:
        return self.report[self.start : self.end]


@dataclass(frozen=True)
class Material:
    """Everything that an error is made from; ``chance`` chooses places and amounts."""

    case: Case
    reading: Reading
    chance: Random

    @classmethod
    def of(cls, subject: Subject, chance: Random) -> "Material":
        return cls(subject.case, reading_of(subject), chance)

    @cached_property
    def picked(self) -> frozenset[str]:
        return frozenset(pick.product for pick in self.reading.picks or ())

    @cached_property
    def ledger(self) -> Ledger:
        return self.case.ledger(self.reading.picks)

    @cached_property
    def shown(self) -> dict[str, Product]:
        """The products that the run was shown, by id, in the order of ids."""
        return {
            product: self.ledger.products[product]
            for product in sorted(self.ledger.products)
            if f"P:{product}" in self.case.evidence
        }

    @cached_property
    def profile(self) -> dict[str, str]:
        """The user's address as the run was shown it; empty if it was not shown."""
        texts = self.case.evidence["U:profile"].texts if "U:profile" in self.case.evidence else ()
        records = (record_of(text.text) or {} for text in texts)
        return next((record["address"] for record in records if isinstance(record.get("address"), dict)), {})

    @cached_property
    def wrong(self) -> frozenset[int]:
        """The indices of sentences in which the report itself has an error."""
        errors = [
            finding
            for finding in check_report(self.case, self.reading)
            if finding.severity == "error" and finding.start is not None
        ]
        return frozenset(
            index
            for index, sentence in enumerate(self.case.layout.sentences)
            for finding in errors
            if (finding.start or 0) < sentence.end and sentence.start < (finding.end or finding.start or 0)
        )

    def sentences(self, *, citing: Collection[str] | None = None) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
        """Sentences of prose without an error, with the ids that they cite.

        With ``citing``, only sentences that cite a single source, and one of these.
        """
        for index, sentence in enumerate(self.case.layout.sentences):
            cited = self.case.layout.cited.get(index, ())
            of_one = citing is None or (len(cited) == 1 and cited[0] in citing)
            if sentence.kind in ("text", "item") and index not in self.wrong and of_one:
                yield sentence, cited

    def index_at(self, place: int) -> int | None:
        """The index of the sentence at this offset; None if that has an error or there is none."""
        for index, sentence in enumerate(self.case.layout.sentences):
            if sentence.start <= place < sentence.end:
                return None if index in self.wrong else index
        return None

    def replaced(self, start: int, end: int, words: str, note: str) -> Planted:
        report = self.case.report[:start] + words + self.case.report[end:]
        return Planted(report, start, start + len(words), self.case.report[start:end], note)

    def added(self, sentence: Sentence, words: str, note: str, cart: tuple[Pick, ...] | None = None) -> Planted:
        """The report with a sentence added after this one; ``cart`` is its new cart if that changes."""
        report = f"{self.case.report[: sentence.end]} {words}{self.case.report[sentence.end :]}"
        start = sentence.end + 1
        declared = cart if self.case.picks is not None else None
        return Planted(report, start, start + len(words), "", note, declared)

    def cart(self, pick: Pick | None = None, without: Pick | None = None) -> tuple[Pick, ...]:
        """The report's picks with ``pick`` added and ``without`` removed."""
        picks = [pick for pick in self.reading.picks or () if pick != without]
        return tuple(picks if pick is None else [*picks, pick])

    def known(self, cart: Sequence[Pick]) -> Mapping[str, Product]:
        """The records of these picks, from what the run was shown and, if it is available, from the world."""
        ids = {pick.product for pick in cart}
        products = {} if self.case.lookup is None else self.case.lookup(sorted(ids))
        return {
            **{product_id: product for product_id, product in self.ledger.products.items() if product_id in ids},
            **products,
        }
