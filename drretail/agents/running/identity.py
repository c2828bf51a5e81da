"""What an agent of the user's own consists of, so that runs of two versions never stand under one name.

Its files and those that they import, which are read from the sources, so that it does not matter what else is loaded;
installed libraries are left out. The files below its folder that its code reads as it is imported. What it holds that
no file has: the values in its closures and defaults and, in a notebook, the functions and globals that it uses.
"""

import ast
import inspect
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path, PurePath
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.files_read import files_read
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
    """The hashes of what answers: of its files and of what these read, by file; of what a notebook holds, by name.

    Empty for built-in agents, and where nothing is known of it.
    """
    place = system.place or system.agent
    stated = None if agent.version is None else agent.version()
    hashes = {} if stated is None else {VERSION: stated}
    if place.startswith(COMMAND):
        return hashes | _hashes(_files_of_command(place))
    if system.is_command_or_address or system.agent in CLIENT_AGENTS or not answers_here(system):
        return hashes
    names = {agent.answer.__module__, *([place.partition(":")[0]] if ":" in place else [])}
    modules = [sys.modules.get(name) for name in names - {"__main__"}]
    files = [Path(file) for module in modules if (file := getattr(module, "__file__", None)) is not None]
    held = _Held()
    held.add("", getattr(agent.answer, "__wrapped__", agent.answer))
    source = "\n".join(held.sources)
    imported = _imported(source, Path("__main__.py").absolute()) if source else []
    parts = held.parts | ({"__main__": source} if source else {})
    hashes |= {name: sha256_of(part)[:16] for name, part in parts.items()}
    return hashes | _hashes([*files, *held.files, *imported, *_below(agent.files), *files_read("__main__")])


def _below(places: Iterable[str | Path]) -> Iterator[Path]:
    """These files, and those below these folders."""
    for place in map(Path, places):
        yield from (path for path in sorted(place.rglob("*")) if path.is_file()) if place.is_dir() else (place,)


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
        siblings = (Path(f"{file.parent / name}{ending}") for name in _BESIDE.findall(text) for ending in _ENDINGS)
        left += [path for path in siblings if path.is_file()]
        left += [*_imported(text, file), *files_read(str(file))] if file.suffix == ".py" else ()
    here = Path.cwd().resolve()
    return {
        (file.relative_to(here).as_posix() if file.is_relative_to(here) else file.name): hashes[file]
        for file in sorted(hashes)
    }


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


_PLAIN = (str, bytes, int, float, complex, bool, type(None), PurePath, date)


@dataclass(slots=True)
class _Held:
    """What a function holds, and what the functions and objects that it uses hold."""

    parts: dict[str, str] = field(default_factory=dict[str, str])
    """Values in words, by the names under which they are used."""
    sources: list[str] = field(default_factory=list[str])
    """Of the functions and classes of a script or notebook."""
    files: list[Path] = field(default_factory=list[Path])
    """Of the modules of the user's own that are used."""
    _seen: dict[int, Any] = field(default_factory=dict[int, Any])

    def add(self, name: str, value: Any) -> None:
        """Notes the value; a name that is used twice has both values."""
        text = self._in_words(value)
        if text and name:
            self.parts[name] = self.parts.get(name, "") + text

    def _in_words(self, value: Any) -> str:
        """The value as text that is equal for equal values; empty for functions, classes and modules."""
        if isinstance(value, _PLAIN):
            return repr(value)
        if id(value) in self._seen:
            return ""
        self._seen[id(value)] = value
        match value:
            case list() | tuple():
                return f"[{','.join(map(self._in_words, value))}]"
            case set() | frozenset():
                return f"{{{','.join(sorted(map(self._in_words, value)))}}}"
            case Mapping():
                return f"{{{','.join(f'{key!r}:{self._in_words(value)}' for key, value in value.items())}}}"
            case partial():
                return self._in_words((value.func, value.args, value.keywords))
            case MethodType():
                return self._in_words((value.__self__, value.__func__))
            case ModuleType():
                self._is_own(value.__name__)
            case FunctionType():
                self._add_function(value)
            case type():
                if self._is_own(value.__module__):
                    self._add_source(value)
                    for each in vars(value).values():
                        self._in_words(getattr(each, "__func__", each) if callable(each) else None)
            case _ if self._is_own(type(value).__module__):
                self._in_words(type(value))
                return f"{type(value).__name__}{self._in_words(getattr(value, '__dict__', None))}"
            case _:
                return type(value).__name__
        return ""

    def _add_function(self, function: FunctionType) -> None:
        if not self._is_own(function.__module__):
            return
        self._add_source(function)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # nothing is in it yet
                self.add(name, cell.cell_contents)
        if defaults := [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()]:
            self.add(function.__name__, defaults)
        if function.__module__ == "__main__":  # of other modules the file says what they are
            for name in _names(function.__code__) & function.__globals__.keys():
                self.add(name, function.__globals__[name])

    def _add_source(self, target: Any) -> None:
        if target.__module__ == "__main__":
            with suppress(OSError, TypeError):
                self.sources.append(inspect.getsource(target))

    def _is_own(self, module: str | None) -> bool:
        """True for a script or notebook, and for a module of the user's own, whose file is then noted."""
        if module == "__main__":
            return True
        place = getattr(sys.modules.get(module or ""), "__file__", None)
        if place is None or _LIBRARIES in Path(place).parts or (module or "").partition(".")[0] in _NOT_OWN:
            return False
        self.files.append(Path(place))
        return True


_NOT_OWN = sys.stdlib_module_names | {"drretail"}


def _names(code: CodeType) -> set[str]:
    """The names that a function, and those within it, may look up among the globals."""
    within = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return {*code.co_names}.union(*within)
