"""Of add-ons: no hostile text reaches a model in a form of a prompt's, and no command prints what a terminal obeys."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from drretail.addons.publications.agents.dr3 import agent
from drretail.addons.publications.agents.dr3.agent import UserFile
from drretail.addons.sandboxes.search_based.gold import file_tags, page_tags
from drretail.addons.sandboxes.search_based.pages import numbered_needs
from drretail.env.web.sandbox import SandboxPage
from tests.addons.imports.foreign import drb
from tests.api.test_hostile_texts import ALL, ASKED, URL, holds_nothing_that_poses_as_a_prompt
from tests.cli.test_terminals import EVIL, place, prints_no_escape_codes, provider

# pyright: reportPrivateUsage=false


BUILDERS: dict[str, Callable[[], Iterable[object]]] = {
    "sandboxes: pages": lambda: page_tags([SandboxPage(url=URL, title=ALL, text=ALL)]),
    "sandboxes: files": lambda: file_tags({"notes.txt": ALL.encode()}),
    "sandboxes: needs": lambda: [numbered_needs([ALL])],
    "dr3's reader": lambda: agent._of_text(UserFile(Path(f"a{ALL}.txt".replace("/", ""))), ALL, "1 of 1", ASKED),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_no_prompt_of_an_add_on_holds_what_poses_as_one(name: str) -> None:
    holds_nothing_that_poses_as_a_prompt(BUILDERS[name]())


__all__ = ["place", "provider"]


def test_an_import_prints_no_escape_codes(place: Path) -> None:
    drb(place / "theirs.jsonl", f"# Report\n\nTake {EVIL} this one [1].\n\n[1] https://a.example/ {EVIL}", EVIL)
    prints_no_escape_codes(place, "import", "drb", "theirs.jsonl", "--to", "imported")


def test_a_providers_error_page_prints_no_escape_codes(place: Path, provider: str) -> None:
    labels = f"claim,source,label\n{EVIL},{EVIL},{EVIL}\n".replace("\r", "")
    (place / "labels.csv").write_text(labels, encoding="utf-8")
    card = ("lab", "card", "--labels", "labels.csv", "--to", "exp")
    prints_no_escape_codes(place, *card, "--judge", "openai:x", "--base-url", provider)
