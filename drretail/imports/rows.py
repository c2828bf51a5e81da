"""Rows out of JSON and JSONL, packed or not, one file or a folder of them: whoever wrote them, wherever they stand."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.errors import UserError, file_error
from drretail.parsing import parse_json

LARGEST = 500_000_000
"""Bytes of a file, unpacked."""
MOST_FILES = 100_000
ROW_FILES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """An object of a file, and where it stands."""

    value: dict[str, Any]
    file: Path
    where: str

    def text(self, *names: str) -> str:
        """The first of these fields that holds words or a number, without the white space around it; else empty."""
        for name in names:
            value = self.value.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return ""

    def report(self, *names: str) -> str | None:
        """The text of the first of these fields as it is; None where the row has none of them, empty for a null."""
        for name in names:
            if name in self.value:
                value = self.value[name]
                if value is not None and not isinstance(value, str):
                    raise UserError(f"{self.where}: {name!r} is no text.")
                return value or ""
        return None

    def id(self, *names: str) -> str:
        """As ``text``; raises UserError where there is none."""
        found = self.text(*names)
        if not found:
            raise UserError(f"{self.where} has no id: a row needs {' or '.join(map(repr, names))}.")
        return found


def stem(path: Path) -> str:
    """The name of a file without its endings."""
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


def files_under(path: Path, endings: Sequence[str]) -> list[Path]:
    """The file itself, or those of a folder with these endings in order of their paths; hidden ones are left out.

    Raises UserError where there is none.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UserError(f"{path} does not exist.")
    found: list[Path] = []
    for each in path.rglob("*"):
        hidden = any(part.startswith(".") for part in each.relative_to(path).parts)
        if not hidden and each.name.casefold().endswith(tuple(endings)) and each.is_file():
            found.append(each)
            if len(found) > MOST_FILES:
                raise UserError(f"{path} holds more than {MOST_FILES:,} files: name a folder of reports.")
    if not found:
        raise UserError(f"{path} holds no file that ends in {' or '.join(endings)}.")
    return sorted(found)


def read_text(path: Path) -> str:
    """A file's text, unpacked where its name ends in .gz; halves of characters are made marks of what is lost.

    Raises UserError for a file that is no UTF-8, or larger than any such file.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            parts: list[bytes] = []
            size = 0
            while piece := file.read(_PIECE):
                parts.append(piece)
                size += len(piece)
                if size > LARGEST:
                    raise UserError(f"{path} holds more than {LARGEST:,} bytes: no file of reports is as large.")
        return b"".join(parts).decode("utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem


def read_rows(path: Path, is_row: Callable[[dict[str, Any]], bool]) -> Iterator[Row]:
    """All objects for which ``is_row`` holds, however deep they stand, in the order of the file.

    Raises UserError that names the line which is no JSON.
    """
    text = read_text(path)
    if text.lstrip()[:1] == "<":
        raise UserError(f"{path} is a page of the web (HTML), not JSON: fetch the file itself.")
    for where, value in _values(path, text):
        for found in _objects(value, is_row):
            yield Row(_writable(found), path, where)


def _values(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The lines as values where the first is one by itself, else the whole file as one."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if not first:
        return
    if not _is_json(first):
        try:
            yield str(path), parse_json(text)
        except json.JSONDecodeError as problem:
            raise UserError(f"{path} is not JSON: {problem}.") from problem
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield f"{path}, line {number}", parse_json(line)
            except json.JSONDecodeError as problem:
                raise UserError(f"{path}, line {number}, is not JSON: {problem}.") from problem


def _is_json(line: str) -> bool:
    try:
        parse_json(line)
    except json.JSONDecodeError:
        return False
    return True


def _objects(value: Any, is_row: Callable[[dict[str, Any]], bool]) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if is_row(value):
            yield value
        else:
            for item in value.values():
                yield from _objects(item, is_row)
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item, is_row)


def _writable(value: Any) -> Any:
    """The same without halves of characters, which JSON can say and no file can hold."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_writable(name): _writable(item) for name, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list) else value
