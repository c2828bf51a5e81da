"""Prompts in a folder of the user's, by the names of the packaged ones: read, checked, and written out to change."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from drretail.errors import UserError, nearest_names, suggestion
from drretail.files import write_atomically
from drretail.prompts import packaged_text, plain_text

_PLACE = re.compile(r"\{\{\s*([\w-]+)\s*\}\}")


def changed_prompts(folder: Path, known: Mapping[str, Path], parts: Collection[str] = ()) -> dict[Path, str]:
    """What the files of ``folder`` say otherwise than the packaged prompts of the same names, by packaged file.

    ``parts`` are placeholders that may be left out and put in anywhere. Hidden files are passed over. Raises UserError
    for a folder that is missing or changes nothing, and for a file of a wrong name, without text, or whose
    placeholders are not the packaged ones.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: drretail prompts --to {folder} writes the prompts to change.")
    texts: dict[Path, str] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in Path(name).parts):
            continue
        if name not in known:
            raise UserError(f"{path} overrides no prompt. {suggestion(nearest_names(name, known), known)}")
        text = _read(path)
        if text != packaged_text(known[name]):
            _check_places(path, name, text, packaged_text(known[name]), parts)
            texts[known[name]] = text
    if not texts:
        raise UserError(f"No prompt in {folder} differs from the packaged one: change it, or leave --prompts out.")
    return texts


def write_prompts(folder: Path, files: Mapping[str, Path]) -> list[Path]:
    """Writes the packaged prompts into ``folder``, to be changed there. UserError where one stands there, changed."""
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
    if not text.strip():
        raise UserError(f"{path} is blank: write what the model is told, or remove the file.")
    return plain_text(text)


def _check_places(path: Path, name: str, text: str, packaged: str, parts: Collection[str]) -> None:
    """Raises UserError where a placeholder is missing that is filled, or nothing fills one that is there."""
    filled = set(_PLACE.findall(packaged)) - {*parts}
    may = filled if name.removesuffix(".md") in parts else filled | {*parts}
    written = {found[0] for found in _PLACE.finditer(text)}
    strange = sorted(written - {*map(_place, may)})
    if strange:
        known = ", ".join(_place(each) for each in sorted(may)) or "none"
        raise UserError(f"{path} has the placeholder {strange[0]}, which nothing fills in; it may have {known}.")
    missing = sorted({*map(_place, filled)} - written)
    if missing:
        raise UserError(f"{path} lacks the placeholder {missing[0]}: what stands there is put in when it is told.")


def _place(name: str) -> str:
    return f"{{{{{name}}}}}"
