"""docs/reference is what the options and docstrings say."""

import ast
from pathlib import Path

import pytest

from scripts.reference.markdown import escaped, link
from scripts.reference.pages import MADE
from scripts.reference.python import NAMES
from scripts.reference.source import source_of


@pytest.mark.parametrize("path", MADE, ids=lambda path: path.name)
def test_a_page_of_the_reference_is_what_options_and_docstrings_say(path: Path) -> None:
    made = MADE[path]()
    assert path.read_text(encoding="utf-8") == made, (
        f"docs/reference/{path.name} is out of date: run python -m scripts.reference."
    )


def test_the_reference_has_every_name_that_is_given_out() -> None:
    listed: dict[str, set[str]] = {}
    for place in [place for places in NAMES.values() for place in places]:
        module, _, names = place.partition(": ")
        listed.setdefault(module, set()).update(names.split())
    for package in ("drretail", "drretail.addons.gym", "drretail.addons.lab.commands", "drretail.api.queries"):
        public = "_PLACES" if package == "drretail" else "__all__"
        given_out = set(ast.literal_eval(source_of(package).values[public]))
        modules = (
            {"bench", "gym", "lab", "queries", "worlds"} if package == "drretail" else set()
        )  # listed by themselves
        assert given_out - listed[package] - modules == set()


def test_what_markdown_would_swallow_is_shown() -> None:
    assert escaped("DIR/<query id>/, a_b, *x, ``<c>`` (docs/tools.md#pages)") == (
        r"DIR/\<query id>/, a_b, \*x, `<c>` ([tools.md](../tools.md#pages))"
    )
    assert escaped("See drretail/addons/lab/README.md.") == "See [lab](../../drretail/addons/lab/README.md)."
    assert link("open_world", "open_world()") == "[`open_world`](#open_world)"
