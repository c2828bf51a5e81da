"""The parts of a Markdown text that no renderer shows, although they stand in it.

Hidden are HTML comments, declarations and processing instructions; Markdown's own comments (a link definition that
leads nowhere, ``[//]: # (…)``) and links without words; attributes of tags, but for addresses and spans of cells; and
elements that are never drawn (``<script>``) or whose own attributes hide them: ``hidden``, ``display:none``, no
opacity, no size, a place off the page, letters in white, in nothing, or in the colour behind them.

Shown, and therefore read, is what one click opens: ``<details>``. Style sheets are not applied: what only a class hides
counts as shown, since renderers of Markdown leave ``<style>`` out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

_OPENS = re.compile(
    r"(?<!\\)<(?:(?P<comment>!--)|(?P<other>[!?])(?=[A-Za-z\[])|(?P<name>[A-Za-z][\w-]*)(?P<more>(?:\s[^<>]*)?)>)"
    r"|^[ ]{0,3}\[[^\[\]\n]+\]:[ \t]*(?:#|<>)[ \t]*(?:\([^\n]*\)|\"[^\"\n]*\"|'[^'\n]*')?[ \t]*$"
    r"|(?<![!\\\]])\[\s*\]\([^()\s]+(?:[ \t]+\"[^\"\n]*\")?\)",
    re.MULTILINE,
)
_EMPTY_COMMENT = re.compile(r"<!--+>")
_ATTRIBUTE = re.compile(r"(?P<name>[\w:-]+)\s*(?:=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_SHOWN_ATTRIBUTES = frozenset({"href", "src", "rowspan", "colspan"})
_NEVER_DRAWN = frozenset({"script", "style", "template", "head", "title", "noscript", "datalist", "iframe", "object"})
_VOID = frozenset(
    {"br", "hr", "img", "input", "wbr", "col", "area", "base", "embed", "link", "meta", "source", "track"}
)
_UNSEEN_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0*(?:\.0+)?(?:;|$|!)|font-size:0*(?:\.\d+)?(?:px|pt|em|rem|%)?(?:;|$|!)"
    r"|(?:max-)?(?:height|width):0(?:px)?(?:;|$|!)|text-indent:-\d{3,}|(?:left|right|top|bottom):-\d{3,}|transform:scale\(0\)"
    r"|clip:rect\(0|clip-path:inset\((?:50|100)%|color:transparent)"
)
_COLOUR = re.compile(r"(?:^|;)color:([^;!]+)")
_GROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_BLANK_COLOUR = re.compile(
    r"transparent|white|snow|#f{3,4}|#f{6}(?:[0-9a-f]{2})?|#[0-9a-f]{3}0|#[0-9a-f]{6}00"
    r"|rgba?\((?:255[,\s]+){2}255(?:[,/\s].*)?\)|(?:rgba|hsla)\(.*[,/]\s*0*(?:\.0*)?%?\s*\)|hsla?\(.*100%\s*(?:[,/].*)?\)"
)


def hidden_spans(text: str, code: Iterable[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
    """What is not shown, in text order and apart; ``code`` are the spans whose tags and comments are shown as they are.

    What is never closed is hidden up to the end, as browsers do, but for a comment inside a line, which is no comment.
    """
    blocks = iter(sorted(code))
    block = next(blocks, None)
    position = 0
    # Where each closing stands last: without this, openings that nothing closes would each be sought to the end.
    lasts = {closing: text.rfind(closing) for closing in ("-->", "?>", "]]>", ">")}
    while opening := _OPENS.search(text, position):
        while block is not None and block[1] <= opening.start():
            block = next(blocks, None)
        if block is not None and block[0] <= opening.start():
            position = block[1]
            continue
        for start, end in _hidden_at(text, opening, lasts):
            yield start, end
            position = end
        position = max(position, opening.end())


def _hidden_at(text: str, opening: re.Match[str], lasts: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """What one opening hides: all of its element, or some of its attributes, or nothing."""
    start = opening.start()
    if opening["comment"]:
        empty = _EMPTY_COMMENT.match(text, start)
        end = empty.end() if empty else _behind("-->", text, opening.end(), lasts)
        if end is not None or _begins_a_line(text, start):
            yield start, len(text) if end is None else end
    elif opening["other"]:
        closing = "?>" if opening["other"] == "?" else "]]>" if text.startswith("<![CDATA[", start) else ">"
        end = _behind(closing, text, opening.end(), lasts)
        if end is not None:
            yield start, end
    elif opening["name"] is None:
        yield opening.span()
    elif _is_unseen(opening["name"].casefold(), opening["more"]):
        yield start, _end_of_element(text, opening)
    else:
        for attribute in _ATTRIBUTE.finditer(text, *opening.span("more")):
            if attribute["value"] and attribute["name"].casefold() not in _SHOWN_ATTRIBUTES:
                yield attribute.span()


def _behind(closing: str, text: str, start: int, lasts: Mapping[str, int]) -> int | None:
    return text.find(closing, start) + len(closing) if start <= lasts[closing] else None


def _begins_a_line(text: str, start: int) -> bool:
    while start and text[start - 1] in " \t":
        start -= 1
    return not start or text[start - 1] == "\n"


def hides(style: str) -> bool:
    """True for an inline style that shows text in no size or opacity, out of sight, or in the colour of its ground."""
    style = _plain(style)
    colour, ground = _COLOUR.search(style), _GROUND.search(style)
    return bool(_UNSEEN_STYLE.search(style)) or (colour is not None and ground is not None and colour[1] == ground[1])


def _plain(style: str) -> str:
    return "".join(style.split()).casefold()


def _is_unseen(name: str, attributes: str) -> bool:
    given = {it["name"].casefold(): (it["value"] or "").strip("\"'") for it in _ATTRIBUTE.finditer(attributes)}
    style = _plain(given.get("style", ""))
    colour, ground = _COLOUR.search(f"{style};color:{_plain(given.get('color', ''))}"), _GROUND.search(style)
    # White letters are read on any ground that is named and not white; reports stand on white.
    is_blank = colour is not None and _BLANK_COLOUR.fullmatch(colour[1]) is not None
    is_on_blank = ground is None or _BLANK_COLOUR.fullmatch(ground[1]) is not None
    is_hidden = "hidden" in given and given["hidden"].casefold() != "until-found"
    return name in _NEVER_DRAWN or is_hidden or hides(style) or (is_blank and is_on_blank)


def _end_of_element(text: str, opening: re.Match[str]) -> int:
    name = opening["name"]
    if name.casefold() in _VOID or opening["more"].rstrip().endswith("/"):
        return opening.end()
    depth = 1
    for tag in re.compile(rf"<(?P<close>/?){re.escape(name)}\b[^<>]*>", re.IGNORECASE).finditer(text, opening.end()):
        depth += -1 if tag["close"] else 1
        if not depth:
            return tag.end()
    return len(text)
