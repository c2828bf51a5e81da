"""Single words that are cut out of a statement that stays: a mark that comes to nothing, a wrong value in a heading."""

import re
from collections.abc import Sequence

from drretail.grounding.attached import CHECKED
from drretail.grounding.case import Case
from drretail.grounding.citations import CitingMark
from drretail.grounding.removal import Cut, Span, balanced
from drretail.grounding.statements import Statement
from drretail.grounding.structure import Piece
from drretail.grounding.value_cuts import Wrong, around, cuts_of_values, says_nothing_but
from drretail.grounding.values import find_values
from drretail.records.evidence import Finding

VALUES = frozenset({"price_wrong", "rating_wrong", "rating_count_wrong"})
CITATIONS = frozenset({"unresolved_citation", "url_not_seen"})
NOT_STATED = "not stated"
_CONTEXT = 6
"""Words in front of a value that tell what it was about."""
_BETWEEN = 3
"""Words between a name and its value that are told, too."""
_SHORT = re.compile(r"[POUWCF]:[A-Za-z0-9_@-]+|\d+")
_BEFORE = re.compile(r"(?:[\s\-–—:|,(]|\b(?:at|for|only|just|about|around|from)\b)*$", re.IGNORECASE)


def citation_cuts(case: Case, statement: Statement, finding: Finding) -> list[Cut] | None:
    """The bad sources of one mark; None where the statement must go: no good source stands for the same words."""
    spans = None if finding.start is None else _mark_cuts(case, statement, finding.start)
    return None if spans is None else [Cut(*span) for span in spans]


def value_cuts(case: Case, statement: Statement, wrong: Sequence[Finding]) -> list[Cut] | None:
    """All cuts without which a statement has none of the wrong values; None where it must go as a whole.

    A cell of a table is told that its value is not known, rather than left empty.
    """
    spans = [(it.start, it.end) for it in wrong if it.start is not None and it.end is not None]
    if statement.kind == "row":
        cells = [_cell(case, span) for span in spans]
        return [Cut(*cell, NOT_STATED) for cell in dict.fromkeys(cells) if cell] if None not in cells else None
    offset = statement.start
    said = case.structure.text[offset : statement.end]
    cuts = cuts_of_values(
        said,
        [Wrong(it.start - offset, it.code) for it in wrong if it.start is not None],
        [(value.start, value.end) for value in find_values(said) if value.kind in CHECKED],
        [(it.start - offset, it.end - offset) for it in case.mentions if offset <= it.start < statement.end],
        title=statement.kind == "heading",
    )
    if cuts is None:
        one = _value_cuts(case.report, statement, spans[0]) if statement.kind == "heading" and len(spans) == 1 else None
        return None if one is None else [Cut(*span) for span in one]
    moved = [Cut(cut.start + offset, cut.end + offset, cut.instead) for cut in cuts]
    return [part for cut in moved for part in _with_its_marks(case, statement, cut)]


def _with_its_marks(case: Case, statement: Statement, cut: Cut) -> list[Cut]:
    """A clause about one product goes with the citations behind it; a value alone leaves them to its sentence."""
    marks = [(it.start, it.end) for it in case.structure.marks if statement.start <= it.start < statement.end]
    if not any(cut.start <= mention.start < cut.end for mention in case.mentions):
        return around(cut, marks)
    end = cut.end
    for mark in marks:
        end = mark[1] if end <= mark[0] <= end + 1 and not cut.instead else end
    return [Cut(cut.start, end, cut.instead)]


def said_of_value(case: Case, statement: Statement, finding: Finding) -> str:
    """What is cut out for a finding, behind a few words that tell what it was said of."""
    return _in_context(case, statement, finding.start or statement.start, finding.said)


def said_of_allowance(case: Case, amount: Span) -> str:
    """The amount of a heading, behind its words."""
    line = case.report.rfind("\n", 0, amount[0]) + 1
    heading = Statement("heading", line, amount[1], 0, 0, 0)
    return _in_context(case, heading, amount[0], case.report[slice(*amount)])


def _in_context(case: Case, statement: Statement, start: int, taken: str) -> str:
    """The name that stands before a place, or else the words directly before it."""
    before = case.structure.text[statement.start : start]
    named = [it for it in case.mentions if statement.start <= it.start < start]
    if named:
        words, between = named[-1].said, case.structure.text[named[-1].end : start]
    elif statement.kind == "row":
        words, between = before.strip(" |").partition("|")[::2]
    else:
        words, between = before, ""
    said = " ".join(re.sub(r"[*_`#|()\[\]]", " ", words).split()[-_CONTEXT:]).rstrip(" ,;:–—-")
    joint = "" if re.search(r"[^\w\s*_,–—:-]", between) else " ".join(re.sub(r"[*_]", " ", between).split())
    far = len(joint.split()) > _BETWEEN or (not joint and between.strip(" *_"))
    words = [it for it in ("…", said, "…" if far else joint, taken) if it]
    return " ".join(words).replace(" ,", ",")


def allowance_cuts(case: Case, section: int) -> tuple[Span, list[Cut]] | None:
    """The single amount of a heading above, and what to cut to take it out."""
    for above in case.structure.path(section):
        amounts = [v for v in find_values(case.structure.text[above.start : above.body]) if v.kind == "money"]
        if above.level > 1 and len(amounts) == 1:
            span = above.start + amounts[0].start, above.start + amounts[0].end
            heading = Statement("heading", above.start, above.body, 0, 0, 0)
            cuts = _value_cuts(case.report, heading, span)
            return None if cuts is None else (span, [Cut(*cut) for cut in cuts])
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


def _cell(case: Case, value: Span) -> Span | None:
    """What a cell says of the value; None where it says something else, too."""
    cells = (cell for unit in case.structure.units if unit.kind == "row" for cell in unit.cells)
    cell = next((cell for cell in cells if cell.start <= value[0] < cell.end), None)
    if cell is None:
        return None
    said = case.structure.text[cell.start : cell.end]
    values = [(it.start, it.end) for it in find_values(said) if it.kind in CHECKED]
    values.append((value[0] - cell.start, value[1] - cell.start))
    if not says_nothing_but(said, values):
        return None
    return cell.start + len(said) - len(said.lstrip()), cell.start + len(said.rstrip())


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
