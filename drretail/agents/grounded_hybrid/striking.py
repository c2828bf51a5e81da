"""What stays wrong is struck as whole statements; no value is corrected, and no sentence cut (DESIGN 7a).

A statement is a sentence of running text, a list item with what is indented below it, or a table's row. A heading takes
its section along, a table's head its table; and what nothing is left below goes as well.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from drretail.agents.grounded_hybrid.drafts import Draft, cited_in
from drretail.grounding.report.picks import Declared
from drretail.grounding.text.layout import Layout
from drretail.grounding.text.sentences import Sentence
from drretail.records.evidence import Finding
from drretail.records.reading import Pick

STAYS = frozenset({"quantity_wrong"})
"""Errors of picks that are the right things all the same."""
_MARKER = re.compile(r"\n[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_RULE_BELOW = re.compile(r"[ \t]*\n[ \t]*\|?[ \t:|-]*-[ \t:|-]*(?=\n|$)")
_PLACELESS = {"start": None, "end": None}


@dataclass(frozen=True, slots=True)
class Stricken:
    """What is left of a draft, and what was struck from it in text order, round by round.

    ``text`` of a finding is the struck statement as it stood, or the pick; it has no place any more.
    """

    draft: Draft
    struck: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    """``report[start:end]``, from the beginning of its line unless it is running text."""

    start: int
    end: int
    kind: str
    depth: int
    """Of a heading its level, of an item its indent."""
    leads: bool
    """True for what ends in a colon."""
    cited: frozenset[str]
    """The products and orders that it cites."""


def strike_out(draft: Draft) -> Stricken:
    """The draft without statements and picks that are wrong; an error that is nobody's own, such as a budget, stays."""
    struck: tuple[Finding, ...] = ()
    while True:
        left, newly_struck = _strike(draft)
        if (left.report, left.case.picks) == (draft.report, draft.case.picks):
            return Stricken(draft, struck)
        draft, struck = left, struck + newly_struck


def _strike(draft: Draft) -> tuple[Draft, tuple[Finding, ...]]:
    """One round; what is left may be wrong in another way, such as a sum of picks that are no more."""
    statements = list(_statements(draft.case.layout))
    placeless = (error for error in draft.errors if error.start is None and error.code not in STAYS)
    wrong_picks = {finding.evidence_id: finding for finding in placeless if finding.evidence_id is not None}
    why = {at: found for at, one in enumerate(statements) if (found := _faults(one, draft.errors, wrong_picks))}
    gone = _with_what_falls(statements, why)
    report = _without(draft.report, [statements[at] for at in sorted(gone)])
    picks, outcome = draft.case.picks, draft.case.outcome
    left = draft.instead(Declared(report, picks, outcome=outcome), draft.note)
    picks = None if picks is None else tuple(_kept(picks, wrong_picks, left))
    if outcome is not None and not picks:
        outcome = outcome.model_copy(update={"decision": "none"})
    texts = {at: draft.report[statements[at].start : statements[at].end].strip() for at in why}
    struck = [
        finding.model_copy(update={"text": texts[at], **_PLACELESS}) for at, found in why.items() for finding in found
    ]
    silent = [pick for pick in wrong_picks.values() if not any(pick in found for found in why.values())]
    return draft.instead(Declared(report, picks, outcome=outcome), draft.note), (*struck, *silent)


def _faults(one: _Statement, errors: Iterable[Finding], wrong_picks: Mapping[str, Finding]) -> list[Finding]:
    """The errors in a statement; a wrong pick's where it cites that alone: with an order, it says what is owned."""
    placed = [error for error in errors if error.start is not None and one.start <= error.start < one.end]
    return placed + [finding for key, finding in wrong_picks.items() if one.cited == frozenset({key})]


def _kept(picks: Iterable[Pick], wrong_picks: Mapping[str, Finding], left: Draft) -> Iterator[Pick]:
    """The picks that are right and that the report still cites."""
    for pick in picks:
        cited = any(f"P:{each}" in left.case.cited for each in (pick.product, *pick.alternatives))
        if cited and f"P:{pick.product}" not in wrong_picks:
            yield pick


def _statements(layout: Layout) -> Iterator[_Statement]:
    """All statements in their order; the sentences of a list item are one."""
    parts: list[list[int]] = []
    for index, sentence in enumerate(layout.sentences):
        before = layout.sentences[index - 1] if index else None
        goes_on = before is not None and before.kind == sentence.kind == "item"
        if goes_on and before and not _MARKER.search(layout.report, before.end, sentence.start):
            parts[-1].append(index)
        else:
            parts.append([index])
    for part in parts:
        yield _statement(layout, layout.sentences[part[0]], layout.sentences[part[-1]], part)


def _statement(layout: Layout, first: Sentence, last: Sentence, indexes: Iterable[int]) -> _Statement:
    line = layout.report.rfind("\n", 0, first.start) + 1
    text = layout.report[line : first.end]
    indent = len(text) - len(text.lstrip())
    level = len(text.strip()) - len(text.strip().lstrip("#"))
    rule = _RULE_BELOW.match(layout.report, last.end) if first.kind == "table_head" else None
    return _Statement(
        start=first.start if first.kind == "text" else line,
        end=rule.end() if rule else last.end,
        kind=first.kind,
        depth=level or 7 if first.kind == "heading" else indent,
        leads=layout.report[first.start : last.end].rstrip("*_ ").endswith(":"),
        cited=cited_in(layout, indexes),
    )


def _with_what_falls(statements: Sequence[_Statement], struck: Iterable[int]) -> set[int]:
    """With all that hangs on them, and the headings, heads and leading sentences of which nothing is left."""
    gone = {at for index in struck for at in (index, *_below(statements, index, ("heading", "item", "table_head")))}
    for index in reversed(range(len(statements))):
        inside = _below(statements, index, ("heading", "table_head", "text"))
        if inside and gone.issuperset(inside):
            gone.add(index)
    return gone


def _below(statements: Sequence[_Statement], index: int, kinds: Iterable[str]) -> list[int]:
    """What hangs on a statement of these kinds: a section, deeper items, rows, what a colon announces."""
    one = statements[index]

    def hangs(at: int) -> bool:
        statement = statements[at]
        match one.kind:
            case "heading":
                return statement.kind != "heading" or statement.depth > one.depth
            case "item":
                return statement.kind == "item" and statement.depth > one.depth
            case "table_head":
                return statement.kind == "row"
            case _:
                return one.leads and statement.kind in ("item", "table_head", "row")

    return list(takewhile(hangs, range(index + 1, len(statements)))) if one.kind in kinds else []


def _without(report: str, gone: Sequence[_Statement]) -> str:
    """The report without these statements, and without the lines and gaps that they leave."""
    if not gone:
        return report
    left, position = "", 0
    for one in gone:
        left += report[position : one.start]
        position = one.end
        while report[position : position + 1] in (" ", "\t"):
            position += 1
        if report[position : position + 1] in ("\n", ""):
            bare = left[: len(left.rstrip(" \t>"))]
            is_whole_line = not bare or bare.endswith("\n")
            left = bare if is_whole_line else left.rstrip(" \t")
            position += is_whole_line
    return re.sub(r"\n{3,}", "\n\n", left + report[position:]).strip()
