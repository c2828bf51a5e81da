"""Praise is made in one place, records/account.py: no other source of the package holds its words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import drretail

PRAISE = re.compile(
    r"\b(No (fault|error|difference)s?|Meets every limit|Breaks no limit|Nothing differs|Without a finding|Passes)\b"
    r"|none contradicts|finds no difference|✓ "
)
"""As printed; what ``praise`` is given begins with a small letter."""
PACKAGE = Path(drretail.__file__).parent


def texts(path: Path) -> Iterator[str]:
    """The texts of a source that may be printed: without docstrings, and without what is passed to ``praise``."""
    source = path.read_text("utf-8")
    if path.suffix == ".jinja" or not PRAISE.search(source):
        yield source
        return
    tree = ast.parse(source)
    silent = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "praise":
            silent.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in silent:
            yield node.value


def test_words_of_praise_stand_in_no_source_but_what_praise_is_given() -> None:
    paths = [path for pattern in ("*.py", "*.jinja") for path in PACKAGE.rglob(pattern)]
    found = {
        f"{path.relative_to(PACKAGE)}: {text[:80]}"
        for path in paths
        for text in texts(path)
        if PRAISE.search(text) and path.name != "account.py"
    }
    assert not found
    assert PRAISE.search("No fault was found.")
