"""Statements of imported answers that their sources contradict, as one list with the worst first.

If the sources are the records of a shop's products, the list is worded for the shop.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from drretail.tables.figures import counted
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import Support, counts_of
from drretail.viewer.experiment import RunView

_MARKS = re.compile(r"\s?\[(?:[A-Z]:[^\[\]]*|\d+)\]|\]\([^()\s]*\)|[*_`\[\]]+")
_MONEY = re.compile(r"[$€£¥₹]|\bprice\b")
_OF_RULES = re.compile(r"(?:(?P<about>list price|price|discount)?.*?: )?the record (?:says|counts) (?P<recorded>.+)")
_BETWEEN_LINES = re.compile(r"; (?![^()]*\))")
"""A semicolon that is not within "(Red / 42; Blue / 42)"."""
CHECKED: tuple[Support, ...] = ("full", "partial", "none", "contradicted")
"""The verdicts of checked statements on a shop's products."""
_STOCK = re.compile(r"\b(?:availability|in stock|sold out|available|left)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FalseStatement:
    """A contradicted claim of an answer."""

    claim: int
    """Its number among the report's claims."""
    system: str
    question: str
    sentence: str
    """The answer's words, without its markup."""
    record: str
    """What the record says, in the judge's words."""
    products: str

    @property
    def rank(self) -> int:
        """0 for prices, which a customer may insist on; 1 for availability; 2 for everything else."""
        return 0 if _MONEY.search(self.record) else 1 if _STOCK.search(self.record) else 2

    @property
    def shop_says(self) -> str:
        """The record in the shop's words: "$32.00 (price of Knock Box)"; a language model's reason as it is."""
        statements: list[str] = []
        for line in _BETWEEN_LINES.split(self.record):
            found = _OF_RULES.fullmatch(line)
            about = found["about"] if found is not None and ", " not in self.products else None
            recorded = line if found is None else found["recorded"]
            statements.append(f"{recorded} ({about} of {self.products})" if about else recorded)
        return "; ".join(statements)


def false_statements(view: RunView) -> Iterator[FalseStatement]:
    """The contradicted claims of an imported report, by its first judge; none for other runs."""
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


def checked_in_words(answers: int, counts: Iterable[Mapping[Support, int]]) -> str:
    """For example "12 answers, 21 statements about your products checked: 8 contradict your shop's records.".

    ``counts`` are the counts of each answer's claims.
    """
    total = sum(map(Counter, counts), Counter[Support]())
    checked, false = sum(total[support] for support in CHECKED), total["contradicted"]
    if not checked:
        return f"{counted(answers, 'answer')}: no statement about your products was judged."
    found = f"{false or 'none'} {'contradicts' if false == 1 else 'contradict'}"
    checked_words = counted(checked, "statement about your products", "statements about your products")
    return f"{counted(answers, 'answer')}, {checked_words} checked: {found} your shop's records."


def false_lines(views: Iterable[RunView]) -> Iterator[str]:
    """A shop assistant's false statements as lines of text: a count, then each statement with the shop's record."""
    runs = list(views)
    yield checked_in_words(len(runs), [counts_of(run.claims[0].claims) for run in runs if run.claims])
    for one in sorted((one for run in runs for one in false_statements(run)), key=lambda one: one.rank):
        yield f"≠ {one.sentence}"
        yield f"  your shop says {one.shop_says}"


def false_table(found: Iterable[tuple[FalseStatement, str]], *, is_of_shop: bool = False) -> Table:
    """A row for each statement, with the address of its claim.

    There is a column for the system if there are several.
    """
    rows = sorted(found, key=lambda each: each[0].rank)
    several = ["System"] if len({statement.system for statement, _ in rows}) > 1 else []
    names = ["Your shop says", "Asked"] if is_of_shop else ["The record says", "Product", "Question"]

    def cells(one: FalseStatement) -> tuple[Cell, ...]:
        own = (one.shop_says, one.question) if is_of_shop else (one.record, one.products, one.question)
        return tuple(map(Cell, (*own, *(one.system for _ in several))))

    return Table(
        "False statements",
        tuple(map(Column, [*names, *several])),
        tuple(Row(one.sentence, cells(one), link=link) for one, link in rows),
        heading="The answer says",
    )
