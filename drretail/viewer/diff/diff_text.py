"""Two systems' answers side by side, for the terminal and as one JSON document."""

from collections.abc import Iterator
from typing import Any

from drretail.screen import on_screen
from drretail.viewer.cart import CartLine
from drretail.viewer.claims import SIGNS, WORDS
from drretail.viewer.diff.answers import KINDS, RULE, AnswerPair, AnswersDiff, Statement

NOT_KNOWN = "It is not known what one of the two puts into the cart."


def diff_text(diff: AnswersDiff) -> str:
    """What changed, query by query: − stands only in A, + only in B, ~ in both with another verdict."""
    lines = [f"A: {diff.a}", f"B: {diff.b}", *diff.prompts, *diff.apart, "", RULE]
    ruled = set().union(*map(_supports, diff.pairs))
    lines += [f"{SIGNS[support]} {word}" for support, word in WORDS.items() if support in ruled]
    for pair in diff.pairs:
        lines += ["", *_pair(pair)]
    if not diff.pairs:
        lines += ["", "No query was asked of both."]
    return on_screen("\n".join(lines) + "\n")


def diff_document(diff: AnswersDiff) -> dict[str, Any]:
    """The same for --json."""
    return {
        "experiment": diff.name,
        "a": diff.a,
        "b": diff.b,
        "matched_by": RULE,
        "notes": [*diff.prompts, *diff.apart],
        "queries": [_pair_document(pair) for pair in diff.pairs],
    }


def _supports(pair: AnswerPair) -> set[str]:
    statements = [each for change in pair.changes for each in (change.a, change.b) if each is not None]
    return {statement.support for statement in statements if statement.support is not None}


def _pair(pair: AnswerPair) -> Iterator[str]:
    yield f"=== {pair.title}: {pair.query.text}"
    for side, view in (("A", pair.a), ("B", pair.b)):
        if view.subject.report is None:
            yield f"{side} has no answer ({view.state})."
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
