"""Two systems' answers side by side as one self-contained HTML page."""

from markupsafe import Markup

from drretail.grounding.report.render import render_report
from drretail.grounding.text.wording import split_words
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS
from drretail.viewer.diff.answers import KINDS, RULE, AnswerPair, AnswersDiff, Side
from drretail.viewer.page.frame import frame, template, writable
from drretail.viewer.page.report_html import Mark, marked_html

_OPEN = 3
"""So many queries are open at first; of more only the first is."""


def diff_page(diff: AnswersDiff) -> str:
    """The page; the same answers and verdicts always give the same page."""
    rows: list[Row] = []
    for pair in diff.pairs:
        a, b = (len(split_words(view.subject.report or "")) for view in (pair.a, pair.b))
        cells = (
            Cell(pair.won_words or "even"),
            *(Cell(count, "count") for count in pair.counts.values()),
            Cell("not known" if None in pair.carts else len(pair.cart_changes), "count"),
            Cell(f"{a:,} → {b:,}"),
        )
        rows.append(Row(f"{pair.title} ({pair.by})", cells, link=f"#{pair.anchor}"))
    columns = ("higher", *KINDS.values(), "picked otherwise", "words, A → B")
    text = template("diff.html.jinja").render(
        diff=diff,
        report=_report,
        open=_OPEN if len(diff.pairs) <= _OPEN else 1,
        overview=Table("All queries", tuple(map(Column, columns)), tuple(rows), heading="Query"),
        rule=RULE,
        **frame(("page.css", "diff.css"), scripts=()),
    )
    return writable(text)


def _report(pair: AnswerPair, side: Side) -> Markup:
    """One answer, what the other does not say marked in it."""
    subject = (pair.a if side == "A" else pair.b).subject
    rendered = render_report(subject.report or "", subject.evidence)
    marks: list[Mark] = []
    for kind, named in pair.by_kind.items():
        for anchor, change in named:
            statement = change.a if side == "A" else change.b
            if statement is not None and statement.span is not None and kind != "same":
                support, is_other = statement.support, kind == "verdict"
                badge, what = "other verdict" if is_other else f"only {side}", KINDS[kind]
                mark = Mark(
                    *rendered.span(*statement.span),
                    target=anchor,
                    style="only" if support is None else f"{support} {kind}",
                    rank=0 if support is None else SEVERITY.index(support),
                    badge=badge if support is None else f"{SIGNS[support]} {badge}",
                    says=what if support is None else f"{WORDS[support]}, {what}",
                )
                marks.append(mark)
    return marked_html(rendered.text, marks).html
