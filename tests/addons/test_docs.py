"""The docs' examples that need an add-on run, what add-ons name stands on its page, and pages name files of all."""

import re
from pathlib import Path

import pytest

from drretail.addons.exports.formats import PLUGINS
from drretail.addons.imports.formats import FORMATS
from tests.test_docs import OF_ADDONS, PAGES, ROOT, is_on_its_page, name_of, run_examples, without_blocks


@pytest.mark.parametrize("path", OF_ADDONS, ids=name_of)
def test_the_examples_of_the_docs_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(path, tmp_path, monkeypatch)


def test_each_addon_has_a_page_of_at_most_2500_words() -> None:
    pages = [path.with_name("README.md") for path in (ROOT / "drretail" / "addons").glob("*/__init__.py")]
    words = {name_of(page): len(page.read_text(encoding="utf-8").split()) for page in pages}
    assert {page: count for page, count in words.items() if count > 2500} == {}


def test_every_form_of_imports_and_exports_is_on_its_page() -> None:
    is_on_its_page("addons/imports.md", FORMATS)
    is_on_its_page("addons/exports.md", PLUGINS.own)


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
