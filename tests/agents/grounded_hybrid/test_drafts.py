"""A draft goes back at most twice, and what stays wrong is struck whole and listed."""

import json

import pytest

from drretail.agents.grounded_hybrid.drafts import TITLE, Stricken, refusal_of, strike_out, with_left_out
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.prompt import tag_content
from drretail.records.query import Query
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Limits
from drretail.records.wish import Want, Wish
from drretail.reports.picks import Declared
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import CART, FOR_30, draft, play, plays, understanding
from tests.build import known
from tests.goods import KETTLE, MUGS, O2, TOTAL, TOWELS, K, M, P, S, T

ASKED = Query(query_id="q1", user_id=QUERY.user_id, text="Which new bird feeder suits me?", source="test")
BIRDS = "You bought the Tanagrove Tube Bird Feeder before [O:0000000002]."
GOOD = "It takes twelve finches at a time and opens at the top [P:B0TEST0002]."
RIGHT = f"# Feeders\n\nGet the **Tanagrove Hopper Bird Feeder, Cedar** at $39.50 [P:B0TEST0002]. {GOOD}\n\n{BIRDS}"
WRONG = RIGHT.replace("$39.50", "$29.50")
WORSE = WRONG.replace("# Feeders", "# Feeders\n\nGet the **Zephyrine Cloud Nine Seed Silo** ($31.99) [P:B0NOTHERE0].")
HOPPER = (Pick(product="B0TEST0002"),)


def test_what_stays_wrong_after_two_repairs_is_struck_whole_and_listed(world: World) -> None:
    cast = plays(report=(WRONG,))
    run = play(world, cast, query=ASKED).run
    assert (len(cast.shown["report"]), len(run.repairs)) == (3, 2)
    asked = cast.shown["report"][1].messages[1].text
    assert (tag_content("report", asked), tag_content("query", asked)) == (WRONG + CART, ASKED.text)
    assert tag_content("cost", asked) == "$39.50", "for the sums that were made of a wrong price"
    assert run.report is not None
    body, _, listed = run.report.partition(f"\n\n## {TITLE}\n")
    assert body == f"# Feeders\n\n{GOOD}\n\n{BIRDS}"
    assert "a wrong price; in fact $39.50 [P:B0TEST0002]." in listed
    assert "29.50" not in run.report
    assert [(finding.code, finding.text) for finding in run.struck] == [
        ("price_wrong", "Get the **Tanagrove Hopper Bird Feeder, Cedar** at $29.50 [P:B0TEST0002].")
    ]
    assert run.picks == HOPPER, "another statement still cites it"
    fault, refusal = json.loads(tag_content("problems", cast.shown["report"][2].messages[1].text) or "")
    assert (fault["said"], fault["found"], fault["evidence_id"]) == ("$29.50", "$39.50", "P:B0TEST0002")
    assert refusal == {"code": "repair_not_taken", "found": "it mended nothing", "stayed": [fault]}
    assert run.repairs[0] == "1: price_wrong; not taken: it mended nothing; stayed: price_wrong “$29.50”"


@pytest.mark.parametrize("first", [RIGHT, WRONG])
def test_what_a_draft_refuses_stands_in_the_run_though_it_is_repaired_or_struck(world: World, first: str) -> None:
    cast = plays(report=(first,), cart="\n\n```picks\nnone: too_dear, demands\nnearest: P:B0TEST0002 x 1\n```")
    run = play(world, cast, query=ASKED).run
    assert run.picks == ()
    assert run.outcome == Outcome(decision="none", because=("too_dear", "demands"), nearest=("B0TEST0002",))
    if first == WRONG:
        shown = tag_content("report", cast.shown["report"][1].messages[1].text) or ""
        assert shown.endswith("none: too_dear\nnone: demands\nnearest: P:B0TEST0002 x 1\n```")


@pytest.mark.parametrize(
    ("mended", "why"),
    [
        (WORSE, "more or graver faults"),
        ("Get it [O:0000000002].", "as many faults as it mended"),  # the pick is in the cart and argued for nowhere
        ("Get it [P:B0TEST0002].", "half as long"),
    ],
)
def test_a_repair_that_makes_things_worse_is_not_taken(world: World, mended: str, why: str) -> None:
    wrong = WRONG.replace(f"\n\n{BIRDS}", "") if why == "half as long" else WRONG
    run = play(world, plays(report=(wrong, mended, RIGHT)), query=ASKED).run
    assert why in run.repairs[0]
    assert run.report == RIGHT


@pytest.mark.parametrize("failure", [ModelError("timeout", "slow"), ModelError("refusal", "no")])
def test_a_repair_that_fails_leaves_the_draft_and_is_the_last(world: World, failure: ModelError) -> None:
    cast = plays(report=(WRONG, failure, RIGHT))
    run = play(world, cast, query=ASKED).run
    assert run.status == "done"
    assert run.repairs == (f"1: price_wrong; failed: {failure.kind}: {failure.message}",)
    assert len(run.struck) == 1


def test_a_budget_that_does_not_hold_is_named_at_the_end(world: World) -> None:
    run = play(world, plays(report=(RIGHT,), understood=(understanding(FOR_30),))).run
    assert run.report is not None
    assert run.report.startswith(RIGHT)
    assert run.report.endswith(f"## {TITLE}\n\nThe budget is $30.00, and the picks cost $39.50.\n")
    assert (len(run.repairs), run.struck, run.picks) == (2, (), HOPPER)
    assert any(note.startswith("left wrong: over_budget") for note in run.notes)


