"""A run's report as HTML: numbered references, with claims and findings marked."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from drretail.records.run import Turn
from drretail.reports.page import url_end
from drretail.reports.render import Edit, render_report
from drretail.viewer.experiment import RunView, claim_anchor, evidence_anchors, finding_anchor
from drretail.viewer.judged import SEVERITY, SIGNS, WORDS, words_of_code
from drretail.viewer.page.frame import PlacedToken, is_web_address, place

if TYPE_CHECKING:
    from markdown_it.token import Token


_URL = re.compile(r"https?://[^\s<]", re.IGNORECASE)
_NUMBER = re.compile(r"\[\d+\]")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TABLE = ("table", "thead", "tbody", "tr", "th", "td")
_LINK_KINDS = ("link_open", "link_close")
# Other tags are left out.
_TAGS = frozenset({"p", "ul", "ol", "li", "blockquote", "hr", "br", "strong", "em", "s", *_TABLE, *_HEADINGS})
_HEADING_SHIFT = 3
"""The page's own headings use the first three levels."""


@dataclass(frozen=True, slots=True)
class HtmlMark:
    """A span of the Markdown, and how it is marked."""

    start: int
    end: int
    target: str
    """The id of the element with the details."""
    style: str
    """Class names: the verdict first, then source types."""
    rank: int
    """Where marks overlap, the one with the highest rank gives the style."""
    badge: str
    """The sign on its badge, shown by style and not as text."""
    says: str
    """The badge's label for screen readers."""


@dataclass(frozen=True, slots=True)
class Marked:
    html: Markup
    shown: frozenset[str]
    """Targets of the marks in the HTML; a span without visible text is not marked."""


def marked_html(source: str, marks: Sequence[HtmlMark], anchors: Mapping[str, str] | None = None) -> Marked:
    """The Markdown as HTML in which each mark is a <mark>, followed by a badge that links to its target.

    The text is the same as without marks, since badges are empty elements. Numbered links to addresses in ``anchors``
    lead to these places on the page; all other links lead to http or https.
    """
    pieces = list(_with_plain_links(place(source)))
    cover = _Cover(marks)
    # Each piece's text cut where marks begin or end, each part with its marks.
    runs: list[list[tuple[str, tuple[int, ...]]]] = []
    for piece in pieces:
        if piece.offsets and cover.is_same_in(min(piece.offsets), max(piece.offsets)):
            runs.append([(piece.token.content, cover.at(piece.offsets[0]))])
            continue
        covered = zip(piece.token.content, map(cover.at, piece.offsets), strict=True) if piece.offsets else ()
        groups = groupby(covered, key=lambda pair: pair[1])
        runs.append([("".join(character for character, _ in group), active) for active, group in groups])
    last: dict[int, tuple[int, int]] = {}
    for index, piece_runs in enumerate(runs):
        for place_in_piece, (_, active) in enumerate(piece_runs):
            last.update(dict.fromkeys(active, (index, place_in_piece)))
    ending: dict[tuple[int, int], list[int]] = {}
    for mark, where in sorted(last.items()):
        ending.setdefault(where, []).append(mark)
    writer = _Writer(marks, anchors or {}, ending)
    for index, piece in enumerate(pieces):
        # Whether the token opens a link with text like ``[3]``
        inside = pieces[index + 1].token if index + 1 < len(pieces) else None
        is_number = inside is not None and inside.type == "text" and bool(_NUMBER.fullmatch(inside.content))
        writer.write(piece.token, index, runs[index], is_number)
    return Marked(Markup("").join(writer.out), frozenset(marks[index].target for index in last))


