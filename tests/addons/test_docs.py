"""The docs' examples that need an add-on run, and what add-ons name stands on its page."""

from pathlib import Path

import pytest

from drretail.addons.exports.formats import PLUGINS
from drretail.addons.imports.formats import FORMATS
from tests.test_docs import OF_ADDONS, cache, is_on_its_page, run_examples

__all__ = ["cache"]


@pytest.mark.parametrize("path", OF_ADDONS, ids=lambda path: path.name)
def test_the_examples_of_the_docs_run(path: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_examples(path, cache, tmp_path, monkeypatch)


def test_every_form_of_imports_and_exports_is_on_its_page() -> None:
    is_on_its_page("exchange.md", FORMATS)
    is_on_its_page("exchange.md", PLUGINS.own)
