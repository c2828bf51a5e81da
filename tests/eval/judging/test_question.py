"""Verdict files, also with lines that are cut. still_to_ask: tests/eval/claims/test_extraction.py."""

from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.question import VerdictFile, verdict_path
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
