from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from drretail.errors import ModelError, NotFound, ToolError, UserError
from drretail.journal import Effect, Journal, Outcome, read_effects


class Counter:
    """An outside effect that tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Outcome:
        self.asked += 1
        return Outcome({"answer": self.asked, "price": 25.0}, {"output": 3})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def search(journal: Journal, query: str, action: Callable[[], Outcome], scope: str = "0") -> Effect:
    return journal.scope(scope).perform("web_search", {"query": query}, action)


def test_an_effect_is_on_disk_before_its_answer_is_used(path: Path) -> None:
    effect = search(Journal(path, clock=lambda: datetime(2023, 10, 1, tzinfo=UTC)), "feeder", Counter())
    (written,) = read_effects(path)
    assert written == effect
    assert (written.response, written.usage) == ({"answer": 1, "price": 25}, {"output": 3})
    assert written.started == "2023-10-01T00:00:00+00:00"


def test_half_a_character_in_an_answer_is_replaced_before_it_is_used_and_written(path: Path) -> None:
    effect = search(Journal(path), "feeder", lambda: Outcome({"text": ["half \ud83d", "nul \0"]}))
    assert effect.response == {"text": ["half \ufffd", "nul \ufffd"]}
    assert read_effects(path) == [effect]


def test_a_reopened_journal_serves_what_it_holds_and_performs_the_rest(path: Path) -> None:
    action, first = Counter(), Journal(path)
    search(first, "a", action)
    first.close()
    second = Journal(path)
    assert [search(second, query, action).response["answer"] for query in "ab"] == [1, 2]
    assert (action.asked, second.served, len(read_effects(path))) == (2, 1, 2)


def test_equal_requests_are_told_apart_by_scope_and_by_occurrence() -> None:
    journal, action = Journal(), Counter()
    assert len({search(journal, "a", action, scope).key for scope in ("0", "0", "0.1")}) == 3
    assert action.asked == 3


def test_a_cut_last_line_is_performed_again(path: Path) -> None:
    action, journal = Counter(), Journal(path)
    for query in "ab":
        search(journal, query, action)
    journal.close()
    path.write_bytes(path.read_bytes()[:-9])
    again = Journal(path)
    assert [search(again, query, action).response["answer"] for query in "ab"] == [1, 3]
    assert [effect.request["query"] for effect in read_effects(path)] == ["a", "b"]


@pytest.mark.parametrize(
    "problem",
    [
        ModelError("timeout", "too slow"),
        ToolError("unavailable", "down", field="query", allowed=["x"]),
        NotFound("page", "u"),
    ],
)
def test_a_recorded_error_is_raised_again_as_what_it_was(path: Path, problem: ModelError | ToolError) -> None:
    def action() -> Outcome:
        raise problem

    journal = Journal(path)
    with pytest.raises(type(problem)):
        search(journal, "a", action)
    journal.close()
    with pytest.raises((ModelError, ToolError)) as caught:
        search(Journal(path), "a", Counter())
    assert (caught.value.kind, caught.value.message) == (problem.kind, problem.message)


def test_replay_serves_everything_and_performs_nothing(path: Path, tmp_path: Path) -> None:
    action, copy = Counter(), tmp_path / "copy.jsonl"
    search(Journal(path), "a", action)
    replay = Journal(copy, replay=path)
    assert search(replay, "a", action).response["answer"] == 1
    with pytest.raises(ModelError, match="replayed journal holds no answer"):
        search(replay, "b", action)
    assert action.asked == 1
    assert read_effects(copy) == read_effects(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [('{"format":9}', "format 9"), ('{"format":1,"a":1}', r"journal\.jsonl is no journal that this version can read")],
)
def test_no_journal_and_one_of_another_version_are_refused(path: Path, line: str, message: str) -> None:
    with pytest.raises(UserError, match="nothing to replay"):
        Journal(replay=path)
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        Journal(path)


@pytest.mark.parametrize(
    "request_",
    [{"query": "a", "none": None, "deep": {"none": [None, 1.0, "é\u2028"]}}, {"price": 25.0}, {"text": '"x":4.0,'}],
)
def test_a_line_is_the_effects_own_canonical_form(path: Path, request_: dict[str, object]) -> None:
    def refuse() -> Outcome:
        raise NotFound("page", "x")

    scope = Journal(path).scope("0")
    scope.perform("web_search", request_, lambda: Outcome(request_, {"output": 3}))
    with pytest.raises(ToolError):
        scope.perform("page_fetch", request_, refuse)
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert lines == [effect.as_line() for effect in read_effects(path)]
    assert len(lines) == 2
