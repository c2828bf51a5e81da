"""What every page is made with: templates, style, script, and a policy that admits nothing else; the addresses of its
links; Markdown parsed with the source offset of every visible character.

markdown-it knows the lines of blocks, but no offsets inside them. A rule that never matches stands before its inline
rules and notes the parser's position whenever it moves; these notes give the offset of every character. The parse
itself is unchanged, so marks can't change how a report looks.
"""

import base64
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

from markupsafe import Markup

from drretail.reports.page import lines
from drretail.reports.text.wording import short_title
from drretail.viewer.drawing.layout import parts
from drretail.viewer.drawing.screen import TURNING
from drretail.viewer.drawing.table import Row, Table
from drretail.viewer.experiment import QueryRuns, claim_anchor, finding_anchor, step_anchor
from drretail.viewer.judged import MEANINGS, SIGNS, WORDS, words_of_code
from drretail.viewer.run_lines import DECISIONS, RunLine
from drretail.viewer.tables.board import ENDS
from drretail.viewer.tables.scores import model_words

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.bccache import Bucket
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses for a page's links: places on the one page, or question pages beside the index."""

    in_folder: bool = False
    index: str = ""
    """The address of the report's first page; empty on that page."""

    def question(self, question: QueryRuns) -> str:
        return quote(page_name(question)) if self.in_folder else f"#{question.anchor}"

    def claim(self, line: RunLine, anchor: str) -> str:
        """The address of a claim's card, which is in the part of its run."""
        return f"{self.question(line.question) if self.in_folder else ''}#{anchor}"

    def answer(self, line: RunLine) -> str:
        return self.claim(line, f"{line.anchor}-answer")


def page_name(question: QueryRuns) -> str:
    """The file name of a question's page."""
    return f"query-{question.query.query_id}.html"


_NOTES = "drretail_places"
_UNKNOWN = -1


class _Note(NamedTuple):
    tokens: int
    pending: int
    position: int


@dataclass(frozen=True, slots=True)
class PlacedToken:
    """A token, and the source offset of each character of its ``content`` (-1: none)."""

    token: "Token"
    offsets: tuple[int, ...] = ()


def place(source: str) -> list[PlacedToken]:
    """All tokens of the Markdown in ``source``, with the tokens of paragraphs instead of their "inline" token.

    HTML and images stay text as written, and only http and https addresses become links.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Joined tokens would lose their offsets; inline content is parsed in ``_inline``.
    parser.disable(["image", "inline", "text_join", "fragments_join"])
    parser.inline.ruler.before("text", "place", _note)
    parser.validateLink = is_web_address
    # As long as the source, so that offsets stay valid.
    text = source.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")
    environment: dict[str, object] = {}
    block_lines = _Lines(text)
    pieces: list[PlacedToken] = []
    before = ""
    for token in parser.parse(text, environment):
        offsets = block_lines.offsets(token, before)
        before = token.type
        if token.type == "inline":
            pieces += _inline(parser, token, offsets, environment)
        else:
            pieces.append(PlacedToken(token, offsets))
    return pieces


def is_web_address(url: str) -> bool:
    """True for http and https; no other address becomes a link."""
    try:
        return urlsplit(url.strip()).scheme.lower() in ("http", "https")
    except ValueError:  # an IPv6 address without its closing bracket
        return False


def _note(state: "StateInline", silent: bool) -> bool:
    if not silent:
        state.env[_NOTES].append(_Note(len(state.tokens), len(state.pending), state.pos))
    return False


def _inline(
    parser: "MarkdownIt", block: "Token", offsets: tuple[int, ...], environment: dict[str, object]
) -> Iterator[PlacedToken]:
    notes: list[_Note] = []
    tokens: list[Token] = []
    parser.inline.parse(block.content, parser, {**environment, _NOTES: notes}, tokens)
    # For each inline token the offsets of its characters in the block's content.
    places_of: list[list[int]] = [[] for _ in tokens]
    pending: list[int] = []
    ends = [*notes[1:], _Note(len(tokens), 0, len(block.content))]
    for note, end in zip(notes, ends, strict=False):  # empty cells leave no notes
        if end.tokens == note.tokens:
            pending = _grown(pending, note, end.pending)
            continue
        cursor = note.position
        for index in range(note.tokens, end.tokens):
            inline = tokens[index]
            if index == note.tokens and inline.type == "text":
                places_of[index] = _grown(pending, note, len(inline.content))
                cursor += max(0, len(inline.content) - note.pending)
            else:
                places_of[index], cursor = _pushed(inline, block.content, cursor, end.position)
        pending = []
    for token, places in zip(tokens, places_of, strict=True):
        yield PlacedToken(token, tuple(offsets[place] if 0 <= place < len(offsets) else _UNKNOWN for place in places))


def _grown(pending: list[int], note: _Note, length: int) -> list[int]:
    """The offsets of pending text that has grown to ``length``; pending text is always verbatim.

    The list is changed in place: a line of many signs grows one by one, and a copy each time would take minutes.
    """
    del pending[length:]
    pending.extend(range(note.position, note.position + length - note.pending))
    return pending


def _pushed(token: "Token", content: str, cursor: int, end: int) -> tuple[list[int], int]:
    """The offsets of a token that one rule made between ``cursor`` and ``end``, and where the next may begin."""
    text = token.content
    if token.type == "code_inline":
        inside = content.replace("\n", " ").find(text, cursor + len(token.markup))
        return list(range(inside, inside + len(text))) if inside >= 0 else [cursor] * len(text), end
    if token.type == "text" and content.startswith(text, cursor):
        return list(range(cursor, cursor + len(text))), cursor + len(text)
    if token.type == "text":  # the address of <https://…>, which may be normalized
        return [min(cursor + 1 + index, end - 1) for index in range(len(text))], end
    # An entity or escape takes more characters in the source than it shows.
    return [cursor] * len(text), cursor


class _Lines:
    """Finds the content of blocks in the lines of the source, which also have prefixes of lists and quotes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = list(lines(text))
        self._cells: dict[int, int] = {}
        """Where a line's next cell may begin."""

    def offsets(self, token: "Token", before: str) -> tuple[int, ...]:
        """The source offset of each character of a block token's content; ``before`` is the previous token's type."""
        if not token.content or token.map is None:
            return (_UNKNOWN,) * len(token.content)
        first = token.map[0] + (token.type == "fence")
        if before in ("th_open", "td_open"):
            return tuple(self._cell(first, token.content))
        offsets: list[int] = []
        for number, line in enumerate(token.content.split("\n"), first):
            # A line of content is at the end of its source line; then comes the newline.
            start, end = self._spans[number] if number < len(self._spans) else (_UNKNOWN, _UNKNOWN)
            column = self._text[start:end].rfind(line) if start != _UNKNOWN else _UNKNOWN
            # Without a column, a tab was partly indentation.
            places = range(start + column, start + column + len(line)) if column >= 0 else [start] * len(line)
            offsets += (*places, end)
        return tuple(offsets[: len(token.content)])

    def _cell(self, number: int, content: str) -> list[int]:
        """The offsets of a table cell's content, in which ``\\|`` has become ``|``."""
        start, end = self._spans[number]
        written = content.replace("|", "\\|")
        position = self._text.find(written, self._cells.get(number, start), end)
        if position < 0:
            return [start] * len(content)
        self._cells[number] = position + len(written)
        places: list[int] = []
        for character in content:
            position += character == "|"
            places.append(position)
            position += 1
        return places


