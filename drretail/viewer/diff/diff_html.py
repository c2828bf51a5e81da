"""Two systems' answers side by side as one self-contained HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.grounding.report.render import render_report
from drretail.grounding.text.wording import split_words
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS
from drretail.viewer.diff.answers import KINDS, RULE, AnswerPair, AnswersDiff, Change, Kind, Statement
from drretail.viewer.experiment import RunView
from drretail.viewer.page.frame import frame, template, writable
from drretail.viewer.page.report_html import Mark, marked_html

_OPEN = 3
"""So many queries are open at first; of more only the first is."""


@dataclass(frozen=True, slots=True)
class ChangeCard:
    """A change with the place where it stands on the page."""

    anchor: str
    change: Change
    in_reports: bool
    """Whether it is marked where it is said."""

    @property
    def statement(self) -> Statement:
        found = self.change.b or self.change.a
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class PairPart:
    """A pair of answers with all that its template prints."""

    pair: AnswerPair
    open: bool
    reports: tuple[Markup, Markup]
    words: tuple[int, int]
    cards: dict[Kind, list[ChangeCard]]


def diff_page(diff: AnswersDiff) -> str:
    """The page; the same answers and verdicts always give the same page."""
    parts = [_part(pair, is_open=at == 0 or len(diff.pairs) <= _OPEN) for at, pair in enumerate(diff.pairs)]
    rows = [
        Row(
            f"{part.pair.title} ({part.pair.by})",
            (
                Cell(part.pair.won_words or "even"),
                *(Cell(len(part.cards[kind]), "count") for kind in KINDS),
                Cell("not known" if None in part.pair.carts else len(part.pair.cart_changes), "count"),
                Cell(f"{part.words[0]:,} → {part.words[1]:,}"),
            ),
            link=f"#{part.pair.anchor}",
        )
        for part in parts
    ]
    columns = ("higher", *KINDS.values(), "picked otherwise", "words, A → B")
    text = template("diff.html.jinja").render(
        diff=diff,
        parts=parts,
        overview=Table("All queries", tuple(map(Column, columns)), tuple(rows), heading="Query"),
        rule=RULE,
        **frame(("page.css", "diff.css"), scripts=()),
    )
    return writable(text)


def _part(pair: AnswerPair, *, is_open: bool) -> PairPart:
    anchors = [f"{pair.anchor}c{number}" for number, _ in enumerate(pair.changes, 1)]
    named = list(zip(anchors, pair.changes, strict=True))
    (a, shown_a), (b, shown_b) = (_report(view, side, named) for side, view in (("a", pair.a), ("b", pair.b)))
    cards: dict[Kind, list[ChangeCard]] = {kind: [] for kind in KINDS}
    for anchor, change in named:
        cards[change.kind].append(ChangeCard(anchor, change, anchor in shown_a | shown_b))
    words = tuple(len(split_words(view.subject.report or "")) for view in (pair.a, pair.b))
    return PairPart(pair, is_open, (a, b), (words[0], words[1]), cards)


def _report(view: RunView, side: str, named: Sequence[tuple[str, Change]]) -> tuple[Markup, frozenset[str]]:
    """One answer, what the other does not say marked in it, and the anchors of these marks."""
    rendered = render_report(view.subject.report or "", view.subject.evidence)
    marks: list[Mark] = []
    for anchor, change in named:
        statement = change.a if side == "a" else change.b
        if statement is not None and statement.span is not None and change.kind != "same":
            start, end = rendered.span(*statement.span)
            marks.append(_mark(anchor, change, statement, side.upper(), start, end))
    marked = marked_html(rendered.text, marks)
    return marked.html, marked.shown


def _mark(anchor: str, change: Change, statement: Statement, side: str, start: int, end: int) -> Mark:
    support = statement.support
    is_other = change.kind == "verdict"
    badge, what = "other verdict" if is_other else f"only {side}", KINDS[change.kind]
    return Mark(
        start,
        end,
        target=anchor,
        style="only" if support is None else f"{support} {change.kind}",
        rank=0 if support is None else SEVERITY.index(support),
        badge=badge if support is None else f"{SIGNS[support]} {badge}",
        says=what if support is None else f"{WORDS[support]}, {what}",
    )