def test_a_repair_is_made_only_while_the_tokens_last(world: World) -> None:
    spent = sum(each.total for each in play(world, plays(report=(WRONG,)), query=ASKED).run.usage.values())
    made: set[int] = set()
    for tenths in range(3, 14):
        run = play(world, plays(report=(WRONG,)), query=ASKED, limits=Limits(tokens=spent * tenths // 10)).run
        if run.status == "failed":
            continue
        made.add(len(run.repairs))
        # A repair's size is guessed from the request before it, which has no list of problems.
        assert sum(each.total for each in run.usage.values()) <= 1.05 * spent * tenths / 10
        assert len(run.struck) == 1
        assert run.stop == "token_budget" or len(run.repairs) == 2
    assert made == {0, 1, 2}


def test_a_draft_that_declares_no_picks_takes_no_others_place() -> None:
    before = draft("Get it ($13.99) [P:B0KITCHENK].", "B0KITCHENK")
    refusal = refusal_of(before.instead(Declared("Get it [P:B0KITCHENK].", None)), before)
    assert known(refusal).why == "its picks can't be read"


OWNED = Wish(
    wants=(Want(name="kettle", kinds=("kettle",)), Want(name="mug", kinds=("mug",), not_owned=True)),
    owned=(MUGS.product_id,),
)


def struck(report: str, *products: str, wish: Wish | None = None) -> Stricken:
    return strike_out(draft(report, *products, wish=wish))


WITH_COUPON = f"With a coupon the kettle {K} may be had for $30 or $35, which saves about $10."
PAN = f"The pan {P} costs $38.50."
WRONG_PRICE = f"The kettle costs $41.15 {K}."
ITEMS = [
    f"- **Pan** {P}, $38.50.",
    f"- **Kettle** {K}, $41.15. It pours slowly.\n  - It holds a litre.\n  - Steel.",
    f"- **Towels** {T}, $17.99.",
]
ROWS = [
    "| Thing | Price |",
    "|---|---|",
    f"| Pan {P} | $38.50 |",
    f"| Kettle {K} | $41.15 |",
    f"| Towels {T} | $17.99 |",
]
CARE = "## Care\n\nSteel lasts [W:aaaaaaaa]."
# By what goes, a report before and after.
STRUCK: dict[str, tuple[str, str]] = {
    "the sentence that holds the fault alone": (
        f"{PAN} {WRONG_PRICE} It began with a long test. It holds a litre {K}.",
        f"{PAN} It began with a long test. It holds a litre {K}.",
    ),
    "of a quotation, with its line": (f"The end.\n\n> {WRONG_PRICE}\n> - Pan {P}\n", f"The end.\n\n> - Pan {P}"),
    "a list item with what hangs on it": (
        "Three things:\n\n" + "\n".join(ITEMS),
        f"Three things:\n\n{ITEMS[0]}\n{ITEMS[2]}",
    ),
    "a row, and the table stays": ("\n".join(ROWS), "\n".join([*ROWS[:3], ROWS[4]])),
    "an emptied section with its heading": (
        f"# Gifts\n\n## Picks\n\nThese will do:\n\n- Kettle, $41.15 {K}\n- Towels, $18.99 {T}\n\n{CARE}",
        f"# Gifts\n\n{CARE}",
    ),
    "no heading below which something is left": (
        f"## Picks\n\n- Kettle, $41.15 {K}\n\nBoth are sturdy.",
        "## Picks\n\nBoth are sturdy.",
    ),
    "a heading with a fault, with its section": (
        f"## Kettle, $41.15 {K}\n\nIt pours slowly.\n\n### Care\n\nDescale it.\n\n## Towels\n\nSix {T}.",
        f"## Towels\n\nSix {T}.",
    ),
    "nothing that code can't derive": (WITH_COUPON, WITH_COUPON),
}


@pytest.mark.parametrize("goes", STRUCK)
def test_what_is_wrong_is_struck_out_with_the_sentences_that_rest_on_it(goes: str) -> None:
    before, after = STRUCK[goes]
    assert struck(before).draft.report == after


def picked(stricken: Stricken) -> list[str]:
    return [pick.product for pick in stricken.draft.case.picks or ()]


def test_a_wrong_pick_goes_with_what_is_said_of_it_alone_and_one_that_nothing_is_said_of_as_well() -> None:
    report = (
        f"Get the mugs {M}. You bought mugs before {M}{O2}. The towels {T} match the mugs {M}. The kettle {K} is steel."
    )
    stricken = struck(report, MUGS.product_id, KETTLE.product_id, wish=OWNED)
    assert stricken.draft.report == report.removeprefix(f"Get the mugs {M}. ")
    assert picked(stricken) == [KETTLE.product_id]
    assert [(one.code, one.text) for one in stricken.struck] == [("recommended_although_owned", f"Get the mugs {M}.")]
    unsaid = struck(f"The towels {T} are soft.", KETTLE.product_id, TOWELS.product_id)
    assert picked(unsaid) == [TOWELS.product_id]
    assert "in the cart, with no word on it" in with_left_out(unsaid)


def test_a_sum_of_picks_that_are_no_more_is_looked_at_again() -> None:
    report = f"The kettle {K} is steel. The towels {T} are soft. Get the scale {S} for $12.99."
    stricken = struck(report + f" Both cost $60.94 {TOTAL}.", KETTLE.product_id, TOWELS.product_id)
    assert strike_out(stricken.draft).struck == ()
