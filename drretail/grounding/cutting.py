"""Single words that are cut out of a statement that stays: a mark that comes to nothing, a wrong value in a heading."""

import re
from collections.abc import Sequence

from drretail.grounding.case import Case
from drretail.grounding.citations import CitingMark
from drretail.grounding.removal import Span, balanced
from drretail.grounding.statements import Statement
from drretail.grounding.structure import Piece
from drretail.grounding.values import find_values
from drretail.records.evidence import Finding

VALUES = frozenset({"price_wrong", "rating_wrong", "rating_count_wrong"})
CITATIONS = frozenset({"unresolved_citation", "url_not_seen"})
_SHORT = re.compile(r"[POUWCF]:[A-Za-z0-9_@-]+|\d+")
# Words of a statement that may rest on a value in it.
_RECKONED = re.compile(
    r"\b(?:more|less|cheap\w*|expensive|under|below|above|over|left|remain\w*|total|together|altogether|sav\w+|half|twice"
    r"|difference|high\w*|low\w*|best|most|better|because|since|so|within|budget)\b|=",
    re.IGNORECASE,
)
_CONTEXT = 80
"""Characters in front of a cut that tell what it was about."""
_BEFORE = re.compile(r"(?:[\s\-–—:|,(]|\b(?:at|for|only|just|about|around|from)\b)*$", re.IGNORECASE)


def cuts_for(case: Case, statement: Statement, finding: Finding) -> list[Span] | None:
    """The spans without which the statement is right; None where it must go as a whole."""
    if finding.start is None or finding.end is None:
        return None
    if finding.code in CITATIONS:
        return _mark_cuts(case, statement, finding.start)
    if finding.code not in VALUES:
        return None
    value = finding.start, finding.end
    if statement.kind == "heading":
        return _value_cuts(case.report, statement, value)
    return _cell_cuts(case, value) if statement.kind == "row" else _aside_cuts(case.report, statement, value)


def said_with_context(report: str, statement: Statement, span: Span) -> str:
    """What is cut out, behind the words in front of it."""
    start = max(statement.start, span[0] - _CONTEXT)
    while statement.start < start < span[0] and not report[start - 1].isspace():
        start += 1
    words = report[start : span[1]].strip()
    return f"… {words.lstrip(' ,;|')}" if start > statement.start else words


def allowance_cuts(case: Case, section: int) -> tuple[Span, list[Span]] | None:
    """The heading above with a single amount, and the spans that take the amount out of it."""
    for above in case.structure.path(section):
        amounts = [v for v in find_values(case.structure.text[above.start : above.body]) if v.kind == "money"]
        if above.level > 1 and len(amounts) == 1:
            span = above.start + amounts[0].start, above.start + amounts[0].end
            heading = Statement("heading", above.start, above.body, 0, 0, 0)
            cuts = _value_cuts(case.report, heading, span)
            return None if cuts is None else (span, cuts)
    return None


def _value_cuts(report: str, heading: Statement, value: Span) -> list[Span] | None:
    """The value with what joins it to the words before it, when a well-formed title is left."""
    before = _BEFORE.search(report, heading.start, value[0])
    start = before.start() if before else value[0]
    closing = value[1] + 1 if "(" in report[start : value[0]] and report[value[1] : value[1] + 1] == ")" else value[1]
    for span in ((start, closing), (value[0], _past_comma(report, value[1]))):
        left = report[heading.start : span[0]] + report[span[1] : heading.end]
        if balanced(left) and re.search(r"[^\W\d_]{2}", left):
            return [span]
    return None


def _past_comma(report: str, place: int) -> int:
    comma = re.compile(r"\s*,\s*").match(report, place)
    return comma.end() if comma else place


def _cell_cuts(case: Case, value: Span) -> list[Span] | None:
    """The value, where its cell holds nothing else."""
    cells = (cell for unit in case.structure.units if unit.kind == "row" for cell in unit.cells)
    cell = next((cell for cell in cells if cell.start <= value[0] < cell.end), None)
    if cell is None:
        return None
    around = case.report[cell.start : value[0]] + case.report[value[1] : cell.end]
    return [value] if not around.strip() else None


def _aside_cuts(report: str, statement: Statement, value: Span) -> list[Span] | None:
    """The value, where the sentence stands without it: between brackets or commas, and nothing is reckoned from it."""
    before, after = report[statement.start : value[0]], report[value[1] : statement.end]
    if _RECKONED.search(before + after):
        return None
    if before.endswith("(") and after.startswith(")"):
        return [(value[0] - (2 if before.endswith(" (") else 1), value[1] + 1)]
    if before.endswith(("(", ": ")) and (comma := re.match(r",\s+", after)):
        return [(value[0], value[1] + comma.end())]
    if before.endswith(", ") and re.match(r"(?:,|;|\)|\s?\[[POUWCF]:|\.?$|\.\s)", after):
        return [(value[0] - 2, value[1])]
    return None


def _mark_cuts(case: Case, statement: Statement, start: int) -> list[Span] | None:
    """The bad sources of one mark; only where a good source stands for the same words, or where nothing is claimed."""
    mark = next((mark for mark in case.structure.marks if mark.start == start), None)
    if mark is None:
        return None
    if statement.kind != "heading" and not _has_good_source(case, mark):
        return None
    bad = [cited for cited in mark.cited if cited.entry is None]
    if len(bad) == len(mark.cited):
        return _whole_mark(case.report, mark)
    if not all(_SHORT.fullmatch(cited.said) for cited in bad):
        return None
    text = case.report[mark.start : mark.end]
    spans = [_listed(text, cited.said) for cited in bad]
    return None if None in spans else [(mark.start + s[0], mark.start + s[1]) for s in spans if s is not None]


def _whole_mark(report: str, mark: CitingMark) -> list[Span]:
    text, arrow, _ = report[mark.start : mark.end].partition("](")
    if arrow and text.startswith("[") and mark.cited[0].said not in text:
        return [(mark.start, mark.start + 1), (mark.start + len(text), mark.end)]
    space = report[mark.start - 1 : mark.start] == " " and report[mark.end : mark.end + 1] not in ("[", "【")
    return [(mark.start - space, mark.end)]


def _listed(text: str, said: str) -> Span | None:
    """Where one of several sources stands in its bracket, with the separator that it needs no more."""
    found = re.search(rf"[\s,;|]+{re.escape(said)}(?![\w@-])", text) or re.search(
        rf"(?<=[\[【]){re.escape(said)}(?![\w@-])[\s,;|]*", text
    )
    return None if found is None else found.span()


def _has_good_source(case: Case, mark: CitingMark) -> bool:
    piece = _piece(case, mark.start)
    others: Sequence[CitingMark] = (
        [mark] if piece is None else [other for other in case.structure.marks if piece.start <= other.start < piece.end]
    )
    return any(cited.entry is not None for other in others for cited in other.cited)


def _piece(case: Case, place: int) -> Piece | None:
    pieces = (piece for unit in case.structure.units for piece in unit.pieces)
    return next((piece for piece in pieces if piece.cites and piece.start <= place < piece.end), None)
