"""Made pages are what the code says, and examples of add-ons run. Tests scripts/reference/."""

import ast
import re
from pathlib import Path

import pytest

from scripts.reference.pages import MADE
from scripts.reference.python import NAMES
from scripts.reference.source import source_of
from tests.test_docs import OF_ADDONS, PAGES, ROOT, name_of, run_examples, without_blocks


@pytest.mark.parametrize("path", MADE, ids=name_of)
def test_a_made_page_is_what_options_docstrings_and_graphs_say(path: Path) -> None:
    made = MADE[path]()
    assert path.read_text(encoding="utf-8") == made, f"{name_of(path)} is out of date: run python -m scripts.reference."


def test_the_reference_has_every_name_that_is_given_out() -> None:
    listed: dict[str, set[str]] = {}
    for place in [place for places in NAMES.values() for place in places]:
        module, _, names = place.partition(": ")
        listed.setdefault(module, set()).update(names.split())
    for package in ("drretail", "drretail.addons.gym", "drretail.addons.lab.commands", "drretail.api.queries"):
        public = "_PLACES" if package == "drretail" else "__all__"
        given_out = set(ast.literal_eval(source_of(package).values[public]))
        modules = {"gym", "lab", "queries", "worlds"} if package == "drretail" else set()  # listed by themselves
        assert given_out - listed[package] - modules == set()


@pytest.mark.parametrize("path", OF_ADDONS, ids=name_of)
def test_the_examples_of_the_docs_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(path, tmp_path, monkeypatch)


def test_the_pages_of_addons_and_of_the_core_are_short() -> None:
    """As `wc -w` counts them, with examples. The goals of 2.0 are 10,000 and 19,500 words."""

    def words(page: Path) -> int:
        return len(page.read_text(encoding="utf-8").split())

    of_addons = {name_of(page): words(page) for page in (ROOT / "drretail" / "addons").glob("*/README.md")}
    assert {page: count for page, count in of_addons.items() if count > 1_000} == {}
    assert sum(of_addons.values()) <= 10_000
    assert sum(words(page) for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]) <= 20_600


def test_every_file_that_a_page_names_is_there() -> None:
    """In backticks, by its path from the checkout or from the package; NAME stands for any name."""
    tops = {path.name for root in (ROOT, ROOT / "drretail") for path in root.iterdir() if path.is_dir()} - {"prompts"}
    path_of_code = re.compile(r"`((?:\w+/)+(?:\w+\.(?:py|toml|md|sql|json|txt))?)`")
    gone = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        if page.name != "CHANGELOG.md"
        for path in path_of_code.findall(without_blocks(page))
        if path.split("/")[0] in tops and "NAME" not in path
        if not any((root / path).exists() for root in (ROOT, ROOT / "drretail"))
    ]
    assert gone == []