class _Cover:
    def __init__(self, marks: Sequence[HtmlMark]) -> None:
        self._bounds = sorted({offset for mark in marks for offset in (mark.start, mark.end)})
        self._active: list[tuple[int, ...]] = [()]
        for bound in self._bounds:
            covering = (index for index, mark in enumerate(marks) if mark.start <= bound < mark.end)
            self._active.append(tuple(covering))

    def at(self, offset: int) -> tuple[int, ...]:
        return self._active[bisect_right(self._bounds, offset)] if offset >= 0 else ()

    def is_same_in(self, first: int, last: int) -> bool:
        """True if no mark begins or ends between these offsets, as in most of a report."""
        return first >= 0 and bisect_right(self._bounds, first) == bisect_right(self._bounds, last)


def _with_plain_links(pieces: list[PlacedToken]) -> Iterator[PlacedToken]:
    from markdown_it.token import Token

    depth = 0
    for piece in pieces:
        depth += (piece.token.type == "link_open") - (piece.token.type == "link_close")
        if depth or piece.token.type != "text":
            yield piece
            continue
        text, position = piece.token.content, 0
        while match := _URL.search(text, position):
            end = url_end(text, match.start())
            yield _part(piece, position, match.start())
            yield PlacedToken(Token("link_open", "a", 1, attrs={"href": text[match.start() : end]}))
            yield _part(piece, match.start(), end)
            yield PlacedToken(Token("link_close", "a", -1))
            position = end
        yield _part(piece, position, len(text))


def _part(piece: PlacedToken, start: int, end: int) -> PlacedToken:
    from markdown_it.token import Token

    return PlacedToken(Token("text", "", 0, content=piece.token.content[start:end]), piece.offsets[start:end])


@dataclass(slots=True)
class _Writer:
    marks: Sequence[HtmlMark]
    anchors: Mapping[str, str]
    ending: Mapping[tuple[int, int], list[int]]
    out: list[Markup] = field(default_factory=list[Markup])
    _waiting: list[int] = field(default_factory=list[int])
    """Marks that ended inside a link. A badge is a link itself, so it must stand behind that link."""
    _in_link: bool = False

    def write(self, token: "Token", index: int, runs: list[tuple[str, tuple[int, ...]]], is_number: bool) -> None:
        if token.type in _LINK_KINDS:
            self._link(token, is_number)
        elif token.type in ("fence", "code_block"):
            self._wrapped("<pre><code>", index, runs, "</code></pre>\n")
        elif token.type == "code_inline":
            self._wrapped("<code>", index, runs, "</code>")
        elif runs:
            self._text(index, runs)
        elif token.type == "softbreak":
            self.out.append(Markup("\n"))
        elif token.tag in _TAGS and not token.hidden:
            self._element(token)

    def _wrapped(self, opening: str, index: int, runs: list[tuple[str, tuple[int, ...]]], closing: str) -> None:
        self.out.append(Markup(opening))  # noqa: S704 — constants
        self._text(index, runs)
        self.out.append(Markup(closing))  # noqa: S704

    def _text(self, index: int, runs: list[tuple[str, tuple[int, ...]]]) -> None:
        for place_in_piece, (text, active) in enumerate(runs):
            if active:
                top = max((self.marks[mark] for mark in active), key=lambda mark: mark.rank)
                targets = " ".join(self.marks[mark].target for mark in active)
                self.out.append(Markup('<mark class="{}" data-for="{}">{}</mark>').format(top.style, targets, text))
            else:
                self.out.append(escape(text))
            self._waiting += self.ending.get((index, place_in_piece), [])
            if not self._in_link:
                self._badges()

    def _badges(self) -> None:
        for index in self._waiting:
            mark = self.marks[index]
            self.out.append(
                Markup('<a class="badge {}" href="#{}" data-n="{}" aria-label="{}"></a>').format(
                    mark.style, mark.target, mark.badge, mark.says
                )
            )
        self._waiting = []

    def _link(self, token: "Token", is_number: bool) -> None:
        url = str(token.attrs.get("href", ""))
        self._in_link = token.nesting > 0
        if token.nesting < 0:
            self.out.append(Markup("</a>"))
            self._badges()
        elif is_number and url in self.anchors:
            self.out.append(Markup('<a class="ref" href="#{}">').format(self.anchors[url]))
        elif is_web_address(url):
            self.out.append(Markup('<a href="{}" rel="noopener noreferrer nofollow">').format(url))
        else:
            self.out.append(Markup("<a>"))

    def _element(self, token: "Token") -> None:
        tag = token.tag
        if tag == "table" and token.nesting > 0:  # wide tables scroll by themselves, also by keyboard
            self.out.append(Markup('<div class="scroll" tabindex="0" role="region" aria-label="Table">'))
        if token.type.startswith("heading"):
            tag = f"h{min(6, int(tag[1]) + _HEADING_SHIFT)}"
        after = "" if token.type.startswith(("strong", "em", "s_")) else "\n"
        if token.nesting < 0:
            self.out.append(Markup(f"</{tag}>{'</div>' if tag == 'table' else ''}{after}"))  # noqa: S704 — one of _TAGS
        else:
            # The start of an ordered list, or the alignment of a cell as a class: styles would need a laxer policy.
            start, style = token.attrs.get("start"), str(token.attrs.get("style", ""))
            end = "" if token.nesting else "\n"
            attributes = Markup()
            if start is not None:
                attributes = Markup(' start="{}"').format(start)
            elif style in ("text-align:right", "text-align:center"):
                attributes = Markup(' class="{}"').format(style.removeprefix("text-align:"))
            self.out.append(Markup(f"<{tag}{attributes}>{end}"))  # noqa: S704 — as above


