"""The docstrings of packages are the map: every file stands on one, and no map names what is gone."""

import ast
import re
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "drretail"
ADDONS = PACKAGE / "addons"
FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
if not any(ADDONS.glob("*/__init__.py")):
    FOLDERS.remove(ADDONS)  # a copy without add-ons: their map stays as it is
LAYERS = sorted({folder for folder in FOLDERS if folder.parent in (PACKAGE, ADDONS)} - {ADDONS})
MOST_FILES = 17
KINDS = {PACKAGE / "eval" / "metrics"}
"""Folders with a file for each of a kind, of which there may be as many as there are."""
SIBLINGS = {"__init__", "agent", "base", "build", "chat", "group", "judge", "keywords", "pages", "policy", "score"}
"""Names that every sibling of a kind has: one file set, known once (build, keywords, pages: two kinds of sandboxes)."""
_ENTRY = re.compile(r"^ *(?P<name>[a-z_0-9]+(?:\.py|/))(?= )", re.MULTILINE)


def test_a_packages_docstring_names_each_of_its_files_and_these_are_few() -> None:
    for folder in FOLDERS:
        check_map(folder)


def check_map(folder: Path) -> None:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")), clean=False)
    named = {match["name"] for match in _ENTRY.finditer(docstring or "")}
    folders = [path for path in folder.iterdir() if path.name != "__pycache__" and any(path.glob("*.*"))]
    held = {path.name for path in folder.glob("*.py")} - {"__init__.py"} | {f"{path.name}/" for path in folders}
    assert named == held, (
        f"The docstring of {folder.relative_to(PACKAGE.parent)}/__init__.py needs a line for {sorted(held - named)}, "
        f"and none for {sorted(named - held)}"
    )
    files = sum(name.endswith(".py") for name in held)
    assert files <= MOST_FILES or folder in KINDS, (
        f"{folder.relative_to(PACKAGE.parent)} has {files} files besides __init__.py, and {MOST_FILES} is the most: "
        "move those that belong together into a folder"
    )


def test_no_name_stands_twice_within_a_layer_but_those_of_sibling_sets() -> None:
    records = PACKAGE / "api" / "options"  # each is named as the file of its function
    for layer in LAYERS:
        paths = (path for path in layer.rglob("*.py") if path.stem not in SIBLINGS and path.parent != records)
        twice = [name for name, times in Counter(path.stem for path in paths).items() if times > 1]
        assert twice == [], f"two files of {layer.name} have one name: rename one, or put its name into SIBLINGS"
