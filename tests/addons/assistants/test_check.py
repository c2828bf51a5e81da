"""``check`` as a user's tests call it: alone, in pydantic-evals and in promptfoo."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

from drretail import check
from drretail.env.world import World
from drretail.errors import UserError
from tests.cli.commands import Command

PAGE = Path(__file__).parents[2] / "drretail" / "addons" / "assistants" / "README.md"
QUESTION = "How much is it?"
RIGHT, WRONG = "The feeder costs $24.99 [P:B0TEST0001].", "The feeder costs $21.99 [P:B0TEST0001]."


def example(file: str) -> dict[str, Any]:
    """The names of an example on the page."""
    if not PAGE.exists():
        pytest.skip("a copy of the core alone has no page of assistants")
    found = re.search(rf"^```python no-run\n# {file}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    assert len(found[1].splitlines()) <= 14
    names: dict[str, Any] = {"__name__": "example"}
    exec(found[1], names)
    return names


def test_an_answer_is_true_unless_a_record_says_otherwise(world: World) -> None:
    right, wrong, said_nothing = (check(QUESTION, text, world) for text in (RIGHT, WRONG, "Good morning!"))
    assert right.is_true
    assert (right.looked_at.decided, right.looked_at.power) == (1, 1)
    assert [(each.code, each.text, each.found) for each in wrong.findings] == [("price_wrong", "$21.99", "$24.99")]
    assert repr(wrong).startswith("1 false; 1 of 1 numbers")
    assert (said_nothing.is_true, said_nothing.looked_at.decided) == (True, 0)


def test_marks_by_address_are_read_in_answers_as_in_reports(world: World) -> None:
    shop, said = "http://ecommerce.com/B0TEST0001", "It fits small yards well, at {}"
    for form in (
        f"{said} ([shop]({shop})).",
        f"{said} {shop}",
        f"{said} [1].\n\n[1] {shop}",
        f"- {said}\n- Link: {shop}",
    ):
        for amount, false in (("$24.99", []), ("$21.99", ["$21.99"])):
            found = [each.text for each in check(QUESTION, form.format(amount), world).findings]
            assert (form, found) == (form, false)
    assert check(QUESTION, "It fits small yards well, at $21.99.", world).not_looked_at == ("21.99",)


def test_an_answer_that_repeats_itself_is_read_in_linear_time(world: World) -> None:
    started = time.process_time()
    check(QUESTION, "Tanagrove Tube Bird Feeder: $24.99, 4.6 ★ (1,843), " * 2000, world)
    assert time.process_time() - started < 20, "it takes minutes where time grows with the square"


def test_the_command_ends_with_4_if_something_is_false_and_with_3_if_nothing_was_looked_at(
    tiny_shop: Path, tmp_path: Path, drretail: Command
) -> None:
    for answer, code in ((RIGHT, 0), (WRONG, 4), ("Good morning.", 3)):
        (tmp_path / "answer.txt").write_text(answer)
        assert drretail("check", QUESTION, "answer.txt", "--world", str(tiny_shop)).returncode == code


def test_nothing_is_no_answer(world: World) -> None:
    with pytest.raises(UserError, match="no answer"):
        check(QUESTION, " ", world)


def test_promptfoo_calls_it_for_an_assertion(tiny_shop: Path) -> None:
    get_assert = example("is_true.py")["get_assert"]
    context = {"vars": {"question": QUESTION}, "config": {"world": str(tiny_shop)}}
    assert get_assert(RIGHT, context)["pass"]
    result = get_assert(WRONG, context)
    assert (result["pass"], result["score"]) == (False, 0)
    assert "price_wrong" in result["reason"]


def test_an_evaluator_of_pydantic_evals_calls_it(tiny_shop: Path) -> None:
    evals = pytest.importorskip("pydantic_evals")
    evaluators = [example("evals.py")["IsTrue"](str(tiny_shop))]
    dataset = evals.Dataset(name="answers", cases=[evals.Case(name="one", inputs=QUESTION)], evaluators=evaluators)
    right, wrong = (dataset.evaluate_sync(lambda _, text=text: text, progress=False) for text in (RIGHT, WRONG))
    assert right.cases[0].assertions["IsTrue"].value is True
    assert wrong.cases[0].assertions["IsTrue"].value is False
