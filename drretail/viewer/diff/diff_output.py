"""Two systems' answers side by side: a self-contained HTML page, text for the terminal, and one JSON document."""

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from drretail.grounding.report.render import render_report
from drretail.grounding.text.wording import split_words
from drretail.screen import on_screen
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.cart import CartLine
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS
from drretail.viewer.diff.answers import KINDS, RULE, AnswerPair, AnswersDiff, Side, Statement
from drretail.viewer.page.frame import frame, template, writable
from drretail.viewer.page.report_html import Mark, marked_html

NOT_KNOWN = "It is not known what one of the two puts into the cart."


def diff_text(diff: AnswersDiff) -> str:
    """The changes, query by query: − is only in A, + only in B, ~ in both with another verdict."""
    lines = [f"A: {diff.a}", f"B: {diff.b}", *diff.prompts, *diff.apart, *diff.won, "", RULE]
    changes = [change for pair in diff.pairs for change in pair.changes]
    ruled = {each.support for change in changes for each in (change.a, change.b) if each is not None}
    lines += [f"{SIGNS[support]} {word}" for support, word in WORDS.items() if support in ruled]
    for pair in diff.pairs:
        lines += ["", *_pair(pair)]
    if not diff.pairs:
        lines += ["", "No query was asked of both."]
    return on_screen("\n".join(lines) + "\n")


def diff_document(diff: AnswersDiff) -> dict[str, Any]:
    """The same for ``--json``."""
    return {
        "experiment": diff.name,
        "a": diff.a,
        "b": diff.b,
        "matched_by": RULE,
        "notes": [*diff.prompts, *diff.apart],
        "won": diff.won,
        "queries": [_pair_document(pair) for pair in diff.pairs],
    }


def _pair(pair: AnswerPair) -> Iterator[str]:
    yield f"=== {pair.title}: {pair.query.text}"
    for side, view in (("A", pair.a), ("B", pair.b)):
        if view.subject.report is None:
            yield f"{side} has no answer ({view.state})."
    if pair.won_words:
        yield f"Higher: {pair.won_words}"
    counts = ", ".join(f"{pair.counts[kind]} {word}" for kind, word in KINDS.items())
    yield f"{pair.by[0].upper()}{pair.by[1:]}: {counts}"
    for change in pair.changes:
        a, b = change.a, change.b
        if change.kind == "verdict" and a is not None and b is not None:
            yield f"  ~ {_sign(a)}→ {_sign(b)}{b.plain}"
        elif change.kind == "only_a" and a is not None:
            yield f"  − {_sign(a)}{a.plain}"
        elif change.kind == "only_b" and b is not None:
            yield f"  + {_sign(b)}{b.plain}"
    if None in pair.carts:
        yield NOT_KNOWN
    for change in pair.cart_changes:
        yield from (
            f"  {sign} picks {line.words}" for sign, line in (("−", change.a), ("+", change.b)) if line is not None
        )


def _sign(statement: Statement) -> str:
    return "" if statement.support is None else f"{SIGNS[statement.support]} "


def _pair_document(pair: AnswerPair) -> dict[str, Any]:
    return {
        "query": pair.query.query_id,
        "repeat": pair.repeat,
        "statements": "sentences" if pair.claims is None else "claims",
        "judge": None if pair.claims is None else pair.claims[0].judged.by,
        "won": dict(pair.won),
        "counts": dict(pair.counts),
        "changes": [
            {"kind": change.kind, "a": _statement(change.a), "b": _statement(change.b)}
            for change in pair.changes
            if change.kind != "same"
        ],
        "picks": None
        if None in pair.carts
        else [{"a": _pick(change.a), "b": _pick(change.b)} for change in pair.cart_changes],
    }


def _statement(statement: Statement | None) -> dict[str, Any] | None:
    if statement is None:
        return None
    return {"text": statement.plain, "sources": list(statement.sources), "support": statement.support}


def _pick(line: CartLine | None) -> dict[str, Any] | None:
    return None if line is None else {"product": line.product, "title": line.title, "quantity": line.quantity}


_OPEN = 3
"""Up to this many queries are open at first; of more, only the first is."""


def diff_page(diff: AnswersDiff) -> str:
    """The page as HTML; the same answers and verdicts always give the same page."""
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
    """One answer, with marks on statements that the other does not have or has with another verdict."""
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