TEMPLATES = Path(__file__).parent / "templates"
COLUMNS = 10
"""The number of columns of figures that fit the page's width."""
_TURNING = re.compile(f"[{''.join(sorted(TURNING))}]")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

    class Compiled(FileSystemBytecodeCache):
        """Beside the templates, as Python keeps modules: to compile them takes half a second."""

        def dump_bytecode(self, bucket: "Bucket") -> None:
            if not sys.dont_write_bytecode:
                with suppress(OSError):  # a folder that can't be written
                    Path(self.directory).mkdir(exist_ok=True)
                    super().dump_bytecode(bucket)

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        bytecode_cache=Compiled(str(TEMPLATES / "__pycache__"), f"%s.jinja-{version('jinja2')}"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names: dict[str, Any] = {"words": WORDS, "signs": SIGNS, "meanings": MEANINGS, "decisions": DECISIONS, "ends": ENDS}
    functions = (
        *(plural, short_title, words_of_code, is_web_address, page_parts, sections_of, model_words),
        *(claim_anchor, finding_anchor, step_anchor),
    )
    names |= {function.__name__: function for function in functions}
    environment.globals.update(names)
    return environment


def template(name: str) -> "Template":
    """One of the package's own templates; values are escaped."""
    return _environment().get_template(name)


def fragment(name: str, /, **fields: Any) -> Markup:
    """A part of a page from its template."""
    return Markup(template(name).render(fields))  # noqa: S704 — escaped by its template


def whole_page(
    title: str,
    heading: str,
    lead: str,
    nav: Sequence[tuple[str, str]],
    sections: Sequence[Markup],
    about: Sequence[str] = (),
) -> str:
    """A page of these sections; ``nav`` are addresses with their names.

    ``about`` stands above the heading of an experiment, with how to repeat it.
    """
    fields = {"title": title, "heading": heading, "lead": lead, "nav": nav, "sections": sections, "about": about}
    return displayable(template("page.html.jinja").render(**fields, **frame()))


STYLES = ("page.css", "first_screen.css")


def frame() -> dict[str, Any]:
    """A page's style, script and policy, by their names in the template."""
    style = "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in STYLES)
    code = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    return {
        "policy": page_policy(style, code),
        "style": Markup(style),  # noqa: S704 — the package's own files
        "script": Markup(code),  # noqa: S704
    }


def page_policy(style: str, script: str) -> str:
    """A policy that admits only the style and the script on the page itself."""
    digests = (hashlib.sha256(text.encode("utf-8")).digest() for text in (style, script))
    own_style, own_script = (f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)
    admitted = f"style-src {own_style}; script-src {own_script}"
    return f"default-src 'none'; {admitted}; img-src data:; base-uri 'none'; form-action 'none'"


def displayable(text: str) -> str:
    """The text without characters that can't be encoded (lone surrogates) or that reverse the text around them."""
    return _TURNING.sub("", text).encode("utf-8", "replace").decode("utf-8")


def plural(count: int, single: str, many: str) -> str:
    """A number with its noun: "1 query", "2,000 queries"."""
    return f"{count:,} {single if count == 1 else many}"


def sections_of(table: Table) -> list[list[Row]]:
    """The table's rows, grouped where their place changes."""
    return [[*rows] for _, rows in groupby(table.rows, key=lambda row: row.place)]


def page_parts(table: Table) -> list[list[int]]:
    """The indices of a table's columns in each part that fits the page."""
    return parts(table.columns, [1] * len(table.columns), COLUMNS)
