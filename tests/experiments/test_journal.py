"""Effects of a run: on disk before they are used, never performed twice. aperform: tests/llm/test_scripted.py."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.errors import ModelError, NotFound, ToolError, UserError
from drretail.experiments.journal import ActionResult, Effect, Journal, read_effects


class Counter:
    """An outside effect that tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> ActionResult:
        self.asked += 1
        return ActionResult({"answer": self.asked, "price": 25.0}, {"output": 3})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def search(journal: Journal, query: str, action: Callable[[], ActionResult], scope: str = "0") -> Effect:
    return journal.scope(scope).perform("web_search", {"query": query}, action)


def test_an_effect_is_on_disk_before_its_answer_is_used(path: Path) -> None:
    effect = search(Journal(path), "feeder", Counter())
    (written,) = read_effects(path)
    assert written == effect
    assert (written.response, written.usage) == ({"answer": 1, "price": 25}, {"output": 3})


def test_half_a_character_in_an_answer_is_replaced_before_it_is_used_and_written(path: Path) -> None:
    effect = search(Journal(path), "feeder", lambda: ActionResult({"text": ["half \ud83d", "nul \0"]}))
    assert effect.response == {"text": ["half \ufffd", "nul \ufffd"]}
    assert read_effects(path) == [effect]


def test_a_reopened_journal_serves_what_it_holds_and_performs_the_rest(path: Path) -> None:
    action, first = Counter(), Journal(path)
    search(first, "a", action)
    first.close()
    second = Journal(path)
    assert [search(second, query, action).response["answer"] for query in "ab"] == [1, 2]
    assert (action.asked, second.served, len(read_effects(path))) == (2, 1, 2)


def test_what_requests_share_stands_once_also_in_a_journal_that_was_cut_and_goes_on(path: Path) -> None:
    def turn(journal: Journal, number: int) -> Effect:
        said = [{"role": "user", "content": f"turn {one}"} for one in range(number)]
        return journal.scope("0").perform("model", {"model": "m", "messages": said}, Counter())

    whole = [turn(Journal(path), number) for number in (1, 2, 3)]
    lines = path.read_text("utf-8").splitlines()
    assert ["part" in json.loads(line) for line in lines] == [True, False] * 3
    for end in range(len(lines) + 1):  # after each line, and within the next one
        path.write_text("".join(f"{line}\n" for line in lines[:end]) + "".join(lines[end : end + 1])[:9], "utf-8")
        again = Journal(path)
        assert [turn(again, number).request for number in (1, 2, 3)] == [effect.request for effect in whole]
        assert [effect.request for effect in read_effects(path)] == [effect.request for effect in whole]
        assert path.read_text("utf-8").count("turn 0") == 1
        assert again.served == end // 2


def test_equal_requests_are_told_apart_by_scope_and_by_occurrence() -> None:
    journal, action = Journal(), Counter()
    assert len({search(journal, "a", action, scope).key for scope in ("0", "0", "0.1")}) == 3
    assert action.asked == 3


@pytest.mark.parametrize(
    "problem",
    [
        ModelError("timeout", "too slow"),
        ToolError("unavailable", "down", field="query", allowed=["x"]),
        NotFound("page", "u"),
    ],
)
def test_a_recorded_error_is_raised_again_as_what_it_was(path: Path, problem: ModelError | ToolError) -> None:
    def action() -> ActionResult:
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
    replay = Journal(copy, replay=read_effects(path))
    assert search(replay, "a", action).response["answer"] == 1
    with pytest.raises(ModelError, match="replayed journal holds no answer"):
        search(replay, "b", action)
    assert action.asked == 1
    assert read_effects(copy) == read_effects(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [('{"format":9}', "format 9"), ('{"format":1,"a":1}', r"journal\.jsonl is no journal that this version can read")],
)
def test_a_journal_of_another_version_is_refused(path: Path, line: str, message: str) -> None:
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=message):
        Journal(path)
