"""tests/ mirrors drretail/: the tests of a module go by its name, or name it in their first lines."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "drretail"
BY_SUBJECT = ("data_ingest/", "eval/claims/", "reports/", "shopping/", "examples/", "standard/")
"""Folders whose test files go by what is read or run there."""
OF_ALL = {"contract", "docs", "hostile_texts", "killed_writes", "maps", "mirror", "patterns"}
"""Rules that hold in the whole package, or for all of a kind."""
NAMES = re.compile(r"(?:[a-z_0-9]+/)*[a-z_0-9]+(?:\.py\b|/(?=[ .,]))")


def below(folder: Path, pattern: str) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob(pattern))
    return [name for name in names if not name.startswith(BY_SUBJECT)]


def named_by(file: str) -> set[str]:
    """Modules and folders that a test file names: by their path, or by their name where they are its siblings."""
    names = NAMES.findall(ast.get_docstring(ast.parse((TESTS / file).read_text("utf-8"))) or "")
    folder = file.removesuffix(Path(file).name)
    return {folder + name if (PACKAGE / folder / name).exists() else name for name in names}


def test_each_test_file_and_each_module_leads_to_the_other() -> None:
    modules = below(PACKAGE, "[!_]*.py")
    named = {file: named_by(file) for file in below(TESTS, "test_*.py")}
    for file, names in named.items():
        place = Path(file.replace("test_", ""))
        is_mirror = place.as_posix() in modules or place.stem in {place.parent.name, *OF_ALL}
        assert is_mirror or (PACKAGE / place).with_suffix("").is_dir() or names, f"{file} names no module"
        lost = [name for name in names if not (PACKAGE / name).exists() and not (TESTS.parent / name).exists()]
        assert lost == [], f"{file} names what is gone"
    found = {file.replace("test_", "") for file in named}.union(*named.values())
    for name in modules:
        folder = Path(name).parent
        is_short = len((PACKAGE / name).read_text("utf-8").splitlines()) < 60  # a table of names, a command's options
        is_mirrored = found & {name, f"{folder}/", f"{folder}.py", f"{folder}/{folder.name}.py"}
        assert is_mirrored or is_short or any((TESTS / name).with_suffix("").glob("test_*.py")), f"tests of {name}?"
