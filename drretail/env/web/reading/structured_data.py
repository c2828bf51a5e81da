"""The schema.org objects of a page's JSON-LD, also where it is broken as pages break it."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

Node = Mapping[str, Any]
"""An object of JSON-LD; microdata is read into the same form."""
_MOST_NODES = 20_000
"""That are looked at, over the whole page."""
_DEEPER = ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item")
_CONTROLS = re.compile(r"[\x00-\x1f]")
_COMMENTED = re.compile(
    r"^\s*(?:<!--|/\*<!\[CDATA\[\*/|//<!\[CDATA\[|<!\[CDATA\[)|(?:-->|/\*\]\]>\*/|//\]\]>|\]\]>)\s*;?\s*$"
)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


def ld_nodes(page: HtmlElement) -> list[Node]:
    """All objects that stand alone, in order: at the top, in arrays, in @graph, in lists of items."""
    return list(_nodes(page))


def type_names(node: Node) -> set[str]:
    """``{"product"}`` for "Product", "schema:Product" and "https://schema.org/Product"."""
    return {str(name).rpartition("/")[2].rpartition(":")[2].casefold() for name in listed(node.get("@type"))}


def listed(value: Any) -> list[Any]:
    """One value or several, as several."""
    return [] if value is None else value if isinstance(value, list) else [value]


def _nodes(page: HtmlElement) -> Iterator[Node]:
    seen = 0
    for script in page.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        waiting: list[Any] = [_parsed(script.text or "")]
        while waiting and seen < _MOST_NODES:
            value = waiting.pop()
            seen += 1
            if isinstance(value, list):
                waiting += reversed(value[:_MOST_NODES])
            elif isinstance(value, dict):
                yield value
                waiting += [value[name] for name in reversed(_DEEPER) if name in value]


def _parsed(text: str) -> Any:
    """The JSON, mended; what stands behind its first value is dropped; None where nothing helps."""
    text = _COMMENTED.sub("", text).strip()
    plain = _CONTROLS.sub(" ", text)
    for mended in (text, plain, _TRAILING_COMMA.sub(r"\1", plain)):
        try:
            return json.JSONDecoder().raw_decode(mended)[0]
        except (ValueError, RecursionError):
            continue
    return None


_MOST_ITEMS = 50
_DEEPEST = 5
_ATTRIBUTES = ("content", "href", "datetime", "value")


def microdata_nodes(page: HtmlElement) -> Iterator[Node]:
    """The first items that have a type, each with the items that are its properties."""
    typed = (element for element in page.iter() if isinstance(element.tag, str) and element.get("itemtype"))
    yield from (_item(element, 0) for element in islice(typed, _MOST_ITEMS))


def _item(scope: HtmlElement, depth: int) -> Node:
    node: dict[str, Any] = {"@type": scope.get("itemtype") or ""}
    waiting = list(reversed(scope))
    while waiting:
        element = waiting.pop()
        is_item = element.get("itemscope") is not None
        for name in (element.get("itemprop") or "").split():
            value = _item(element, depth + 1) if is_item and depth < _DEEPEST else _value(element)
            node.setdefault(name, []).append(value)
        if not is_item:
            waiting += reversed(element)
    return node


def _value(element: HtmlElement) -> str:
    found = next((value for name in _ATTRIBUTES if (value := element.get(name))), None)
    return element.text_content() if found is None else found
