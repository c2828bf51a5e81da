"""Docstrings and help as Markdown, alike on Git hosts and in the built site."""

import inspect
import re

MADE_BY = "<!-- Made by python -m scripts.reference: change docstrings and help instead. -->"


def escaped(text: str) -> str:
    """The text with what Markdown would take for a tag or emphasis escaped, and names of pages as links."""
    parts = text.replace("``", "`").split("`")
    for at in range(0, len(parts), 2):  # the others are code
        plain = re.sub(r"[<*\\]|(?<!\w)_|_(?!\w)", r"\\\g<0>", parts[at])
        plain = re.sub(r"\bdocs/([\w-]+\.md)(#[\w-]+)?", r"[\g<1>](../\g<1>\g<2>)", plain)
        parts[at] = re.sub(r"\bdrretail/addons/(\w+)/README\.md(#[\w-]+)?", r"[\g<1>](../../\g<0>)", plain)
    return "`".join(parts)


def code(text: str) -> str:
    return f"`{text}`"


def fence(kind: str, text: str) -> str:
    return f"```{kind}\n{text}\n```"


def link(name: str, heading: str) -> str:
    """A link to a heading of the same page, by the anchor that Git hosts and site builders give it."""
    return f"[`{name}`](#{re.sub(r'[^a-z0-9_ -]', '', heading.lower()).replace(' ', '-')})"


def paragraphs(docstring: str | None) -> list[str]:
    """Of a docstring, each in one line; what is indented is code."""
    blocks: list[str] = []
    for block in re.split(r"\n\n+", inspect.cleandoc(docstring or "")):
        is_code = block.startswith("    ")
        blocks.append(fence("python", inspect.cleandoc(block)) if is_code else escaped(" ".join(block.split())))
    return [block for block in blocks if block]


def item(name: str, text: str) -> str:
    """A line of a list; the paragraphs of a docstring follow each other."""
    return f"- {name}: {text}" if text else f"- {name}"


def page(blocks: list[str]) -> str:
    return "\n\n".join([MADE_BY, *blocks]) + "\n"
