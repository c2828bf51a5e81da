"""Other queries in the place of those in which something was found, and the history of it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UserError
from drretail.querygen.checks.stock import Stock
from drretail.querygen.fixing import OF_OTHERS, Faulty, Left, Mender, NotWritten, Rewrite, Rewritten, offline_rewrite
from drretail.querygen.generate import generate_for
from drretail.querygen.lint import Linter
from drretail.querygen.revisions import History, history_path, read_history_of
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import SOURCE
from drretail.records.query import Query
from drretail.tools.toolkit import Toolkit

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def linter(world: World) -> Linter:
    return Linter(world)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "queries.jsonl"


@pytest.fixture
def good(world: World) -> Query:
    return generate_for(world, ["ANNA"], per_user=1, seed="1").queries[0]


@pytest.fixture
def poor(good: Query) -> Query:
    return good.model_copy(update={"query_id": "poor-1", "text": f"{good.text} Write to anna@example.com."})


def mender(linter: Linter, file: Path, rewrite: Rewrite, tries: int = 3, *, retry_failed: bool = False) -> Mender:
    return Mender(linter, rewrite, History(file), "a test", lambda: NOON, tries, retry_failed)


class Rewriting:
    """Gives each query what its tries are to bring, in turn, and keeps what it was asked for."""

    def __init__(self, *tries: Rewritten) -> None:
        self.asked: list[Faulty] = []
        self._tries = tries

    @property
    def attempts(self) -> list[int]:
        return [each.attempt for each in self.asked]

    def __call__(self, faulty: Sequence[Faulty]) -> Sequence[Rewritten]:
        self.asked += faulty
        return [self._tries[each.attempt - 1] for each in faulty]


def test_the_first_query_without_a_finding_takes_the_place(
    linter: Linter, file: Path, good: Query, poor: Query
) -> None:
    better = good.model_copy(update={"query_id": "poor-1"})
    mended = mender(linter, file, Rewriting([poor], [poor, better])).mend([poor])
    assert mended.queries == (better,)
    assert mended.replaced == ("poor-1",)
    first, second = read_history_of(file)
    assert (first.what, first.attempt, first.findings[0].code) == ("tried", 1, "email_in_text")
    assert (second.what, second.by, second.at, second.before, second.after) == (
        "replaced",
        "a test",
        NOON,
        poor,
        better,
    )


def test_what_cannot_be_mended_stays_and_is_not_tried_for_ever(
    linter: Linter, file: Path, good: Query, poor: Query
) -> None:
    rewriting = Rewriting([], [poor])
    mended = mender(linter, file, rewriting, tries=2).mend([good, poor])
    assert mended.queries == (good, poor)
    assert rewriting.attempts == [1, 2]


def test_a_run_that_was_cut_goes_on_behind_its_last_try(linter: Linter, file: Path, good: Query, poor: Query) -> None:
    better = good.model_copy(update={"query_id": "poor-1"})
    mender(linter, file, Rewriting([]), tries=1).mend([poor])
    rewriting = Rewriting([], [better])
    assert mender(linter, file, rewriting).mend([poor]).queries == (better,)
    assert rewriting.attempts == [2]
    rewriting = Rewriting()
    assert mender(linter, file, rewriting).mend([poor]).queries == (better,)
    assert rewriting.attempts == []


def test_a_copy_of_another_query_is_not_taken(linter: Linter, file: Path, good: Query, poor: Query) -> None:
    mended = mender(linter, file, Rewriting([good.model_copy(update={"query_id": "poor-1"})]), tries=1).mend(
        [good, poor]
    )
    assert mended.replaced == ()
    assert read_history_of(file)[0].findings[0].code == "near_duplicate"


def test_every_query_has_its_first_try_before_any_has_its_second(
    linter: Linter, file: Path, good: Query, poor: Query
) -> None:
    other = poor.model_copy(update={"query_id": "poor-2"})
    rewriting = Rewriting([poor], [good.model_copy(update={"query_id": "poor-1"})])
    mender(linter, file, rewriting, tries=2).mend([poor, other])
    asked = [(each.checked.query.query_id, each.attempt, len(each.past)) for each in rewriting.asked]
    assert asked == [("poor-1", 1, 0), ("poor-2", 1, 0), ("poor-1", 2, 1), ("poor-2", 2, 1)]
    assert [each.query_id for each in rewriting.asked[0].others] == ["poor-2"]


def test_a_failure_ends_the_tries_and_stands_until_it_is_to_be_retried(
    linter: Linter, file: Path, good: Query, poor: Query
) -> None:
    better = good.model_copy(update={"query_id": "poor-1"})
    mended = mender(linter, file, Rewriting(NotWritten("timeout: gone"))).mend([poor])
    assert (mended.queries, mended.failed, mended.left) == ((poor,), {"poor-1": "timeout: gone"}, {})
    silent = Rewriting()
    assert mender(linter, file, silent).mend([poor]).failed == {"poor-1": "timeout: gone"}
    assert silent.asked == []
    retrying = Rewriting([better])
    mended = mender(linter, file, retrying, retry_failed=True).mend([poor])
    assert (mended.queries, mended.failed) == ((better,), {})
    assert [each.what for each in retrying.asked[0].past] == ["failed"]
    assert [(each.what, each.problem) for each in read_history_of(file)] == [
        ("failed", "timeout: gone"),
        ("replaced", None),
    ]
    assert mender(linter, file, Rewriting()).mend([poor]).queries == (better,)


def test_what_is_whole_is_left_alone_and_leaves_no_history(linter: Linter, file: Path, good: Query) -> None:
    assert mender(linter, file, Rewriting()).mend([good]).queries == (good,)
    assert not history_path(file).exists()


def test_the_offline_generator_rewrites_its_own_queries_only(world: World, linter: Linter, poor: Query) -> None:
    with Toolkit(Session(world, scope="any")) as toolkit:
        rewrite = offline_rewrite(world, Assortment(Stock(toolkit.session.world)), linter, "1")
        whoever = offline_rewrite(world, Assortment(Stock(toolkit.session.world)), linter, "1", whoever=True)
        by_hand = linter.check(poor.model_copy(update={"source": "Ann, by hand"}))
        mine, others = rewrite([Faulty(linter.check(poor), 1), Faulty(by_hand, 1)])
        (as_named,) = whoever([Faulty(by_hand, 1)])
    for made in (mine, as_named):
        assert not isinstance(made, NotWritten | Left)
        assert {(each.query_id, each.user_id, each.source) for each in made} == {("poor-1", "ANNA", SOURCE)}
    assert others == Left(OF_OTHERS)


def test_what_is_not_ones_own_is_left_and_named(linter: Linter, file: Path, poor: Query) -> None:
    mended = mender(linter, file, lambda faulty: [Left("so")] * len(faulty)).mend([poor])
    assert (mended.queries, mended.left, mended.tries) == ((poor,), {"poor-1": "so"}, 0)
    assert not history_path(file).exists()


def test_a_broken_history_is_the_users_to_mend(file: Path) -> None:
    history_path(file).write_text('{"format": 1}\n{"format": 1}\n')
    with pytest.raises(UserError, match=r"queries\.jsonl\.history\.jsonl, line 1, is no revision"):
        History(file)


def test_no_query_is_mended_by_one_that_says_the_same_as_another_of_the_file(
    linter: Linter, file: Path, good: Query, poor: Query
) -> None:
    other = good.model_copy(update={"query_id": "other"})
    retold = good.model_copy(update={"query_id": "poor-1", "text": " ".join(good.text.split()[::-1])})
    mended = mender(linter, file, Rewriting([retold]), tries=1).mend([other, poor])
    assert mended.queries == (other, poor)
    assert "near_duplicate" in {finding.code for finding in read_history_of(file)[0].findings}
