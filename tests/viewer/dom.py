"""Pages as a browser sees them: text, elements and attributes by the parser of the standard library."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "br", "hr", "img", "input", "link", "wbr"})


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: "list[Element | str]" = field(default_factory=list["Element | str"])

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag: str = "", css: str = "") -> "Iterator[Element]":
        """Descendants of that tag and class, in order."""
        for child in self.children:
            if isinstance(child, Element):
                if tag in ("", child.tag) and (not css or css in child.attributes.get("class", "").split()):
                    yield child
                yield from child.all(tag, css)

    def by_id(self, wanted: str) -> "Element":
        return next(element for element in self.all() if element.attributes.get("id") == wanted)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.stack = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].children.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def parse(html: str) -> Element:
    """The document; an assertion fails where elements overlap or stay open."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert len(builder.stack) == 1, f"never closed: {[element.tag for element in builder.stack]}"
    return builder.stack[0]
