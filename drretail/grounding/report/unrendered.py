"""What Markdown leaves out of the page: link definitions, links without words, cells beyond the head of a table."""

import re
from collections.abc import Iterator

_CONTAINER = r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
_TITLE = "|".join(
    rf"{begin}(?:[^\\\n{end}]|\\.|\\?\n(?![ \t]*\n))*+{end}" for begin, end in (('"', '"'), ("'", "'"), (r"\(", r"\)"))
)
_DEFINITION = re.compile(
    rf"^(?P<container>{_CONTAINER})\[(?P<label>(?!\^)(?:[^\[\]\\\n]|\\.|\n(?![ \t]*\n)){{1,999}})\]:"
    r"[ \t]*\n?[ \t]*(?P<target><[^<>\n]*>|(?!<)\S+)"
    rf"(?P<title>(?:[ \t]+|[ \t]*\n[ \t]*)(?:{_TITLE})(?=[ \t]*$))?[ \t]*$",
    re.MULTILINE,
)
# Labels that only name a source; others are words that no reader sees.
_NAME = re.compile(r"[\w:@-]{1,80}|[^\d$€£¥₹%]{1,80}")
_SOURCE = re.compile(r"<?https?://[^\s\[\]<>]*>?|[POUWCF]:[\w:@-]+", re.IGNORECASE)
_ENDS_PARAGRAPH = re.compile(r"\s*|[ ]{0,3}(?:#{1,6}(?:[ \t].*)?|(?:[-*_=][ \t]*){3,}|(?:```|~~~).*)")
_REFERENCE = re.compile(r"(?<=\])(?P<label>\[[^\[\]]{1,999}\])")
_EMPTY_LINK = re.compile(r"(?<![!\\\]])\[\s*\]\([^()\s]+(?:[ \t]+\"[^\"\n]*\")?\)")

_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CONTAINER_START = re.compile(_CONTAINER)
_OTHER_BLOCK = re.compile(r"#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|<(?!https?:)|$")
_CELL = re.compile(r"(?:[^|\\]|\\.?)*+(?:\||$)")


def unrendered(text: str) -> Iterator[tuple[int, int]]:
    """The spans that are not shown, in text order and apart. Code blocks are blanked in ``text``."""
    definitions = list(_definitions(text))
    labels = {label for _, _, label in definitions}
    links = [it.span() for it in _EMPTY_LINK.finditer(text)]
    links += [it.span("label") for it in _REFERENCE.finditer(text) if _folded(it["label"][1:-1]) in labels]
    last = 0
    for start, end in sorted([*(it[:2] for it in definitions), *links, *_cells_beyond_head(text)]):
        if end > last:
            yield max(start, last), end
            last = end


def _definitions(text: str) -> Iterator[tuple[int, int, str]]:
    """Link definitions with their labels; of those that list a source the title alone, and no label."""
    position = 0
    while found := _DEFINITION.search(text, position):
        before = text[text.rfind("\n", 0, max(0, found.start() - 1)) + 1 : max(0, found.start() - 1)]
        # Inside a paragraph it is text.
        if not (found["container"].strip() or found.start() == position or _ENDS_PARAGRAPH.fullmatch(before)):
            position = found.end("label")
            continue
        position = min(found.end() + 1, len(text))
        is_source = _SOURCE.fullmatch(found["target"]) and _NAME.fullmatch(found["label"])
        if not is_source:
            yield found.end("container"), found.end(), _folded(found["label"])
        elif found["title"]:
            yield *found.span("title"), ""
        if position == len(text):
            return


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _cells_beyond_head(text: str) -> Iterator[tuple[int, int]]:
    """The cells of rows that are longer than the head of their table."""
    if "|" not in text:
        return
    columns, above, end = 0, "", -1
    for line in text.split("\n"):
        end += len(line) + 1
        row = line.lstrip("> \t")
        start = end - len(row)
        if columns and _OTHER_BLOCK.match(row):
            columns = 0
        elif columns and (shown := _end_of_cells(row, columns)) < len(row.rstrip()):
            yield start + shown, end
        elif not columns and "|" in row and _RULE.fullmatch(row.rstrip()) and _count(above) == _count(row):
            columns = _count(row)
        above = _CONTAINER_START.sub("", line)


def _count(row: str) -> int:
    return len([it for it in _CELL.findall(row.strip().removeprefix("|")) if it])


def _end_of_cells(row: str, columns: int) -> int:
    """Where the last of so many cells ends, with its bar."""
    end = len(row) - len(row.lstrip())
    end += row.startswith("|", end)
    for _ in range(columns):
        cell = _CELL.match(row, end)
        end = cell.end() if cell else end
    return end
