"""Files of expected texts by name, each below a heading ``## name``; the tests that read one write it anew."""

from collections.abc import Mapping
from pathlib import Path


def read_golden(path: Path) -> dict[str, str]:
    """The texts by name, in the order of the file."""
    parts = [part.removeprefix("## ").partition("\n") for part in path.read_text(encoding="utf-8").split("\n\n## ")]
    return {name: text.strip("\n") for name, _, text in parts}


def write_golden(path: Path, texts: Mapping[str, str]) -> None:
    path.write_text("\n\n".join(f"## {name}\n{text}" for name, text in texts.items()) + "\n", encoding="utf-8")
