"""Near-duplicates, and what tells who writes. Tests names.py, privacy.py, wording.py and records/criteria.py."""

from dataclasses import replace

import pytest

from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.querygen.checks.privacy import identifying
from drretail.querygen.checks.wording import near_duplicates
from drretail.querygen.lint import Linter
from drretail.records.criteria import Gold, WebAnswer, WebQuestion
from drretail.records.shop import UserProfile
from drretail.records.wish import Want, Wish
from tests.build import query


def test_the_same_words_with_other_numbers_and_the_same_need_are_asked_twice_and_twins_are_not() -> None:
    feeder = Wish(wants=(Want(name="feeder", kinds=("feeder",)),), owned=("B1",))
    asked = [
        query("a", "A feeder for $20, please.", wish=feeder),
        query("b", "a feeder for $30 please", task_id="t"),
        query("c", "A feeder for $40, please!", task_id="t"),
        query("d", "What would you put in its place?", wish=feeder),
        query("e", "Another feeder, for less than $20, please."),
    ]
    assert near_duplicates(asked).keys() == {"b", "c", "d"}
    assert near_duplicates(asked[1:3]) == {}


PRIVATE = ["John.Smith@example.co.uk", "(555) 123-4567", "+44 20 7946 0958", "12 Elm Street", "P:B0ABCDEFGH"]


def found(text: str, profile: UserProfile | None = None) -> list[str]:
    return [text[each.start : each.end] for each in identifying(text, profile)]


@pytest.mark.parametrize("private", PRIVATE)
def test_it_is_found_as_one_piece(private: str) -> None:
    assert found(f"I need a lamp, and {private}, is where I am.") == [private]


def test_a_shoppers_own_name_is_found(world: World) -> None:
    anna = world.store.user("ANNA")
    name = f"{anna.first_name} {anna.last_name}"
    assert found(f"My name is {name}, and my sister is Jane Doe.", anna) == [name]


ASKED = "How high should a bird feeder hang?"
OPENING = "How high a bird feeder should hang is asked every spring, by people who have just bought one."
BETWEEN = "Many things matter more than they seem to, and much is a question of what you like to look at. " * 4
ANSWER = "Five feet above the ground does for most gardens."
GOOD = f"{OPENING}\n\n{BETWEEN}\n\n{ANSWER} {BETWEEN}"
TELLING = f"{BETWEEN}\n\nA bird feeder should hang high: five feet above the ground does for most gardens.\n\n{BETWEEN}"
OF_OTHER_THINGS = f"{BETWEEN}\n\n{ANSWER}"


def test_an_answer_stands_in_two_bodies_and_in_no_snippet(world: World) -> None:
    for texts, expected in (
        ((GOOD, GOOD), []),
        ((GOOD, GOOD, GOOD.replace("Five feet", "A yard")), ["web_answer_not_on_page"]),
        ((GOOD, GOOD, TELLING), ["web_answer_in_snippet"]),
        ((GOOD, OF_OTHER_THINGS), ["web_answer_not_found"]),
        ((GOOD,), ["web_answer_not_found"]),
    ):
        pages = [SandboxPage(url=f"https://p{n}.example", title="Feeders", text=text) for n, text in enumerate(texts)]
        answers = [  # each page but TELLING is named as one
            WebAnswer(url=page.url, quote="Five feet above the ground", keys=("five feet",))
            for page in pages
            if page.text != TELLING
        ]
        gold = Gold(query_id="q", web_question=WebQuestion(text=ASKED, answers=tuple(answers)))
        asked = query("q", "What about feeders?").model_copy(update={"gold": gold})
        findings = Linter(replace(world, web=SandboxWeb(pages))).check(asked).findings
        codes = [finding.code for finding in findings if finding.code.startswith("web_answer")]
        assert codes == expected, expected
