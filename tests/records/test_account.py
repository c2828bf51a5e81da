"""Accounts of stages: sums, what may be said, exit codes. Commands' own accounts are tested in their rooms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.records.account import Account, Fate, wrong_sums
from drretail.viewer.drawing.result import Result, account_table


def judged(came: int, used: int, reason: str = "the judge failed: HTTP 400", *, failed: bool = True) -> Account:
    account = Account("false answers", "answer")
    account.take(came)
    account.use(used)
    account.leave_out(reason, "q1-r1", came - used, failed=failed)
    return account


@pytest.mark.parametrize(
    ("account", "sentence"),
    [
        (judged(5, 5), "No fault was found in 5 answers."),
        (
            judged(7, 4),
            "No fault was found in the 4 of 7 answers looked at; 3 were not: the judge failed: HTTP 400 (3, first: "
            "q1-r1).",
        ),
        (
            judged(5, 0),
            "5 answers, none of which could be looked at: the judge failed: HTTP 400 (5, first: q1-r1).",
        ),
        (judged(1, 0, "empty"), "1 answer, which could not be looked at: empty (1, first: q1-r1)."),
        (judged(0, 0), "There was no answer to look at."),
    ],
)
def test_praise_is_of_what_was_looked_at(account: Account, sentence: str) -> None:
    assert account.praise("no fault was found") == sentence


@given(st.lists(st.sampled_from(["use", "merge", "leave_out", "lost"])))
def test_a_lost_thing_shows_and_names_its_stage(fates: list[str]) -> None:
    account = Account("import", "row")
    for number, fate in enumerate(fates):
        account.take()
        match fate:
            case "use":
                account.use()
            case "merge":
                account.merge("the same id", f"row {number}")
            case "leave_out":
                account.leave_out("no text", f"row {number}")
            case _:
                pass
    assert account.adds_up == ("lost" not in fates)
    assert bool(wrong_sums([account])) == ("lost" in fates)
    assert (account_table([account]) is None) == (set(fates) <= {"use"})
    assert Account.read(account.document()) == account
    assert ("No fault was found in" in account.praise("no fault was found")) == ("use" in fates)
    if "merge" in fates:
        assert account.merged["the same id"].first == f"row {fates.index('merge')}"


@pytest.mark.parametrize(
    ("account", "code"),
    [
        (judged(2, 2), 0),
        (judged(2, 1, "--since", failed=False), 0),
        (judged(2, 1), 3),
        (judged(2, 0, "--since", failed=False), 3),
        (judged(0, 0), 3),
        (Account("import", "row", came=2, used=1), 1),
        (Account("import", "row", came=1, merged={"in the experiment already": Fate(1)}), 0),
    ],
)
def test_exit_codes_follow_the_account(account: Account, code: int) -> None:
    result = Result(None, {}, accounts=[account])
    assert result.exit_code == code
    assert result.document["accounts"] == [account.document()]
    assert ("What was not used" in repr(result)) == (not account.is_whole and account.came > 0)
