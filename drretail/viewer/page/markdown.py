"""Markdown parsed with the source offset of every visible character.

markdown-it knows the lines of blocks, but no offsets inside them. A rule that never matches stands before its inline
rules and notes the parser's position whenever it moves; these notes give the offset of every character. The parse
itself is unchanged, so marks can't change how a report looks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from drretail.grounding.report.markup import lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_NOTES = "drretail_places"
_UNKNOWN = -1


class _Note(NamedTuple):
    """The parser was at ``position``, with this many tokens made and characters of text pending."""

    tokens: int
    pending: int
    position: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A token, and the source offset of each character of its ``content`` (-1: none)."""

    token: "Token"
    offsets: tuple[int, ...] = ()


def place(source: str) -> list[Piece]:
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
    pieces: list[Piece] = []
    before = ""
    for token in parser.parse(text, environment):
        offsets = block_lines.offsets(token, before)
        before = token.type
        if token.type == "inline":
            pieces += _inline(parser, token, offsets, environment)
        else:
            pieces.append(Piece(token, offsets))
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
) -> Iterator[Piece]:
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
        yield Piece(token, tuple(offsets[place] if 0 <= place < len(offsets) else _UNKNOWN for place in places))


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
            offsets += self._line(number, line)
        return tuple(offsets[: len(token.content)])

    def _line(self, number: int, content: str) -> list[int]:
        """The offsets of a line of content, which is at the end of its source line, and of the following newline."""
        if number >= len(self._spans):
            return [_UNKNOWN] * (len(content) + 1)
        start, end = self._spans[number]
        column = self._text[start:end].rfind(content)
        if column < 0:  # a tab that was partly indentation
            return [start] * len(content) + [end]
        return [*range(start + column, start + column + len(content)), end]

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
