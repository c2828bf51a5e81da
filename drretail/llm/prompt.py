"""Prompts are files beside their callers: ``prompts/<name>.md`` with ``{{placeholders}}``, and tables of criteria.

Instructions are plain text; data is put in by ``tagged``, so that a model can distinguish the two. A user's folder of
prompts has the names of the packaged files. ``overridden_prompts`` replaces their texts during a block, for the code
that runs in it and no other.
"""

import re
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from drretail.errors import UserError, nearest_names, suggestion
from drretail.files import write_atomically
from drretail.parsing import parse_toml
from drretail.records.base import sha256_of
from drretail.reports.text.untrusted import TAGS, cleaned

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_PLACE = re.compile(r"\{\{\s*([\w-]+)\s*\}\}")
_overrides: ContextVar[Mapping[Path, str]] = ContextVar("overrides", default=MappingProxyType({}))
_loaded: ContextVar[set[Path] | None] = ContextVar("loaded", default=None)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text as in its file; ``hash`` identifies the text in runs and verdicts."""

    name: str
    text: str
    shared: str = ""
    """The beginning that this prompt shares with others about the same data, so that a provider can cache it."""

    @property
    def hash(self) -> str:
        return _hash_of(self.shared, self.text)

    def shared_until(self, mark: str) -> "Prompt":
        """The same prompt, of which all before the first ``mark`` is shared."""
        shared, mark_found, rest = self.text.partition(mark)
        return Prompt(self.name, mark_found + rest, shared)

    def render(self, **values: str) -> str:
        """The whole text with every placeholder filled; raises as ``render_parts`` does."""
        return "".join(self.render_parts(**values))

    def render_parts(self, **values: str) -> tuple[str, str]:
        """The shared beginning and the prompt's own text, with every placeholder filled.

        Raises ValueError if a placeholder has no value or a value no placeholder: a prompt without its data would
        bring plausible nonsense.
        """
        wanted, names = set(_PLACEHOLDER.findall(self.shared + self.text)), set(values)
        if wanted != names:
            missing, unused = sorted(wanted - names), sorted(names - wanted)
            raise ValueError(f"prompt {self.name}: missing {missing}, unused {unused}")
        shared, rest = (_PLACEHOLDER.sub(lambda match: values[match[1]], part) for part in (self.shared, self.text))
        return shared, rest


@lru_cache(maxsize=256)  # every verdict's hash is compared with today's prompts
def _hash_of(*texts: str) -> str:
    return sha256_of("".join(texts))[:16]


def load_prompt(file: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module file ``beside`` (pass ``__file__``), or its override.

    A name with a suffix is the whole name of a file.
    """
    path = _file(file, name)
    loaded, override = _loaded.get(), _overrides.get().get(path)
    if loaded is not None:
        loaded.add(path)
    return Prompt(name, packaged_text(path) if override is None else override)


@cache
def _file(file: str, name: str) -> Path:
    return Path(file).parent / "prompts" / (name if "." in name else f"{name}.md")


def load_table(file: str, name: str) -> dict[str, dict[str, str]]:
    """The texts of ``prompts/<name>.toml`` beside the module file ``beside``, or of its override, by table and key."""
    return _parsed(load_prompt(file, f"{name}.toml").text)


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, dict[str, str]]:
    return parse_toml(text)


@cache
def packaged_text(path: Path) -> str:
    """The text of a packaged prompt's file, ignoring overrides."""
    return plain_text(path.read_text(encoding="utf-8"))


def plain_text(text: str) -> str:
    """A file's text as a prompt has it: stripped, with one final newline."""
    return text.strip() + "\n"


@contextmanager
def overridden_prompts(texts: Mapping[Path, str]) -> Generator[None]:
    """During the block, and in tasks started within it, these prompt files have the given texts."""
    token = _overrides.set(texts)
    try:
        yield
    finally:
        _overrides.reset(token)


def replaced() -> tuple[str, ...]:
    """The texts that replace packaged prompts in this block, each as the prompt's file name and the text's hash."""
    return tuple(f"{file_name_of(path)} {_hash_of(text)}" for path, text in sorted(_overrides.get().items()))


def file_name_of(path: Path) -> str:
    """A prompt's name in a user's folder: ``quality/rating.md`` for ``…/quality/prompts/rating.md``."""
    return f"{path.parent.parent.name}/{path.name}"


def files_loaded(load: Callable[[], object]) -> frozenset[Path]:
    """The prompt files that ``load`` reads."""
    paths: set[Path] = set()
    token = _loaded.set(paths)
    try:
        load()
    finally:
        _loaded.reset(token)
    return frozenset(paths)


def files_by_name(loads: Iterable[Callable[[], object]]) -> dict[str, Path]:
    """The prompt files that these read, by the name under which each can be overridden."""
    return dict(sorted((file_name_of(path), path) for load in loads for path in files_loaded(load)))


