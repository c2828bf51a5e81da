"""tests/ mirrors drretail/: the tests of a module go by its name, or name it in their first lines."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "drretail"
BY_SUBJECT = ("data_ingest/", "eval/claims/", "grounding/", "examples/", "standard/")
"""Folders whose test files go by what is read or run there."""
OF_ALL = {"contract", "docs", "hostile_texts", "killed_writes", "maps", "mirror", "patterns"}
"""Rules that hold in the whole package, or for all of a kind."""
SHORT = 60  # lines of a module that nobody looks for by its name: a table of names, the options of few commands
NAMES = re.compile(r"(?:[a-z_0-9]+/)*[a-z_0-9]+(?:\.py\b|/(?=[ .,]))")


def below(folder: Path, pattern: str) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob(pattern))
    return [name for name in names if not name.startswith(BY_SUBJECT)]


MODULES, FILES = below(PACKAGE, "[!_]*.py"), below(TESTS, "test_*.py")


def named_by(file: str) -> set[str]:
    """Modules and folders that a test file names: by their path, or by their name where they are its siblings."""
    names = NAMES.findall(ast.get_docstring(ast.parse((TESTS / file).read_text("utf-8"))) or "")
    folder = file.removesuffix(Path(file).name)
    return {folder + name if (PACKAGE / folder / name).exists() else name for name in names}


def test_a_test_file_goes_by_a_module_or_folder_or_names_the_modules_that_it_tests() -> None:
    for file in FILES:
        place = Path(file.replace("test_", ""))
        is_mirror = place.as_posix() in MODULES or place.stem in {place.parent.name, *OF_ALL}
        assert is_mirror or (PACKAGE / place).with_suffix("").is_dir() or named_by(file), file
        for name in named_by(file):
            assert (PACKAGE / name).exists() or (PACKAGE.parent / name).exists(), f"{file} names {name}"


def test_a_module_has_tests_that_go_by_it_or_by_its_folder_or_name_it() -> None:
    tests = {file.replace("test_", "") for file in FILES}.union(*map(named_by, FILES))
    folders = {Path(file).parent for file in FILES}
    for name in (name for name in MODULES if len((PACKAGE / name).read_text("utf-8").splitlines()) >= SHORT):
        folder = Path(name).parent
        is_found = tests & {name, f"{folder}/", f"{folder}.py", f"{folder}/{folder.name}.py"}
        assert is_found or Path(name).with_suffix("") in folders, name
