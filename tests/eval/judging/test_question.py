"""Verdict files, and what judging took."""

from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.judging.spending import Allowance, CapReached, allowance_for, judging_costs
from drretail.journal import ActionResult, Journal
from drretail.records.run import Usage
from drretail.records.score import Verdict
from tests import build

WORDS = frozenset({"w"})


def verdict(item: str, value: int, **given: Any) -> Verdict:
    about: dict[str, Any] = {"report_sha": "s", "prompt_hash": "w"}
    return build.verdict("quality", "rating", item, value, **about | given)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return verdict_path(tmp_path, "quality", "judge", "a", "q1-r1")


def written(path: Path, *verdicts: Verdict) -> VerdictFile:
    file = VerdictFile(path)
    for one in verdicts:
        file.append(one)
    file.close()
    return VerdictFile(path)


def test_a_line_that_was_cut_is_dropped_and_written_over(path: Path) -> None:
    written(path, verdict("depth", 4), verdict("clarity", 5))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert [one.item for one in VerdictFile(path).lasts()] == ["depth"]
    written(path, verdict("clarity", 5))
    assert path.read_bytes() == whole


def test_a_kill_keeps_all_verdicts_of_one_answer_or_none(path: Path) -> None:
    file = VerdictFile(path)
    with file.at_once():
        file.append(verdict("a", 1))
        assert not path.exists()
        file.append(verdict("b", 2))
        assert [each.item for each in file.lasts()] == ["a", "b"]
    assert [each.item for each in VerdictFile(path).lasts()] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", "line 1, is not JSON"),
        ('{"format":1,"metric":"quality"}', "cannot read: Field required"),
        ('{"metric":"quality"}', "names no format"),
    ],
)
def test_a_bad_line_is_answered_with_how_to_mend_it(path: Path, line: str, message: str) -> None:
    written(path, verdict("depth", 4))
    path.write_text(f"{line}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    with pytest.raises(UserError, match=message) as problem:
        VerdictFile(path)
    assert str(problem.value).endswith("Delete that line, or the file: score then asks again for what is missing.")


USED = {"calls": 1, "input_uncached": 1000, "output": 100, "nanodollars": 20_000_000}


def asked(folder: Path, metric: str, name: str, usage: dict[str, int] = USED) -> None:
    """One question of a judge, answered."""
    journal = Journal(folder / "verdicts" / metric / "judge" / "label" / f"{name}.journal.jsonl")
    request = {"model": "anthropic:m", "params": {}, "messages": []}
    journal.scope("s").perform("model", request, lambda: ActionResult("yes", usage, 1))
    journal.close()


def test_an_unknown_price_is_unknown_and_cannot_be_capped(tmp_path: Path) -> None:
    asked(tmp_path, "quality", "q1-r1", {"calls": 1, "input_uncached": 1000, "output": 100, "unpriced": 1})
    (quality,) = judging_costs(tmp_path)
    assert (quality.cost.dollars, quality.cost.unpriced) == (None, ("anthropic:m",))
    allowance = allowance_for([tmp_path], [], 5000, None)
    assert allowance is not None
    assert allowance.spent_tokens == 1100
    with pytest.raises(UserError, match="What judging cost so far is unknown"):
        allowance_for([tmp_path], [], None, 1.0)


def test_an_allowance_ends_when_it_is_spent_and_without_a_cap_never() -> None:
    capped, free = Allowance(dollars=0.03), Allowance()
    for _ in range(2):
        capped.check()
        capped.count(Usage(**USED))
        free.count(Usage(**USED))
    with pytest.raises(CapReached):
        capped.check()
    free.check()
    with pytest.raises(CapReached):
        Allowance(tokens=100, spent_tokens=100).check()
