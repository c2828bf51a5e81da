"""Nor does a hostile text reach a model that an add-on asks in a form of a prompt's."""

# pyright: reportPrivateUsage=false

from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drretail.addons.lab.bias import justification
from drretail.addons.publications.agents.dr3 import agent
from drretail.addons.sandboxes.search_based.files import file_tags
from drretail.addons.sandboxes.search_based.gold import page_tags
from drretail.addons.sandboxes.search_based.pages import numbered_needs
from drretail.agents.user_files import UserFile
from drretail.env.web.sandbox import SandboxPage
from drretail.llm.prompt import load_prompt
from tests.api.test_hostile_texts import ALL, ASKED, TYPED, URL, holds_nothing_that_poses_as_a_prompt


def _justified(reason: str) -> str:
    subject: Any = SimpleNamespace(label="react", query=TYPED, repeat=1, report_sha="0")
    prompt = load_prompt(justification.__file__, "derive_support")
    question = justification._question(subject, "support", reason, prompt, justification.DerivedSupport)
    return question.prompt.render(**question.values())


BUILDERS: dict[str, Callable[[], Iterable[object]]] = {
    "lab: justifications": lambda: [_justified(ALL)],
    "sandboxes: pages": lambda: page_tags([SandboxPage(url=URL, title=ALL, text=ALL)]),
    "sandboxes: files": lambda: file_tags({"notes.txt": ALL.encode()}),
    "sandboxes: needs": lambda: [numbered_needs([ALL])],
    "dr3's reader": lambda: agent._of_text(UserFile(Path(f"a{ALL}.txt".replace("/", ""))), ALL, "1 of 1", ASKED),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_no_prompt_of_an_add_on_holds_what_poses_as_one(name: str) -> None:
    holds_nothing_that_poses_as_a_prompt(BUILDERS[name]())
