"""Product feeds in XML, RSS 2.0 or Atom, as lines of JSON that an engine reads."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import html

from drretail.data_ingest.raw.sources import open_binary
from drretail.errors import UserError

LINE = ""
"""The field of a row that says on which line of the feed its item begins."""
_ITEMS = ("item", "{*}item", "{*}entry")
_ROWS = 50


def feed_columns(path: Path, packed: bool) -> tuple[str, ...]:
    """The fields of the first items, in the order of their appearance."""
    columns = dict[str, None]()
    for row in islice(_rows(path, packed), _ROWS):
        columns |= dict.fromkeys(name for name in row if name != LINE)
    if not columns:
        raise UserError(f"{path} is no feed of products: it has no <item> of RSS 2.0 and no <entry> of Atom.")
    return tuple(columns)


def write_feed_rows(path: Path, packed: bool, target: Path) -> None:
    """Writes the items as lines of JSON: texts by the names of their elements, and lists of those that come again."""
    with target.open("w", encoding="utf-8") as out:
        out.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(path, packed))


def _rows(path: Path, packed: bool) -> Iterator[dict[str, Any]]:
    with open_binary(path, packed) as file:
        try:
            # Entities stay as they are, so that none can grow, and nothing is fetched.
            for _, item in html.etree.iterparse(file, tag=_ITEMS, resolve_entities=False, no_network=True):
                yield {LINE: item.sourceline, **_fields(item)}
                item.clear()
                while item.getprevious() is not None:
                    del item.getparent()[0]
        except html.etree.XMLSyntaxError as problem:
            raise UserError(f"{path} is no XML that can be read: {problem.msg}.") from None


def _fields(item: Any) -> dict[str, Any]:
    """Elements of the feed's own namespace (g:title) before those of RSS with the same name.

    One of several parts is these in a line: g:product_detail as "General: Material: Steel".
    """
    fields, spaces = dict[str, Any](), dict[str, str]()
    for element in item.iterchildren(tag=html.etree.Element):
        name = html.etree.QName(element)
        parts = [part.text or "" for part in element.iterchildren(tag=html.etree.Element)] or [element.text or ""]
        text, space = ": ".join(filter(None, map(str.strip, parts))), name.namespace or ""
        if not text or (name.localname in spaces and space < spaces[name.localname]):
            continue
        before = fields.get(name.localname) if spaces.get(name.localname) == space else None
        several = [*before, text] if isinstance(before, list) else [before, text]
        fields[name.localname], spaces[name.localname] = text if before is None else several, space
    return fields
