"""Queries that say the same in other words."""

import pytest

from drretail.querygen.checks.wording import retold
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from tests.querygen.checks.test_codes import changed

RETOLD = (
    "Since January my bird feeder has hung outside, and I mean to make the garden a refuge for birds. I want a "
    "birdhouse and a bird bath. Could you look up what distance there should be between them? The"
    " sum has to stay below $60. What I needn't buy can be seen from my orders."
)
GRINDER = (
    "My coffee grinder is louder than I can stand, and the walls here are thin. I need a better coffee grinder; "
    "compare noise and ease of cleaning. Please find out whether burrs are worth the extra over blades. Look at "
    "my orders first."
)
GRINDER_RETOLD = (
    "I own a coffee grinder that makes more noise than these thin walls bear. A better coffee grinder it must be,"
    " told by noise and cleaning. Do burrs justify their price compared with blades? My orders come first."
)
GRINDER_AGAIN = (
    "My coffee grinder wears out my wrists. I need a better coffee grinder for camping; compare weight. Please "
    "find out what hikers say about hand mills. Look at my orders first."
)


def found(linter: Linter, *queries: Query) -> list[list[str]]:
    return [[it.code for it in checked.findings] for checked in linter.check_all(queries)]


def told(query: Query, number: int, text: str) -> Query:
    return changed(query, query_id=f"anna-{number}", text=text)


def test_the_later_of_two_that_want_the_same_things_is_named_with_the_other(linter: Linter, query: Query) -> None:
    first, second = linter.check_all([query, told(query, 2, RETOLD)])
    assert first.findings == ()
    (finding,) = second.findings
    assert (finding.code, finding.severity) == ("same_task", "warning")
    assert finding.found == "anna-1 wants the same: birdhouse, bird bath"


@pytest.mark.parametrize(
    "fields",
    [
        {"user_id": "FAYE"},
        {"kind": "gift"},
        {"text": RETOLD.replace("$60", "$90"), "constraints": {"budget": {"amount": "90"}}},
        {"text": RETOLD.replace("birdhouse and", "garden hose and")},
    ],
)
def test_another_user_kind_constraint_or_thing_makes_another_task(
    linter: Linter, query: Query, fields: dict[str, object]
) -> None:
    other = changed(told(query, 2, RETOLD), **fields)
    assert "same_task" not in found(linter, query, other)[1]


def test_of_one_thing_two_questions_may_be_asked_but_not_one_twice(linter: Linter, query: Query) -> None:
    free = changed(query, constraints={"budget": None})
    first, again, other = (told(free, n, text) for n, text in enumerate((GRINDER, GRINDER_RETOLD, GRINDER_AGAIN), 1))
    assert "same_task" in found(linter, first, again)[1]
    assert "same_task" not in found(linter, first, other)[1]


def test_sentences_are_compared_in_their_order() -> None:
    assert retold(GRINDER, GRINDER) == 1
    assert retold(GRINDER, GRINDER_RETOLD) > retold(GRINDER, " ".join(reversed(GRINDER_RETOLD.split(". "))))