def tagged(tag: str, text: str, **attributes: str) -> str:
    """``<tag name="value">text</tag>`` on lines of its own; ``tag`` is one of ``TAGS``.

    Tags inside the text are made harmless: a page that contains ``</source><claim>`` can't end its block.
    """
    if tag not in TAGS:
        raise ValueError(
            f"{tag!r} is no known tag: add it to TAGS in drretail/reports/text/untrusted.py, so that no other data"
            " can end it"
        )
    plain = {name: re.sub(r"[\"<>\r\n]", "", cleaned(value)) for name, value in attributes.items()}
    opening = "".join(f' {name}="{value}"' for name, value in plain.items())
    return f"<{tag}{opening}>\n{cleaned(text)}\n</{tag}>"


def tag_content(tag: str, text: str) -> str | None:
    """The content of the first ``<tag>…</tag>`` in a text, or None."""
    match = re.search(rf"<{re.escape(tag)}>\n?(.*?)\n?</{re.escape(tag)}>", text, re.DOTALL)
    return None if match is None else match[1]


def changed_prompts(
    folder: Path,
    files: Mapping[str, Path],
    parts: Collection[str] = (),
    *,
    others: Collection[str] = (),
    optional: Collection[str] = (),
) -> dict[Path, str]:
    """The texts in ``folder`` that differ from the packaged prompts of the same names, by packaged file.

    ``parts`` are placeholders that any prompt may have or lack, and their own files may be blank; ``optional`` those
    that a prompt may only lack. Hidden files, and ``others``, which are for another command, are skipped. Raises
    UserError if the folder is missing or changes nothing, and for a file with a wrong name, no text, or wrong
    placeholders.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: drretail prompts --to {folder} writes the prompts to change.")
    texts: dict[Path, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in Path(name).parts) or (name in others and name not in files):
            continue
        if name not in files:
            raise UserError(f"{path} overrides no prompt. {suggestion(nearest_names(name, files), files)}")
        text = _read(path)
        if not text.strip() and name.removesuffix(".md") not in parts:
            raise UserError(f"{path} is blank: write what the model is told, or remove the file.")
        if text != packaged_text(files[name]):
            _check_places(path, name, text, packaged_text(files[name]), parts, optional)
            if path.suffix == ".toml":
                _check_keys(path, text, packaged_text(files[name]))
            texts[files[name]] = text
    if not texts:
        what = "for this command " if others else ""
        raise UserError(
            f"No prompt {what}in {folder} differs from the packaged one: change it, or leave --prompts out."
        )
    return texts


def write_prompt_files(folder: Path, files: Mapping[str, Path]) -> list[Path]:
    """Writes the packaged prompts into ``folder``. Raises UserError if a changed one is there already."""
    targets = {folder / name: packaged_text(path) for name, path in files.items()}
    for target, text in targets.items():
        if target.exists() and _read(target) != text:
            raise UserError(f"{target} is there already, and is not the packaged one: name another folder.")
    for target, text in targets.items():
        write_atomically(target, text)
    return list(targets)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path} is no text in UTF-8: prompts are markdown.") from None
    return plain_text(text)


def _check_places(
    path: Path, name: str, text: str, packaged: str, parts: Collection[str], optional: Collection[str]
) -> None:
    """Raises UserError if a required placeholder is missing, or an unknown one is there."""
    packaged_places = set(_PLACE.findall(packaged))
    filled = packaged_places - {*parts}
    may = packaged_places if name.removesuffix(".md") in parts else filled | {*parts}
    written = {match[0] for match in _PLACE.finditer(text)}
    strange = sorted(written - {*map(_place, may)})
    if strange:
        places = ", ".join(_place(place) for place in sorted(may)) or "none"
        raise UserError(f"{path} has the placeholder {strange[0]}, which nothing fills in; it may have {places}.")
    missing = sorted({*map(_place, filled - {*optional})} - written)
    if missing:
        raise UserError(f"{path} lacks the placeholder {missing[0]}: put it where its data belongs.")


def _check_keys(path: Path, text: str, packaged: str) -> None:
    """Raises UserError for a table of criteria that is no TOML, or lacks a text or has one more than the packaged."""
    try:
        table = parse_toml(text)
    except ValueError as problem:
        raise UserError(f"{path} is no TOML: {problem}.") from problem
    wrong = sorted(_keys(table) ^ _keys(parse_toml(packaged)))
    if wrong:
        raise UserError(f"{path} has to hold the same texts as the packaged file, in quotes: look at {wrong[0]}.")


def _keys(tables: Mapping[str, Mapping[str, object]]) -> set[str]:
    return {f"{table}.{key}" for table, texts in tables.items() for key in texts}


def _place(name: str) -> str:
    return f"{{{{{name}}}}}"
