"""What imported answers say and their sources contradict, as one list with the worst first."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.experiment import RunView

_MARKS = re.compile(r"\]\([^()\s]*\)|[*_`\[\]]+")
_MONEY = re.compile(r"[$€£¥₹]|\bprice\b")
_STOCK = re.compile(r"\b(?:availability|in stock|sold out|available|left)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FalseStatement:
    """A contradicted claim of an answer."""

    claim: int
    """Its number among the report's claims."""
    system: str
    question: str
    sentence: str
    """As the answer has it, without its markup."""
    record: str
    """What the record says, in the judge's words."""
    products: str

    @property
    def rank(self) -> int:
        """Prices come first, which a customer may insist on; then availability; then all else."""
        return 0 if _MONEY.search(self.record) else 1 if _STOCK.search(self.record) else 2


def false_statements(view: RunView) -> Iterator[FalseStatement]:
    """The contradicted claims of an imported report, as its first judge rules; nothing for other runs."""
    subject = view.subject
    if not subject.system.is_imported or not view.claims:
        return
    for claim in view.claims[0].claims:
        verdict = claim.verdict
        if claim.support != "contradicted" or verdict is None:
            continue
        sentence = claim.text if claim.span is None else (subject.report or "")[slice(*claim.span)]
        sources = [subject.evidence[one] for one in claim.sources if one in subject.evidence]
        named = [entry for entry in sources if entry.kind == "product"] or sources
        yield FalseStatement(
            claim=claim.number,
            system=subject.label,
            question=subject.query.text,
            sentence=" ".join(_MARKS.sub("", sentence).split()),
            record=verdict.reason or verdict.quote or "",
            products=", ".join(entry.title for entry in named),
        )


def false_table(found: Iterable[tuple[FalseStatement, str]]) -> Table:
    """A row a statement, with the address of its claim; the system is named where there are several."""
    rows = sorted(found, key=lambda each: each[0].rank)
    are_several = len({statement.system for statement, _ in rows}) > 1
    names = ("The record says", "Product", "Question", *(["System"] if are_several else []))
    return Table(
        "False statements",
        tuple(map(Column, names)),
        tuple(
            Row(
                one.sentence,
                tuple(map(Cell, (one.record, one.products, one.question, *([one.system] if are_several else [])))),
                link=link,
            )
            for one, link in rows
        ),
        heading="The answer says",
    )
