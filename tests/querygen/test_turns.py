"""Conversations from elsewhere: a CSV of turns, and cases of commerce-agents."""

import json
from pathlib import Path

import pytest

from drretail.api.worlds import open_world
from drretail.env.offers import Offers
from drretail.errors import UserError
from drretail.querygen.reading import queries_from, read_queries, read_questions
from drretail.querygen.turns import with_expected
from drretail.records.query import turns_until
from drretail.records.reading import Pick
from tests import build

MUSTARD, SAGE = "B05QGUF1HR", "B0F7V3Y889"
CASE = {
    "id": "bib swap",
    "state": {"cart": [], "seen_products": [MUSTARD], "memory": []},
    "turns": [
        {"role": "user", "content": "Put the mustard bib into my cart."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "And two of the sage ones."},
    ],
    "expected": {
        "cart_contains": [MUSTARD, {"product_id": SAGE, "quantity": 2}],
        "cart_item_count": 3,
        "never_calls": ["checkout"],
        "rubric": "says both prices",
    },
}


def test_rows_of_one_conversation_follow_one_another(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    path.write_text("conversation,question,user\none,A bib,\none,Two of it,\ntwo,A bib,\none,Two of it,\n")
    queries = queries_from(read_questions(path), "turns.csv", None)
    assert [query.query_id for query in queries] == ["one-1", "one-2", "two-1", "one-3"]
    assert [query.after for query in queries] == [None, "one-1", None, "one-2"]
    assert {query.cluster for query in queries} == {"one", "two"}
    assert {key: len(turns) for key, turns in turns_until(queries).items()} == {"one-1": 1, "one-2": 2, "one-3": 3}
    assert [turn.query_id for turn in turns_until(queries)["one-3"]] == ["one-1", "one-2", "one-3"]


def test_a_case_wants_the_products_that_it_names_and_counts_what_has_no_place(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE))
    cases = read_questions(path)
    first, second = queries_from(cases, "cases.jsonl", None)
    with open_world("demo") as world:
        offers = Offers(world)
        opened, of_state = with_expected(first, cases[0].expected, world.store)
        typed, untyped = with_expected(second, cases[1].expected, world.store)
        assert (opened, of_state) == (first, ["state.cart", "state.seen_products", "state.memory"])
        assert untyped == ["never_calls", "rubric"]
        reference = offers.reference(typed)
        for picks, is_right in (
            ((Pick(product=MUSTARD), Pick(product=SAGE, quantity=2)), True),
            ((Pick(product=MUSTARD), Pick(product=SAGE)), False),
            ((Pick(product=MUSTARD), Pick(product="B092T5Z8TW", quantity=2)), False),
        ):
            assert offers.cart(build.known(typed.wish), reference, picks).is_feasible is is_right
        assert with_expected(second, {"cart_contains": ["B0UNKNOWN0"]}, world.store) == (second, ["cart_contains"])


def test_a_turn_follows_one_that_stands_before_it_and_that_no_other_follows(tmp_path: Path) -> None:
    for after, why in (
        (["t-9"], "stands in no line before it"),
        (["t-1", "t-1"], "is followed by another turn already"),
    ):
        turns = [build.query("t-1"), *(build.query(f"t-{n}", after=each) for n, each in enumerate(after, 2))]
        path = tmp_path / "q.jsonl"
        path.write_text("".join(f"{turn.as_line()}\n" for turn in turns))
        with pytest.raises(UserError, match=why):
            read_queries(path)
