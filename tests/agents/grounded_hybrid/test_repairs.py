"""A draft goes back at most twice; a worse one is not taken; what stays wrong is struck and listed."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.agents.grounded_hybrid.drafts import Draft, why_not
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.struck_section import TITLE
from drretail.prompts import tag_content
from drretail.records.query import Query
from drretail.records.run import Limits
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import play, plays
from tests.grounding.shelf import WEB, a_case, a_query

ASKED = Query(query_id="q1", user_id=QUERY.user_id, text="Which new bird feeder suits me?", source="test")
BIRDS = "You bought the Tanagrove Tube Bird Feeder before [O:0000000002]."
RIGHT = f"# Feeders\n\nGet the **Tanagrove Hopper Bird Feeder, Cedar** at $39.50 [P:B0TEST0002].\n\n{BIRDS}"
WRONG = RIGHT.replace("$39.50", "$29.50")
WORSE = WRONG.replace("# Feeders", "# Feeders\n\nGet the **Zephyrine Cloud Nine Seed Silo** ($31.99).")


def test_a_right_draft_is_the_report(world: World) -> None:
    cast = plays(report=(RIGHT,))
    run = play(world, cast, query=ASKED).run
    assert (run.report, run.repairs, run.struck, len(cast.shown["report"])) == (RIGHT, (), (), 1)


def test_a_draft_goes_back_with_its_problems_and_comes_back_mended(world: World) -> None:
    cast = plays(report=(WRONG, RIGHT))
    run = play(world, cast, query=ASKED).run
    assert (run.report, run.struck) == (RIGHT, ())
    assert run.repairs == ("1: price_wrong; taken, left: nothing",)
    asked = cast.shown["report"][1].messages[1].text
    assert tag_content("report", asked) == WRONG
    assert tag_content("query", asked) == ASKED.text
    assert json.loads(tag_content("reports", asked) or "")[0]["researcher"] == 1
    (problem,) = json.loads(tag_content("problems", asked) or "")
    assert problem == {
        "code": "price_wrong",
        "said": "$29.50",
        "sentence": "Get the **Tanagrove Hopper Bird Feeder, Cedar** at $29.50 [P:B0TEST0002].",
        "found": "$39.50",
        "evidence_id": "P:B0TEST0002",
    }


def test_what_stays_wrong_after_two_repairs_is_struck_and_listed(world: World) -> None:
    cast = plays(report=(WRONG,))
    run = play(world, cast, query=ASKED).run
    assert len(cast.shown["report"]) == 3
    assert len(run.repairs) == 2
    assert run.report is not None
    assert run.report.startswith(RIGHT.replace(" at $39.50", "") + f"\n\n## {TITLE}\n")
    assert "`… Tanagrove Hopper Bird Feeder, Cedar at $29.50`: the shop's price is $39.50" in run.report
    assert [(finding.code, finding.found) for finding in run.struck] == [("price_wrong", "$39.50")]
    refusal = json.loads(tag_content("problems", cast.shown["report"][2].messages[1].text) or "")[-1]
    assert refusal["code"] == "repair_not_taken"


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_the_limit_of_repairs_is_kept(world: World, repairs: int) -> None:
    cast = plays(report=(WRONG,))
    run = play(world, cast, query=ASKED, limits=Limits(repairs=repairs)).run
    assert (len(cast.shown["report"]), len(run.repairs)) == (1 + repairs, repairs)


@pytest.mark.parametrize(
    ("mended", "why"),
    [(WORSE, "more or graver faults"), ("Get it.", "cites 0 sources"), ("Get it [O:0000000002].", "half as long")],
)
def test_a_repair_that_makes_things_worse_is_not_taken(world: World, mended: str, why: str) -> None:
    run = play(world, plays(report=(WRONG, mended, RIGHT)), query=ASKED).run
    assert why in run.repairs[0]
    assert run.report == RIGHT


@pytest.mark.parametrize("failure", [ModelError("timeout", "slow"), ModelError("refusal", "no")])
def test_a_repair_that_fails_leaves_the_draft_and_is_the_last(world: World, failure: ModelError) -> None:
    cast = plays(report=(WRONG, failure, RIGHT))
    run = play(world, cast, query=ASKED).run
    assert run.status == "done"
    assert run.repairs == (f"1: price_wrong; failed: {failure.kind}: {failure.message}",)
    assert len(run.struck) == 1


def test_a_blank_repair_is_not_taken(world: World) -> None:
    run = play(world, plays(report=(WRONG, "  ", RIGHT)), query=ASKED).run
    assert (run.status, len(run.struck)) == ("done", 1)


def test_a_report_generator_that_fails_at_first_fails_the_run(world: World) -> None:
    run = play(world, plays(report=(ModelError("model", "gone"),)), query=ASKED).run
    assert (run.status, run.report) == ("failed", None)


def test_repetition_is_taken_out_without_a_repair(world: World) -> None:
    words = (
        "The feeder stands on its own pole, takes four hooks, and needs no tools at all for putting it up in a garden. "
        "Squirrels cannot climb the baffle below the tray, which is what most buyers of such a pole write about it."
    )
    cast = plays(report=(f"{RIGHT}\n\n## One\n\n{words}\n\n## Two\n\n{words}\n",))
    run = play(world, cast, query=ASKED).run
    assert run.report is not None
    assert (run.report.count("four hooks"), run.repairs, len(cast.shown["report"])) == (1, (), 1)
    assert {finding.code for finding in run.struck} == {"repeated_section", "repeated_sentence"}


def test_a_budget_that_does_not_hold_is_said_by_code(world: World) -> None:
    run = play(world, plays(report=(RIGHT,)), query=QUERY).run  # under $30
    assert run.report is not None
    notice = run.report.splitlines()[2]
    assert notice.startswith("**The budget does not hold.** What is recommended here comes to $39.50, which is $9.50")
    assert run.report.splitlines()[0] == "# Feeders"
    assert "$39.50 [P:B0TEST0002]" in run.report
    assert len(run.repairs) == 2
    assert run.notes


def test_a_budget_that_the_report_speaks_of_itself_needs_no_notice(world: World) -> None:
    said = RIGHT.replace("Get the", "Nothing fits, so this is $9.50 over your budget of $30: get the")
    run = play(world, plays(report=(said,)), query=QUERY).run
    assert run.report is not None
    assert "does not hold" not in run.report


def test_one_thing_above_the_budget_goes_when_another_fits(world: World) -> None:
    both = "# Feeders\n\nGet the **Tanagrove Hopper Bird Feeder, Cedar** at $39.50 [P:B0TEST0002].\n\n"
    both += "I recommend the **Tanagrove Tube Bird Feeder, 18 inch** at $24.99 [P:B0TEST0001], to replace the old one."
    run = play(world, plays(report=(both,)), query=QUERY).run
    assert run.report is not None
    assert [finding.code for finding in run.struck] == ["over_budget"]
    assert "at $24.99 [P:B0TEST0001]" in run.report
    assert "does not hold" not in run.report


def test_the_same_run_twice_is_the_same(world: World) -> None:
    first, second = (play(world, plays(report=(WORSE,)), query=ASKED) for _ in range(2))
    assert (first.run, first.evidence) == (second.run, second.evidence)


def test_a_repair_is_made_only_while_the_tokens_last(world: World) -> None:
    spent = sum(it.total for it in play(world, plays(report=(WRONG,)), query=ASKED).run.usage.values())
    made: set[int] = set()
    for tenths in range(3, 14):
        run = play(world, plays(report=(WRONG,)), query=ASKED, limits=Limits(tokens=spent * tenths // 10)).run
        if run.status == "failed":
            continue
        made.add(len(run.repairs))
        assert sum(it.total for it in run.usage.values()) <= spent * tenths // 10
        assert len(run.struck) == 1
        assert run.stop == "token_budget" or len(run.repairs) == 2
    assert made == {0, 1, 2}


SENTENCES = st.sampled_from(
    [
        "Get the **Quillet Bird Feeding Station Kit** ($43.99) [P:B0SHELF001].",
        "Get the **Quillet Bird Feeding Station Kit** ($13.99) [P:B0SHELF001].",
        "Get the **Zephyrine Cloud Nine Seed Silo** ($31.99).",
        f"A pole keeps squirrels away [{WEB}].",
        "A pole keeps squirrels away [W:aaaaaaaa].",
    ]
)


@settings(max_examples=60, deadline=None)
@given(old=st.lists(SENTENCES, min_size=1, max_size=5), new=st.lists(SENTENCES, min_size=1, max_size=5))
def test_a_draft_that_takes_the_place_of_another_has_fewer_faults(old: list[str], new: list[str]) -> None:
    before, after = (Draft(a_case("\n\n".join(it), a_query())) for it in (old, new))
    if why_not(after, before) is None:
        assert len(after.errors) <= len(before.errors)
        assert why_not(before, after) is not None
    assert why_not(before, before) is not None
