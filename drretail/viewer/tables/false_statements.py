"""False statements of imported answers, as one list with the worst first.

If the sources are the records of a shop's products, the list is worded for the shop.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from drretail.grounding.text.sentences import find_sentences
from drretail.records.evidence import Finding
from drretail.tables.figures import counted
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import Support
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
    """A false statement of an answer."""

    system: str
    question: str
    sentence: str
    """The answer's words, without its markup."""
    record: str
    """What the record says, in the judge's words or in code's."""
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


def false_statements(view: RunView) -> Iterator[tuple[Finding, FalseStatement]]:
    """The false statements of an imported report, each as recorded and in words; none for other runs."""
    subject = view.subject
    report = subject.report or ""
    sentences = find_sentences(report) if view.false and subject.system.is_imported else ()
    for statement in view.false if subject.system.is_imported else ():
        claim, start = view.claim_of(statement), statement.start
        span = None if claim is None else claim.span
        within = (one for one in sentences if start is not None and one.start <= start < one.end)
        if span is None and (sentence := next(within, None)) is not None:
            span = (sentence.start, sentence.end)
        words = statement.text if span is None else report[slice(*span)]
        names = (statement.evidence_id or "",) if claim is None else claim.sources
        sources = [subject.evidence[name] for name in names if name in subject.evidence]
        named = [entry for entry in sources if entry.kind == "product"] or sources
        yield (
            statement,
            FalseStatement(
                system=subject.label,
                question=subject.query.text,
                sentence=" ".join(_MARKS.sub("", words).split()),
                record=statement.found or "",
                products=", ".join(entry.title for entry in named),
            ),
        )


def checked_in(view: RunView) -> int:
    """The number of an answer's statements that were judged, or that code denies, each once.

    What code denies within a judged claim is that claim.
    """
    claims = Counter(claim.span for one in view.claims[:1] for claim in one.claims if claim.support in CHECKED)

    def place(start: int | None) -> tuple[int, int] | None:
        own = None if start is None else (start, start)
        return next((span for span in claims if start is not None and span and span[0] <= start < span[1]), own)

    return (claims | Counter(place(statement.start) for statement in view.false)).total()


def checked_in_words(answers: int, checked: int, false: int) -> str:
    """For example "12 answers, 21 statements about your products checked: 8 contradict your shop's records."."""
    if not checked:
        return f"{counted(answers, 'answer')}: no statement about your products was judged."
    found = f"{false or 'none'} {'contradicts' if false == 1 else 'contradict'}"
    checked_words = counted(checked, "statement about your products", "statements about your products")
    return f"{counted(answers, 'answer')}, {checked_words} checked: {found} your shop's records."


def false_lines(views: Iterable[RunView]) -> Iterator[str]:
    """A shop assistant's false statements as lines of text: a count, then each statement with the shop's record."""
    runs = list(views)
    yield checked_in_words(len(runs), sum(map(checked_in, runs)), sum(len(run.false) for run in runs))
    for one in sorted((one for run in runs for _, one in false_statements(run)), key=lambda one: one.rank):
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
