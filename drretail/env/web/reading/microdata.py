"""The schema.org objects of a page's microdata, in the form of JSON-LD."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from drretail.env.web.reading.json_ld import Node

_MOST_ITEMS = 50
_DEEPEST = 5
_ATTRIBUTES = ("content", "href", "datetime", "value")


def microdata_nodes(page: HtmlElement) -> Iterator[Node]:
    """The first items that have a type, each with the items that are its properties."""
    typed = (it for it in page.iter() if isinstance(it.tag, str) and it.get("itemtype"))
    yield from (_item(element, 0) for element in islice(typed, _MOST_ITEMS))


def _item(scope: HtmlElement, depth: int) -> Node:
    node: dict[str, Any] = {"@type": scope.get("itemtype") or ""}
    waiting = list(reversed(scope))
    while waiting:
        element = waiting.pop()
        is_item = element.get("itemscope") is not None
        for name in (element.get("itemprop") or "").split():
            value = _item(element, depth + 1) if is_item and depth < _DEEPEST else _said(element)
            node.setdefault(name, []).append(value)
        if not is_item:
            waiting += reversed(element)
    return node


def _said(element: HtmlElement) -> str:
    found = next((value for name in _ATTRIBUTES if (value := element.get(name))), None)
    return element.text_content() if found is None else found