_FINDING_RANK = len(SEVERITY)


def report_html(view: RunView, turn: Turn | None = None) -> Marked:
    """The report, or one turn's answer of it, with the first judge's claims and all findings marked."""
    report = view.subject.report or ""
    rendered = render_report(report, view.subject.evidence)
    marks: list[HtmlMark] = []
    for claim in view.claims[0].claims if view.claims else ():
        if claim.span is not None:
            types = f" ({' and '.join(claim.types)})" if claim.types else ""
            mark = HtmlMark(
                *moved(*claim.span, rendered.edits),
                target=claim_anchor(view, 0, claim),
                style=" ".join([claim.support, *claim.types]),
                rank=SEVERITY.index(claim.support),
                badge=SIGNS[claim.support],
                says=f"Claim {claim.number}: {WORDS[claim.support]}{types}",
            )
            marks.append(mark)
    for number, finding in enumerate(() if view.is_answer else view.checks.findings, 1):
        if finding.start is not None and finding.end is not None and 0 <= finding.start < finding.end <= len(report):
            start, end = moved(finding.start, finding.end, rendered.edits)
            says = f"Finding {number}, {finding.severity}: {words_of_code(finding.code)}"
            style = f"finding {finding.severity}"
            marks.append(HtmlMark(start, end, finding_anchor(view, number), style, _FINDING_RANK, "!", says))
    anchors = evidence_anchors(view)
    by_url = {
        reference.url: anchors[reference.evidence_id]
        for reference in rendered.references
        if reference.url and reference.evidence_id in anchors
    }
    if turn is None:
        return marked_html(rendered.text, marks, by_url)
    first, last = moved(turn.start, turn.end, rendered.edits)
    inside = [mark for mark in marks if first <= mark.start < last]
    inside = [replace(mark, start=mark.start - first, end=min(mark.end, last) - first) for mark in inside]
    return marked_html(rendered.text[first:last], inside, by_url)


def moved(start: int, end: int, edits: Sequence[Edit]) -> tuple[int, int]:
    """The place of a span of the report in the rendered one; replaced parts count whole."""
    first, last = start, end
    for begin, stop, text in edits:
        growth = len(text) - (stop - begin)
        if begin < start:
            first += growth if stop <= start else begin - start
        if begin < end:
            last += growth + max(stop - end, 0)
    return first, last
