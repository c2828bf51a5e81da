"""A web question has to be answered by two pages' bodies: a page whose snippet answers is a fault."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.querygen.lint import Linter
from drretail.records.criteria import Gold, WebAnswer, WebQuestion
from tests.build import query

ASKED = "How high should a bird feeder hang?"
OPENING = "How high a bird feeder should hang is asked every spring, by people who have just bought one."
BETWEEN = "Many things matter more than they seem to, and much is a question of what you like to look at. " * 4
ANSWER = "Five feet above the ground does for most gardens."
GOOD = f"{OPENING}\n\n{BETWEEN}\n\n{ANSWER} {BETWEEN}"
TELLING = f"{BETWEEN}\n\nA bird feeder should hang high: five feet above the ground does for most gardens.\n\n{BETWEEN}"
OF_OTHER_THINGS = f"{BETWEEN}\n\n{ANSWER}"


def codes(world: World, texts: Sequence[str]) -> list[str]:
    """What is found in a question that names each page of these texts, but TELLING, as an answer."""
    pages = [SandboxPage(url=f"https://p{n}.example", title="Feeders", text=text) for n, text in enumerate(texts)]
    answers = [
        WebAnswer(url=page.url, quote="Five feet above the ground", keys=("five feet",))
        for page in pages
        if page.text != TELLING
    ]
    gold = Gold(query_id="q", web_question=WebQuestion(text=ASKED, answers=tuple(answers)))
    asked = query("q", "What about feeders?").model_copy(update={"gold": gold})
    findings = Linter(replace(world, web=SandboxWeb(pages))).check(asked).findings
    return [finding.code for finding in findings if finding.code.startswith("web_answer")]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((GOOD, GOOD), []),
        ((GOOD, GOOD, GOOD.replace("Five feet", "A yard")), ["web_answer_not_on_page"]),
        ((GOOD, GOOD, TELLING), ["web_answer_in_snippet"]),
        ((GOOD, OF_OTHER_THINGS), ["web_answer_not_found"]),
        ((GOOD,), ["web_answer_not_found"]),
    ],
)
def test_an_answer_stands_in_two_bodies_and_in_no_snippet(
    world: World, texts: Sequence[str], expected: list[str]
) -> None:
    assert codes(world, texts) == expected
