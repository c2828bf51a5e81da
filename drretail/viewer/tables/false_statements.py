"""False statements of imported answers, as one list with the worst first.

If the sources are the records of a shop's products, the list is worded for the shop.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from drretail.grounding.text.sentences import find_sentences
from drretail.grounding.verify.product_statements import Cause
from drretail.records.evidence import Finding
from drretail.tables.figures import counted
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import Support
from drretail.viewer.experiment import RunView

_MARKS = re.compile(r"\s?\[(?:[A-Z]:[^\[\]]*|\d+)\]|\]\([^()\s]*\)|[*_`\[\]]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_MONEY = re.compile(r"[$€£¥₹]|\bprice\b")
_SAYS = re.compile(r"^(?:the record says|the brand is|order status:) ")
CHECKED: tuple[Support, ...] = ("full", "partial", "none", "contradicted")
"""The verdicts of checked statements on a shop's products."""
_RANKS = {"stock_wrong": 1, "status_wrong": 1, "order_date_wrong": 1}
CAUSES: Mapping[Cause, str] = {
    "stale": "Its own tool says {tool} as well: the tool's data are out of date.",
    "ignored": "Its own tool says {tool}: it did not follow its tool.",
    "not_looked": "It never looked the product up.",
}


@dataclass(frozen=True, slots=True)
class FalseStatement:
    """A false statement of an answer."""

    system: str
    question: str
    """What was asked in its turn."""
    sentence: str
    """The answer's words, without its markup."""
    record: str
    """What the record says; in a judge's words if a judge found it."""
    products: str
    rank: int
    """0 for prices, which a customer may insist on; 1 for stock and orders; 2 for everything else."""
    tool: str = ""
    """What the assistant's own tool says."""
    cause: Cause | None = None

    @property
    def shop_says(self) -> str:
        """The record with the product that it is of: "€32.00 (Knock Box)"."""
        return f"{self.record} ({self.products})" if self.products else self.record


def false_statements(view: RunView) -> Iterator[tuple[Finding, FalseStatement]]:
    """The false statements of an answer, each as recorded and in words; none for research with citations."""
    subject = view.subject
    report, run = subject.report or "", subject.run
    is_answer = subject.system.is_imported or bool(view.read)
    sentences = find_sentences(report) if view.false and is_answer else ()
    for statement in view.false if is_answer else ():
        claim, start = view.claim_of(statement), statement.start
        within = (one for one in sentences if start is not None and one.start <= start < one.end)
        sentence = next(within, None)
        span = (sentence.start, sentence.end) if sentence is not None else claim.span if claim is not None else None
        words = statement.text if span is None else report[slice(*span)]
        names = (statement.evidence_id or "",) if claim is None else claim.sources
        sources = [subject.evidence[name] for name in names if name in subject.evidence]
        named = [entry for entry in sources if entry.kind == "product"] or sources
        own = next((one for one in view.read if (one.start, one.of) == (start, statement.evidence_id)), None)
        turns = (one for one in (() if run is None else run.turns) if one.start <= (start or 0) < one.end)
        record = statement.found or ""
        yield (
            statement,
            FalseStatement(
                system=subject.label,
                question=next((one.question for one in turns), subject.query.text),
                sentence=" ".join(_TAG.sub(" ", _MARKS.sub("", words)).split()),
                record=_SAYS.sub("", record),
                products=own.title if own is not None else ", ".join(entry.title for entry in named),
                rank=_RANKS.get(statement.code, 0 if _MONEY.search(record) else 2),
                tool="" if own is None else own.tool,
                cause=None if own is None else own.cause,
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
        if one.cause is not None:
            yield f"  {_told(one)}"


def _told(one: FalseStatement) -> str:
    """The cause in words, with what the assistant's own tool says."""
    return CAUSES[one.cause].format(tool=one.tool) if one.cause else ""


def false_table(found: Iterable[tuple[FalseStatement, str]], *, is_of_shop: bool = False) -> Table:
    """A row for each statement, with the address of its claim.

    There is a column for the system if there are several.
    """
    rows = sorted(found, key=lambda each: each[0].rank)
    explained = ["Why"] if is_of_shop and any(statement.cause for statement, _ in rows) else []
    several = ["System"] if len({statement.system for statement, _ in rows}) > 1 else []
    names = ["Your shop says", *explained, "Asked"] if is_of_shop else ["The record says", "Product", "Question"]

    def cells(one: FalseStatement) -> tuple[Cell, ...]:
        of_shop = (one.shop_says, *(_told(one) for _ in explained), one.question)
        own = of_shop if is_of_shop else (one.record, one.products, one.question)
        return tuple(map(Cell, (*own, *(one.system for _ in several))))

    return Table(
        "False statements",
        tuple(map(Column, [*names, *several])),
        tuple(Row(one.sentence, cells(one), link=link) for one, link in rows),
        heading="The answer says",
    )
