"""The identity of an agent's code: the files of its project that it imports, or that its command names, by hash.

Imports are read from the sources, so that it does not matter what else is loaded. Installed libraries are left out.
"""

import ast
import inspect
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from drretail.agents.base import Agent
from drretail.agents.names import answers_here
from drretail.records.base import sha256_of
from drretail.records.run import CLIENT_AGENTS, COMMAND, System

VERSION = "version"
"""Beside the names of files: the version that an agent states of itself."""
_PACKAGE = Path(__file__).resolve().parents[2]
_LIBRARIES = "site-packages"
# How sources in any language name files beside them: './helpers.mjs', "../prompts/system.md".
_BESIDE = re.compile(r"""["'](\.{1,2}/[^"'\n]{1,200})["']""")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts")


def code_of(system: System, agent: Agent) -> dict[str, str]:
    """By file, the hash of the code that answers; empty for built-in agents, and where nothing is known of it."""
    place = system.place or system.agent
    stated = None if agent.version is None else agent.version()
    hashes = {} if stated is None else {VERSION: stated}
    if place.startswith(COMMAND):
        return hashes | _hashes(_files_of_command(place))
    if system.is_command_or_address or system.agent in CLIENT_AGENTS or not answers_here(system):
        return hashes
    names = {agent.answer.__module__, *([place.partition(":")[0]] if ":" in place else [])}
    modules = [sys.modules.get(name) for name in names]
    files = [Path(file) for module in modules if (file := getattr(module, "__file__", None)) is not None]
    if agent.answer.__module__ != "__main__":
        return hashes | _hashes(files)
    # A script also holds what its agent is asked: only what it defines counts, and what it imports.
    text = _definitions(agent)
    return hashes | {"__main__": sha256_of(text)[:16]} | _hashes(_imported(text, Path("__main__.py").absolute()))


def _files_of_command(place: str) -> Iterator[Path]:
    """The files that a command's words name, and the module behind ``-m``; its program if that is the project's."""
    first, *words = shlex.split(place.removeprefix(COMMAND))
    for word in words:
        with suppress(OSError):  # such as a word that is too long for a file's name
            if Path(word).is_file():
                yield Path(word)
    if Path(first).is_file() and Path(first).resolve().is_relative_to(Path.cwd()):
        yield Path(first)
    for option, word in pairwise(words):
        if option == "-m":
            yield from _modules(Path.cwd(), word)
            yield from _modules(Path.cwd(), f"{word}.__main__")


def _hashes(first: Iterable[Path]) -> dict[str, str]:
    """The hash of each of these files, and of those of their project that they import or name, by file."""
    hashes: dict[Path, str] = {}
    left = [*first]
    while left:
        file = left.pop().resolve()
        if file in hashes or file.is_relative_to(_PACKAGE):
            continue
        try:
            content = file.read_bytes()
        except OSError:
            continue
        text = content.decode("utf-8", "replace")
        hashes[file] = sha256_of(text)[:16]
        left += _beside(text, file.parent)
        left += _imported(text, file) if file.suffix == ".py" else ()
    here = Path.cwd().resolve()
    return {
        (file.relative_to(here).as_posix() if file.is_relative_to(here) else file.name): hashes[file]
        for file in sorted(hashes)
    }


def _beside(text: str, folder: Path) -> list[Path]:
    named = (Path(f"{folder / name}{ending}") for name in _BESIDE.findall(text) for ending in _ENDINGS)
    return [path for path in named if path.is_file()]


def _imported(text: str, file: Path) -> list[Path]:
    """The files that a Python source imports from its own project or the current folder."""
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError):
        return []
    files = [*_modules(root, ".".join(file.relative_to(root).with_suffix("").parts))]  # its packages
    for node in nodes:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        module = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        for name in (f"{module}.{alias.name}".strip(".") for alias in node.names):
            is_library = _LIBRARIES in root.parts and name.split(".")[0] != file.relative_to(root).parts[0]
            bases = [file.parents[level - 1]] if level else [Path.cwd(), *([] if is_library else [root])]
            files += [path for base in bases for path in _modules(base, name)]
    return files


def _modules(base: Path, name: str) -> Iterator[Path]:
    """The files of a dotted name and of the packages that it is in, as far as they are below ``base``."""
    folder = base
    for part in name.split("."):
        folder = folder / part
        yield from (file for file in (folder.with_name(f"{part}.py"), folder / "__init__.py") if file.is_file())


def _definitions(agent: Agent) -> str:
    """What a script defines and imports; in a notebook, the agent's function."""
    try:
        nodes = ast.parse(inspect.getsource(sys.modules["__main__"])).body
    except (OSError, TypeError):
        with suppress(OSError, TypeError):
            return inspect.getsource(agent.answer)
        return ""
    defining = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return "\n".join(ast.unparse(node) for node in nodes if isinstance(node, defining))
