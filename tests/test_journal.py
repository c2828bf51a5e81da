from datetime import UTC, datetime
from pathlib import Path

import pytest

from drretail.errors import ModelError, NotFound, ToolError, UserError
from drretail.journal import Journal, Outcome, read_effects


class Counter:
    """An outside effect that tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Outcome:
        self.asked += 1
        return Outcome({"answer": self.asked, "price": 25.0}, {"output": 3})


def test_an_effect_is_on_disk_before_its_answer_is_used(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, clock=lambda: datetime(2023, 10, 1, tzinfo=UTC))
    effect = journal.scope("0").perform("web_search", {"query": "feeder"}, Counter())
    (written,) = read_effects(path)
    assert written == effect
    assert written.response == {"answer": 1, "price": 25}
    assert written.usage == {"output": 3}
    assert written.started == "2023-10-01T00:00:00+00:00"


def test_a_reopened_journal_serves_what_it_holds_and_performs_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    action = Counter()
    first = Journal(path)
    first.scope("0").perform("web_search", {"query": "a"}, action)
    first.close()
    second = Journal(path)
    assert second.scope("0").perform("web_search", {"query": "a"}, action).response["answer"] == 1
    assert second.scope("0").perform("web_search", {"query": "b"}, action).response["answer"] == 2
    assert (action.asked, second.served, len(read_effects(path))) == (2, 1, 2)


def test_equal_requests_are_told_apart_by_scope_and_by_occurrence() -> None:
    journal, action = Journal(), Counter()
    keys = [journal.scope(scope).perform("web_search", {"q": 1}, action).key for scope in ("0", "0", "0.1")]
    assert len(set(keys)) == 3
    assert action.asked == 3


def test_a_cut_last_line_is_performed_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    action = Counter()
    journal = Journal(path)
    for query in ("a", "b"):
        journal.scope("0").perform("web_search", {"query": query}, action)
    journal.close()
    path.write_bytes(path.read_bytes()[:-9])
    again = Journal(path)
    assert again.scope("0").perform("web_search", {"query": "a"}, action).response["answer"] == 1
    assert again.scope("0").perform("web_search", {"query": "b"}, action).response["answer"] == 3
    assert [effect.request["query"] for effect in read_effects(path)] == ["a", "b"]


def test_a_recorded_error_is_raised_again_as_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    problems = [ModelError("timeout", "too slow"), ToolError("unavailable", "down", field="query", allowed=["x"])]
    for problem in [*problems, NotFound("page", "u")]:

        def action(problem: Exception = problem) -> Outcome:
            raise problem

        journal = Journal(path)
        with pytest.raises(type(problem)):
            journal.scope("0").perform("web_search", {"n": str(problem)}, action)
        journal.close()
        again = Journal(path)
        with pytest.raises((ModelError, ToolError)) as caught:
            again.scope("0").perform("web_search", {"n": str(problem)}, Counter())
        assert (caught.value.kind, caught.value.message) == (problem.kind, problem.message)


def test_replay_serves_everything_and_performs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    action = Counter()
    Journal(path).scope("0").perform("web_search", {"query": "a"}, action)
    copy = tmp_path / "copy.jsonl"
    replay = Journal(copy, replay=path)
    assert replay.scope("0").perform("web_search", {"query": "a"}, action).response["answer"] == 1
    with pytest.raises(ModelError, match="replayed journal holds no answer"):
        replay.scope("0").perform("web_search", {"query": "b"}, action)
    assert action.asked == 1
    assert read_effects(copy) == read_effects(path)


def test_a_journal_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"format":9}\n', encoding="utf-8")
    with pytest.raises(UserError, match="format 9"):
        Journal(path)


def test_a_replay_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing to replay"):
        Journal(replay=tmp_path / "none.jsonl")


async def _later(action: Counter) -> Outcome:
    return action()


@pytest.mark.anyio
async def test_awaited_effects_share_the_journal_with_the_others() -> None:
    journal, action = Journal(), Counter()
    await journal.scope("0").aperform("model", {"q": 1}, lambda: _later(action))
    assert [effect.kind for effect in journal.effects] == ["model"]


@pytest.mark.parametrize(
    "request_",
    [{"query": "a", "none": None, "deep": {"none": [None, 1.0, "é\u2028"]}}, {"price": 25.0}, {"text": '"x":4.0,'}],
)
def test_a_line_is_the_effects_own_canonical_form(tmp_path: Path, request_: dict[str, object]) -> None:
    def refuse() -> Outcome:
        raise NotFound("page", "x")

    path = tmp_path / "journal.jsonl"
    scope = Journal(path).scope("0")
    scope.perform("web_search", request_, lambda: Outcome(request_, {"output": 3}))
    with pytest.raises(ToolError):
        scope.perform("page_fetch", request_, refuse)
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert lines == [effect.as_line() for effect in read_effects(path)]
    assert len(lines) == 2


def test_a_line_that_is_no_effect_is_a_sentence_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text('{"format":1,"a":1}\n')
    with pytest.raises(UserError, match=r"journal\.jsonl is no journal that this version can read"):
        Journal(path)
